"""NodeDeclaredFeatures: a node must declare the features that a pod needs (plugins/nodedeclaredfeatures).

The required features are inferred from the spec of the pod (component-helpers/nodedeclaredfeatures,
`InferForPodScheduling`). Of the five features that 1.36 registers, two are for scheduling; the others concern updates
of pods and the kubelet's streams.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
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

UNSATISFIED = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match Pod's required features",))
NOTHING_REQUIRED = PreFilterResult(status=SKIP)


class NodeDeclaredFeatures(PreFilterPlugin, FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects a node that lacks a feature which the pod's spec uses."""

    name = "NodeDeclaredFeatures"
    about = AboutFile("node_declared_features.yaml")
    reads = Reads(pod=("required_features",), node=("declared_features",))
    without_pre_filter = 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found'

    @staticmethod
    def sign_pod(pod: Pod) -> Mapping[str, Hashable]:
        return {"features": pod.required_features}

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Return the required features as the state. Skip pods that require none."""
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
    """Queue the pod if the update is its own and changes the features that it requires."""
    if old is None or new is None or new.uid != pod.uid:
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if old.required_features != new.required_features else QueueingHint.SKIP
