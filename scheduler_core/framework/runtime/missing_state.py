"""What runs instead of a plugin where a profile has disabled an earlier extension point that it counts on.

What each plugin then says stands in its own file (`interface.NeedsPreFilter` and the protocols after it); a plugin that
says nothing there runs as it is, with None for its state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import (
    Change,
    Code,
    FilterPlugin,
    NeedsPreScore,
    Plugin,
    PreBindPlugin,
    PreFilterResult,
    ReservePlugin,
    Rows,
    ScorePlugin,
    Status,
    Verdicts,
)


class WithoutPreFilter:
    """An error on every node, at Reserve and at PreBind."""

    def __init__(self, plugin: Any) -> None:
        self.name: str = plugin.name
        self._status = Status(Code.ERROR, (plugin.without_pre_filter,))

    def filter(self, pod: Pod, state: Any, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        return Verdicts(np.ones(len(nodes.all_rows[rows]), np.int16), (self._status,))

    def reserve(self, pod: Pod, state: Any, node_name: str) -> Status:
        return self._status

    def unreserve(self, pod: Pod, state: Any, node_name: str) -> None:
        pass

    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        return self._status


class AsksPreFilter:
    """A Filter plugin that then finds out what its PreFilter would have."""

    def __init__(self, plugin: Any, cluster: Cluster) -> None:
        self.name: str = plugin.name
        self._plugin = plugin
        self._cluster = cluster

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        found: PreFilterResult = self._plugin.pre_filter(pod, self._cluster)
        if found.status.is_success:
            verdicts: Verdicts = self._plugin.filter(pod, found.state, nodes, rows, change)
            return verdicts
        if found.status.code is Code.SKIP:
            return Verdicts(np.zeros(len(nodes.all_rows[rows]), np.int16), ())
        return Verdicts(self._plugin.asks_on(nodes, rows).astype(np.int16), (found.status,))


class AsksPreFilterAboutPods(AsksPreFilter):
    """The same for one with PreFilterExtensions; a class of its own, because classes are asked what they implement."""

    def add_pod_delta(
        self, pod: Pod, state: Any, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._plugin.add_pod_delta(pod, state, cluster, slots, rows)
        return found


def _asking(plugin: Any, cluster: Cluster) -> AsksPreFilter:
    return (AsksPreFilterAboutPods if hasattr(plugin, "add_pod_delta") else AsksPreFilter)(plugin, cluster)


class WithoutReserve:
    """An error at PreBind."""

    def __init__(self, plugin: Any) -> None:
        self.name: str = plugin.name
        self._message: Callable[[Pod, str], str] = plugin.without_reserve

    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        return Status(Code.ERROR, (self._message(pod, node_name),))


def filters(plugins: Sequence[FilterPlugin], pre_filters: Sequence[Plugin], cluster: Cluster) -> list[FilterPlugin]:
    """The Filter plugins, those replaced that need a PreFilter which does not run."""
    found = _replaced(plugins, pre_filters, "without_pre_filter", WithoutPreFilter)
    return _replaced(found, pre_filters, "asks_pre_filter", lambda plugin: _asking(plugin, cluster))


def reserves(plugins: Sequence[ReservePlugin], pre_filters: Sequence[Plugin]) -> list[ReservePlugin]:
    """The Reserve plugins, those replaced whose PreFilter does not run."""
    return _replaced(plugins, pre_filters, "without_pre_filter", WithoutPreFilter)


def pre_binds(
    plugins: Sequence[PreBindPlugin], reserving: Sequence[Plugin], pre_filters: Sequence[Plugin]
) -> list[PreBindPlugin]:
    """The PreBind plugins, those replaced whose PreFilter, or else Reserve, does not run."""
    found = _replaced(plugins, pre_filters, "without_pre_filter", WithoutPreFilter)
    return _replaced(found, reserving, "without_reserve", WithoutReserve)


def score_error(plugins: Sequence[tuple[ScorePlugin, int]], pre_scores: Sequence[Plugin]) -> str:
    """Why scoring fails in this profile, "" if it does not: the first plugin that misses something."""
    running = {plugin.name for plugin in pre_scores}
    for plugin, _ in plugins:
        if plugin.name not in running and isinstance(plugin, NeedsPreScore):
            return f'running Score plugins: plugin "{plugin.name}" failed with: {plugin.without_pre_score}'
    return ""


def _replaced(plugins: Sequence[Any], earlier: Sequence[Any], need: str, by: Callable[[Any], Any]) -> list[Any]:
    """Those with the attribute `need` that are not among the earlier ones are replaced."""
    running = {plugin.name for plugin in earlier}
    return [by(plugin) if hasattr(plugin, need) and plugin.name not in running else plugin for plugin in plugins]
