"""InterPodAffinity: places pods near pods that their terms select, or away from them (plugins/interpodaffinity).

kube-scheduler: plugins/interpodaffinity/{plugin,filtering}.go. "Near" means the same value of the term's topology key.
Preferred terms affect only the score (`scoring.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import InterPodAffinityArgs, PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn, NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    PASS,
    SKIP,
    SUCCESS,
    Change,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    RegisteredEvent,
    Rows,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.domain_counts import DomainCounts
from scheduler_core.plugins.helpers.signing import Fragments
from scheduler_core.plugins.inter_pod_affinity import scoring
from scheduler_core.plugins.inter_pod_affinity.counting import Plan, Plans, RequiredKey, ScoringTerm, cells
from scheduler_core.plugins.inter_pod_affinity.existing_terms import TermOwners
from scheduler_core.plugins.inter_pod_affinity.explain import explain_filter, explain_score
from scheduler_core.plugins.inter_pod_affinity.hints import (
    after_node_change,
    after_node_change_before_1_33,
    after_pod_change,
    after_pod_change_before_1_36,
    after_pod_change_by_any_term,
    events_to_register,
)

# A node is rejected by the first rule that it violates.
EXISTING_ANTI_AFFINITY = Status(Code.UNSCHEDULABLE, ("node(s) didn't satisfy existing pods anti-affinity rules",))
ANTI_AFFINITY = Status(Code.UNSCHEDULABLE, ("node(s) didn't match pod anti-affinity rules",))
AFFINITY = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match pod affinity rules",))
STATUSES = (EXISTING_ANTI_AFFINITY, ANTI_AFFINITY, AFFINITY)
EXISTING, ANTI, UNMATCHED = 1, 2, 3  # their numbers in a column of verdicts; of two, the higher one applies
Broken = NDArray[np.bool_] | None


class InterPodAffinity(
    PreFilterPlugin,
    FilterPlugin,
    PreFilterExtensions,
    PreScorePlugin,
    ScorePlugin,
    ScoreExtensions,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
):
    """Rejects nodes that violate required terms of the pod, or required anti-affinity of existing pods.

    Scores nodes by preferred terms and by required affinity of existing pods.
    """

    name = "InterPodAffinity"
    about = AboutFile("about.yaml")
    every_key = False  # see `Plans`
    without_pre_filter = 'error reading "PreFilterInterPodAffinity" from cycleState: not found'
    without_pre_score = 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        assert isinstance(args, InterPodAffinityArgs)
        self._plans = Plans(args, handle.cluster, every_key=self.every_key)
        self._ignores_others = args.ignore_preferred_terms_of_existing_pods
        rules = handle.release.rules
        self._scores_anything = not rules.pods_without_preferences_are_not_scored
        any_term = rules.inter_pod_affinity_hint_takes_any_anti_affinity_term
        current_hint = after_pod_change_by_any_term if any_term else after_pod_change
        sees_both_sides = rules.inter_pod_affinity_hint_sees_both_sides
        self._after_pod_change = current_hint if sees_both_sides else after_pod_change_before_1_36
        compares_labels = rules.inter_pod_affinity_hint_compares_labels
        self._after_node_change = after_node_change if compares_labels else after_node_change_before_1_33

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Skip pods without required terms that match no required anti-affinity of existing pods."""
        plan = self._plans.of(pod)
        return PreFilterResult(plan, SUCCESS if plan.requires or plan.has_existing_anti_affinity else SKIP)

    def filter(self, pod: Pod, state: Plan, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        delta = None if change is None else change.delta
        numbers: NDArray[np.int16] | None = None
        for number, key in enumerate(state.keys):
            verdicts = _verdicts(state, number, key, rows, delta)
            if verdicts is not None:
                numbers = verdicts if numbers is None else np.maximum(numbers, verdicts)
        return Verdicts(numbers, STATUSES) if numbers is not None and np.count_nonzero(numbers) else PASS

    def add_pod_delta(
        self, pod: Pod, state: Plan, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return int64[1 + 2 keys, m]: the pod's part of the counters; 0 on a node without the key.

        The counters are the affinity counts (equal for all keys); then, for each key, the anti-affinity counts; then,
        for each key, the counts of existing pods' anti-affinity.
        """
        counts, owners, pods = DomainCounts.of(cluster), TermOwners.of(cluster), cluster.pods
        specs, term_sets, count = pods.spec[slots], pods.terms[slots], len(state.keys)
        result = np.zeros((1 + 2 * count, len(slots)), np.int64)
        if state.affinity_rules:
            result[0] = _count_occurrences(counts.matching(state.affinity_rules), len(pods.specs))[specs]
        for number, key in enumerate(state.keys):
            labelled = key.domains.codes[rows] >= 0
            for rules in key.anti_affinity_rules:
                result[1 + number] += _count_occurrences(counts.matching(rules), len(pods.specs))[specs] * labelled
            matching = _count_occurrences(owners.sets_with(key.existing_anti_affinity_terms), len(pods.term_sets))
            result[1 + count + number] = matching[term_sets] * labelled
        return result

    def pre_score(self, pod: Pod, state: Plan | None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        """Skip the pod if no term that scores matches a pod in any domain; before 1.28, no pod is skipped."""
        plan = self._plans.of(pod) if state is None else state
        matching = [term for term in plan.scoring if term.counter.total]
        return PreScoreResult(matching) if matching or self._scores_anything else _SKIP_SCORE

    def score(self, pod: Pod, state: list[ScoringTerm], nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return scoring.score(state, rows)

    def normalize(
        self, pod: Pod, state: list[ScoringTerm], nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        return scoring.normalize(scores)

    def sign_pod(self, pod: Pod) -> Fragments | None:
        """Return the pod's labels, if they matter; None for a pod with terms, which cannot be signed."""
        affinity = (pod.manifest.get("spec") or {}).get("affinity") or {}
        if affinity.get("podAffinity") is not None or affinity.get("podAntiAffinity") is not None:
            return None
        return {} if self._ignores_others else {"labels": tuple(sorted(pod.labels.items()))}

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return events_to_register(self._after_pod_change, self._after_node_change)

    def explain_filter(
        self, pod: Pod, state: Plan, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        return explain_filter(pod, state, cluster, row, None if change is None else change.delta[:, 0])

    def explain_score(
        self, pod: Pod, state: list[ScoringTerm], cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return explain_score(pod, state, rows, raw, index)


_SKIP_SCORE = PreScoreResult(None, SKIP)


def _verdicts(
    plan: Plan, number: int, key: RequiredKey, rows: Rows, delta: NDArray[np.int64] | None
) -> NDArray[np.int16] | None:
    """Return the verdicts of a topology key on each row; None: all pass. `delta` as in `add_pod_delta`, per row."""
    existing, anti_affinity, unmatched = broken_rules(plan, number, key, rows, delta)
    numbers: Any = None if existing is None else existing.astype(np.int16)  # True is EXISTING
    for broken, status in ((anti_affinity, np.int16(ANTI)), (unmatched, np.int16(UNMATCHED))):
        if broken is not None:
            numbers = broken * status if numbers is None else np.where(broken, status, numbers)
    verdicts: NDArray[np.int16] | None = numbers
    return verdicts


def broken_rules(
    plan: Plan, number: int, key: RequiredKey, rows: Rows, delta: NDArray[np.int64] | None
) -> tuple[Broken, Broken, Broken]:
    """Return the rows that existing pods' anti-affinity, the pod's anti-affinity and its affinity reject.

    Each is an array with a bool per row, None if no row is rejected.
    """
    codes = key.domains.codes[rows]
    of_existing = None if delta is None else delta[1 + len(plan.keys) + number]
    existing = _counts(cells(key.existing_anti_affinity_counts), codes, of_existing)
    anti_affinity = _counts(cells(key.anti_affinity_counts), codes, None if delta is None else delta[1 + number])
    unmatched = None
    if key.affinity_counts is not None:
        unmatched = _rows_without_match(plan, key, codes, None if delta is None else delta[0])
    return (
        None if existing is None else existing > 0,
        None if anti_affinity is None else anti_affinity > 0,
        unmatched,
    )


def _counts(counted: IntColumn | None, codes: NDArray[np.intp], delta: IntColumn | None) -> IntColumn | None:
    """Return the count of each row's domain, None if nothing is counted."""
    if delta is None:
        return None if counted is None else counted[codes]
    return delta if counted is None else counted[codes] + delta


def _rows_without_match(
    plan: Plan, key: RequiredKey, codes: NDArray[np.intp], delta: IntColumn | None
) -> NDArray[np.bool_]:
    """Return a bool per row: whether it violates the pod's affinity (satisfyPodAffinity).

    It does if it lacks the key, or if no pod in its domain matches all terms and the pod may not be the first.
    """
    assert key.affinity_counts is not None
    affinity_counts, first = key.affinity_counts.cells[codes], may_be_first(plan, delta)
    alone = (affinity_counts if delta is None else affinity_counts + delta) <= 0
    alone = np.logical_and(alone, np.logical_not(first))
    return alone if key.domains.complete else alone | (codes < 0)


def may_be_first(plan: Plan, delta: IntColumn | None) -> bool | NDArray[np.bool_]:
    """Return whether the pod matches its own affinity terms, and no pod on a node with any of the keys does.

    With `delta`, the change of the affinity counts on each row, return a bool per row.
    """
    if delta is None:
        return plan.self_match and not plan.affinity_total
    with_affinity = sum(key.affinity_counts is not None for key in plan.keys)
    has_no_match: NDArray[np.bool_] = (plan.affinity_total + delta * with_affinity == 0) & plan.self_match
    return has_no_match


def _count_occurrences(numbers: Sequence[int], size: int) -> NDArray[np.int64]:
    """Return the number of occurrences of each number below `size`."""
    return np.bincount(np.array(numbers, np.intp), minlength=size)
