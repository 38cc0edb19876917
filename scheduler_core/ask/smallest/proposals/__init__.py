"""Ways to resolve a plugin's objection to a pod on one node: edits that are not tried yet; one file per kind of
objection.

Each changes one thing; a plugin with several objections objects again until all are resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scheduler_core.ask.smallest.proposals import devices, nodes, pods, resources, volumes
from scheduler_core.ask.smallest.proposals.proposal import Case, Kind, Proposal

__all__ = ["Case", "Kind", "Proposal", "proposals"]

Proposer = Callable[[Case], Iterator[Proposal]]

BY_PLUGIN: Mapping[str, Proposer] = {
    "NodeUnschedulable": nodes.node_unschedulable,
    "TaintToleration": nodes.taint_toleration,
    "NodeAffinity": nodes.node_affinity,
    "NodePorts": pods.node_ports,
    "NodeResourcesFit": resources.proposals,
    "VolumeRestrictions": volumes.volume_restrictions,
    "VolumeBinding": volumes.volume_binding,
    "VolumeZone": volumes.volume_zone,
    "DynamicResources": devices.proposals,
    "PodTopologySpread": pods.pod_topology_spread,
    "InterPodAffinity": pods.inter_pod_affinity,
}


def proposals(case: Case, plugin: str) -> Iterator[Proposal]:
    """Return ways to resolve the plugin's objection; none if no edit does."""
    propose = BY_PLUGIN.get(plugin)
    return propose(case) if propose is not None else iter(())
