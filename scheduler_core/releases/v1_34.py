"""Kubernetes 1.34 (recorded: 1.34.1)."""

from __future__ import annotations

from types import MappingProxyType

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.release import Gate, Release

V1_34 = Release(
    version="1.34",
    patch="1.34.1",
    default_plugins=(
        PluginRef("SchedulingGates"),
        PluginRef("PrioritySort"),
        PluginRef("NodeUnschedulable"),
        PluginRef("NodeName"),
        PluginRef("TaintToleration", 3),
        PluginRef("NodeAffinity", 2),
        PluginRef("NodePorts"),
        PluginRef("NodeResourcesFit", 1),
        PluginRef("VolumeRestrictions"),
        PluginRef("NodeVolumeLimits"),
        PluginRef("VolumeBinding"),
        PluginRef("VolumeZone"),
        PluginRef("PodTopologySpread", 2),
        PluginRef("InterPodAffinity", 2),
        PluginRef("DynamicResources"),
        PluginRef("DefaultPreemption"),
        PluginRef("NodeResourcesBalancedAllocation", 1),
        PluginRef("ImageLocality", 1),
        PluginRef("DefaultBinder"),
    ),
    gates=MappingProxyType(
        {
            "DRAExtendedResource": Gate(False),
            "DynamicResourceAllocation": Gate(True),
            "InPlacePodVerticalScaling": Gate(True),
            "MatchLabelKeysInPodAffinity": Gate(True),
            "MatchLabelKeysInPodTopologySpread": Gate(True),
            "MutableCSINodeAllocatableCount": Gate(False),
            "NodeInclusionPolicyInPodTopologySpread": Gate(True),
            "NominatedNodeNameForExpectation": Gate(False),
            "PodLevelResources": Gate(True),
            "SchedulerAsyncAPICalls": Gate(False),
            "SchedulerAsyncPreemption": Gate(False),
            "SchedulerPopFromBackoffQ": Gate(True, settable=True),
            "SchedulerQueueingHints": Gate(True),
            "SidecarContainers": Gate(True),
            "StorageCapacityScoring": Gate(False),
            "VolumeAttributesClass": Gate(True),
        }
    ),
)
