"""TaintToleration: a pod must tolerate a node's taints; nodes with fewer untolerated soft taints score higher
(plugins/tainttoleration).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    SUCCESS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PreScorePlugin,
    PreScoreResult,
    QueueingHint,
    Reads,
    RegisteredEvent,
    Rows,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.framework.runtime.scores import default_normalize
from scheduler_core.plugins.helpers.signing import by_tolerations
from scheduler_core.plugins.taint_toleration.explain import explain_preferences, explain_taints
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, SOFT_EFFECT, find_untolerated_taint, tolerates

NOTHING_TO_PREPARE = PreScoreResult()
REASON = "node(s) had untolerated taint(s)"


class TaintToleration(
    FilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    ScoreExtensions,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
):
    """Filters and scores nodes by their taints; the rule runs once for each distinct set of taints."""

    name = "TaintToleration"
    scale = MAX_NODE_SCORE
    about = AboutFile("about.yaml")
    without_pre_score = 'failed to read "PreScoreTaintToleration" from cycleState: not found'
    reads = Reads(pod=("tolerations",), node=("taints",))
    sign_pod = staticmethod(by_tolerations)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        names_taint = handle.release.rules.taint_toleration_reason_names_the_taint
        self._reason = reason_before_1_35 if names_taint else lambda taint: REASON

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        taints = nodes.taints
        return Verdicts.by_code(taints.codes[rows], [self._verdict(pod, taint_set) for taint_set in taints.values])

    def pre_score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        return NOTHING_TO_PREPARE

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the number of PreferNoSchedule taints that no toleration of the pod with that effect tolerates."""
        soft = _soft_tolerations(pod)
        counts = [
            sum(taint.effect == SOFT_EFFECT and not tolerates(soft, taint) for taint in taints)
            for taints in nodes.taints.values
        ]
        scores: Scores = np.array(counts, np.int64)[nodes.taints.codes[rows]]
        return scores

    def normalize(self, pod: Pod, state: object, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        return default_normalize(scores, reverse=True)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_TAINT), _after_node_change),
            RegisteredEvent(ClusterEvent("Pod", Action.UPDATE_POD_TOLERATION), _after_toleration_change),
        )

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        return explain_taints(pod, cluster.nodes.nodes[row])

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return explain_preferences(
            _soft_tolerations(pod), cluster.nodes.nodes[int(rows[index])], raw, index, self.scale
        )

    def _verdict(self, pod: Pod, taints: Sequence[Taint]) -> Status:
        taint = find_untolerated_taint(taints, pod.tolerations, HARD_EFFECTS)
        if taint is None:
            return SUCCESS
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (self._reason(taint),))


def _soft_tolerations(pod: Pod) -> tuple[Toleration, ...]:
    """Return the tolerations that can match a PreferNoSchedule taint."""
    return tuple(toleration for toleration in pod.tolerations if toleration.effect in ("", SOFT_EFFECT))


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Queue the pod if it tolerates the node's taints now, and the node is new or had untolerated ones before."""
    rejected = old is None or find_untolerated_taint(old.taints, pod.tolerations, HARD_EFFECTS) is not None
    still_rejected = find_untolerated_taint(new.taints, pod.tolerations, HARD_EFFECTS) is not None
    return QueueingHint.QUEUE if rejected and not still_rejected else QueueingHint.SKIP


def _after_toleration_change(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    """Queue the pod if its own tolerations changed."""
    return QueueingHint.QUEUE if new.uid == pod.uid else QueueingHint.SKIP


def reason_before_1_35(taint: Taint) -> str:
    """Return the reason that names the first untolerated taint (`taint_toleration_reason_names_the_taint`)."""
    return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
