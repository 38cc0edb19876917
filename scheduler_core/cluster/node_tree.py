"""The order of the snapshot: one node from each zone in turn (kube-scheduler: backend/cache/node_tree.go)."""

from __future__ import annotations

from itertools import zip_longest

from scheduler_core.apis.core import Node

ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def zone_key(node: Node) -> str:
    """Return a key of region and zone, "" if both are missing; the beta labels take precedence (GetZoneKey)."""
    zone, region = _first(node, ZONE_LABELS), _first(node, REGION_LABELS)
    return f"{region}:\x00:{zone}" if zone or region else ""


def _first(node: Node, labels: tuple[str, str]) -> str:
    first, second = labels
    return node.labels.get(first, node.labels.get(second, ""))


class NodeTree:
    """The zones in order of first appearance, with their nodes in order of insertion.

    A zone without nodes is removed.
    """

    _zone_key = staticmethod(zone_key)

    def __init__(self) -> None:
        self._zones: dict[str, dict[str, None]] = {}
        self._zone_of: dict[str, str] = {}

    def copy(self) -> NodeTree:
        """Return an independent copy."""
        other = NodeTree()
        other._zones = {zone: dict(names) for zone, names in self._zones.items()}
        other._zone_of = dict(self._zone_of)
        return other

    def add(self, node: Node) -> None:
        """Add a node to the end of its zone; a new zone comes last."""
        zone = self._zone_key(node)
        self._zones.setdefault(zone, {}).setdefault(node.name)
        self._zone_of[node.name] = zone

    def update(self, node: Node) -> None:
        """Move a node to the end of its new zone, if its zone has changed or it is not in the tree."""
        if self._zone_of.get(node.name) == self._zone_key(node):
            return
        self.remove(node.name)
        self.add(node)

    def remove(self, name: str) -> None:
        """Remove a node, if it is in the tree."""
        zone = self._zone_of.pop(name, None)
        if zone is None:
            return
        del self._zones[zone][name]
        if not self._zones[zone]:
            del self._zones[zone]

    def list(self) -> list[str]:
        """Return the names of all nodes, one from each zone in turn."""
        return [name for names in zip_longest(*self._zones.values()) for name in names if name is not None]
