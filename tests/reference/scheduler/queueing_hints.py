"""Queueing hints: whether an event may help a pod that a plugin rejected."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Pod, Workload
from tests.reference.framework.cluster_event import NODE_TAINT, STORAGE, Event
from tests.reference.plugins import PLUGINS

OF_EXTENDERS = ("Pod", "Node", *STORAGE)


def may_help(name: str, event: Event, pod: Pod, profile: Profile, workloads: Sequence[Workload]) -> bool:
    """Return whether the plugin that rejected the pod registered the event, and its hint is Queue.

    As in buildQueueingHintMap, a taint update always helps if the plugin registered new nodes but no taint updates. The
    name "Extender" stands for all extenders, which have no hints.
    """
    if name == "Extender":
        return event.kind in OF_EXTENDERS
    plugin = PLUGINS[name]
    actions = plugin.events.get(event.kind, ())
    if event.action not in actions:
        return event.action == NODE_TAINT and "Add" in actions
    return plugin.hint(event, pod, profile.plugin_args.get(name), workloads)
