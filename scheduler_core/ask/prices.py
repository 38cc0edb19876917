"""Prices of the nodes of a scenario, from its node groups and instance types."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.requirements import INSTANCE_TYPE
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.scenario.settings.instance_types import estimated_price
from scheduler_core.scenario.types import Scenario


class Prices:
    """The prices of nodes per hour. `are_stated`: whether the scenario states any."""

    def __init__(self, scenario: Scenario) -> None:
        self._groups = {group.name: group for group in scenario.node_groups}
        self._group_of = {node: group for group in scenario.node_groups for node in group.nodes}
        kinds = [actor.instance_types for actor in scenario.actors if isinstance(actor, KarpenterSettings)]
        self._catalogue = Catalogue(kinds[0]) if kinds else None
        self.are_stated = bool(kinds) or any(group.price is not None for group in scenario.node_groups)

    def stated(self, name: str, labels: Mapping[str, str]) -> float | None:
        """Return the price of the node's group or instance type, None if it is unknown."""
        group = self._group_of.get(name) or self._groups.get(re.sub(r"-\d+$", "", name))
        if group is not None and group.price is not None:
            return group.price
        if self._catalogue is None:
            return None
        return self._catalogue.price_of(labels, labels.get(INSTANCE_TYPE, ""))

    def of(self, name: str, labels: Mapping[str, str], capacity: Mapping[str, int]) -> float:
        """Return the price of a node, estimated from its cpu and memory if none is stated."""
        price = self.stated(name, labels)
        return estimated_price(capacity) if price is None else price
