"""NodeResourcesBalancedAllocation: prefers nodes with even use of resources (noderesources/balanced_allocation.go)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import NodeResourcesBalancedAllocationArgs, PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    SKIP,
    ExplainsScore,
    Handle,
    PreScorePlugin,
    PreScoreResult,
    Reads,
    ScorePlugin,
    Scores,
    SignPlugin,
)
from scheduler_core.plugins.helpers.signing import Fragments, by_requests
from scheduler_core.plugins.node_resources.allocation import Amount, Exists, amounts, pod_request
from scheduler_core.plugins.node_resources.explain_balance import explain_balance, explain_improvement

SCORES = PreScoreResult()
SKIPPED = PreScoreResult(status=SKIP)
HALF = MAX_NODE_SCORE // 2
Shares = NDArray[np.float64]


class NodeResourcesBalancedAllocation(PreScorePlugin, ScorePlugin, ExplainsScore, SignPlugin):
    """Scores the improvement of the balance: 50 + (50 + balance with the pod - balance without it) / 2.

    The balance is 100 * (1 - standard deviation of the requested shares), computed from the pods' actual requests.
    Before 1.36, the score is the balance with the pod.
    """

    name = "NodeResourcesBalancedAllocation"
    about = AboutFile("balanced_allocation.yaml")
    reads = Reads(pod=("requests", "balance_requests"), node=("allocatable", "requested"))

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        default = NodeResourcesBalancedAllocationArgs()
        self.args = args if isinstance(args, NodeResourcesBalancedAllocationArgs) else default
        self._scores_best_effort = not handle.release.rules.balanced_allocation_skips_best_effort_pods
        improves = handle.release.rules.balanced_allocation_scores_the_improvement
        self._extended_resources = handle.extended_resources
        self._score, self._explain = (improvement, explain_improvement) if improves else (balance, explain_balance)

    def sign_pod(self, pod: Pod) -> Fragments | None:
        """Return None for a pod that may get devices for an extended resource, which cannot be signed."""
        return None if self._extended_resources.requested_by(pod) else by_requests(pod)

    def pre_score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        """Skip a pod that requests none of the resources; before 1.33, no pod is skipped."""
        return SCORES if self._is_scored(pod) else SKIPPED

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        if not self._is_scored(pod):  # PreScore is disabled
            return np.zeros(len(rows), np.int64)
        return self._score(amounts(pod, nodes, rows, self.args.resources, non_zero=False), len(rows))

    def _is_scored(self, pod: Pod) -> bool:
        return self._scores_best_effort or any(
            pod_request(pod, spec.name, non_zero=False) for spec in self.args.resources
        )

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return self._explain(self.args, pod, cluster.nodes, int(rows[index]), int(raw[index]))


def improvement(resources: Sequence[Amount], length: int) -> Scores:
    """Return the score: 75 if the pod changes nothing, less if it worsens the balance (`balancedResourceScorer`)."""
    before = [amount._replace(requested=amount.requested - amount.of_pod) for amount in resources]
    gained = balance(resources, length) - balance(before, length)
    return HALF + (HALF + gained) // 2


def balance(resources: Sequence[Amount], length: int) -> Scores:
    """Return the balance: 100 if all shares are equal (`balancedResourceScore`). Before 1.36, this is the score."""
    shares = [np.minimum(amount.requested / amount.allocatable, 1.0) for amount in resources]
    deviation = standard_deviation(shares, [amount.exists for amount in resources], length)
    return ((1.0 - deviation) * float(MAX_NODE_SCORE)).astype(np.int64)


def standard_deviation(shares: Sequence[Shares], exists: Sequence[Exists], length: int) -> Shares:
    """Return the standard deviation of the shares on each row: half the distance of two resources, 0 for fewer.

    Computed in float64 in kube-scheduler's order of operations, so that truncation returns the same integers.
    """
    if not shares:
        return np.zeros(length)
    if len(shares) == 2 and exists[0] is None and exists[1] is None:
        return np.abs((shares[0] - shares[1]) / 2)
    masks = [np.ones(length, np.bool_) if mask is None else mask for mask in exists]
    counts = np.sum(masks, axis=0)
    total = np.zeros(length)
    for share, mask in zip(shares, masks, strict=True):
        total = total + np.where(mask, share, 0.0)
    mean = total / np.maximum(counts, 1)
    squares = np.zeros(length)
    for share, mask in zip(shares, masks, strict=True):
        squares = squares + np.where(mask, (share - mean) * (share - mean), 0.0)
    deviation = np.sqrt(squares / np.maximum(counts, 1))
    return np.where(counts == 2, _half_distance(shares, masks), np.where(counts > 2, deviation, 0.0))


def _half_distance(shares: Sequence[Shares], exists: Sequence[NDArray[np.bool_]]) -> Shares:
    """Return |first - second| / 2 where exactly two resources exist (other values are not used)."""
    difference = np.zeros(len(shares[0]))
    seen = np.zeros(len(shares[0]), np.bool_)
    for share, mask in zip(shares, exists, strict=True):
        difference = np.where(mask, np.where(seen, difference - share, share), difference)
        seen |= mask
    return np.abs(difference / 2)
