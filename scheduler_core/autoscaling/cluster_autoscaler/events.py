"""Kubernetes Events of Cluster Autoscaler (utils/kubernetes/factory.go)."""

from __future__ import annotations

from collections.abc import Hashable

from scheduler_core.apis.core import Node, Pod
from scheduler_core.controllers.api import Api

NAMESPACE = "kube-system"
STATUS = "cluster-autoscaler-status"
PRIORITIES = "cluster-autoscaler-priority-expander"
REPEAT = 300.0  # seconds after which an event like an earlier one is recorded again


class Recorder:
    """Records events: in five minutes one of each reason on an object, and on the status ConfigMap one of each text."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._recorded: dict[Hashable, float] = {}

    def record(self, item: Pod | Node, reason: str, message: str, level: str = "Normal") -> None:
        """Record an event on a pod or a node."""
        if self._is_new((type(item), item.name, item.uid, reason)):
            self._api.record(item, reason, message, level)

    def record_status(self, reason: str, message: str, level: str = "Normal") -> None:
        """Record an event on the status ConfigMap."""
        if self._is_new(message):
            self._api.record_on("ConfigMap", STATUS, NAMESPACE, reason, message, level)

    def record_priorities(self, reason: str, message: str) -> None:
        """Record a warning on the ConfigMap of the priority expander."""
        if self._is_new((PRIORITIES, reason)):
            self._api.record_on("ConfigMap", PRIORITIES, NAMESPACE, reason, message, "Warning")

    def _is_new(self, key: Hashable) -> bool:
        """Return whether no such event was recorded in the last few minutes, and count it as recorded now."""
        if self._api.now - self._recorded.get(key, float("-inf")) < REPEAT:
            return False
        self._recorded[key] = self._api.now
        return True


def go_duration(seconds: float) -> str:
    """Return a duration as Go prints it: 12.05s, 15m0.05s, 1h0m0s."""
    minutes, rest = divmod(round(seconds, 9), 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{round(rest, 9):g}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text
