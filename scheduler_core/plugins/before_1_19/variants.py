"""Plugins whose rules before 1.19 differ from the current ones, by release and name.

`Release.rules.plugins_as_of` selects the set. All other plugins are those of the registry.
"""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.framework.interface import Plugin
from scheduler_core.plugins.before_1_19.inter_pod_affinity import InterPodAffinityOf1_18
from scheduler_core.plugins.before_1_19.preemption import Preemption
from scheduler_core.plugins.before_1_19.resources import NodeResourcesBalancedAllocation
from scheduler_core.plugins.before_1_19.small import ImageLocality, NodeAffinity, NodeName, TaintToleration, VolumeZone
from scheduler_core.plugins.before_1_19.topology_spread import PodTopologySpread

_OF_1_18: tuple[type[Plugin], ...] = (
    NodeName,
    NodeAffinity,
    TaintToleration,
    InterPodAffinityOf1_18,
    PodTopologySpread,
    Preemption,
    NodeResourcesBalancedAllocation,
    ImageLocality,
    VolumeZone,
)

PLUGINS: Mapping[str, Mapping[str, type[Plugin]]] = {"1.18": {plugin.name: plugin for plugin in _OF_1_18}}
