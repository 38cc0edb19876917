"""A decision that is not carried out: the scheduling cycle up to the selected node, or a dry run of preemption."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import PodKey
from scheduler_core.framework.interface import CycleState, PostFilterPlugin
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.scheduler.schedule_one import schedule_pod, try_post_filter
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.fit_error import FitError, NoNodesAvailable, SchedulingError
from scheduler_core.trace.decisions import Record, record_of_cycle
from scheduler_core.trace.events import AnyEvent


class Decision(msgspec.Struct, frozen=True):
    """The decision for a pod: a node, a nominated node with victims, or the reasons against all nodes.

    `record` is as in `trace/decisions.py`: filter statuses, feasible nodes, scores and totals by node. `events` are
    those of the cycle; `error` is the argument of the failure handler, None if a node was found.
    """

    pod: PodKey
    node: str
    message: str
    record: Record
    events: tuple[AnyEvent, ...] = ()
    error: Exception | None = None

    @property
    def nominated(self) -> str:
        """Return the node that preemption nominated, "" if none."""
        preemption = self.record["preemption"]
        return str(preemption["nominatedNode"] or "") if preemption else ""

    @property
    def victims(self) -> list[PodKey]:
        preemption = self.record["preemption"]
        return list(preemption["victims"]) if preemption else []


def decide(scheduler: Scheduler, framework: Framework, cycle: CycleState) -> Decision:
    """Return the decision about the pod of the cycle.

    Only the search position, the random generator and caches change, and what a PostFilter plugin itself does with
    the services of the framework (DynamicResources writes claims, Coscheduling rejects waiting pods).
    """
    events: list[AnyEvent] = []
    node = ""
    error: Exception | None = None
    try:
        node = schedule_pod(replace(scheduler, emit=events.append), framework, cycle)
    except FitError as fit_error:
        error = fit_error
        if framework.at(PostFilterPlugin):
            result = try_post_filter(framework, cycle, fit_error)
            if result.evaluation is not None:
                events.append(result.evaluation)
    except (NoNodesAvailable, SchedulingError) as other:
        error = other
    record = record_of_cycle(events, scheduler.cluster.nodes.names)
    return Decision(cycle.pod.key, node, str(error) if error else "", record, tuple(events), error)
