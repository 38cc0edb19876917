"""DefaultPodTopologySpread (SelectorSpread): prefers nodes and zones with few pods of the same services and
controllers.

kube-scheduler 1.18: defaultpodtopologyspread/default_pod_topology_spread.go; 1.15 and 1.16:
algorithm/priorities/selector_spreading.go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.node_tree import zone_key
from scheduler_core.cluster.nodes import Interned, NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    ExplainsScore,
    Handle,
    PreScorePlugin,
    PreScoreResult,
    ScoreExtensions,
    ScorePlugin,
    Scores,
)
from scheduler_core.plugins.helpers.domain_counts import DomainCounts, every_row
from scheduler_core.plugins.helpers.pod_rules import PodRule
from scheduler_core.plugins.pod_topology_spread.constraints import WORKLOAD_KINDS, as_labels

ZONE_WEIGHTING = 2.0 / 3.0
MERGED_KINDS = ("Service", "ReplicationController")
NODE_WEIGHTING = 1.0 - ZONE_WEIGHTING  # in float64, as in Go


class DefaultPodTopologySpread(PreScorePlugin, ScorePlugin, ScoreExtensions, ExplainsScore):
    """Scores nodes by the number of pods that the pod's services and controllers select.

    With `yields_to_constraints`, a pod with topology spread constraints scores 0 everywhere.
    """

    name = "DefaultPodTopologySpread"
    about = AboutFile("about/selector_spread.yaml")
    scale = MAX_NODE_SCORE
    yields_to_constraints = True
    zone_key = staticmethod(zone_key)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._cluster = handle.cluster

    def pre_score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        return PreScoreResult(selector_of(pod, self._workloads(pod.namespace)))

    def score(self, pod: Pod, state: LabelSelector, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the number of selected pods on each node, not counting terminating ones.

        It is 0 if nothing selects the pod, or if the pod has spread constraints (`yields_to_constraints`).
        """
        if self._yields(pod) or state.empty:
            return np.zeros(len(rows), np.int64)
        rules = (PodRule(frozenset((pod.namespace,)), state),)
        counts = DomainCounts.of(self._cluster).counter(rules, every_row(nodes), skip_terminating=True)
        scores: Scores = counts.cells[rows]
        return scores

    def normalize(
        self, pod: Pod, state: LabelSelector, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        """Return the counts, inverted and scaled: the fewer pods a node and its zone have, the higher the score.

        On a node in a zone, the pods of the zone determine two thirds of the score. With `yields_to_constraints`, the
        scores of a pod with spread constraints stay 0.
        """
        if self._yields(pod):
            return scores
        shares = _inverted(scores, int(scores.max(initial=0)), float(self.scale))
        zones = nodes.derived("zones", lambda nodes: Interned.of(self.zone_key(node) for node in nodes.nodes))
        codes = zones.codes[rows]
        zoned = np.array([bool(zone) for zone in zones.values], np.bool_)[codes]
        if zoned.any():
            sums = np.bincount(codes[zoned], weights=scores[zoned], minlength=len(zones.values)).astype(np.int64)
            by_zone = _inverted(sums, int(sums.max(initial=0)), float(self.scale))[codes]
            shares = np.where(zoned, shares * NODE_WEIGHTING + ZONE_WEIGHTING * by_zone, shares)
        normalized: Scores = shares.astype(np.int64)
        return normalized

    def explain_score(
        self, pod: Pod, state: LabelSelector, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        nodes = cluster.nodes
        name, zone = nodes.names[int(rows[index])], self.zone_key(nodes.nodes[int(rows[index])])
        lines = [f"{int(raw[index])} pods of the same services and controllers on {name}"]
        if self._yields(pod):
            return ScoreExplanation([*lines, "the pod has topology spread constraints, so this is the score: 0"], [])
        normalized = int(self.normalize(pod, state, nodes, rows, raw)[index])
        share = self._share(int(raw[index]), int(raw.max()))
        if not zone:
            return ScoreExplanation([*lines, f"int({share}) = {normalized}"], [])
        sums: dict[str, int] = {}
        for row, count in zip(rows, raw, strict=True):
            key = self.zone_key(nodes.nodes[int(row)])
            sums[key] = sums.get(key, 0) + int(count)
        sums.pop("", None)
        lines.append(f"{sums[zone]} such pods in its zone, {max(sums.values())} in the zone with the most")
        of_zone = self._share(sums[zone], max(sums.values()))
        return ScoreExplanation([*lines, f"int(1/3 * {share} + 2/3 * {of_zone}) = {normalized}"], [])

    def _share(self, count: int, most: int) -> str:
        """Return the arithmetic of `_inverted` as text."""
        return f"{self.scale} * ({most} - {count}) / {most}" if most else str(self.scale)

    def _yields(self, pod: Pod) -> bool:
        return self.yields_to_constraints and bool(pod.topology_spread_constraints)

    def _workloads(self, namespace: str) -> list[Workload]:
        all_workloads = (workload for kind in WORKLOAD_KINDS for workload in self._cluster.objects(kind))
        return [
            workload for workload in all_workloads if isinstance(workload, Workload) and workload.namespace == namespace
        ]


def selector_of(pod: Pod, workloads: Sequence[Workload]) -> LabelSelector:
    """Return the merged selectors of all services and controllers that match the pod, including those of other owners.

    helper/spread.go: DefaultSelector. The labels of services and ReplicationControllers are merged as maps.
    """
    matching = [
        workload
        for workload in workloads
        if workload.selector.matches(pod.labels) and (workload.kind == "Service" or not workload.selector.empty)
    ]
    labels: dict[str, str] = {}
    for kind in MERGED_KINDS:
        for workload in matching:
            if workload.kind == kind:
                labels.update(as_labels(workload.selector))
    selector = LabelSelector.from_labels(labels)
    for workload in matching:
        if workload.kind not in MERGED_KINDS:
            selector = selector.and_also(*workload.selector.requirements)
    return selector


def _inverted(counts: Scores, most: int, scale: float) -> NDArray[np.float64]:
    """Return scale * (most - count) / most, or scale if most is 0."""
    if not most:
        return np.full(len(counts), scale)
    return scale * ((most - counts) / float(most))
