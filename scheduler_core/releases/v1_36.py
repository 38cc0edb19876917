"""Kubernetes 1.36 (recorded: 1.36.2), the complete release from which the other releases are derived."""

from __future__ import annotations

from types import MappingProxyType

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.release import Gate, GatedPlugins, Release

_FILTERS = ("pre_filter", "filter")
_SCORES = ("pre_score", "score")

V1_36 = Release(
    patch="1.36.2",
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
        PluginRef("DynamicResources", 2),
        PluginRef("DefaultPreemption"),
        PluginRef("NodeResourcesBalancedAllocation", 1),
        PluginRef("ImageLocality", 1),
        PluginRef("DefaultBinder"),
        PluginRef("NodeDeclaredFeatures"),
    ),
    plugin_points=MappingProxyType(
        {
            "SchedulingGates": ("pre_enqueue",),
            "PrioritySort": ("queue_sort",),
            "NodeUnschedulable": ("filter",),
            "NodeName": ("filter",),
            "TaintToleration": ("filter", *_SCORES),
            "NodeAffinity": (*_FILTERS, *_SCORES),
            "NodePorts": _FILTERS,
            "NodeResourcesFit": (*_FILTERS, *_SCORES),
            "VolumeRestrictions": _FILTERS,
            "NodeVolumeLimits": _FILTERS,
            "VolumeBinding": (*_FILTERS, *_SCORES, "reserve", "pre_bind"),
            "VolumeZone": _FILTERS,
            "PodTopologySpread": (*_FILTERS, *_SCORES),
            "InterPodAffinity": (*_FILTERS, *_SCORES),
            "DynamicResources": ("pre_enqueue", *_FILTERS, "post_filter", "score", "reserve", "pre_bind"),
            "DefaultPreemption": ("pre_enqueue", "post_filter"),
            "NodeResourcesBalancedAllocation": _SCORES,
            "ImageLocality": ("score",),
            "DefaultBinder": ("bind",),
            "NodeDeclaredFeatures": _FILTERS,
            # scheduler-plugins; off by default
            "Coscheduling": ("queue_sort", "pre_filter", "post_filter", "permit", "reserve"),
        }
    ),
    recorded=MappingProxyType(
        {"public": 358, "classic": 20, "batching": 10, "gang": 59, "dra": 200, "features": 60, "capacity": 40}
    ),
    gates=MappingProxyType(
        {
            "CSIMigrationPortworx": Gate(True),
            "ContainerRestartRules": Gate(True),
            "DRAAdminAccess": Gate(True),
            "DRAConsumableCapacity": Gate(True),
            "DRADeviceBindingConditions": Gate(True),
            "DRADeviceTaintRules": Gate(False, settable=True),
            "DRADeviceTaints": Gate(True),
            "DRAExtendedResource": Gate(True),
            "DRAPartitionableDevices": Gate(True),
            "DRAPrioritizedList": Gate(True),
            "DRAResourceClaimDeviceStatus": Gate(True),
            "DynamicResourceAllocation": Gate(True),
            "GangScheduling": Gate(False, settable=True, needs=("GenericWorkload",)),
            "GenericWorkload": Gate(False, settable=True),
            "InPlacePodLevelResourcesVerticalScaling": Gate(True),
            "InPlacePodVerticalScaling": Gate(True),
            "MatchLabelKeysInPodAffinity": Gate(True),
            "MatchLabelKeysInPodTopologySpread": Gate(True),
            "MinDomainsInPodTopologySpread": Gate(True),
            "MutableCSINodeAllocatableCount": Gate(True),
            "NodeDeclaredFeatures": Gate(True),
            "NodeInclusionPolicyInPodTopologySpread": Gate(True),
            "NominatedNodeNameForExpectation": Gate(True),
            "OpportunisticBatching": Gate(True, settable=True),
            "PodLevelResources": Gate(True),
            "PodSchedulingReadiness": Gate(True),
            "ReadWriteOncePod": Gate(True),
            "RestartAllContainersOnContainerExits": Gate(True),
            "SchedulerAsyncAPICalls": Gate(False),
            "SchedulerAsyncPreemption": Gate(False, settable=True),  # on by default; off in the recorded runs
            "SchedulerPopFromBackoffQ": Gate(True, settable=True),
            "SchedulerQueueingHints": Gate(True),
            "SidecarContainers": Gate(True),
            "StorageCapacityScoring": Gate(False, settable=True),
            "TaintTolerationComparisonOperators": Gate(False),
            "TopologyAwareWorkloadScheduling": Gate(False, settable=True, needs=("GenericWorkload",)),
            "UserNamespacesHostNetworkSupport": Gate(False, settable=True),
            "VolumeAttributesClass": Gate(True),
            "VolumeLimitScaling": Gate(False, settable=True),
            "WorkloadAwarePreemption": Gate(False, settable=True, needs=("GangScheduling",)),
        }
    ),
    refused_plugins=("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"),
    gated_plugins=MappingProxyType(
        {
            "GangScheduling": GatedPlugins(
                (PluginRef("GangScheduling"),), {"GangScheduling": ("pre_enqueue", "permit")}
            ),
            "TopologyAwareWorkloadScheduling": GatedPlugins(
                (PluginRef("TopologyPlacementGenerator"), PluginRef("PodGroupPodsCount", 1)),
                {
                    "TopologyPlacementGenerator": ("placement_generate",),
                    "PodGroupPodsCount": ("placement_score",),
                    "NodeResourcesFit": ("placement_score",),
                },
            ),
        }
    ),
)
