"""The decisions of a replay in order, and a search for a score weight that explains them better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from scheduler_core.trace.decisions import Record, attempt_records
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, CycleStarted, RunStarted
from scheduler_core.trace.observed_events import DecisionObserved

WEIGHTS_TRIED = (0, 1, 2, 3, 5, 10)


class ReplayedDecision(msgspec.Struct, frozen=True):
    """A decision: its step and attempt in the run (attempt 0: the pod was not tried), and the compared outcomes."""

    step: int
    attempt: int
    time: float
    event: DecisionObserved


class OtherWeight(msgspec.Struct, frozen=True):
    """A weight of one Score plugin with which `explained` of the scored bindings equal the observed ones."""

    plugin: str
    weight: int
    explained: int


class Replay(msgspec.Struct):
    """The result of a replay. `scored` bindings had several feasible nodes; `explained` of them are reproduced.

    `other_weight`: the single change of a weight that explains most, None if none explains more.
    """

    decisions: list[ReplayedDecision] = []
    scored: int = 0
    explained: int = 0
    other_weight: OtherWeight | None = None

    @property
    def verdicts(self) -> Counter[str]:
        """Return the number of decisions with each verdict."""
        return Counter(decision.event.verdict for decision in self.decisions)


def replay(events: Iterable[AnyEvent]) -> Replay:
    """Return the replay of a run that follows observed decisions."""
    result = Replay()
    weights: dict[str, int] = {}
    bindings: list[tuple[Record, str]] = []
    tried: dict[int, str] = {}
    for record in attempt_records(_watched(events, result, weights, tried)):
        node = tried.get(record["attempt"])
        if node and node in record["totals"]:
            bindings.append((record["scores"], node))
    _weigh(result, bindings, weights)
    return result


def _watched(
    events: Iterable[AnyEvent], result: Replay, weights: dict[str, int], tried: dict[int, str]
) -> Iterator[AnyEvent]:
    """Yield the same events; store the observed decisions and the profile's weights."""
    time, attempt = 0.0, 0
    for step, event in enumerate(events):
        match event:
            case RunStarted():
                weights |= dict(event.plugins[event.profiles[0]].get("score", ()))
            case ClockAdvanced():
                time = event.time
            case CycleStarted():
                attempt = event.attempt
                tried[attempt] = ""
            case DecisionObserved():
                of_attempt = attempt if attempt in tried and not tried[attempt] else 0
                if of_attempt:
                    tried[attempt] = event.node
                result.decisions.append(ReplayedDecision(step, of_attempt, time, event))
        yield event


def _weigh(result: Replay, bindings: list[tuple[Record, str]], weights: Mapping[str, int]) -> None:
    """Count the explained bindings, and try other weights for each Score plugin, one at a time."""
    result.scored, result.explained = len(bindings), _explained(bindings, weights)
    for plugin in weights:
        for weight in WEIGHTS_TRIED:
            explained = _explained(bindings, {**weights, plugin: weight})
            best = result.other_weight.explained if result.other_weight else result.explained
            if explained > best:
                result.other_weight = OtherWeight(plugin, weight, explained)


def _explained(bindings: list[tuple[Record, str]], weights: Mapping[str, int]) -> int:
    """Count the bindings to a node with the highest total; scores are [raw, normalized, weighted]."""
    count = 0
    for scores, node in bindings:
        totals: Counter[str] = Counter()
        for plugin, by_node in scores.items():
            for name, values in by_node.items():
                totals[name] += values[1] * weights.get(plugin, 1)
        count += totals[node] == max(totals.values(), default=0)
    return count
