"""Karpenter's events; the same event is not recorded again for some time (pkg/events/recorder.go)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.karpenter.state import StateNode
from scheduler_core.controllers.api import Api

REPEAT = 120.0
NOMINATIONS, NOMINATIONS_A_SECOND = 10.0, 5.0  # PodNominationRateLimiter: burst and rate
NAME = "karpenter"


class Recorder:
    """Records events, each at most once in a period."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._until: dict[tuple[str, ...], float] = {}
        self._tokens, self._refilled = NOMINATIONS, 0.0

    def on_pod(
        self,
        pod: Pod,
        reason: str,
        message: str,
        level: str = "Normal",
        *,
        of: tuple[str, ...] | None = None,
        repeat: float = REPEAT,
    ) -> None:
        """Record an event on a pod, at most once in `repeat` seconds for each value of `of`, by default the pod."""
        if self._is_new((reason, *((pod.uid,) if of is None else of)), repeat):
            self._api.record(pod, reason, message, level, NAME)

    def nominate(self, pod: Pod, place: str) -> None:
        """Record the node or claim on which a pod is expected; a limited number per second is recorded."""
        if not self._is_new(("Nominated", pod.uid), REPEAT):
            return
        now = self._api.now
        self._tokens = min(NOMINATIONS, self._tokens + (now - self._refilled) * NOMINATIONS_A_SECOND)
        self._refilled = now
        if self._tokens >= 1.0:
            self._tokens -= 1.0
            self._api.record(pod, "Nominated", f"Pod should schedule on: {place}", "Normal", NAME)

    def on(
        self,
        kind: str,
        name: str,
        reason: str,
        message: str,
        level: str = "Normal",
        *,
        of: tuple[str, ...] = (),
        repeat: float = REPEAT,
    ) -> None:
        """Record an event on an object without namespace, at most once in `repeat` seconds for each value of `of`."""
        if self._is_new((reason, kind, name, *of), repeat):
            self._api.record_on(kind, name, "", reason, message, level, NAME)

    def on_node(
        self, node: StateNode, reason: str, message: str, *, of: tuple[str, ...] = (), repeat: float = REPEAT
    ) -> None:
        """Record an event on a node and on its claim, if they exist."""
        if node.node is not None:
            self.on("Node", node.node.name, reason, message, of=of, repeat=repeat)
        if node.claim is not None:
            self.on("NodeClaim", node.claim.name, reason, message, of=of, repeat=repeat)

    def _is_new(self, event: tuple[str, ...], repeat: float) -> bool:
        """Return whether the event was not recorded recently, and count it as recorded for `repeat` seconds if so."""
        if self._until.get(event, float("-inf")) > self._api.now:
            return False
        self._until[event] = self._api.now + repeat
        return True
