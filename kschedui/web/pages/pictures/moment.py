"""A step of a stored run for a picture: the cluster at it, and a sentence of what happens."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.cluster_drawing import ClusterDrawing
from scheduler_core import decode_chunk
from scheduler_core.trace import events as trace
from scheduler_core.trace import preemption_events as preemption
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.summaries import node_names, pods_of

QUEUES = {"active": "activeQ", "backoff": "backoffQ", "unschedulable": "unschedulablePods"}

COMPACTED = 2  # the first schema whose keyframes are events


class Moment(NamedTuple):
    """`drawing` as `cluster_drawing.py` has it, with the pod that the step is about; `sentence` may be ""."""

    drawing: dict[str, Any]
    sentence: str


def moment_of(rid: str, step: int) -> Moment | None:
    """`step` is one of the run's. None when what is stored has the keyframes of schema 1. Raises DamagedChunk."""
    run = runs.by_id(rid)
    stored = runs.frame_at(run, step)
    if stored is None or frames.header_of(stored).schema < COMPACTED:
        return None
    read = decode_chunk(frames.body_of(stored))
    shown = read.events[: step - read.first_step + 1]
    before = [*frames.events_of(runs.frame_of(run, 0))[:1], *read.keyframe.since] if read.seq else []
    ending = ClusterDrawing()
    for event in [*before, *shown]:
        ending.take(event)
    pod = pod_of([*read.keyframe.cycle, *shown])
    return Moment(ending.drawing(hero=pod), sentence_of(shown[-1], pod.rpartition("/")[2]))


def pod_of(events: list[AnyEvent]) -> str:
    """The pod that the last of these events is about: its own, else that of the scheduling cycle; "" for none."""
    match events[-1]:
        case preemption.VictimEvicted(preemptor=pod):
            return pod
        case trace.ObjectApplied() | trace.ObjectDeleted() | trace.ClockAdvanced() | trace.RunFinished():
            return ""
        case event if pod := getattr(event, "pod", ""):
            return str(pod)
    return next((event.pod for event in reversed(events) if isinstance(event, trace.CycleStarted)), "")


def sentence_of(event: AnyEvent, pod: str) -> str:
    """Describe an event in one sentence; "" where it takes the page to explain it."""
    match event:
        case trace.RunStarted():
            return _("%(nodes)d nodes and %(pods)d pods at the start.") % {
                "nodes": len(node_names(event)), "pods": len(pods_of(event))
            }  # fmt: skip
        case trace.PodEnqueued():
            return _("%(pod)s enters %(queue)s: %(event)s.") % {
                "pod": pod, "queue": QUEUES[event.queue], "event": event.event
            }  # fmt: skip
        case trace.CycleStarted():
            return _("%(pod)s is popped from the queue: attempt %(n)d.") % {"pod": pod, "n": event.pod_attempts}
        case trace.PreFilterFinished(rejected_by=str() as plugin):
            return _("%(plugin)s rejects %(pod)s in PreFilter.") % {"plugin": plugin, "pod": pod}
        case trace.NodesFiltered():
            return _("%(fit)d of %(n)d nodes fit %(pod)s.") % {"fit": event.feasible, "n": event.evaluated, "pod": pod}
        case preemption.PreemptionEvaluated(nominated_node=""):
            return _("Preemption finds no node for %(pod)s.") % {"pod": pod}
        case preemption.PreemptionEvaluated():
            return _("%(pod)s preempts on %(node)s.") % {"pod": pod, "node": event.nominated_node}
        case preemption.VictimEvicted():
            return _("%(victim)s on %(node)s is evicted for %(pod)s.") % {
                "victim": event.pod.rpartition("/")[2], "node": event.node, "pod": pod
            }  # fmt: skip
        case preemption.PodNominated():
            return _("%(pod)s is nominated to %(node)s.") % {"node": event.node, "pod": pod}
        case trace.ScoresComputed():
            return _("%(n)d nodes are scored for %(pod)s.") % {"n": event.count, "pod": pod}
        case trace.HostSelected():
            return _("%(node)s is selected for %(pod)s.") % {"node": event.node, "pod": pod}
        case trace.PodBound():
            return _("%(pod)s is bound to %(node)s.") % {"pod": pod, "node": event.node}
        case trace.SchedulingFailed():
            return f"{pod}: {event.message}"
        case trace.RunFinished():
            return _("The run ends: %(bound)d pods bound, %(pending)d pending.") % {
                "bound": len(event.bound) + event.stayed, "pending": len(event.pending)
            }  # fmt: skip
    return ""
