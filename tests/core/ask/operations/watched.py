"""Follow a run by its events: the nodes of its pods, their messages, and what their budgets allow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.trace.controller_events import EvictionAnswered, PodDeletionRequested
from scheduler_core.trace.events import ObjectApplied, ObjectDeleted, PodBound, RunStarted, SchedulingFailed
from scheduler_core.trace.summaries import pods_of


class Watched:
    """Follows a run by its events alone: the nodes of pods, their messages, and what budgets allow."""

    def __init__(self, budgets: list[dict[str, Any]], drained: set[str]) -> None:
        self.node: dict[str, str] = {}
        self.message: dict[str, str] = {}
        self.labels: dict[str, dict[str, str]] = {}
        self.broken: list[str] = []
        self.owner: dict[str, str] = {}
        self.owners_known = False
        self.waiting: list[str] = []  # pods in whose place none has been made yet
        self._budgets, self._drained = budgets, drained

    def take(self, events: Iterable[Any]) -> None:
        for event in events:
            match event:
                case RunStarted():
                    for pod in pods_of(event):
                        self.node[pod.pod], self.labels[pod.pod] = pod.node or "", dict(pod.labels)
                        self.owner[pod.pod] = pod.owner
                        self.owners_known = self.owners_known or bool(pod.owner)
                case SchedulingFailed():
                    self.message[event.pod] = event.message
                case PodBound():
                    self.node[event.pod] = event.node
                case EvictionAnswered(code=201) if self.node.get(event.pod) in self._drained:
                    self._evicted(event.pod)
                case PodDeletionRequested():
                    self._gone(event.pod)
                case ObjectDeleted(kind="Pod"):
                    self._gone(f"{event.namespace}/{event.name}")
                case ObjectApplied(kind="Pod", action="create", pod=pod) if pod is not None:
                    self.node[pod.pod], self.labels[pod.pod] = "", dict(pod.labels)
                    self.owner[pod.pod] = pod.owner
                    if waiting := [key for key in self.waiting if self.owner[key] == pod.owner]:
                        self.waiting.remove(pod.pod if pod.pod in waiting else waiting[0])

    def _gone(self, key: str) -> None:
        if key in self.node:
            del self.node[key]
            self.waiting.append(key)

    def _evicted(self, key: str) -> None:
        covering = self.covering(key)
        if len(covering) > 1:
            self.broken.append(f"{key} has several budgets")
        self.broken += [f"{key} breaks {one['metadata']['name']}" for one in covering if self.allowed(one) < 1]

    def covering(self, key: str) -> list[dict[str, Any]]:
        """Return the budgets of the pod's namespace that select it."""
        return [one for one in self._budgets if self._selects(one, key)]

    def _selects(self, budget: dict[str, Any], key: str) -> bool:
        there = budget["metadata"].get("namespace", "default") == key.split("/")[0]
        return there and budget["spec"]["selector"]["matchLabels"].items() <= self.labels[key].items()

    def allowed(self, budget: dict[str, Any]) -> int:
        """Return how many pods may be evicted (disruption.go); none if the number is negative.

        Unless minAvailable is a number, only pods with an owner count as expected, and none may be evicted if an owner
        has no scale.
        """
        pods = [key for key in (*self.node, *self.waiting) if self._selects(budget, key)]
        healthy = sum(bool(self.node.get(key)) for key in pods)
        spec = budget["spec"]
        value = spec.get("minAvailable", spec.get("maxUnavailable"))
        if isinstance(spec.get("minAvailable"), int):
            return healthy - int(value)
        owners = [self.owner[key] for key in pods]
        if any(owner.startswith(("DaemonSet/", "Job/")) for owner in owners):
            return 0  # they have no scale
        owned = sum(bool(owner) for owner in owners) if self.owners_known else len(pods)
        number = -(-int(value[:-1]) * owned // 100) if isinstance(value, str) else value
        return healthy - (number if "minAvailable" in spec else max(owned - number, 0)) if owned else 0
