"""InterPodAffinity before 1.19: two reasons for each rejection, and a different order of the rules.

kube-scheduler 1.18: interpodaffinity/{filtering,scoring}.go; 1.15 and 1.16: algorithm/predicates/predicates.go
(InterPodAffinityMatches) and algorithm/priorities/interpod_affinity.go. The anti-affinity of existing pods is checked
first, then the pod's own affinity, then its own anti-affinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, PASS, Change, Code, Rows, Scores, Status, Verdicts
from scheduler_core.plugins.inter_pod_affinity.counting import Plan, ScoringTerm
from scheduler_core.plugins.inter_pod_affinity.explain import explain_filter, explain_sum
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity as InterPodAffinityToday
from scheduler_core.plugins.inter_pod_affinity.plugin import broken_rules, may_be_first

BOTH = "node(s) didn't match pod affinity/anti-affinity"
ANTI_AFFINITY = Status(Code.UNSCHEDULABLE, (BOTH, "node(s) didn't match pod anti-affinity rules"))
AFFINITY = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (BOTH, "node(s) didn't match pod affinity rules"))
EXISTING_ANTI_AFFINITY = Status(Code.UNSCHEDULABLE, (BOTH, "node(s) didn't satisfy existing pods anti-affinity rules"))
STATUSES = (ANTI_AFFINITY, AFFINITY, EXISTING_ANTI_AFFINITY)  # if several apply, the last one is the status


class InterPodAffinity(InterPodAffinityToday):
    """InterPodAffinity with the current counting, and the reasons and scores of the releases before 1.19."""

    scale = MAX_NODE_SCORE

    def filter(self, pod: Pod, state: Plan, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        delta = None if change is None else change.delta
        numbers: Any = None
        for number, key in enumerate(state.keys):
            existing, anti_affinity, unmatched = broken_rules(state, number, key, rows, delta)
            if unmatched is not None:  # the first pod that matches its own terms needs no labels on the node
                unmatched = unmatched & np.logical_not(may_be_first(state, None if delta is None else delta[0]))
            for rank, broken in enumerate((anti_affinity, unmatched, existing), 1):
                if broken is not None:
                    ranks = np.where(broken, np.int16(rank), np.int16(0))
                    numbers = ranks if numbers is None else np.maximum(numbers, ranks)
        return Verdicts(numbers, STATUSES) if numbers is not None and np.count_nonzero(numbers) else PASS

    def explain_filter(
        self, pod: Pod, state: Plan, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        delta = None if change is None else change.delta[:, 0]
        return explain_filter(pod, state, cluster, row, delta, first_needs_labels=False)

    def normalize(
        self, pod: Pod, state: list[ScoringTerm], nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        """Return scale * (sum - least) / (most - least), where `least` is at most 0 and `most` at least 0.

        If all sums are 0, so are the scores.
        """
        least, most = min(int(scores.min()), 0), max(int(scores.max()), 0)
        if least == most:
            return np.zeros(len(scores), np.int64)
        scaled: Scores = (float(self.scale) * ((scores - least) / float(most - least))).astype(np.int64)
        return scaled

    def explain_score(
        self, pod: Pod, state: list[ScoringTerm], cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        explained = explain_sum(pod, state, rows, raw, index)
        least, most = min(int(raw.min()), 0), max(int(raw.max()), 0)
        normalized = int(InterPodAffinity.normalize(self, pod, state, cluster.nodes, rows, raw)[index])
        if least == most:
            explained.arithmetic.append(f"normalized = {normalized} (no feasible node has a score above 0)")
        else:
            share = f"({raw[index]} - {least}) / ({most} - {least})"
            explained.arithmetic.append(f"normalized = int({self.scale} × {share}) = {normalized}")
        return explained


class InterPodAffinityOf1_18(InterPodAffinity):
    """InterPodAffinity of 1.18, which applies the anti-affinity of an added or removed pod to the wrong namespace.

    In updateWithPod, a required anti-affinity term without namespaces applies to the namespace of the incoming pod, not
    to that of the pod with the term (interpodaffinity/filtering.go).
    """

    every_key = True

    def add_pod_delta(
        self, pod: Pod, state: Plan, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        delta = super().add_pod_delta(pod, state, cluster, slots, rows)
        first = 1 + len(state.keys)
        for column, (slot, row) in enumerate(zip(slots, rows, strict=True)):
            owner = cluster.pods.pods[slot]
            if not owner.required_anti_affinity or owner.namespace == pod.namespace:
                continue
            keys = [term.topology_key for term in _matching_anti_affinity_terms(pod, owner)]
            for number, key in enumerate(state.keys):
                delta[first + number, column] = keys.count(str(key.domains.key)) if key.domains.codes[row] >= 0 else 0
        return delta


def _matching_anti_affinity_terms(pod: Pod, owner: Pod) -> list[PodAffinityTerm]:
    """Return the owner's required anti-affinity terms that match the pod; terms without namespaces use the pod's."""
    manifests = owner.manifest["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [
        term
        for term, manifest in zip(owner.required_anti_affinity, manifests, strict=True)
        if (not manifest.get("namespaces") or pod.namespace in term.namespaces) and term.selector.matches(pod.labels)
    ]
