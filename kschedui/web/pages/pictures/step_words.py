"""The event of a step as a sentence. Needs no Django settings: the caller passes the translation."""

from collections.abc import Callable

from scheduler_core.trace import autoscaling_events as autoscaling
from scheduler_core.trace import controller_events as controllers
from scheduler_core.trace import events as trace
from scheduler_core.trace import preemption_events as preemption
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.summaries import node_names, pods_of

QUEUES = {"active": "activeQ", "backoff": "backoffQ", "unschedulable": "unschedulablePods"}

Gettext = Callable[[str], str]  # translates an English template; `str` for English


def pod_of(events: list[AnyEvent]) -> str:
    """Return the key of the last event's pod: its own, otherwise that of the scheduling cycle.

    For a victim it is the preemptor; "" if there is none, and for changed objects, the clock, and the end of the run.
    """
    match events[-1]:
        case preemption.VictimEvicted(preemptor=pod):
            return pod
        case trace.ObjectApplied() | trace.ObjectDeleted() | trace.ClockAdvanced() | trace.RunFinished():
            return ""
        case event if pod := getattr(event, "pod", ""):
            return str(pod)
    return next((event.pod for event in reversed(events) if isinstance(event, trace.CycleStarted)), "")


def sentence_of(event: AnyEvent, pod: str, gettext: Gettext) -> str:
    """Describe an event in one sentence; "" for other kinds of events. `pod`: the name of the pod of `pod_of`."""
    match event:
        case trace.RunStarted():
            return gettext("%(nodes)d nodes and %(pods)d pods at the start.") % {
                "nodes": len(node_names(event)), "pods": len(pods_of(event))
            }  # fmt: skip
        case trace.PodEnqueued():
            return gettext("%(pod)s enters %(queue)s: %(event)s.") % {
                "pod": pod, "queue": QUEUES[event.queue], "event": event.event
            }  # fmt: skip
        case trace.CycleStarted():
            return gettext("%(pod)s is popped from the queue: attempt %(n)d.") % {"pod": pod, "n": event.pod_attempts}
        case trace.PreFilterFinished(rejected_by=str() as plugin):
            return gettext("%(plugin)s rejects %(pod)s in PreFilter.") % {"plugin": plugin, "pod": pod}
        case trace.NodesFiltered(evaluated=0, nominated_first=str() as node):
            return gettext("%(pod)s still fits its nominated node %(node)s.") % {"pod": pod, "node": node}
        case trace.NodesFiltered():
            return gettext("%(fit)d of %(n)d nodes fit %(pod)s.") % {
                "fit": event.feasible,
                "n": event.evaluated,
                "pod": pod,
            }
        case preemption.PreemptionEvaluated(nominated_node=""):
            return gettext("Preemption finds no node for %(pod)s.") % {"pod": pod}
        case preemption.PreemptionEvaluated():
            return gettext("%(pod)s preempts on %(node)s.") % {"pod": pod, "node": event.nominated_node}
        case preemption.VictimEvicted():
            return gettext("%(victim)s on %(node)s is evicted for %(pod)s.") % {
                "victim": event.pod.rpartition("/")[2], "node": event.node, "pod": pod
            }  # fmt: skip
        case preemption.PodNominated():
            return gettext("%(node)s is nominated for %(pod)s.") % {"node": event.node, "pod": pod}
        case trace.ScoresComputed():
            return gettext("%(n)d nodes are scored for %(pod)s.") % {"n": event.count, "pod": pod}
        case trace.HostSelected():
            return gettext("%(node)s is selected for %(pod)s.") % {"node": event.node, "pod": pod}
        case trace.PodBound():
            return gettext("%(pod)s is bound to %(node)s.") % {"pod": pod, "node": event.node}
        case trace.SchedulingFailed():
            return f"{pod}: {event.message}"
        case trace.ObjectApplied(action="create", by=actor) if actor:
            return gettext("%(actor)s creates %(kind)s %(name)s.") % {
                "actor": actor, "kind": event.kind, "name": event.name
            }  # fmt: skip
        case controllers.PodDeletionRequested():
            return gettext("%(actor)s deletes %(pod)s.") % {"actor": event.by, "pod": pod}
        case controllers.NodeConditionChanged(status="True"):
            return gettext("%(node)s is ready.") % {"node": event.name}
        case controllers.NodeConditionChanged():
            return gettext("%(node)s is not ready any more.") % {"node": event.name}
        case controllers.EvictionAnswered():
            template = gettext("%(pod)s is evicted.") if event.code == 201 else gettext("%(pod)s is not evicted.")
            return template % {"pod": pod}
        case autoscaling.NodeGroupResized():
            return gettext("%(group)s is to have %(n)d nodes.") % {"group": event.group, "n": event.target}
        case trace.RunFinished():
            return gettext("The run ends: %(bound)d pods bound, %(pending)d pending.") % {
                "bound": len(event.bound) + event.stayed, "pending": len(event.pending)
            }  # fmt: skip
    return ""
