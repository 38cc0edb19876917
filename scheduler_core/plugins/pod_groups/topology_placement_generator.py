"""TopologyPlacementGenerator: a placement for each value of a group's topology key (plugins/topologyaware).

On with the feature gate TopologyAwareWorkloadScheduling.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import PodGroup
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import SUCCESS, Code, Handle, Placement, PlacementGeneratePlugin, Status
from scheduler_core.framework.pod_groups import not_found


class TopologyPlacementGenerator(PlacementGeneratePlugin):
    """Generates placements. Members that already have a node limit the group to their domain."""

    name = "TopologyPlacementGenerator"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._groups = handle.pod_groups

    def generate_placements(self, pod_group: str, nodes: NodeTable) -> tuple[Sequence[Placement], Status]:
        """Return a placement for each domain, in the order of their first node (kube-scheduler iterates over a map).

        If members already have a node, only their domain is left. Without a topology key, the only placement has all
        nodes. The status is an error if the group does not exist, or its members share no domain.
        """
        group = self._groups.get(pod_group)
        if group is None:
            return (), Status(Code.ERROR, (not_found(pod_group),))
        if not group.topology_key:
            return (Placement("", nodes.all_rows),), SUCCESS
        column = nodes.label(group.topology_key)
        values = list(column.values)
        try:
            pinned = self._domain_of_scheduled(group, nodes)
        except _NoDomain as error:
            message = f"cannot determine domain for already scheduled pods: {error}"
            return (), Status(Code.ERROR, (message,))
        if pinned is not None:
            values = [pinned] if pinned in column.number else []
        return [Placement(value, np.flatnonzero(column.codes == column.number[value])) for value in values], SUCCESS

    def _domain_of_scheduled(self, group: PodGroup, nodes: NodeTable) -> str | None:
        """Return the domain of the scheduled members, None if there are none.

        Raises _NoDomain if one has no domain, or they are in several.
        """
        domain: str | None = None
        for pod, node_name in self._groups.scheduled(group.key):
            row = nodes.row_of.get(node_name)
            if row is None:
                reason = f'nodeinfo not found for node name "{node_name}"'
                raise _NoDomain(f"getting node for pod {pod.key}: {reason}")
            value = nodes.nodes[row].labels.get(group.topology_key)
            if value is None:
                raise _NoDomain(f"no topology domain found for pod {pod.key}")
            if domain and domain != value:
                raise _NoDomain(f"more than 1 domain found for pod group: {domain}, {value}")
            domain = value
        return domain


class _NoDomain(Exception):
    """A scheduled member is in no domain, or the members are in several."""
