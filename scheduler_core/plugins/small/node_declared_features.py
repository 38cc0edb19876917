"""NodeDeclaredFeatures: a node must declare the features that a pod needs (plugins/nodedeclaredfeatures).

What a pod needs is inferred from its spec: component-helpers/nodedeclaredfeatures, `InferForPodScheduling`. Of the
five features that 1.36 registers, two are for scheduling; the others concern updates of pods and the kubelet's streams.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.facts import Fact, join_names
from scheduler_core.framework.interface import (
    SKIP,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    QueueingHint,
    Reads,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.framework.starter import Manifest, StarterCluster


def restart_all(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Have the pod restart as a whole; every other node declares that it can."""
    rule = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}
    for container in cluster.pod["spec"]["containers"]:
        container.update({"restartPolicy": "Never", "restartPolicyRules": [rule]})
    for node in cluster.nodes:
        if node not in nodes:
            node.setdefault("status", {})["declaredFeatures"] = ["RestartAllContainersOnContainerExits"]


ABOUT = About(
    question=Text("Features?", "特性？"),
    rule=Text(
        "A node fits only if its kubelet declares every feature that the pod needs.",
        "只有 kubelet 声明了 Pod 所需的全部特性，该节点才合适。",
    ),
    blocker=Text("Features that no node declares", "没有节点声明所需的特性"),
    reasons=(
        Reason(
            r"node\(s\) didn't match Pod's required features",
            Text("The node does not declare a feature that the pod needs.", "节点没有声明该 Pod 所需的特性。"),
            Text(
                "Which feature: see status.declaredFeatures of the node.",
                "是哪个特性：请看节点的 status.declaredFeatures。",
            ),
            kind="features",
            short=Text("feature not declared", "未声明所需特性"),
            starter=restart_all,
            about_nodes=True,
        ),
    ),
    captions={
        "filter.*.none": Text(
            "Every node declares the features that {pod} needs: {all} {left|passes|pass}.",
            "每个节点都声明了 {pod} 所需的特性：{all}{left|=1:|都}通过。",
        ),
        "filter.*.none.why": Text(
            "The kubelet lists them in status.declaredFeatures.", "kubelet 在 status.declaredFeatures 中列出它们。"
        ),
        "filter.*.one": Text(
            "{node} is rejected: it does not declare a feature that {pod} needs.",
            "{node} 被排除：它没有声明 {pod} 所需的特性。",
        ),
        "filter.*.many": Text(
            "{n} of {total} nodes do not declare a feature that {pod} needs: {nodes}.",
            "{total} 个节点中有 {n} 个没有声明 {pod} 所需的特性：{nodes}。",
        ),
        "next.filter.*": Text(
            "NodeDeclaredFeatures: does the node's kubelet support what the pod uses?",
            "NodeDeclaredFeatures：节点的 kubelet 支持 Pod 使用的特性吗？",
        ),
        "stop.*.rest": Text("feature not declared", "未声明所需特性"),
    },
)

UNSATISFIED = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match Pod's required features",))
NOTHING_REQUIRED = PreFilterResult(status=SKIP)


class NodeDeclaredFeatures(PreFilterPlugin, FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects a node that lacks a feature which the pod's spec uses."""

    name = "NodeDeclaredFeatures"
    about = ABOUT
    reads = Reads(pod=("required_features",), node=("declared_features",))
    without_pre_filter = 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found'

    @staticmethod
    def sign_pod(pod: Pod) -> Mapping[str, Hashable]:
        return {"features": pod.required_features}

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Return the required features as the state."""
        return PreFilterResult(pod.required_features) if pod.required_features else NOTHING_REQUIRED

    def filter(self, pod: Pod, state: Sequence[str], nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        column = nodes.declared_features
        lacking = np.array([not set(state).issubset(declared) for declared in column.values], np.bool_)
        return Verdicts.reject(lacking[column.codes][rows], UNSATISFIED)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE), _after_node_change),
            RegisteredEvent(ClusterEvent("Pod", Action.UPDATE), _after_pod_update),
        )

    def explain_filter(
        self, pod: Pod, state: Sequence[str], cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return one fact for each feature that the pod needs."""
        node = cluster.nodes.nodes[row]
        return [
            Fact(
                "NodeDeclaredFeatures.feature",
                left=feature,
                op="∈" if feature in node.declared_features else "∉",
                right=join_names(node.declared_features),
                holds=feature in node.declared_features,
                values={"feature": feature},
                text=f"The pod needs the feature {feature}; {node.name} "
                f"{'declares' if feature in node.declared_features else 'does not declare'} it.",
                field="status.declaredFeatures",
            )
            for feature in state
        ]


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Queue the pod if the node is new or declares other features now."""
    changed = old is None or old.declared_features != new.declared_features
    return QueueingHint.QUEUE if changed else QueueingHint.SKIP


def _after_pod_update(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Queue the pod if it was updated and needs other features now."""
    if old is None or new is None or new.uid != pod.uid:
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if old.required_features != new.required_features else QueueingHint.SKIP
