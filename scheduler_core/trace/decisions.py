"""Decision records: the result of each attempt as plain data, comparable with recorded runs of kube-scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.releases import RELEASES
from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace.claim_decisions import Claims
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.decisions_before_1_19 import RecordsBefore119
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.group_decisions import GroupSeen, state
from scheduler_core.trace.preemption_events import PreemptionEvaluated, candidates_of
from scheduler_core.trace.queues import Queues
from scheduler_core.trace.records import NodeName, PodKey
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, node_names, pods_of

POP_FROM_BACKOFF_Q = "SchedulerPopFromBackoffQ"

IN_FULL = ("runs", "queues")  # fields of a pod group's record that are not in the short record

Record = dict[str, Any]


class _Seen(msgspec.Struct):
    """The data of an attempt's record: the events of its cycle by type, the snapshot's order, the queues."""

    time: float = 0.0
    cycle: dict[type, Any] = {}
    order: list[NodeName] = []
    initial_node_of: dict[PodKey, NodeName] = {}
    queues: Queues = msgspec.field(default_factory=Queues)
    group: GroupSeen | None = None
    claims: Claims = msgspec.field(default_factory=Claims)
    gone: set[PodKey] = set()  # deleted and finished pods

    def take(self, event: AnyEvent) -> None:
        """Process the next event."""
        if isinstance(event, groups.PodGroupCycleStarted):
            self.group = GroupSeen(event)
            for key in event.pods:
                self.queues.remove(key)
            return
        self._take(event)
        if self.group is not None:
            self.cycle = self.group.take(event, self.cycle)

    def _take(self, event: AnyEvent) -> None:
        match event:
            case trace.RunStarted():
                names = node_names(event)
                self.order = [names[row] for row in event.order]
                pods = pods_of(event)
                self.initial_node_of = initial_nodes(pods)
                self.queues.priority = {pod.pod: pod.priority for pod in pods}
                default = RELEASES[event.kubernetes_version].has_on(POP_FROM_BACKOFF_Q)
                self.claims.take(event)
                self.queues.aligned = event.feature_gates.get(POP_FROM_BACKOFF_Q, default)
            case trace.ClockAdvanced():
                self.time = event.time
            case trace.CycleStarted():
                self.cycle = {trace.CycleStarted: event}
                self.group = self.group if event.pod_group else None
                self.queues.remove(event.pod)
            case trace.PodEnqueued() | trace.PodGated():
                self.queues.put(event)
            case trace.PodAssumed() | trace.PodIgnored():
                self.queues.remove(event.pod)
            case trace.ObjectApplied() | trace.ObjectDeleted():
                self._object(event)
            case groups.PodGroupMemberDecided():
                self.cycle = {}
            case _:
                self.cycle[type(event)] = event

    def _object(self, event: trace.ObjectApplied | trace.ObjectDeleted) -> None:
        self.claims.take(event)
        if event.order is not None:
            self.order = event.order
        if isinstance(event, trace.ObjectApplied):
            if event.pod is not None:
                self.gone.discard(event.pod.pod)
                self.queues.set_priority(event.pod.pod, event.pod.priority)
        elif event.kind == "Pod":
            self.gone.add(f"{event.namespace}/{event.name}")
            self.queues.remove(f"{event.namespace}/{event.name}")


class DecisionReader:
    """Reads the events of a run in order and returns decision records; its state in between is plain data.

    For `short`, see `short_decisions`; for `as_recorded`, see `decisions`.
    """

    def __init__(self, *, short: bool = False, as_recorded: bool = False) -> None:
        self._seen = _Seen()
        self._short = short
        self._as_recorded = as_recorded
        self._older: RecordsBefore119 | None = None

    def take(self, event: AnyEvent) -> Iterator[Record]:
        """Yield the records that the event completes."""
        seen = self._seen
        seen.take(event)
        if self._as_recorded and isinstance(event, trace.RunStarted):
            rules = RELEASES[event.kubernetes_version].rules
            older = RecordsBefore119(
                names_victims=not rules.ties_are_taken_in_turn, failure_first=rules.failure_precedes_preemption
            )
            self._older = older if rules.generic_scheduler else None
        if self._older is not None:
            self._older.take(event)
        if isinstance(event, trace.AttemptFinished):
            record = _short_record(seen, event) if self._short else _record(seen, event)
            yield record if self._older is None else self._older.convert(record, _snapshot_list(seen))
        elif isinstance(event, groups.PodGroupCycleFinished):
            assert seen.group is not None
            record = seen.group.record(_number(seen.time), seen.queues.record())
            yield _without(record, IN_FULL) if self._short else record
        elif isinstance(event, trace.RunFinished):
            bound = bound_at_the_end(seen.initial_node_of, event)
            record = {
                "final": {
                    "bound": {key: node_name for key, node_name in bound.items() if key not in seen.gone},
                    "deleted": event.deleted,
                    "pending": event.pending,
                    "time": _number(event.time),
                    **_pod_groups(event),
                    **seen.claims.all(),
                }
            }
            yield record if self._older is None else self._older.final(record)


def decisions(events: Iterable[AnyEvent], *, as_recorded: bool = False) -> Iterator[Record]:
    """Yield all records of a run, in the format of the recorded runs from 1.19 on.

    There are three kinds: the record of an attempt has the field `attempt`; the record of a pod group cycle, which
    precedes those of its members, has `podGroupCycle` and no `attempt`; the last record is `{"final": ...}`. Use
    `attempt_records` to read attempts. `as_recorded`: in the format of the release's recorded runs, another one
    before 1.19.
    """
    reader = DecisionReader(as_recorded=as_recorded)
    for event in events:
        yield from reader.take(event)


def attempt_records(events: Iterable[AnyEvent]) -> Iterator[Record]:
    """Yield the records of attempts only."""
    return (record for record in decisions(events) if "attempt" in record)


def short_decisions(events: Iterable[AnyEvent]) -> Iterator[Record]:
    """Yield the records of `decisions` without nulls, queues and values by node.

    `feasible` is a number of nodes, `rejected` {"PLUGIN: REASONS": number of nodes}.
    """
    reader = DecisionReader(short=True)
    for event in events:
        yield from reader.take(event)


def record_of_cycle(events: Iterable[AnyEvent], order: list[NodeName]) -> Record:
    """Return the plugins' results in one scheduling cycle, a part of a record."""
    seen = _Seen(order=order)
    for event in events:
        seen.take(event)
    return _of_cycle(seen)


