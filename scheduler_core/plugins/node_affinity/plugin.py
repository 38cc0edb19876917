"""NodeAffinity: nodeSelector and node affinity, required and preferred (kube-scheduler: plugins/nodeaffinity)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import NodeAffinityArgs, PluginArgs
from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    PASS,
    SKIP,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PreFilterPlugin,
    PreFilterResult,
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
from scheduler_core.plugins.helpers.signing import by_node_affinity
from scheduler_core.plugins.node_affinity.explain import explain_preferred, explain_required
from scheduler_core.plugins.node_affinity.rule import (
    matches_required,
    matching_nodes,
    preferred_error,
    preferred_weights,
)

NO_MATCH = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match Pod's node affinity/selector",))
NOT_ENFORCED = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match scheduler-enforced node affinity",))
SKIPPED = PreFilterResult(status=SKIP)
NOTHING_PREFERRED = PreScoreResult(status=SKIP)
CONFLICT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("pod affinity terms conflict",))


class NodeAffinity(
    PreFilterPlugin,
    FilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    ScoreExtensions,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
):
    """Filters and scores nodes by node selector and affinity. `addedAffinity` of the arguments applies to every pod."""

    name = "NodeAffinity"
    scale = MAX_NODE_SCORE
    about = AboutFile("about.yaml")
    reads = Reads(pod=("node_selector", "required_node_affinity", "preferred_node_affinity"), node=("name", "labels"))
    sign_pod = staticmethod(by_node_affinity)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.args = args if isinstance(args, NodeAffinityArgs) else NodeAffinityArgs()
        self._rejects_empty_terms = handle.release.rules.every_term_names_a_node
        self._skips = handle.release.rules.node_affinity_scores_preferences_only

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Limit the search to the nodes that the terms name by metadata.name, if every term does.

        Reject the pod if no node is left, because the conditions of each term contradict each other. Until 1.26, one
        such term is enough.
        """
        required = pod.required_node_affinity
        if required is None and self.args.added_required is None and not pod.node_selector:
            return SKIPPED
        if required is None or not required.terms:
            return PreFilterResult()
        names_by_term = [term.node_names() for term in required.terms]
        for names in names_by_term:
            if names is None:
                return PreFilterResult()
            if self._rejects_empty_terms and not names:
                return PreFilterResult(status=CONFLICT)
        union = frozenset().union(*(names for names in names_by_term if names is not None))
        return PreFilterResult(node_names=union) if union else PreFilterResult(status=CONFLICT)

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        added = self.args.added_required
        numbers = np.where(matching_nodes(nodes, {}, pod.required_node_affinity)[rows], 0, 1)
        numbers |= np.where(matching_nodes(nodes, pod.node_selector, None)[rows], 0, 1)
        if added is not None:
            numbers = np.where(matching_nodes(nodes, {}, added)[rows], numbers, 2)
        return Verdicts(numbers.astype(np.int16), (NO_MATCH, NOT_ENFORCED)) if numbers.any() else PASS

    def pre_score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        if pod.preferred_node_affinity and (error := preferred_error(pod.preferred_node_affinity)):
            return PreScoreResult(status=Status(Code.ERROR, (error,)))
        if self._skips and not pod.preferred_node_affinity and not self.args.added_preferred:
            return NOTHING_PREFERRED
        return PreScoreResult()

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the sum of the weights of the preferred terms that the node matches."""
        terms = (*self.args.added_preferred, *pod.preferred_node_affinity)
        return preferred_weights(nodes, terms)[rows]

    def normalize(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        return default_normalize(scores)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        changed = ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)
        return (RegisteredEvent(changed, self._after_node_change),)

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        return explain_required(pod, self.args.added_required, cluster.nodes.nodes[row])

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        node = cluster.nodes.nodes[int(rows[index])]
        return explain_preferred(self.args.added_preferred, pod.preferred_node_affinity, node, raw, index, self.scale)

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node) -> QueueingHint:
        """Queue the pod if the node matches now and did not before, or if no term matches and one cannot be parsed.

        A node that does not match `addedAffinity` helps in no case.
        """
        added = self.args.added_required
        if added is not None and not added.matches(new.labels, new.name):
            return QueueingHint.SKIP
        matches = matches_required(pod, new)
        if matches and old is not None and matches_required(pod, old):
            return QueueingHint.SKIP
        return QueueingHint.SKIP if matches is False else QueueingHint.QUEUE
