"""The search before 1.17, which takes its nodes from the tree of zones (generic_scheduler.go: findNodesThatFit)."""

from __future__ import annotations

from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.node_tree_before_1_19 import NodeTreeBefore117


def take_nodes(cluster: Cluster, evaluated: int, nodes: int) -> None:
    """Advance past the nodes of a search. A search that ended early has taken a feasible node more than it needed."""
    assert isinstance(cluster.tree, NodeTreeBefore117)
    cluster.tree.take(evaluated + (evaluated < nodes))
