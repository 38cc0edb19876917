"""Replacements for plugins whose profile disables an earlier extension point that they depend on.

Each plugin declares the dependency (`interface.NeedsPreFilter` and the protocols after it); a plugin that declares
nothing runs unchanged, with None as its state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    PASS,
    Change,
    Code,
    FilterPlugin,
    NeedsPreFilter,
    NeedsPreScore,
    NeedsReserve,
    Plugin,
    PreBindPlugin,
    PreFilterExtensions,
    PreFilterResult,
    ReservePlugin,
    Rows,
    RunsPreFilter,
    ScorePlugin,
    Status,
    Verdicts,
)


class WithoutPreFilter:
    """Replaces a plugin without its PreFilter: it fails on every node, at Reserve and at PreBind."""

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


class CallsPreFilter:
    """Replaces a Filter plugin that runs its PreFilter itself."""

    def __init__(self, plugin: Any, cluster: Cluster) -> None:
        self.name: str = plugin.name
        self._plugin = plugin
        self._cluster = cluster

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        pre_filter_result: PreFilterResult = self._plugin.pre_filter(pod, self._cluster)
        if pre_filter_result.status.is_success:
            verdicts: Verdicts = self._plugin.filter(pod, pre_filter_result.state, nodes, rows, change)
            return verdicts
        if pre_filter_result.status.is_skip:
            return PASS
        return Verdicts(self._plugin.read_claims_on(nodes, rows).astype(np.int16), (pre_filter_result.status,))


class CallsPreFilterAboutPods(CallsPreFilter):
    """The variant for PreFilterExtensions, a class of its own because `implements` caches results by class."""

    def add_pod_delta(
        self, pod: Pod, state: Any, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        delta: NDArray[np.int64] = self._plugin.add_pod_delta(pod, state, cluster, slots, rows)
        return delta


def _call_pre_filter(plugin: Any, cluster: Cluster) -> CallsPreFilter:
    if implements(plugin, PreFilterExtensions):
        return CallsPreFilterAboutPods(plugin, cluster)
    return CallsPreFilter(plugin, cluster)


class WithoutReserve:
    """Replaces a plugin without its Reserve: it fails at PreBind."""

    def __init__(self, plugin: Any) -> None:
        self.name: str = plugin.name
        self._message: Callable[[Pod, str], str] = plugin.without_reserve

    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        return Status(Code.ERROR, (self._message(pod, node_name),))


def filters(plugins: Sequence[FilterPlugin], pre_filters: Sequence[Plugin], cluster: Cluster) -> list[FilterPlugin]:
    """Return the Filter plugins, replaced where a required PreFilter does not run."""
    replaced = _replace(plugins, pre_filters, NeedsPreFilter, WithoutPreFilter)
    return _replace(replaced, pre_filters, RunsPreFilter, lambda plugin: _call_pre_filter(plugin, cluster))


def reserves(plugins: Sequence[ReservePlugin], pre_filters: Sequence[Plugin]) -> list[ReservePlugin]:
    """Return the Reserve plugins, replaced where a required PreFilter does not run."""
    return _replace(plugins, pre_filters, NeedsPreFilter, WithoutPreFilter)


def pre_binds(
    plugins: Sequence[PreBindPlugin], reserving: Sequence[Plugin], pre_filters: Sequence[Plugin]
) -> list[PreBindPlugin]:
    """Return the PreBind plugins, replaced where a required PreFilter or Reserve does not run."""
    replaced = _replace(plugins, pre_filters, NeedsPreFilter, WithoutPreFilter)
    return _replace(replaced, reserving, NeedsReserve, WithoutReserve)


def score_error(plugins: Sequence[tuple[ScorePlugin, int]], pre_scores: Sequence[Plugin]) -> str:
    """Return the error of the first Score plugin without its state, "" if there is none."""
    running = {plugin.name for plugin in pre_scores}
    for plugin, _ in plugins:
        if plugin.name not in running and implements(plugin, NeedsPreScore):
            return f'running Score plugins: plugin "{plugin.name}" failed with: {plugin.without_pre_score}'
    return ""


def _replace(plugins: Sequence[Any], earlier: Sequence[Any], need: type[Any], by: Callable[[Any], Any]) -> list[Any]:
    """Return the plugins, replaced where a required earlier extension point does not run."""
    running = {plugin.name for plugin in earlier}
    return [by(plugin) if implements(plugin, need) and plugin.name not in running else plugin for plugin in plugins]
