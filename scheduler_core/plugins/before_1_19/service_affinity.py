"""ServiceAffinity: the pods of a service share values of node labels, or are spread over them (only with a Policy).

kube-scheduler 1.18: plugins/serviceaffinity; 1.15 and 1.16: CheckServiceAffinity of algorithm/predicates/predicates.go
and ServiceAntiAffinity of algorithm/priorities/selector_spreading.go.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import OutsidePluginArgs, PluginArgs
from scheduler_core.apis.core import Pod, Workload
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    PASS,
    Change,
    Code,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    Rows,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.domain_counts import DomainCounts, every_row
from scheduler_core.plugins.helpers.pod_rules import PodRule

MAX_PRIORITY = 10
NO_MATCH = Status(Code.UNSCHEDULABLE, ("node(s) didn't match service affinity",))


class AffinityState(msgspec.Struct, frozen=True):
    """The label values that a node must have. `given`: those in the pod's node selector.

    `holders`: the rows with pods that have the pod's labels, in order, and the slots of these pods; the node of the
    first row determines the other values. It is empty if no other values are required.
    """

    given: dict[str, str]
    holders: dict[int, set[int]] = {}


class ServiceAffinity(
    PreFilterPlugin, FilterPlugin, PreFilterExtensions, ScorePlugin, ScoreExtensions, ExplainsFilter, ExplainsScore
):
    """Filters by the labels in `affinityLabels`, and scores by those in `antiAffinityLabelsPreference`."""

    name = "ServiceAffinity"
    about = AboutFile("about/service_affinity.yaml")
    scale = MAX_NODE_SCORE

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        values = args.values if isinstance(args, OutsidePluginArgs) else {}
        self._labels: tuple[str, ...] = tuple(values.get("affinityLabels") or ())
        self._spread_over: tuple[str, ...] = tuple(values.get("antiAffinityLabelsPreference") or ())
        self._cluster = handle.cluster

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        required = {label: pod.node_selector[label] for label in self._labels if label in pod.node_selector}
        if len(required) == len(self._labels) or first_service(pod, cluster) is None:
            return PreFilterResult(AffinityState(required))
        return PreFilterResult(AffinityState(required, _holders(pod, cluster)))

    def filter(self, pod: Pod, state: AffinityState, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if not self._labels:
            return PASS
        if change is None:
            return Verdicts.reject(self._mismatches(self._required_values(state, nodes), nodes, rows), NO_MATCH)
        numbers = nodes.all_rows[rows].tolist()
        rejected = []
        for i, row in enumerate(numbers):
            required = self._required_values(state, nodes, row, set(change.removed[i]))
            rejected.append(bool(self._mismatches(required, nodes, np.array([row]))[0]))
        return Verdicts.reject(np.array(rejected, np.bool_), NO_MATCH)

    def score(self, pod: Pod, state: object, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the number of pods of the first service on each node, not counting terminating ones.

        It is 0 if no service selects the pod, or if the first one that does has an empty selector.
        """
        service = first_service(pod, self._cluster)
        if service is None or service.selector.empty:
            return np.zeros(len(rows), np.int64)
        rules = (PodRule(frozenset((pod.namespace,)), service.selector),)
        counts = DomainCounts.of(self._cluster).counter(rules, every_row(nodes), skip_terminating=True)
        scores: Scores = counts.cells[rows]
        return scores

    def normalize(self, pod: Pod, state: object, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        """Return the mean over the labels of scale * (all - pods with the node's value) / all.

        A label counts 0 on a node that lacks it, and `scale` on others if there are no pods.
        """
        total, sums = int(scores.sum()), np.zeros(len(rows), np.float64)
        for label in self._spread_over:
            column = nodes.label(label)
            codes = column.codes[rows]
            labelled = codes >= 0
            pods_with_value = np.bincount(codes[labelled], weights=scores[labelled], minlength=len(column.values))
            share = (
                float(self.scale) * ((total - pods_with_value[codes[labelled]]) / float(total))
                if total
                else float(self.scale)
            )
            sums[labelled] += share / float(len(self._spread_over))
        normalized: Scores = sums.astype(np.int64)
        return normalized

    def explain_filter(
        self, pod: Pod, state: AffinityState, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return a fact for each label that must have a certain value."""
        node = cluster.nodes.nodes[row]
        removed = set() if change is None else set(change.removed[0])
        return [
            Fact(
                "ServiceAffinity.label",
                left=f"{label}={node.labels.get(label, '')}",
                op="=" if node.labels.get(label) == value else "≠",
                right=f"{label}={value}",
                holds=node.labels.get(label) == value,
                values={"label": label, "value": value},
                text=f"The pods of the service are on nodes with {label}={value}.",
                field="metadata.labels",
            )
            for label, value in self._required_values(state, cluster.nodes, row, removed).items()
        ]

    def explain_score(
        self, pod: Pod, state: object, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        node, total = cluster.nodes.nodes[int(rows[index])], int(raw.sum())
        lines = [f"{int(raw[index])} pods of the service on {node.name}, of {total}"]
        shares = []
        for label in self._spread_over:
            codes = cluster.nodes.label(label).codes[rows]
            if codes[index] >= 0:
                same = int(raw[codes == codes[index]].sum())
                lines.append(f"{same} of them on nodes with {label}={node.labels[label]}")
                share = f"{self.scale} * ({total} - {same}) / {total}" if total else str(self.scale)
                shares.append(share if len(self._spread_over) == 1 else f"{share} / {len(self._spread_over)}")
        normalized = int(self.normalize(pod, state, cluster.nodes, rows, raw)[index])
        return ScoreExplanation([*lines, f"int({' + '.join(shares) or 0}) = {normalized}"], [])

    def _required_values(
        self, state: AffinityState, nodes: NodeTable, row: int = -1, removed: set[int] | None = None
    ) -> dict[str, str]:
        """Return the label values that a node must have, as if the `removed` pods were not on the row."""
        for holder, slots in state.holders.items():
            if holder != row or not slots <= (removed or set()):
                labels = nodes.nodes[holder].labels
                return {label: labels[label] for label in self._labels if label in labels} | state.given
        return state.given

    @staticmethod
    def _mismatches(required: dict[str, str], nodes: NodeTable, rows: Rows) -> NDArray[np.bool_]:
        mismatching = np.zeros(len(nodes.all_rows[rows]), np.bool_)
        for label, value in required.items():
            column = nodes.label(label)
            mismatching |= column.codes[rows] != column.number.get(value, -2)
        return mismatching


class CheckServiceAffinity(ServiceAffinity):
    name = "CheckServiceAffinity"


class ServiceAntiAffinityPriority(ServiceAffinity):
    """ServiceAntiAffinity as a priority, under a name from the Policy."""

    name = "ServiceAntiAffinityPriority"
    scale = MAX_PRIORITY


def first_service(pod: Pod, cluster: Cluster) -> Workload | None:
    """Return the first service, in order of creation, that selects the pod, None if none does (GetPodServices)."""
    for item in cluster.objects("Service"):
        if isinstance(item, Workload) and item.namespace == pod.namespace and item.selector.matches(pod.labels):
            return item
    return None


def _holders(pod: Pod, cluster: Cluster) -> dict[int, set[int]]:
    """Return, by row in ascending order, the slots of the pods in the namespace that have all labels of the pod."""
    pods = cluster.pods
    alike = np.array(
        [namespace == pod.namespace and pod.labels.items() <= labels.items() for namespace, labels in pods.specs],
        np.bool_,
    )
    if not alike.any():
        return {}
    count = len(pods)
    slots = np.flatnonzero(alike[pods.spec[:count]] & (pods.row[:count] >= 0))
    holders: dict[int, set[int]] = {}
    for slot in slots[np.argsort(pods.row[slots], kind="stable")].tolist():
        holders.setdefault(int(pods.row[slot]), set()).add(slot)
    return holders
