"""TaintToleration on one node. Rules: kube-scheduler's tainttoleration, and component-helpers' taints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.core import Node, Pod, Workload
from tests.reference.framework.cluster_event import NODE_TAINT, POD_TOLERATION, Event
from tests.reference.framework.interface import (
    FITS,
    UNRESOLVABLE,
    Cycle,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Scores,
    Verdict,
    normalize,
)


class TaintToleration(Plugin):
    events = {"Node": ("Add", NODE_TAINT), "Pod": (POD_TOLERATION,)}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject a node with a NoSchedule or NoExecute taint that the pod does not tolerate."""
        return (UNRESOLVABLE, ("node(s) had untolerated taint(s)",)) if untolerated(cycle.pod, on.node) else FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores:
        """Score by the number of PreferNoSchedule taints that the pod does not tolerate: fewer is better."""
        tolerations = [t for t in cycle.pod.tolerations if t.effect in ("", "PreferNoSchedule")]
        raw = {}
        for node, _ in feasible:
            soft = [taint for taint in node.taints if taint.effect == "PreferNoSchedule"]
            raw[node.name] = sum(not any(tolerates(toleration, taint) for toleration in tolerations) for taint in soft)
        return normalize(raw, reverse=True)

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        if event.kind == "Pod":
            return bool(event.latest.uid == pod.uid)
        was_closed = event.old is None or bool(untolerated(pod, event.old))
        return was_closed and not untolerated(pod, event.new)


def untolerated(pod: Pod, node: Node) -> list[Taint]:
    """Return the NoSchedule and NoExecute taints of the node that the pod does not tolerate."""
    hard = [taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute")]
    return [taint for taint in hard if not any(tolerates(toleration, taint) for toleration in pod.tolerations)]


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Return whether the toleration tolerates the taint (`v1.Toleration.ToleratesTaint`)."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value
