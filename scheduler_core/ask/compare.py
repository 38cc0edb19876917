"""A comparison of two runs: attempts aligned by pod, the first different decision with its cause, and moved pods.

    compare(lambda: simulate(a), lambda: simulate(b))

Each run is read at most twice: once for a summary of all attempts, and again up to the first different decision for its
details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from scheduler_core.ask.measures import Measures, Tally
from scheduler_core.trace import events as trace
from scheduler_core.trace.claim_decisions import Claims
from scheduler_core.trace.decisions import Record, attempt_records
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.pod_group_events import PodGroupCycleStarted
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import NodeName, Outcome, PodKey

MAX_ROWS = 20_000  # the number of aligned attempts, and of moved pods, in a comparison
Events = Callable[[], Iterable[AnyEvent]]


class ComparedAttempt(msgspec.Struct, frozen=True):
    """A summary of an attempt. `pod_attempt` is its number among the pod's attempts; `step` is its first event."""

    attempt: int
    pod: PodKey
    pod_attempt: int
    step: int
    time: float
    outcome: Outcome
    node: NodeName
    nominated: NodeName = ""
    victims: tuple[PodKey, ...] = ()
    message: str = ""
    devices: tuple[str, ...] = ()  # the devices that its claims were allocated: "claim: driver/pool/device"

    @property
    def decision(self) -> tuple[str, ...]:
        """Return the result without its message, which can count other nodes. Equal results are the same decision."""
        return (self.outcome, self.node, self.nominated, *sorted(self.victims), *(self.devices if self.node else ()))


class Cause(msgspec.Struct, frozen=True):
    """The cause of a different decision, as data; the page adds the words.

    filter: `node` was rejected in one run; `before` or `after` is the reason. score: its total was `before` in one
    run and `after` in the other, mostly because of `plugin`, whose weighted score changed between the runs (None: it
    did not score the node). tie: several nodes have the same best score, and another one was selected. devices: the
    node is the same, but not the devices. victims: other pods were preempted. message: the pod is pending for other
    reasons. only: the other run has no such attempt.
    """

    kind: Literal["filter", "score", "tie", "devices", "victims", "message", "only"]
    node: NodeName = ""
    before: int | str | None = None
    after: int | str | None = None
    plugin: str = ""
    plugin_before: int | None = None
    plugin_after: int | None = None


class Difference(msgspec.Struct, frozen=True):
    """The first different decision, in each of the runs; None if a run has no such decision."""

    before: ComparedAttempt | None
    after: ComparedAttempt | None
    cause: Cause


class Moved(msgspec.Struct, frozen=True):
    """A pod that ended on another node; "" means pending, None deleted or never created."""

    pod: PodKey
    before: NodeName | None
    after: NodeName | None


class Pair(msgspec.Struct, frozen=True, array_like=True):
    """Corresponding attempts as indexes into `Comparison.attempts`; -1 if a run has no such attempt.

    An index can be beyond the end of `attempts`, which is truncated. `same`: both runs have the attempt, and the
    decisions are equal.
    """

    before: int
    after: int
    same: bool


class Comparison(msgspec.Struct, frozen=True):
    """The result of a comparison.

    `pairs` follow the order of the first run, then of the second. `first` None: no difference. Lists have at most
    MAX_ROWS entries.
    """

    first: Difference | None
    moved: list[Moved]
    moved_count: int
    attempts: tuple[list[ComparedAttempt], list[ComparedAttempt]]
    pairs: list[Pair]
    measures: tuple[Measures, Measures]
    differing: int

    @property
    def same(self) -> bool:
        return self.first is None and not self.moved_count