def _pod_groups(event: trace.RunFinished) -> Record:
    if event.pod_groups is None:
        return {}
    return {"podGroups": {key: state(pod_group) for key, pod_group in event.pod_groups.items()}}


def _record(seen: _Seen, finished: trace.AttemptFinished) -> Record:
    head = _head(seen, finished)
    record = _of_cycle(seen)
    preemption = record.pop("preemption")
    queues, tail = seen.queues.record(), _tail(seen, finished)
    return {**head, **record, "message": _message(seen), "preemption": preemption, "queues": queues, **tail}


def _short_record(seen: _Seen, finished: trace.AttemptFinished) -> Record:
    head = _head(seen, finished)
    filtered = _Filtered.of(seen)
    rejected = Counter(f"{status['plugin']}: {', '.join(status['reasons'])}" for status in filtered.statuses.values())
    preemption = _preemption(seen.cycle.get(PreemptionEvaluated))
    record = {**head, "message": _message(seen), "preemption": preemption, **_tail(seen, finished)}
    counts = {"feasible": len(filtered.feasible), "rejected": dict(rejected) or None}
    return _without({**record, **counts})


def _head(seen: _Seen, finished: trace.AttemptFinished) -> Record:
    """Return the first fields of a record. The cycle of a group member becomes that of its own decision."""
    if seen.group is not None:
        seen.cycle = seen.group.decided[finished.pod]
    started: trace.CycleStarted | groups.PodGroupMemberDecided
    started = seen.cycle.get(trace.CycleStarted) or seen.cycle[groups.PodGroupMemberDecided]
    return {
        "attempt": finished.attempt,
        "time": _number(seen.time),
        "pod": finished.pod,
        "profile": started.profile,
        "outcome": finished.outcome,
        "node": finished.node or None,
    }


def _message(seen: _Seen) -> str | None:
    failed: trace.SchedulingFailed | None = seen.cycle.get(trace.SchedulingFailed)
    return failed.message if failed else None


def _tail(seen: _Seen, finished: trace.AttemptFinished) -> Record:
    group = None if seen.group is None else seen.group.started
    return {
        **seen.claims.of(finished.claims),
        **seen.claims.reserved_node(seen.cycle.get(trace.BindingFailed)),
        **({"podGroup": group.pod_group, "podGroupCycle": group.cycle} if group else {}),
    }


