"""The plugins, one package per family, with kube-scheduler's names.

`REGISTRY` maps each name to its class. First come the plugins of kube-scheduler's default profiles since 1.25, in their
order, then plugins behind feature gates or from outside kube-scheduler, and last those of releases before 1.19. mypy
checks each class against `Plugin` and, by its bases, against the protocols of its extension points.
"""

from __future__ import annotations

from scheduler_core.framework.interface import Plugin
from scheduler_core.plugins.before_1_19.general_predicates import (
    GeneralPredicates,
    HostName,
    MatchNodeSelector,
    PodFitsHostPorts,
    PodFitsResources,
)
from scheduler_core.plugins.before_1_19.node_label import CheckNodeLabelPresence, NodeLabel, NodeLabelPriority
from scheduler_core.plugins.before_1_19.predicates import (
    CheckNodeUnschedulable,
    CheckVolumeBinding,
    MatchInterPodAffinity,
    MaxAzureDiskVolumeCount,
    MaxCinderVolumeCount,
    MaxCSIVolumeCountPred,
    MaxEBSVolumeCount,
    MaxGCEPDVolumeCount,
    NoDiskConflict,
    NoVolumeZoneConflict,
    PodToleratesNodeTaints,
)
from scheduler_core.plugins.before_1_19.prefer_avoid_pods import NodePreferAvoidPods
from scheduler_core.plugins.before_1_19.priorities import (
    BalancedResourceAllocation,
    EqualPriority,
    ImageLocalityPriority,
    InterPodAffinityPriority,
    LeastRequestedPriority,
    MostRequestedPriority,
    NodeAffinityPriority,
    NodePreferAvoidPodsPriority,
    SelectorSpreadPriority,
    ServiceSpreadingPriority,
    TaintTolerationPriority,
)
from scheduler_core.plugins.before_1_19.resources import (
    NodeResourcesLeastAllocated,
    NodeResourcesMostAllocated,
    RequestedToCapacityRatio,
    RequestedToCapacityRatioPriority,
)
from scheduler_core.plugins.before_1_19.selector_spread import DefaultPodTopologySpread
from scheduler_core.plugins.before_1_19.service_affinity import (
    CheckServiceAffinity,
    ServiceAffinity,
    ServiceAntiAffinityPriority,
)
from scheduler_core.plugins.coscheduling.plugin import Coscheduling
from scheduler_core.plugins.default_preemption.plugin import DefaultPreemption
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from scheduler_core.plugins.node_affinity.plugin import NodeAffinity
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.pod_groups.gang_scheduling import GangScheduling
from scheduler_core.plugins.pod_groups.pod_group_pods_count import PodGroupPodsCount
from scheduler_core.plugins.pod_groups.topology_placement_generator import TopologyPlacementGenerator
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread
from scheduler_core.plugins.small.default_binder import DefaultBinder
from scheduler_core.plugins.small.image_locality import ImageLocality
from scheduler_core.plugins.small.node_declared_features import NodeDeclaredFeatures
from scheduler_core.plugins.small.node_name import NodeName
from scheduler_core.plugins.small.node_ports import NodePorts
from scheduler_core.plugins.small.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.small.priority_sort import PrioritySort
from scheduler_core.plugins.small.scheduling_gates import SchedulingGates
from scheduler_core.plugins.taint_toleration.plugin import TaintToleration
from scheduler_core.plugins.volumes.binding.plugin import VolumeBinding
from scheduler_core.plugins.volumes.in_tree_limits import AzureDiskLimits, CinderLimits, EBSLimits, GCEPDLimits
from scheduler_core.plugins.volumes.limits import NodeVolumeLimits
from scheduler_core.plugins.volumes.restrictions import VolumeRestrictions
from scheduler_core.plugins.volumes.zone import VolumeZone

