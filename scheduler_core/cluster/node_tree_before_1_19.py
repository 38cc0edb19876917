"""The node tree before 1.19, which remembers its position (internal/cache/node_tree.go).

A snapshot lists the nodes from that position. If nodes were added since, it starts with the new ones, and may then list
a node twice and omit another one.
"""

from __future__ import annotations

from scheduler_core.apis.core import Node
from scheduler_core.cluster.node_tree import REGION_LABELS, ZONE_LABELS, NodeTree


def beta_zone_key(node: Node) -> str:
    """Return a key of region and zone from the beta labels alone, "" if both are missing (GetZoneKey before 1.17)."""
    zone, region = (node.labels.get(labels[0], "") for labels in (ZONE_LABELS, REGION_LABELS))
    return f"{region}:\x00:{zone}" if zone or region else ""


class NodeTreeBefore119(NodeTree):
    """A tree that remembers the next zone, and the next node of each zone."""

    def __init__(self) -> None:
        super().__init__()
        self._zone_index = 0
        self._last_index: dict[str, int] = {}
        self._listed: dict[str, None] = {}
        self._list: list[str] = []

    def copy(self) -> NodeTreeBefore119:
        """Return an independent copy."""
        other = type(self)()
        other._zones = {zone: dict(names) for zone, names in self._zones.items()}
        other._zone_of = dict(self._zone_of)
        other._zone_index, other._last_index = self._zone_index, dict(self._last_index)
        other._listed, other._list = dict(self._listed), list(self._list)
        return other

    def add(self, node: Node) -> None:
        """Add a node to the end of its zone."""
        super().add(node)
        self._last_index.setdefault(self._zone_of[node.name], 0)

    def remove(self, name: str) -> None:
        """Remove a node, if it is in the tree, and the position in a zone that has become empty."""
        zone = self._zone_of.get(name)
        super().remove(name)
        if zone is not None and zone not in self._zones:
            del self._last_index[zone]

    def next(self) -> str:
        """Return the next node of the next zone, and advance; "" without nodes. After the last node, start again."""
        exhausted = 0
        while self._zones:
            zones = list(self._zones)
            if self._zone_index >= len(zones):
                self._zone_index = 0
            zone = zones[self._zone_index]
            self._zone_index += 1
            names = list(self._zones[zone])
            if self._last_index[zone] < len(names):
                self._last_index[zone] += 1
                return names[self._last_index[zone] - 1]
            exhausted += 1
            if exhausted >= len(zones):
                self._last_index = dict.fromkeys(zones, 0)
                self._zone_index = 0
        return ""

    def snapshot_list(self) -> list[str]:
        """Return the nodes of the snapshot; list them again if nodes were added or removed since (UpdateSnapshot).

        This advances the position.
        """
        if self._listed.keys() != self._zone_of.keys():
            self._listed = dict.fromkeys(self._zone_of)
            self._list = [self.next() for _ in self._zone_of]
        return self._list


class NodeTreeBefore117(NodeTreeBefore119):
    """The tree before 1.17: each search takes its nodes from the tree, and the next search continues from there."""

    _zone_key = staticmethod(beta_zone_key)

    def __init__(self) -> None:
        super().__init__()
        self.gone: dict[str, None] = {}  # nodes that were removed and not added again

    def copy(self) -> NodeTreeBefore117:
        """Return an independent copy."""
        other = super().copy()
        assert isinstance(other, NodeTreeBefore117)
        other.gone = dict(self.gone)
        return other

    def add(self, node: Node) -> None:
        """Add a node, which is no longer gone."""
        super().add(node)
        self.gone.pop(node.name, None)

    def remove(self, name: str) -> None:
        """Remove a node, if it is in the tree, and remember it as gone."""
        super().remove(name)
        self.gone[name] = None

    def upcoming(self) -> list[str]:
        """Return as many next nodes as the tree has, in order, without advancing."""
        ahead = self.copy()
        return [ahead.next() for _ in self._zone_of]

    def take(self, count: int) -> None:
        """Advance by a number of nodes."""
        for _ in range(count):
            self.next()
