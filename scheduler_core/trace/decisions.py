"""Decision records: what each attempt came to, as plain data to compare with recorded runs of kube-scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.trace import events as trace
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.fold import apply, empty_keyframe
from scheduler_core.trace.keyframe import Keyframe, PodState

Record = dict[str, Any]


def decisions(events: Iterable[AnyEvent]) -> Iterator[Record]:
    """One record for each attempt, then `{"final": ...}`."""
    keyframe = empty_keyframe()
    for event in events:
        apply(keyframe, event)
        if isinstance(event, trace.AttemptFinished):
            yield _record(keyframe, event)
        elif isinstance(event, trace.RunFinished):
            yield {
                "final": {
                    "bound": event.bound,
                    "deleted": event.deleted,
                    "pending": event.pending,
                    "time": _number(event.time),
                }
            }


def _record(keyframe: Keyframe, finished: trace.AttemptFinished) -> Record:
    cycle = keyframe.cycle
    started: trace.CycleStarted = cycle["CycleStarted"]
    failed: trace.SchedulingFailed | None = cycle.get("SchedulingFailed")
    filtered = _Filtered.of(keyframe)
    scores, totals = _scores(keyframe)
    return {
        "attempt": finished.attempt,
        "time": _number(keyframe.time),
        "pod": finished.pod,
        "profile": started.profile,
        "outcome": finished.outcome,
        "node": finished.node or None,
        "preFilter": _pre_filter(cycle.get("PreFilterFinished")),
        "filter": filtered.statuses,
        "feasible": filtered.feasible,
        "scores": scores,
        "totals": totals,
        "message": failed.message if failed else None,
        "preemption": _preemption(cycle.get("PreemptionEvaluated")),
        "queues": _queues(keyframe),
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
    def of(keyframe: Keyframe) -> _Filtered:
        event: trace.NodesFiltered | None = keyframe.cycle.get("NodesFiltered")
        if event is None:
            return _Filtered({}, [])
        names = _evaluated(keyframe, event)
        verdict = decode_column(event.verdict, event.evaluated).tolist()
        records = [{"plugin": one.plugin, "code": one.code, "reasons": one.reasons} for one in event.verdicts]
        statuses: dict[str, Record] = {}
        feasible = [name for name, number in zip(names, verdict, strict=True) if not number]
        if event.nominated_first is not None and event.nominated_verdict:
            statuses[event.nominated_first] = records[event.nominated_verdict - 1]
        elif event.nominated_first is not None and not event.evaluated:
            feasible = [event.nominated_first]
        statuses |= {name: records[number - 1] for name, number in zip(names, verdict, strict=True) if number}
        for extender, name, message in event.extenders:
            statuses[name] = {"plugin": extender, "code": "Unschedulable", "reasons": [message]}
        return _Filtered(statuses, [name for name in feasible if name not in statuses])


def _evaluated(keyframe: Keyframe, event: trace.NodesFiltered) -> list[str]:
    """Names of the evaluated nodes, in order."""
    rows: NDArray[np.int64]
    if event.rows is None:
        rows = (event.start + np.arange(event.evaluated)) % max(event.total, 1)
    else:
        rows = decode_column(event.rows, event.evaluated)
    return [keyframe.order[row] for row in rows.tolist()]


def _scores(keyframe: Keyframe) -> tuple[Record, Record]:
    event: trace.ScoresComputed | None = keyframe.cycle.get("ScoresComputed")
    if event is None:
        return {}, {}
    count = event.count
    names = [keyframe.order[row] for row in decode_column(event.rows, count).tolist()]
    scores: Record = {}
    for one in event.plugins:
        normalized = decode_column(one.normalized, count)
        raw = normalized if one.raw is None else decode_column(one.raw, count)
        columns = (raw.tolist(), normalized.tolist(), (normalized * one.weight).tolist())
        scores[one.plugin] = {
            name: list(values) for name, values in zip(names, zip(*columns, strict=True), strict=True)
        }
    totals = dict(zip(names, decode_column(event.total, count).tolist(), strict=True))
    return scores, totals


def _preemption(event: trace.PreemptionEvaluated | None) -> Record | None:
    if event is None:
        return None
    return {
        "eligible": event.eligible,
        "reason": event.reason,
        "candidates": {
            one.node: {"victims": one.victims, "pdbViolations": one.pdb_violations} for one in event.candidates
        },
        "nominatedNode": event.nominated_node,
        "victims": event.victims,
    }


def _queues(keyframe: Keyframe) -> Record:
    """activeQ and backoffQ in the order in which pods would be popped, the others by name."""
    by_place: dict[str, list[tuple[str, PodState]]] = {}
    for key, pod in keyframe.pods.items():
        by_place.setdefault(pod.place, []).append((key, pod))
    gated = sorted(key for key, _ in by_place.get("gated", ()))
    active = sorted(by_place.get("active", ()), key=lambda entry: _active_order(entry[1]))
    aligned = keyframe.feature_gates.get("SchedulerPopFromBackoffQ", True)

    def backoff_order(entry: tuple[str, PodState]) -> tuple[Any, ...]:
        pod = entry[1]
        rest = _active_order(pod) if aligned and not pod.error_backoff else (pod.sequence,)
        return (pod.error_backoff, pod.backoff_until or 0.0, *rest)

    backoff = sorted(by_place.get("backoff", ()), key=backoff_order)
    return {
        "active": [key for key, _ in active],
        "backoff": [key for key, _ in backoff],
        "unschedulable": sorted([key for key, _ in by_place.get("unschedulable", ())] + gated),
        "gated": gated,
    }


def _active_order(pod: PodState) -> tuple[float, ...]:
    return -pod.summary.priority, pod.timestamp, pod.sequence


def _number(time: float) -> float:
    """Whole seconds without a decimal point."""
    return int(time) if time == int(time) else time
