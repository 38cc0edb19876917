"""NodePreferAvoidPods: an annotation of a node names controllers whose pods should go elsewhere.

kube-scheduler 1.18: nodepreferavoidpods/node_prefer_avoid_pods.go; 1.15 and 1.16:
algorithm/priorities/node_prefer_avoid_pods.go.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExplainsScore, ScorePlugin, Scores

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CONTROLLERS = ("ReplicationController", "ReplicaSet")


class NodePreferAvoidPods(ScorePlugin, ExplainsScore):
    """Scores 0 for a node whose annotation names the pod's controller, otherwise the maximum."""

    name = "NodePreferAvoidPods"
    about = AboutFile("about/prefer_avoid_pods.yaml")
    scale = MAX_NODE_SCORE

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        scores = np.full(len(rows), self.scale, np.int64)
        if pod.owner is not None and pod.owner.kind in CONTROLLERS:
            owner = pod.owner.kind, pod.owner.uid
            scores[[owner in _avoided(nodes.nodes[row]) for row in rows.tolist()]] = 0
        return scores

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        node = cluster.nodes.names[int(rows[index])]
        verb = "prefers to avoid" if not raw[index] else "does not avoid"
        return ScoreExplanation([f"{node} {verb} the pod's controller: {int(raw[index])}"], [])


def _avoided(node: Node) -> frozenset[tuple[str, str]]:
    """Return the controllers (kind, uid) that the node's annotation names."""
    annotations = (node.manifest.get("metadata") or {}).get("annotations") or {}
    return _parse_annotation(str(annotations[ANNOTATION])) if ANNOTATION in annotations else frozenset()


@lru_cache(maxsize=64)
def _parse_annotation(text: str) -> frozenset[tuple[str, str]]:
    """Return the (kind, uid) pairs in the annotation, with "" for what an entry lacks; none if it is invalid."""
    try:
        annotation = json.loads(text)
    except (ValueError, RecursionError):
        return frozenset()
    entries = annotation.get("preferAvoidPods") if isinstance(annotation, dict) else None
    controllers = [_controller(entry) for entry in entries] if isinstance(entries, list) else []
    return frozenset((str(controller.get("kind", "")), str(controller.get("uid", ""))) for controller in controllers)


def _controller(entry: Any) -> dict[str, Any]:
    signature = entry.get("podSignature") if isinstance(entry, dict) else None
    controller = signature.get("podController") if isinstance(signature, dict) else None
    return controller if isinstance(controller, dict) else {}