class _Run:
    """The attempts and final placements of a run."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.attempts: list[ComparedAttempt] = []
        tally = Tally()
        for attempt in attempts(_tallied(tally, events())):
            self.attempts.append(attempt)
        self.measures = tally.measures()
        self.place: dict[PodKey, NodeName] = {**dict.fromkeys(tally.pending, ""), **tally.bound}
        self.by_pod = {(attempt.pod, attempt.pod_attempt): index for index, attempt in enumerate(self.attempts)}

    def record(self, attempt: ComparedAttempt) -> Record:
        """Return the results of the plugins in the attempt."""
        return next(record for record in attempt_records(self.events()) if record["attempt"] == attempt.attempt)


def compare(before: Events, after: Events) -> Comparison:
    """Return the differences between two runs, each given as a function that iterates over its events."""
    runs = _Run(before), _Run(after)
    pairs = _paired(*runs)
    differing = [pair for pair in pairs if not pair.same]
    moved = [
        Moved(pod, runs[0].place.get(pod), runs[1].place.get(pod))
        for pod in sorted(runs[0].place.keys() | runs[1].place.keys())
        if runs[0].place.get(pod) != runs[1].place.get(pod)
    ]
    return Comparison(
        _first(differing, *runs) if differing else None,
        moved[:MAX_ROWS],
        len(moved),
        (runs[0].attempts[:MAX_ROWS], runs[1].attempts[:MAX_ROWS]),
        pairs[:MAX_ROWS],
        (runs[0].measures, runs[1].measures),
        len(differing),
    )


def _tallied(tally: Tally, events: Iterable[AnyEvent]) -> Iterator[AnyEvent]:
    for event in events:
        tally.take(event)
        yield event


def attempts(events: Iterable[AnyEvent]) -> Iterator[ComparedAttempt]:
    """Yield a summary of each attempt as it ends; the attempts of each pod are numbered from 1."""
    time = 0.0
    tries: dict[PodKey, int] = {}
    open_attempts: dict[PodKey, _OpenAttempt] = {}
    at = ""
    claims = Claims()
    for step, event in enumerate(events):
        match event:
            case trace.ClockAdvanced():
                time = event.time
            case trace.RunStarted() | trace.ObjectApplied() | trace.ObjectDeleted():
                claims.take(event)
            case PodGroupCycleStarted():
                open_attempts = {pod: _OpenAttempt(step) for pod in event.pods}
            case trace.CycleStarted():
                open_attempts = open_attempts if event.pod_group else {}
                at = event.pod
                open_attempts[at] = _OpenAttempt(step)
            case PreemptionEvaluated():
                open_attempts[at].nominated, open_attempts[at].victims = event.nominated_node, tuple(event.victims)
            case trace.SchedulingFailed() if event.pod in open_attempts:
                open_attempts[event.pod].message = event.message
            case trace.AttemptFinished():
                number = tries[event.pod] = tries.get(event.pod, 0) + 1
                attempt = open_attempts[event.pod]
                details = (attempt.nominated, attempt.victims, attempt.message, _devices(claims.of(event.claims)))
                yield ComparedAttempt(
                    event.attempt, event.pod, number, attempt.step, time, event.outcome, event.node, *details
                )


def _devices(record: Record) -> tuple[str, ...]:
    """Return the allocated devices of each claim in a record, and the number of its configurations."""
    devices = []
    for key, claim in record.get("claims", {}).items():
        allocation = (claim or {}).get("allocation") or {}
        devices += [
            f"{key}: {result['driver']}/{result['pool']}/{result['device']}" for result in allocation.get("results", ())
        ]
        devices += [f"{key}: {allocation['config']} config"] if "config" in allocation else []
    return tuple(devices)


class _OpenAttempt(msgspec.Struct):
    """An attempt in progress; attempts of group members are interleaved."""

    step: int
    nominated: NodeName = ""
    victims: tuple[PodKey, ...] = ()
    message: str = ""


def _paired(before: _Run, after: _Run) -> list[Pair]:
    pairs = []
    for index, attempt in enumerate(before.attempts):
        other = after.by_pod.get((attempt.pod, attempt.pod_attempt), -1)
        same = other >= 0 and after.attempts[other].decision == attempt.decision
        pairs.append(Pair(index, other, same))
    pairs += [
        Pair(-1, index, False)
        for index, attempt in enumerate(after.attempts)
        if (attempt.pod, attempt.pod_attempt) not in before.by_pod
    ]
    return pairs


def _first(differing: list[Pair], before: _Run, after: _Run) -> Difference:
    """Return the earliest difference in virtual time; of several at the same time, the first attempt."""

    def when(pair: Pair) -> tuple[float, int]:
        at_pair = [run.attempts[place] for run, place in ((before, pair.before), (after, pair.after)) if place >= 0]
        return min((attempt.time, attempt.attempt) for attempt in at_pair)

    pair = min(differing, key=when)
    old = before.attempts[pair.before] if pair.before >= 0 else None
    new = after.attempts[pair.after] if pair.after >= 0 else None
    if old is None or new is None:
        return Difference(old, new, Cause("only"))
    return Difference(old, new, cause_of(before.record(old), after.record(new)))


def cause_of(old: Record, new: Record) -> Cause:
    """Return the cause of a different decision, from the results of the two selected nodes."""
    for name, record in ((new["node"], old), (old["node"], new)):
        if name and name not in record["feasible"]:
            rejection = _rejection(record, name)
            return Cause("filter", name, *((rejection, "") if record is old else ("", rejection)))
    if not (old["node"] and new["node"]):
        if _victims(old) != _victims(new):
            return Cause("victims", before=", ".join(_victims(old)), after=", ".join(_victims(new)))
        return Cause("message", before=old["message"] or "", after=new["message"] or "")
    if old["node"] == new["node"] and _devices(old) != _devices(new):
        return Cause("devices", old["node"], ", ".join(_devices(old)), ", ".join(_devices(new)))
    return _score(old, new)


def _score(old: Record, new: Record) -> Cause:
    """Return as cause the selected node whose total changed most, and the plugin that changed it; a tie if none did."""
    names = [name for name in (new["node"], old["node"]) if name]
    deltas = {name: (new["totals"].get(name) or 0) - (old["totals"].get(name) or 0) for name in names}
    name = max(names, key=lambda candidate: abs(deltas[candidate]))
    if not deltas[name]:
        return Cause("tie", new["node"], old["totals"].get(old["node"]), new["totals"].get(new["node"]))
    plugins = dict.fromkeys((*old["scores"], *new["scores"]))
    weighted = {plugin: (_weighted(old, plugin, name), _weighted(new, plugin, name)) for plugin in plugins}
    plugin = max(
        weighted, key=lambda candidate: abs((weighted[candidate][1] or 0) - (weighted[candidate][0] or 0)), default=""
    )
    moved = weighted.get(plugin, (None, None))
    return Cause("score", name, old["totals"].get(name), new["totals"].get(name), plugin, *moved)


def _weighted(record: Record, plugin: str, node: NodeName) -> int | None:
    """Return the plugin's weighted score of the node, None if it did not score it."""
    score = record["scores"].get(plugin, {}).get(node)
    return None if score is None else int(score[2])


def _rejection(record: Record, node: NodeName) -> str:
    status = record["filter"].get(node)
    return f"{status['plugin']}: {', '.join(status['reasons'])}" if status else "not looked at"


def _victims(record: Record) -> list[PodKey]:
    return list(record["preemption"]["victims"]) if record["preemption"] else []
