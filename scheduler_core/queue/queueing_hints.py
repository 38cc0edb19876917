"""Which plugins want to hear about which events, and what they say (scheduler.go: buildQueueingHintMap)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scheduler_core.apis.core import Pod
from scheduler_core.framework.cluster_event import Action, ClusterEvent, HintFunction, QueueingHint, RegisteredEvent
from scheduler_core.releases import Release
from scheduler_core.trace.records import Hint

SCHEDULING_GATES = "SchedulingGates"
_NODE_TAINT_UPDATE = ClusterEvent("Node", Action.UPDATE_NODE_TAINT)


@dataclass(frozen=True, slots=True)
class Registration:
    """One event of one plugin."""

    plugin: str
    event: ClusterEvent
    hint: HintFunction | None


@dataclass(slots=True)
class QueueingHintMap:
    """One profile's registrations, in the order of its plugins; those that match an event are remembered."""

    registrations: list[Registration]
    matches: Callable[[ClusterEvent, ClusterEvent], bool] = ClusterEvent.matches
    gated_pods_hear_every_event: bool = False
    _matching: dict[ClusterEvent, list[Registration]] = field(default_factory=dict)

    @staticmethod
    def build(plugins: Iterable[tuple[str, Sequence[RegisteredEvent]]], release: Release) -> QueueingHintMap:
        """From (plugin, its events). A plugin with Node Add but no UpdateNodeTaint always wakes for taint updates."""
        matches = ClusterEvent.matches if release.rules.events_match_when_covered else ClusterEvent.overlaps
        found = []
        for plugin, events in plugins:
            found += [Registration(plugin, registered.event, registered.hint) for registered in events]
            if not release.rules.new_nodes_stand_for_taint_updates:
                continue
            of_nodes = [registered.event.action for registered in events if registered.event.resource == "Node"]
            if any(a & Action.ADD for a in of_nodes) and not any(a & Action.UPDATE_NODE_TAINT for a in of_nodes):
                found.append(Registration(plugin, _NODE_TAINT_UPDATE, None))
        return QueueingHintMap(found, matches, release.rules.gated_pods_hear_every_event)

    def matching(self, event: ClusterEvent) -> list[Registration]:
        found = self._matching.get(event)
        if found is None:
            found = [one for one in self.registrations if self.matches(one.event, event)]
            self._matching[event] = found
        return found

    def ask(self, event: ClusterEvent, rejectors: Iterable[str], pod: Pod, old: Any, new: Any) -> list[Hint]:
        """What each plugin that rejected the pod says to the event; empty if it is nothing to any of them."""
        asked = [one for one in self.matching(event) if one.plugin in rejectors]
        return [Hint(one.plugin, (one.hint(pod, old, new) if one.hint else QueueingHint.QUEUE).value) for one in asked]

    def moves_gated(self, plugin: str, event: ClusterEvent) -> bool:
        """Whether a pod that the plugin holds back at PreEnqueue is asked again at the event."""
        if self.gated_pods_hear_every_event:
            return plugin != SCHEDULING_GATES
        return any(one.plugin == plugin and one.event.matches(event) for one in self.registrations)
