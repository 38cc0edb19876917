"""The plugins, plainly: each file has the name of its twin in `scheduler_core/plugins`, to be read beside it.

A file holds one family's PreFilter, Filter, Score and queueing hints, one node and one event at a time.
"""

from __future__ import annotations

from tests.reference.framework.interface import Plugin
from tests.reference.plugins.inter_pod_affinity import InterPodAffinity
from tests.reference.plugins.node_affinity import NodeAffinity
from tests.reference.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from tests.reference.plugins.pod_topology_spread import PodTopologySpread
from tests.reference.plugins.small.dynamic_resources import DynamicResources
from tests.reference.plugins.small.image_locality import ImageLocality
from tests.reference.plugins.small.node_name import NodeName
from tests.reference.plugins.small.node_ports import NodePorts
from tests.reference.plugins.small.node_unschedulable import NodeUnschedulable
from tests.reference.plugins.small.scheduling_gates import SchedulingGates
from tests.reference.plugins.taint_toleration import TaintToleration
from tests.reference.plugins.volumes.binding import VolumeBinding
from tests.reference.plugins.volumes.limits import NodeVolumeLimits
from tests.reference.plugins.volumes.restrictions import VolumeRestrictions
from tests.reference.plugins.volumes.zone import VolumeZone

PLUGINS: dict[str, Plugin] = {
    plugin.name: plugin
    for plugin in (
        SchedulingGates(),
        NodeUnschedulable(),
        NodeName(),
        TaintToleration(),
        NodeAffinity(),
        NodePorts(),
        NodeResourcesFit(),
        VolumeRestrictions(),
        NodeVolumeLimits(),
        VolumeBinding(),
        VolumeZone(),
        PodTopologySpread(),
        InterPodAffinity(),
        DynamicResources(),
        NodeResourcesBalancedAllocation(),
        ImageLocality(),
    )
}
