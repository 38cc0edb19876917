"""The plugins, a package for each family, named as kube-scheduler names them.

`REGISTRY` gives the class for each name, in the order of kube-scheduler's default profile; plugins from outside
kube-scheduler come last. mypy holds each to `Plugin`, and to the protocols of its extension points by its bases.
"""

from __future__ import annotations

from scheduler_core.framework.interface import Plugin
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
    "GangScheduling": GangScheduling,
    "TopologyPlacementGenerator": TopologyPlacementGenerator,
    "PodGroupPodsCount": PodGroupPodsCount,
    "Coscheduling": Coscheduling,
}
