"""NodeUnschedulable: a cordoned node takes no new pods (kube-scheduler: plugins/nodeunschedulable)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact
from scheduler_core.framework.interface import (
    PASS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    FilterPlugin,
    QueueingHint,
    Reads,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_tolerations
from scheduler_core.plugins.taint_toleration.rule import tolerates

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
UNSCHEDULABLE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) were unschedulable",))


class NodeUnschedulable(FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects a cordoned node unless the pod tolerates the taint that a cordoned node would have."""

    name = "NodeUnschedulable"
    about = AboutFile("node_unschedulable.yaml")
    reads = Reads(pod=("tolerations",), node=("unschedulable",))
    sign_pod = staticmethod(by_tolerations)

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if tolerates(pod.tolerations, UNSCHEDULABLE_TAINT):
            return PASS
        return Verdicts.reject(nodes.unschedulable[rows], UNSCHEDULABLE)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_TAINT), _after_node_change),
            RegisteredEvent(ClusterEvent("Pod", Action.UPDATE_POD_TOLERATION), _after_toleration_change),
        )

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.nodes[row]
        tolerated = tolerates(pod.tolerations, UNSCHEDULABLE_TAINT)
        toleration_text = " and the pod does not tolerate that" if not tolerated else ", which the pod tolerates"
        return [
            Fact(
                "NodeUnschedulable.unschedulable",
                left=f"{node.name} is cordoned",
                op="=",
                right="true" if node.unschedulable else "false",
                holds=tolerated or not node.unschedulable,
                values={"tolerated": "true" if tolerated else "false"},
                text=f"{node.name} is cordoned{toleration_text}."
                if node.unschedulable
                else f"{node.name} is not cordoned.",
                field="spec.unschedulable",
            )
        ]


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Queue the pod if the node was uncordoned, or is new and not cordoned."""
    helps = not new.unschedulable and (old is None or old.unschedulable)
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP


def _after_toleration_change(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    """Queue the pod if the update is its own and it tolerates the taint now."""
    helps = new.uid == pod.uid and tolerates(new.tolerations, UNSCHEDULABLE_TAINT)
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP
