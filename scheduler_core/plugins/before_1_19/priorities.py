"""The priorities of 1.15 and 1.16: the scorers of 1.18 on a scale from 0 to 10 (algorithm/priorities)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.node_tree_before_1_19 import NodeTreeBefore117, beta_zone_key
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import ExplainsScore, Handle, ScorePlugin, Scores
from scheduler_core.plugins.before_1_19.predicates import MatchInterPodAffinity
from scheduler_core.plugins.before_1_19.prefer_avoid_pods import NodePreferAvoidPods
from scheduler_core.plugins.before_1_19.resources import (
    NodeResourcesBalancedAllocation,
    NodeResourcesLeastAllocated,
    NodeResourcesMostAllocated,
)
from scheduler_core.plugins.before_1_19.selector_spread import DefaultPodTopologySpread
from scheduler_core.plugins.before_1_19.small import NodeAffinity, TaintToleration, image_locality
from scheduler_core.plugins.inter_pod_affinity.counting import ScoringTerm

MAX_PRIORITY = 10


class SelectorSpreadPriority(DefaultPodTopologySpread):
    """The priority SelectorSpreadPriority. Zones are those of the beta labels; constraints of the pod do not matter."""

    name = "SelectorSpreadPriority"
    scale = MAX_PRIORITY
    yields_to_constraints = False
    zone_key = staticmethod(beta_zone_key)


class InterPodAffinityPriority(MatchInterPodAffinity):
    """The priority InterPodAffinityPriority. A single function computes the final score, so there is no raw score."""

    name = "InterPodAffinityPriority"
    scale = MAX_PRIORITY

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        super().__init__(args, handle)
        self._handle = handle

    def score(self, pod: Pod, state: list[ScoringTerm], nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        scores = super().normalize(pod, state, nodes, rows, super().score(pod, state, nodes, rows))
        if self._handle.release.rules.affinity_counters_may_be_missing:
            missing = self._lacks_counter(pod, rows)
            self._require_counters(pod, state, rows[missing])
            scores[missing] = 0
        return scores

    def normalize(
        self, pod: Pod, state: list[ScoringTerm], nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        return scores

    def explain_score(
        self, pod: Pod, state: list[ScoringTerm], cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        explained = super().explain_score(
            pod, state, cluster, rows, super().score(pod, state, cluster.nodes, rows), index
        )
        if self._handle.release.rules.affinity_counters_may_be_missing and self._lacks_counter(pod, rows)[index]:
            explained.arithmetic[:] = [f"the node has no counter, because no pod on it has an affinity: {raw[index]}"]
        return explained

    def _lacks_counter(self, pod: Pod, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return a bool per node: whether it lacks a counter, because neither this pod nor a pod there has terms."""
        pods = self._handle.cluster.pods
        if pods.terms[pods.slot_of[pod.key]]:
            return np.zeros(len(rows), np.bool_)
        owners = np.flatnonzero((pods.terms[: len(pods)] > 0) & (pods.row[: len(pods)] >= 0))
        return ~np.isin(rows, pods.row[owners])

    def _require_counters(self, pod: Pod, terms: list[ScoringTerm], rows: NDArray[np.intp]) -> None:
        """Raise RunEnded if a term matches pods in the domain of one of these nodes, where kube-scheduler panics."""
        counted = np.zeros(len(rows), np.bool_)
        for term in terms:
            counted |= term.counter.cells[term.domains.codes[rows]] > 0
        if counted.any():
            raise RunEnded(
                Message(
                    "kube-scheduler {release} panics here (nil pointer dereference): a term of another pod gives "
                    "points to {node}, which has no pod with affinity, for {pod}",
                    release=self._handle.release.version,
                    node=self._handle.cluster.nodes.names[int(rows[counted][0])],
                    pod=pod.key,
                )
            )


class LeastRequestedPriority(NodeResourcesLeastAllocated):
    name = "LeastRequestedPriority"
    scale = MAX_PRIORITY


class MostRequestedPriority(NodeResourcesMostAllocated):
    name = "MostRequestedPriority"
    scale = MAX_PRIORITY


class BalancedResourceAllocation(NodeResourcesBalancedAllocation):
    name = "BalancedResourceAllocation"
    scale = MAX_PRIORITY


class NodePreferAvoidPodsPriority(NodePreferAvoidPods):
    name = "NodePreferAvoidPodsPriority"
    scale = MAX_PRIORITY


class NodeAffinityPriority(NodeAffinity):
    name = "NodeAffinityPriority"
    scale = MAX_PRIORITY


class TaintTolerationPriority(TaintToleration):
    name = "TaintTolerationPriority"
    scale = MAX_PRIORITY


class ServiceSpreadingPriority(SelectorSpreadPriority):
    """The priority ServiceSpreadingPriority, with the selectors of SelectorSpreadPriority (priorities/metadata.go)."""

    name = "ServiceSpreadingPriority"


class EqualPriority(ScorePlugin, ExplainsScore):
    """The priority EqualPriority: all nodes score 1 (core/generic_scheduler.go: EqualPriorityMap)."""

    name = "EqualPriority"
    about = AboutFile("about/equal.yaml")

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return np.ones(len(rows), np.int64)

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return ScoreExplanation(["1 for every node"], [])


class ImageLocalityPriority(ScorePlugin, ExplainsScore):
    """The priority ImageLocalityPriority, which counts deleted nodes while pods are on them (cache.go: RemoveNode)."""

    name = "ImageLocalityPriority"
    about = AboutFile("../small/image_locality.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._cluster = handle.cluster

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        tree, pods = self._cluster.tree, self._cluster.pods
        names = tree.gone if isinstance(tree, NodeTreeBefore117) else ()
        deleted_nodes = sum(len(pods.on_node(name)) > 0 for name in names)
        return image_locality(pod, nodes, rows, MAX_PRIORITY, deleted_nodes)

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        name = cluster.nodes.names[int(rows[index])]
        return ScoreExplanation([f"images of the pod on {name}: {int(raw[index])}"], [])
