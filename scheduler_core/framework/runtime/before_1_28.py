"""PreFilter before 1.28, for plugins that evaluate pods one by one.

Such plugins were not skipped, so nominated pods are added even for a pod that these plugins do not restrict. Dry runs
of preemption after PreFilter rejected the pod lack the state that these plugins prepare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import SUCCESS, NeedsPreFilter, PreFilterPlugin, PreFilterResult
from scheduler_core.releases import Release, Rules

EXTENDED = ("VolumeRestrictions", "PodTopologySpread", "InterPodAffinity")  # plugins with AddPod and RemovePod

NEVER_SKIPPED: Mapping[str, frozenset[str]] = {  # by the value of the rule `pre_filter_skips`
    "all": frozenset(),
    "affinity": frozenset(EXTENDED) - {"InterPodAffinity"},
    "none": frozenset(EXTENDED),
}


def pre_filter(plugin: PreFilterPlugin, rules: Rules) -> Callable[[Pod, Cluster], PreFilterResult]:
    """Return the plugin's PreFilter, in which Skip becomes Success if the release has no Skip."""
    if plugin.name not in NEVER_SKIPPED[rules.pre_filter_skips]:
        return plugin.pre_filter

    def unskipped(pod: Pod, cluster: Cluster) -> PreFilterResult:
        result = plugin.pre_filter(pod, cluster)
        return replace(result, status=SUCCESS) if result.status.is_skip else result

    return unskipped


def remove_pod_error(
    pre_filters: Sequence[PreFilterPlugin],
    filters: Iterable[Any],
    results: Sequence[tuple[str, PreFilterResult]],
    release: Release,
) -> str:
    """Return the error of dry runs on nodes with a pod to evict, "" if there is none.

    RemovePod fails in the first plugin without state, otherwise Filter fails in the first plugin that needs its state.
    """
    extended = EXTENDED if release.has_on("ReadWriteOncePod") else EXTENDED[1:]
    ready = {name for name, result in results if not result.status.is_rejected}
    for plugin in pre_filters:
        if plugin.name in extended and plugin.name not in ready:
            error = plugin.without_pre_filter if implements(plugin, NeedsPreFilter) else ""
            return f'running RemovePod on PreFilter plugin "{plugin.name}": {error}'
    without_state = {plugin.name for plugin in pre_filters} - ready
    for plugin in filters:
        if plugin.name in without_state and implements(plugin, NeedsPreFilter):
            return f'running "{plugin.name}" filter plugin: {plugin.without_pre_filter}'
    return ""