def _without(record: Record, names: Collection[str] = ()) -> Record:
    """Return the record without these fields and without nulls."""
    return {name: value for name, value in record.items() if value is not None and name not in names}


def _of_cycle(seen: _Seen) -> Record:
    filtered = _Filtered.of(seen)
    scores, totals = _scores(seen)
    return {
        "preFilter": _pre_filter(seen.cycle.get(trace.PreFilterFinished)),
        "filter": filtered.statuses,
        "feasible": filtered.feasible,
        "scores": scores,
        "totals": totals,
        "preemption": _preemption(seen.cycle.get(PreemptionEvaluated)),
    }


def _pre_filter(event: trace.PreFilterFinished | None) -> Record:
    if event is None:
        return {"rejectedBy": None, "code": None, "reasons": [], "nodes": None}
    return {"rejectedBy": event.rejected_by, "code": event.code, "reasons": event.reasons, "nodes": event.nodes}


class _Filtered:
    """The nodes of a NodesFiltered event by name."""

    def __init__(self, statuses: dict[str, Record], feasible: list[str]) -> None:
        self.statuses = statuses
        self.feasible = feasible

    @staticmethod
    def of(seen: _Seen) -> _Filtered:
        event: trace.NodesFiltered | None = seen.cycle.get(trace.NodesFiltered)
        if event is None:
            return _Filtered({}, [])
        names = _evaluated_nodes(seen, event)
        numbers = decode_column(event.verdict, event.evaluated).tolist()
        records = [
            {"plugin": verdict.plugin, "code": verdict.code, "reasons": verdict.reasons} for verdict in event.verdicts
        ]
        statuses: dict[str, Record] = {}
        feasible = [name for name, number in zip(names, numbers, strict=True) if not number and not event.error]
        if event.nominated_first is not None and event.nominated_verdict:
            statuses[event.nominated_first] = records[event.nominated_verdict - 1]
        elif event.nominated_first is not None and not event.evaluated:
            feasible = [event.nominated_first]
        statuses |= {name: records[number - 1] for name, number in zip(names, numbers, strict=True) if number}
        for extender, name, message in event.extenders:
            statuses[name] = {"plugin": extender, "code": "Unschedulable", "reasons": [message]}
        return _Filtered(statuses, [name for name in feasible if name not in statuses])


def _evaluated_nodes(seen: _Seen, event: trace.NodesFiltered) -> list[str]:
    """Return the names of the evaluated nodes, in order."""
    rows: NDArray[np.int64]
    if event.rows is None:
        rows = (event.start + np.arange(event.evaluated)) % max(event.total, 1)
    else:
        rows = decode_column(event.rows, event.evaluated)
    return [seen.order[row] for row in rows.tolist()]


def _snapshot_list(seen: _Seen) -> list[str]:
    """Return the nodes of the search in ring order, from the first one of the snapshot's list."""
    event: trace.NodesFiltered | None = seen.cycle.get(trace.NodesFiltered)
    if event is None or event.evaluated < event.total:
        return seen.order
    names = _evaluated_nodes(seen, event)
    first = -event.start % event.total
    return names[first:] + names[:first]


def _scores(seen: _Seen) -> tuple[Record, Record]:
    event: trace.ScoresComputed | None = seen.cycle.get(trace.ScoresComputed)
    if event is None:
        return {}, {}
    count = event.count
    names = [seen.order[row] for row in decode_column(event.rows, count).tolist()]
    scores: Record = {}
    for plugin in event.plugins:
        normalized = decode_column(plugin.normalized, count)
        raw = normalized if plugin.raw is None else decode_column(plugin.raw, count)
        columns = (raw.tolist(), normalized.tolist(), (normalized * plugin.weight).tolist())
        scores[plugin.plugin] = {
            name: list(values) for name, values in zip(names, zip(*columns, strict=True), strict=True)
        }
    totals = dict(zip(names, decode_column(event.total, count).tolist(), strict=True))
    return scores, totals


def _preemption(event: PreemptionEvaluated | None) -> Record | None:
    if event is None:
        return None
    return {
        "eligible": event.eligible,
        "reason": event.reason,
        "candidates": {
            candidate.node: {"victims": candidate.victims, "pdbViolations": candidate.pdb_violations}
            for candidate in candidates_of(event)
        },
        "nominatedNode": event.nominated_node,
        "victims": event.victims,
    }


def _number(time: float) -> float:
    """Return the number, as an int if it is whole."""
    return int(time) if time == int(time) else time
