"""Dry runs of preemption before 1.28, after PreFilter rejected the pod: they miss what plugins prepare there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scheduler_core.framework.interface import PreFilterPlugin, PreFilterResult
from scheduler_core.releases import Release

EXTENDED = ("VolumeRestrictions", "PodTopologySpread", "InterPodAffinity")  # those that look at pods one by one


def remove_pod_error(
    pre_filters: Sequence[PreFilterPlugin],
    filters: Iterable[Any],
    results: Sequence[tuple[str, PreFilterResult]],
    release: Release,
) -> str:
    """The error with which a dry run ends on every node with a pod to evict; "" if nothing is missing.

    Taking the first pod away fails in the first plugin without its state, or else its filter does.
    """
    extended = EXTENDED if release.has_on("ReadWriteOncePod") else EXTENDED[1:]
    ready = {name for name, result in results if not result.status.is_rejected}
    for plugin in pre_filters:
        if plugin.name in extended and plugin.name not in ready:
            error = plugin.without_pre_filter  # type: ignore[attr-defined]
            return f'running RemovePod on PreFilter plugin "{plugin.name}": {error}'
    run = {plugin.name for plugin in pre_filters} - ready
    for plugin in filters:
        if plugin.name in run and hasattr(plugin, "without_pre_filter"):
            return f'running "{plugin.name}" filter plugin: {plugin.without_pre_filter}'
    return ""
