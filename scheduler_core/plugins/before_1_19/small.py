"""Small differences of plugins before 1.19: reasons, scales, thresholds, and the labels that VolumeZone reads.

kube-scheduler 1.18: framework/plugins
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import MAX_NODE_SCORE, Change, Code, Handle, Rows, Scores, Status, Verdicts
from scheduler_core.plugins.node_affinity.plugin import NodeAffinity as NodeAffinityToday
from scheduler_core.plugins.small.image_locality import (
    MAX_CONTAINER_THRESHOLD,
    MIN_THRESHOLD,
    image_sums,
)
from scheduler_core.plugins.small.image_locality import ImageLocality as ImageLocalityToday
from scheduler_core.plugins.small.node_name import NodeName as NodeNameToday
from scheduler_core.plugins.taint_toleration.plugin import TaintToleration as TaintTolerationToday
from scheduler_core.plugins.volumes.zone import BETA_LABELS
from scheduler_core.plugins.volumes.zone import VolumeZone as VolumeZoneToday

NO_MATCH = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match node selector",))
OTHER_NAME = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match the requested hostname",))


class TaintToleration(TaintTolerationToday):
    """TaintToleration before 1.19, whose reason names the first untolerated taint."""

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        super().__init__(args, handle)
        self._reason = self.reason

    def normalize(self, pod: Pod, state: object, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        return scaled(scores, self.scale, reverse=True)

    @staticmethod
    def reason(taint: Taint) -> str:
        return f"node(s) had taint {{{taint.key}: {taint.value}}}, that the pod didn't tolerate"


class NodeAffinity(NodeAffinityToday):
    """NodeAffinity before 1.19, with an earlier reason. It has no PreFilter: named nodes do not limit the search."""

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        verdicts = super().filter(pod, state, nodes, rows, change)
        return replace(verdicts, statuses=(NO_MATCH, NO_MATCH))

    def normalize(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        return scaled(scores, self.scale)


class NodeName(NodeNameToday):
    """NodeName before 1.19, whose reason mentions the host name."""

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        return replace(super().filter(pod, state, nodes, rows, change), statuses=(OTHER_NAME,))


class ImageLocality(ImageLocalityToday):
    """ImageLocality before 1.19, whose upper threshold does not depend on the number of containers."""

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return image_locality(pod, nodes, rows, MAX_NODE_SCORE)

    def max_threshold(self, pod: Pod) -> int:
        return MAX_CONTAINER_THRESHOLD


def image_locality(pod: Pod, nodes: NodeTable, rows: NDArray[np.intp], scale: int, deleted_nodes: int = 0) -> Scores:
    """Return scale * (sum - 23 Mi) / (1000 Mi - 23 Mi), with the sum of the scaled sizes limited to this range.

    `deleted_nodes` is the number of those that still count (`image_sums`).
    """
    clipped = np.clip(np.array(image_sums(nodes, pod, deleted_nodes), np.int64), MIN_THRESHOLD, MAX_CONTAINER_THRESHOLD)
    scores = scale * (clipped - MIN_THRESHOLD) // (MAX_CONTAINER_THRESHOLD - MIN_THRESHOLD)
    of_rows: Scores = scores[nodes.image_states.codes[rows]]
    return of_rows


class VolumeZone(VolumeZoneToday):
    """VolumeZone before 1.19, which reads only the beta labels."""

    labels = BETA_LABELS


def scaled(scores: Scores, scale: int, *, reverse: bool = False) -> Scores:
    """Return the scores scaled so that the largest is `scale`, unless all are 0 (DefaultNormalizeScore).

    `reverse` subtracts them from `scale`.
    """
    largest = int(scores.max(initial=0))
    if largest == 0:
        return np.full(len(scores), scale, np.int64) if reverse else scores
    result = scale * scores // largest
    return scale - result if reverse else result
