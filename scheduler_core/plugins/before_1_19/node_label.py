"""NodeLabel: labels that nodes must have or must not have, and labels that are scored (only with a Policy).

kube-scheduler 1.18: plugins/nodelabel; 1.15 and 1.16: CheckNodeLabelPresence of algorithm/predicates/predicates.go and
algorithm/priorities/node_label.go, each for one list or one label. The values of labels do not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import OutsidePluginArgs, PluginArgs
from scheduler_core.apis.core import Pod
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
    Rows,
    ScorePlugin,
    Scores,
    Status,
    Verdicts,
)

MAX_PRIORITY = 10
PRESENCE_VIOLATED = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't have the requested labels",))


class NodeLabel(FilterPlugin, ScorePlugin, ExplainsFilter, ExplainsScore):
    """Filters and scores nodes by their labels.

    Arguments: `presentLabels`, `absentLabels`, `presentLabelsPreference`, `absentLabelsPreference`.
    """

    name = "NodeLabel"
    about = AboutFile("about/node_label.yaml")
    scale = MAX_NODE_SCORE

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        values = args.values if isinstance(args, OutsidePluginArgs) else {}
        self._wanted = _with_presence(values.get("presentLabels"), values.get("absentLabels"))
        self._preferred = _with_presence(values.get("presentLabelsPreference"), values.get("absentLabelsPreference"))

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if not self._wanted:
            return PASS
        violated = [(nodes.label(label).codes[rows] >= 0) != present for label, present in self._wanted]
        return Verdicts.reject(np.logical_or.reduce(violated), PRESENCE_VIOLATED)

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the mean score of the labels; each label scores the maximum or 0."""
        total = np.zeros(len(rows), np.int64)
        for label, present in self._preferred:
            total += ((nodes.label(label).codes[rows] >= 0) == present) * self.scale
        return total // len(self._preferred)

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return a fact for each label."""
        node = cluster.nodes.nodes[row]
        return [
            Fact(
                "NodeLabel.label",
                left=label,
                op="∈" if label in node.labels else "∉",
                right=f"labels of {node.name}",
                holds=(label in node.labels) == present,
                values={"label": label},
                text=f"A node must {'have' if present else 'not have'} the label {label}.",
                field="metadata.labels",
            )
            for label, present in self._wanted
        ]

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        node = cluster.nodes.nodes[int(rows[index])]
        lines = [
            f"{label} {'on' if label in node.labels else 'not on'} {node.name}: "
            f"{self.scale if (label in node.labels) == present else 0}"
            for label, present in self._preferred
        ]
        return ScoreExplanation([*lines, f"mean = {int(raw[index])}"], [])


class CheckNodeLabelPresence(NodeLabel):
    name = "CheckNodeLabelPresence"


class NodeLabelPriority(NodeLabel):
    """NodeLabel as a priority, under a name from the Policy."""

    name = "NodeLabelPriority"
    scale = MAX_PRIORITY


def _with_presence(present: list[str] | None, absent: list[str] | None) -> tuple[tuple[str, bool], ...]:
    """Return pairs of a label and whether a node should have it."""
    return (*((label, True) for label in present or ()), *((label, False) for label in absent or ()))
