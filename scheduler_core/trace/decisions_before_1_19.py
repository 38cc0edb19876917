"""Decision records of the releases before 1.19, in the form of their recorded runs.

They contain the failed predicates (filters) of each node, the best hosts in order, the events that the recorder
received, the nodes on which preemption was tried, and the nominations that it cleared; nothing about PreFilter and
profiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.trace import events as trace
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import NominationCleared, PreemptionEvaluated, VictimEvicted
from scheduler_core.trace.summaries import node_names

Record = dict[str, Any]
QUEUES = ("active", "backoff", "unschedulable")


class RecordsBefore119(msgspec.Struct):
    """The data of an attempt beyond its ordinary record.

    `names_victims`: the text of the event Preempted repeats its name. `failure_first`: FailedScheduling precedes it.
    """

    names_victims: bool = True
    failure_first: bool = False
    _evaluated: PreemptionEvaluated | None = None
    _bound: trace.PodBound | None = None
    _cleared: list[str] = []
    _deleted: dict[str, None] = {}
    _nodes: dict[str, None] = {}  # in order of creation

    def take(self, event: AnyEvent) -> None:
        """Process the next event."""
        match event:
            case trace.CycleStarted():
                self._evaluated, self._bound, self._cleared = None, None, []
            case PreemptionEvaluated():
                self._evaluated = event
            case NominationCleared(cause="preempted-by-higher-priority"):
                self._cleared.append(event.pod)
            case VictimEvicted():
                self._deleted[event.pod] = None
            case trace.RunStarted():
                self._nodes = dict.fromkeys(node_names(event))
            case trace.ObjectApplied(kind="Node") | trace.ObjectDeleted(kind="Node"):
                self._note_node(event)
            case trace.ObjectDeleted(kind="Pod"):
                self._deleted.setdefault(f"{event.namespace}/{event.name}")
            case trace.PodBound():
                self._bound = event

    def _note_node(self, event: trace.ObjectApplied | trace.ObjectDeleted) -> None:
        if isinstance(event, trace.ObjectDeleted):
            self._nodes.pop(event.name, None)
        else:
            self._nodes.setdefault(event.name)

    def convert(self, record: Record, order: list[str]) -> Record:
        """Return the record in the older form. `order` are the nodes of the snapshot."""
        best = max(record["totals"].values(), default=0)
        return {
            **{name: record[name] for name in ("attempt", "time", "pod", "outcome", "node", "message", "feasible")},
            "events": self._recorder_events(record),
            "filter": {name: _verdict(verdict) for name, verdict in record["filter"].items()},
            "scores": record["scores"],
            "totals": record["totals"],
            "ties": [name for name in record["feasible"] if record["totals"].get(name) == best],
            "preemption": self._preemption(record["preemption"], order) if record["preemption"] else None,
            "queues": {name: record["queues"][name] for name in QUEUES},
        }

    def final(self, record: Record) -> Record:
        """Return the final record; victims count as deleted when they are evicted, not when they have terminated."""
        final = record["final"]
        place = {key: number for number, key in enumerate(self._deleted)}
        deleted = sorted(final["deleted"], key=lambda key: place.get(key, len(place)))
        return {"final": {**{name: final[name] for name in ("bound", "pending", "time")}, "deleted": deleted}}

    def _recorder_events(self, record: Record) -> list[str]:
        """Return the events of the recorder as text, in order."""
        messages = []
        preempted = self._evaluated if record["outcome"] == "Nominated" else None
        if preempted is not None:
            prefix = "Preempted by" if self.names_victims else "by"
            sentence = f"Preempted: {prefix} {record['pod']} on node {preempted.nominated_node}"
            messages += [sentence] * len(preempted.victims)
        if record["message"] is not None:
            failed = f"FailedScheduling: {record['message']}"
            messages = [failed, *messages] if self.failure_first else [*messages, failed]
        if self._bound is not None:
            messages.append(f"Scheduled: {self._bound.message}")
        return messages

    def _preemption(self, record: Record, order: list[str]) -> Record:
        assert self._evaluated is not None
        tried = {*record["candidates"], *self._evaluated.failed}
        order = [*self._nodes] if self.failure_first else order
        return {
            "eligible": record["eligible"],
            "potential": [name for name in order if name in tried],
            "candidates": record["candidates"],
            "nominatedNode": record["nominatedNode"] or None,
            "victims": record["victims"],
            "nominationsCleared": self._cleared,
        }


def _verdict(verdict: Mapping[str, Any]) -> Record:
    return {"predicates": verdict["plugin"].split(","), "code": verdict["code"], "reasons": verdict["reasons"]}
