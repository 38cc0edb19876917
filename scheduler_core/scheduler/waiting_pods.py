"""Pods that are waiting on Permit (framework/runtime/waiting_pods_map.go)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.framework.interface import SUCCESS, Code, Status
from scheduler_core.scheduler.attempt import Attempt


class WaitingPod:
    """A waiting pod; only the first decision counts. `deadlines` are in virtual seconds, by plugin."""

    def __init__(self, attempt: Attempt, deadlines: Mapping[str, float], decided: Callable[[WaitingPod], None]) -> None:
        self.attempt = attempt
        self.deadlines = dict(deadlines)
        self.status: Status | None = None  # the decision, None while it waits
        self.timed_out = False
        self._decided = decided

    @property
    def pod(self) -> Pod:
        return self.attempt.pod

    @property
    def node_name(self) -> str:
        return self.attempt.node_name

    @property
    def state(self) -> dict[str, Any]:
        """Return the plugins' states of the pod's cycle."""
        assert self.attempt.cycle is not None
        return self.attempt.cycle.states

    @property
    def pending_plugins(self) -> Sequence[str]:
        return list(self.deadlines)

    def allow(self, plugin: str) -> None:
        self.deadlines.pop(plugin, None)
        if not self.deadlines:
            self._decide(SUCCESS.by(plugin))

    def reject(self, plugin: str, message: str) -> None:
        self._decide(Status(Code.UNSCHEDULABLE, (message,), plugin))

    def expire(self, now: float) -> None:
        """Reject the pod if it still waits and the deadline of a plugin has passed."""
        for plugin, deadline in self.deadlines.items():
            if deadline <= now and self.status is None:
                self.timed_out = True
                self.reject(plugin, f"rejected due to timeout after waiting at plugin {plugin}")

    def _decide(self, status: Status) -> None:
        if self.status is None:
            self.status = status
            self._decided(self)


class WaitingPods:
    """All waiting pods, oldest first. Allowed and rejected ones are in `decided` until the simulation takes them."""

    def __init__(self) -> None:
        self._pods: dict[PodKey, WaitingPod] = {}
        self.decided: list[WaitingPod] = []

    def add(self, attempt: Attempt, deadlines: Mapping[str, float]) -> WaitingPod:
        waiting = self._pods[attempt.pod.key] = WaitingPod(attempt, deadlines, self._decided)
        return waiting

    def get(self, key: PodKey) -> WaitingPod | None:
        return self._pods.get(key)

    def all(self) -> list[WaitingPod]:
        return list(self._pods.values())

    def next_deadline(self) -> float | None:
        return min((d for waiting in self._pods.values() for d in waiting.deadlines.values()), default=None)

    def expire(self, now: float) -> None:
        for waiting in self.all():
            waiting.expire(now)

    def _decided(self, waiting: WaitingPod) -> None:
        del self._pods[waiting.pod.key]
        self.decided.append(waiting)
