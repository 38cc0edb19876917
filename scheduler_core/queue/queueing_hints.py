"""The cluster events that plugins registered, and their queueing hints (scheduler.go: buildQueueingHintMap)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Pod
from scheduler_core.framework.cluster_event import Action, ClusterEvent, HintFunction, QueueingHint, RegisteredEvent
from scheduler_core.releases import Release
from scheduler_core.trace.records import Hint

SCHEDULING_GATES = "SchedulingGates"
_NODE_TAINT_UPDATE = ClusterEvent("Node", Action.UPDATE_NODE_TAINT)


class Registration(msgspec.Struct, frozen=True):
    """A registered cluster event and its plugin."""

    plugin: str
    event: ClusterEvent
    hint: HintFunction | None


class QueueingHintMap(msgspec.Struct):
    """The registrations of a profile, in the order of its plugins; matches are cached by event."""

    registrations: list[Registration]
    matches: Callable[[ClusterEvent, ClusterEvent], bool] = ClusterEvent.matches
    gated_pods_are_checked_on_every_event: bool = False
    _matching: dict[ClusterEvent, list[Registration]] = {}

    @staticmethod
    def build(plugins: Iterable[tuple[str, Sequence[RegisteredEvent]]], release: Release) -> QueueingHintMap:
        """Return the map for plugins and their events.

        Since 1.30, a plugin that registers Node Add and not UpdateNodeTaint is registered for that too.
        """
        matches = ClusterEvent.matches if release.rules.events_match_when_covered else ClusterEvent.overlaps
        registrations = []
        for plugin, events in plugins:
            registrations += [Registration(plugin, registered.event, registered.hint) for registered in events]
            if not release.rules.new_node_events_include_taint_updates:
                continue
            of_nodes = [registered.event.action for registered in events if registered.event.resource == "Node"]
            if any(a & Action.ADD for a in of_nodes) and not any(a & Action.UPDATE_NODE_TAINT for a in of_nodes):
                registrations.append(Registration(plugin, _NODE_TAINT_UPDATE, None))
        return QueueingHintMap(registrations, matches, release.rules.gated_pods_are_checked_on_every_event)

    def matching(self, event: ClusterEvent) -> list[Registration]:
        registrations = self._matching.get(event)
        if registrations is None:
            registrations = [
                registration for registration in self.registrations if self.matches(registration.event, event)
            ]
            self._matching[event] = registrations
        return registrations

    def call(self, event: ClusterEvent, rejectors: Iterable[str], pod: Pod, old: Any, new: Any) -> list[Hint]:
        """Return the hints of the plugins that rejected the pod; empty if none of them registered the event."""
        hints = []
        for registration in self.matching(event):
            if registration.plugin in rejectors:
                hint = registration.hint(pod, old, new) if registration.hint else QueueingHint.QUEUE
                hints.append(Hint(registration.plugin, hint.value))
        return hints

    def moves_gated(self, plugin: str, event: ClusterEvent) -> bool:
        """Return whether a pod that the plugin gated is checked again after the event."""
        if self.gated_pods_are_checked_on_every_event:
            return plugin != SCHEDULING_GATES
        return any(
            registration.plugin == plugin and registration.event.matches(event) for registration in self.registrations
        )
