"""The step of a run that shows the decision of an attempt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_core.ask.compare import attempts
from scheduler_core.trace import events as trace
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import PodKey


def decision_step(events: Iterable[AnyEvent], pod: PodKey, number: int) -> int:
    """Return the step at which the outcome of a pod's attempt appears: the node, the victims, or the reason for none.

    If the pod has fewer attempts than `number`, that of its last attempt; 0 if it has none.
    """
    decided: dict[PodKey, int] = {}

    def events_with_decisions() -> Iterator[AnyEvent]:
        current = ""  # the pod of the scheduling cycle
        for step, event in enumerate(events):
            match event:
                case trace.CycleStarted():
                    current = event.pod
                    decided[current] = step
                case trace.HostSelected():
                    decided[current] = step
                case PreemptionEvaluated() if event.nominated_node:
                    decided[current] = step
                    current = ""  # its SchedulingFailed follows
                case trace.SchedulingFailed() if event.pod == current:
                    decided[current] = step
            yield event

    step = 0
    for attempt in attempts(events_with_decisions()):
        if attempt.pod == pod:
            step = decided[pod]
            if attempt.pod_attempt >= number:
                break
    return step
