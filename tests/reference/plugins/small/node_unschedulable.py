"""NodeUnschedulable. Rule: kube-scheduler's nodeunschedulable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Pod, Workload
from tests.reference.framework.cluster_event import NODE_TAINT, POD_TOLERATION, Event
from tests.reference.framework.interface import FITS, UNRESOLVABLE, Cycle, NodeInfo, Plugin, Verdict
from tests.reference.plugins.taint_toleration import tolerates

CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


class NodeUnschedulable(Plugin):
    events = {"Node": ("Add", NODE_TAINT), "Pod": (POD_TOLERATION,)}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject a cordoned node unless the pod tolerates the unschedulable taint."""
        if not on.node.unschedulable or tolerates_cordon(cycle.pod):
            return FITS
        return UNRESOLVABLE, ("node(s) were unschedulable",)

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        if event.kind == "Pod":
            return event.latest.uid == pod.uid and tolerates_cordon(event.latest)
        return not event.new.unschedulable and (event.old is None or event.old.unschedulable)


def tolerates_cordon(pod: Pod) -> bool:
    return any(tolerates(toleration, CORDON) for toleration in pod.tolerations)
