"""PodTopologySpread: spreads pods that match a selector evenly over the domains of a topology key.

kube-scheduler: plugins/podtopologyspread/{plugin,filtering}.go. A node with the topology key passes a DoNotSchedule
constraint if (matching pods in its domain) + (1 if the constraint selects the pod itself) - (the least of all eligible
domains) <= maxSkew. ScheduleAnyway constraints affect only the score (`scoring.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs, PodTopologySpreadArgs
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
from scheduler_core.plugins.pod_topology_spread import scoring
from scheduler_core.plugins.pod_topology_spread.constraints import SpreadConstraints
from scheduler_core.plugins.pod_topology_spread.counting import NOTHING, CountedConstraint, Plan, Plans
from scheduler_core.plugins.pod_topology_spread.explain import explain_hard, explain_soft
from scheduler_core.plugins.pod_topology_spread.hints import events_to_register

CONSTRAINTS_NOT_MATCH = Status(Code.UNSCHEDULABLE, ("node(s) didn't match pod topology spread constraints",))
NODE_LABEL_NOT_MATCH = Status(
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
    ("node(s) didn't match pod topology spread constraints (missing required label)",),
)
STATUSES = (CONSTRAINTS_NOT_MATCH, NODE_LABEL_NOT_MATCH)
SKEWED, MISSING = 1, 2  # their numbers in a column of verdicts


class SpreadState(msgspec.Struct):
    """The state of a cycle: the pod's constraints, and the global minimum against which each hard one measures skew."""

    plan: Plan
    min_match_num: list[int]


class PodTopologySpread(
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
    """Rejects nodes that would make the spread too uneven; prefers nodes whose domains have fewer matching pods."""

    name = "PodTopologySpread"
    about = AboutFile("about.yaml")
    without_pre_filter = 'reading "PreFilterPodTopologySpread" from cycleState: not found'
    without_pre_score = 'error reading "PreScorePodTopologySpread" from cycleState: not found'

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        assert isinstance(args, PodTopologySpreadArgs)
        self._cluster = handle.cluster
        self._constraints = SpreadConstraints(args, handle.cluster)
        self._plans = Plans(self._constraints, handle.cluster, handle.release.rules)
        self._nominated_pods_count = handle.release.rules.topology_spread_hint_counts_nominated_pods
        self._scores_anything = not handle.release.rules.pods_without_preferences_are_not_scored

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        plan = self._plans.of(pod)
        if plan is NOTHING:
            return _NOTHING_HARD
        state = SpreadState(plan, [_min_match_num(hard) for hard in plan.hard])
        return PreFilterResult(state, SUCCESS if plan.hard else SKIP)

    def filter(self, pod: Pod, state: SpreadState, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Reject each node for the first constraint that it violates.

        UnschedulableAndUnresolvable if the node lacks the topology key, Unschedulable if the skew is too large.
        """
        numbers: NDArray[np.int16] | None = None
        for number, (hard, least) in enumerate(zip(state.plan.hard, state.min_match_num, strict=True)):
            if change is None:
                verdicts = _verdicts(hard, rows, 0, least)
            else:
                delta = change.delta[number]
                verdicts = _verdicts(hard, rows, delta, min_match_num_with(hard, rows, delta))
            if numbers is None:
                numbers = verdicts
            else:
                np.copyto(numbers, verdicts, where=numbers == 0)
        return Verdicts(numbers, STATUSES) if numbers is not None and np.count_nonzero(numbers) else PASS

    def add_pod_delta(
        self, pod: Pod, state: SpreadState, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return int64[constraints, m]: 1 if the pod matches the constraint and the node is counted for it.

        As in AddPod and RemovePod, terminating pods count, and an empty selector matches.
        """
        result = np.zeros((len(state.plan.hard), len(slots)), np.int64)
        for counter, hard in zip(result, state.plan.hard, strict=True):
            matches = np.zeros(len(cluster.pods.specs), np.bool_)
            matches[DomainCounts.of(cluster).matching(hard.rules)] = True
            counter[:] = matches[cluster.pods.spec[slots]] & _is_counted(hard, rows)
        return result

    def pre_score(
        self, pod: Pod, state: SpreadState | None, nodes: NodeTable, rows: NDArray[np.intp]
    ) -> PreScoreResult:
        plan = self._plans.of(pod) if state is None else state.plan
        return (
            PreScoreResult(scoring.prepare(plan, nodes, rows)) if plan.soft or self._scores_anything else _NOTHING_SOFT
        )

    def score(self, pod: Pod, state: scoring.ScoreState, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return scoring.score(state, rows)

    def normalize(
        self, pod: Pod, state: scoring.ScoreState, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        return scoring.normalize(state, scores)

    def sign_pod(self, pod: Pod) -> Fragments | None:
        """Return None for a pod with constraints, which depend on other pods, and for any pod if there are defaults."""
        return None if pod.topology_spread_constraints or self._constraints.any_defaults else {}

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return events_to_register(self._constraints, nominated_pods_count=self._nominated_pods_count)

    def explain_filter(
        self, pod: Pod, state: SpreadState, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        changes = np.zeros(len(state.plan.hard), np.int64) if change is None else change.delta[:, 0]
        rows, facts = np.array([row], np.intp), []
        for number, hard in enumerate(state.plan.hard):
            least = int(min_match_num_with(hard, rows, changes[number : number + 1])[0])
            facts += explain_hard(pod, state.plan, number, cluster.nodes, row, int(changes[number]), least)
            if not all(fact.holds for fact in facts):
                break
        return facts

    def explain_score(
        self, pod: Pod, state: scoring.ScoreState, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return explain_soft(pod, state, cluster.nodes, rows, raw, index)


_NOTHING_HARD = PreFilterResult(SpreadState(NOTHING, []), SKIP)
_NOTHING_SOFT = PreScoreResult(None, SKIP)


def _min_match_num(hard: CountedConstraint) -> int:
    """Return the global minimum: the smallest count of all eligible domains, 0 if there are fewer than minDomains."""
    if hard.too_few_domains:
        return 0
    counts = hard.cells[:-1]
    return int(np.minimum.reduce(counts if hard.topology.all_eligible else counts[hard.topology.eligible]))


def min_match_num_with(hard: CountedConstraint, rows: Rows, delta: IntColumn) -> IntColumn:
    """Return the global minimum for each row, as if the row's own domain had `delta` more matching pods."""
    if hard.too_few_domains:
        return np.zeros(len(delta), np.int64)
    eligible = hard.topology.eligible
    counts = hard.cells[eligible]
    first = int(counts.argmin())
    lowest, others = int(counts[first]), np.delete(counts, first)
    of_others = int(others.min()) if len(others) else np.iinfo(np.int64).max
    codes = hard.topology.all.codes[rows]
    changed = np.where(_is_counted(hard, rows), hard.cells[codes] + delta, lowest)
    return np.minimum(np.where(codes == eligible[first], of_others, lowest), changed)


def _is_counted(hard: CountedConstraint, rows: Rows) -> NDArray[np.bool_]:
    return hard.topology.counted.codes[rows] >= 0


def _verdicts(hard: CountedConstraint, rows: Rows, delta: IntColumn | int, least: IntColumn | int) -> NDArray[np.int16]:
    """Return the verdict of one constraint on each row."""
    codes = hard.topology.all.codes[rows]
    highest = hard.constraint.max_skew - hard.self_match + least - delta
    numbers = (hard.cells[codes] > highest).astype(np.int16)  # True is SKEWED
    if not hard.topology.all.complete:
        numbers[codes < 0] = MISSING
    return numbers