REGISTRY: dict[str, type[Plugin]] = {
    "SchedulingGates": SchedulingGates,
    "PrioritySort": PrioritySort,
    "NodeUnschedulable": NodeUnschedulable,
    "NodeName": NodeName,
    "TaintToleration": TaintToleration,
    "NodeAffinity": NodeAffinity,
    "NodePorts": NodePorts,
    "NodeResourcesFit": NodeResourcesFit,
    "VolumeRestrictions": VolumeRestrictions,
    "EBSLimits": EBSLimits,
    "GCEPDLimits": GCEPDLimits,
    "NodeVolumeLimits": NodeVolumeLimits,
    "AzureDiskLimits": AzureDiskLimits,
    "CinderLimits": CinderLimits,
    "VolumeBinding": VolumeBinding,
    "VolumeZone": VolumeZone,
    "PodTopologySpread": PodTopologySpread,
    "InterPodAffinity": InterPodAffinity,
    "DynamicResources": DynamicResources,
    "DefaultPreemption": DefaultPreemption,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocation,
    "ImageLocality": ImageLocality,
    "DefaultBinder": DefaultBinder,
    "NodeDeclaredFeatures": NodeDeclaredFeatures,
    "GangScheduling": GangScheduling,
    "TopologyPlacementGenerator": TopologyPlacementGenerator,
    "PodGroupPodsCount": PodGroupPodsCount,
    "Coscheduling": Coscheduling,
    "NodeResourcesLeastAllocated": NodeResourcesLeastAllocated,
    "NodeResourcesMostAllocated": NodeResourcesMostAllocated,
    "NodePreferAvoidPods": NodePreferAvoidPods,
    "DefaultPodTopologySpread": DefaultPodTopologySpread,
    "NodeLabel": NodeLabel,
    "ServiceAffinity": ServiceAffinity,
    "RequestedToCapacityRatio": RequestedToCapacityRatio,
    "GeneralPredicates": GeneralPredicates,
    "HostName": HostName,
    "PodFitsHostPorts": PodFitsHostPorts,
    "MatchNodeSelector": MatchNodeSelector,
    "PodFitsResources": PodFitsResources,
    "CheckNodeUnschedulable": CheckNodeUnschedulable,
    "NoDiskConflict": NoDiskConflict,
    "PodToleratesNodeTaints": PodToleratesNodeTaints,
    "CheckNodeLabelPresence": CheckNodeLabelPresence,
    "CheckServiceAffinity": CheckServiceAffinity,
    "MaxEBSVolumeCount": MaxEBSVolumeCount,
    "MaxGCEPDVolumeCount": MaxGCEPDVolumeCount,
    "MaxCSIVolumeCountPred": MaxCSIVolumeCountPred,
    "MaxAzureDiskVolumeCount": MaxAzureDiskVolumeCount,
    "MaxCinderVolumeCount": MaxCinderVolumeCount,
    "CheckVolumeBinding": CheckVolumeBinding,
    "NoVolumeZoneConflict": NoVolumeZoneConflict,
    "MatchInterPodAffinity": MatchInterPodAffinity,
    "SelectorSpreadPriority": SelectorSpreadPriority,
    "InterPodAffinityPriority": InterPodAffinityPriority,
    "LeastRequestedPriority": LeastRequestedPriority,
    "MostRequestedPriority": MostRequestedPriority,
    "BalancedResourceAllocation": BalancedResourceAllocation,
    "NodePreferAvoidPodsPriority": NodePreferAvoidPodsPriority,
    "NodeAffinityPriority": NodeAffinityPriority,
    "TaintTolerationPriority": TaintTolerationPriority,
    "ImageLocalityPriority": ImageLocalityPriority,
    "EqualPriority": EqualPriority,
    "ServiceSpreadingPriority": ServiceSpreadingPriority,
    "RequestedToCapacityRatioPriority": RequestedToCapacityRatioPriority,
    "NodeLabelPriority": NodeLabelPriority,
    "ServiceAntiAffinityPriority": ServiceAntiAffinityPriority,
}
