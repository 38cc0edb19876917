"""The record of a pod group cycle, and the evaluations of its members that count (see `decisions.py`)."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.records import PodGroupState, PodKey

Record = dict[str, Any]
Cycle = dict[type, Any]  # the events of one evaluation of a member, by type


class GroupSeen(msgspec.Struct):
    """The events of a pod group cycle. `runs` contain the result and each member's evaluation."""

    started: groups.PodGroupCycleStarted
    runs: list[tuple[groups.PodGroupEvaluated, dict[PodKey, Cycle]]] = []
    trying: dict[PodKey, Cycle] = {}
    decided: dict[PodKey, Cycle] = {}
    latest: Cycle = {}  # the group's own events, by type

    def take(self, event: AnyEvent, cycle: Cycle) -> Cycle:
        """Process the next event and return the evaluation to which the following events belong."""
        match event:
            case trace.CycleStarted():
                self.trying[event.pod] = cycle
            case groups.PodGroupEvaluated():
                self.runs.append((event, self.trying))
                self.trying = {}
            case groups.PodGroupMemberDecided():
                cycle = self.decided[event.pod] = {**self._counted_evaluations().get(event.pod, {}), type(event): event}
            case _:
                self.latest[type(event)] = event
        return cycle

    def _counted_evaluations(self) -> dict[PodKey, Cycle]:
        """Return the evaluations of the members in the run whose result counts."""
        name = self._of(groups.PodGroupDecided).placement or ""
        return next((tries for run, tries in self.runs if run.placement == name), {})

    def _of(self, kind: type) -> Any:
        return self.latest.get(kind)

    def record(self, time: float, queues: Record) -> Record:
        """Return the record in the format of the recorded runs."""
        decided: groups.PodGroupDecided = self._of(groups.PodGroupDecided)
        finished: groups.PodGroupCycleFinished = self._of(groups.PodGroupCycleFinished)
        waiting = {"waitingOnPermit": finished.waiting_on_permit} if finished.waiting_on_permit else {}
        return {
            "podGroupCycle": self.started.cycle,
            "time": time,
            "podGroup": self.started.pod_group,
            "profile": self.started.profile,
            "pods": self.started.pods,
            "outcome": decided.outcome,
            "message": decided.message,
            "runs": [self._run(run) for run, _ in self.runs],
            "placement": decided.placement,
            "workloadPreemption": _preemption(self._of(groups.PodGroupPreemptionEvaluated)),
            "condition": state(self._of(groups.PodGroupConditionWritten)),
            "queues": queues,
            **waiting,
        }

    def _run(self, run: groups.PodGroupEvaluated) -> Record:
        scored: groups.PlacementsScored | None = self._of(groups.PlacementsScored)
        own = next((score for score in (scored.placements if scored else ()) if score.placement == run.placement), None)
        return {
            "placement": run.placement,
            "nodes": run.nodes,
            "postFilters": True,
            "success": run.success,
            "waitingOnPreemption": run.waiting_on_preemption,
            "message": run.message,
            "score": own.total if own else None,
            "scores": own.scores if own else None,
            "pods": [
                {
                    "pod": member.pod,
                    "node": member.node,
                    "requiresPreemption": member.requires_preemption,
                    "permit": member.permit,
                    "message": member.message,
                }
                for member in run.members
            ],
        }


def state(condition: groups.PodGroupConditionWritten | PodGroupState | None) -> Record | None:
    """Return a condition as plain data, None if there is none."""
    if condition is None:
        return None
    return {"status": condition.status, "reason": condition.reason, "message": condition.message}


def _preemption(event: groups.PodGroupPreemptionEvaluated | None) -> Record | None:
    if event is None:
        return None
    return {
        "status": event.status,
        "message": event.message,
        "victims": event.victims,
        "simulations": event.simulations,
    }
