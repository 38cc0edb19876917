"""What Filter, Score, Reserve and PreBind say where a profile has disabled the plugin's own PreFilter, PreScore or
Reserve: they miss what it would have left.

VolumeZone and NodeVolumeLimits look for themselves then, and so do NodeAffinity and the Score plugins not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import Change, Code, PreFilterResult, Rows, Status, Verdicts

WITHOUT_PRE_FILTER = {
    "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
    "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
    "VolumeBinding": "not found",
    "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
}
WITHOUT_PRE_SCORE = {
    "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
}
FALL_BACK = ("VolumeZone", "NodeVolumeLimits")


class WithoutPreFilter:
    """Stands in for a Filter plugin: an error on every node."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._status = Status(Code.ERROR, (WITHOUT_PRE_FILTER[name],))

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        return Verdicts(np.ones(len(nodes.all_rows[rows]), np.int16), (self._status,))


class LooksForItself:
    """Stands in for a Filter plugin that then finds out what its PreFilter would have."""

    def __init__(self, plugin: Any, cluster: Cluster) -> None:
        self.name = plugin.name
        self._plugin = plugin
        self._cluster = cluster
        if hasattr(plugin, "axes"):
            self.axes = plugin.axes

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        found: PreFilterResult = self._plugin.pre_filter(pod, self._cluster)
        if found.status.is_success:
            verdicts: Verdicts = self._plugin.filter(pod, found.state, nodes, rows, change)
            return verdicts
        rejected = found.status.code is not Code.SKIP
        return Verdicts(np.full(len(nodes.all_rows[rows]), rejected, np.int16), (found.status,) if rejected else ())


def filters(plugins: Sequence[Any], pre_filters: Sequence[Any], cluster: Cluster) -> list[Any]:
    """The Filter plugins, those replaced that need a PreFilter which does not run."""
    running = {plugin.name for plugin in pre_filters}
    found: list[Any] = []
    for plugin in plugins:
        if plugin.name in running:
            found.append(plugin)
        elif plugin.name in WITHOUT_PRE_FILTER:
            found.append(WithoutPreFilter(plugin.name))
        else:
            found.append(LooksForItself(plugin, cluster) if plugin.name in FALL_BACK else plugin)
    return found


class WithoutState:
    """Stands in for VolumeBinding at Reserve and PreBind where its PreFilter does not run."""

    def __init__(self, plugin: Any) -> None:
        self.name = plugin.name
        self._status = Status(Code.ERROR, (WITHOUT_PRE_FILTER["VolumeBinding"],))

    def reserve(self, pod: Pod, state: Any, node_name: str) -> Status:
        return self._status

    def unreserve(self, pod: Pod, state: Any, node_name: str) -> None:
        pass

    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        return self._status


class WithoutReserve:
    """Stands in for VolumeBinding at PreBind: nothing says that the pod needs no volumes, and none are assumed."""

    def __init__(self, plugin: Any) -> None:
        self.name = plugin.name

    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        if any(volume.claim is not None for volume in pod.volumes):
            return Status(Code.ERROR, (f'failed to get cached bindings for pod "{pod.key}"',))
        return Status(Code.ERROR, (f'no pod volume found for node "{node_name}"',))


def reserves(plugins: Sequence[Any], pre_filters: Sequence[Any]) -> list[Any]:
    """The Reserve plugins, VolumeBinding replaced if its PreFilter does not run."""
    return _replaced(plugins, pre_filters, WithoutState)


def pre_binds(plugins: Sequence[Any], reserving: Sequence[Any], pre_filters: Sequence[Any]) -> list[Any]:
    """The PreBind plugins, VolumeBinding replaced if its Reserve or its PreFilter does not run."""
    return _replaced(_replaced(plugins, pre_filters, WithoutState), reserving, WithoutReserve)


def _replaced(plugins: Sequence[Any], earlier: Sequence[Any], by: Callable[[Any], Any]) -> list[Any]:
    running = {plugin.name for plugin in earlier}
    missing = [plugin for plugin in plugins if plugin.name == "VolumeBinding" and plugin.name not in running]
    return [by(plugin) if plugin in missing and not isinstance(plugin, WithoutState) else plugin for plugin in plugins]


def score_error(plugins: Sequence[tuple[Any, int]], pre_scores: Sequence[Any]) -> str:
    """Why scoring fails in this profile, "" if it does not: the first plugin that misses something."""
    missing = WITHOUT_PRE_SCORE.keys() - {plugin.name for plugin in pre_scores}
    name = next((plugin.name for plugin, _ in plugins if plugin.name in missing), None)
    return f'running Score plugins: plugin "{name}" failed with: {WITHOUT_PRE_SCORE[name]}' if name else ""
