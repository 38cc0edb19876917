"""A pod in the scheduling queue (framework.QueuedPodInfo)."""

from __future__ import annotations

import msgspec

from scheduler_core.apis.core import Pod, PodKey


class QueuedPod(msgspec.Struct, eq=False):
    """A queued pod. `timestamp` and `sequence` are set when the pod is added and after each failed attempt.

    The plugins are keys in order of insertion. `backoff_expiration` None: not computed since the timestamp was set.
    """

    pod: Pod
    timestamp: float
    sequence: int
    attempts: int = 0
    unschedulable_plugins: dict[str, None] = {}
    pending_plugins: dict[str, None] = {}
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    gating_plugin: str = ""
    backoff_expiration: float | None = None
    backoff_sequence: int = 0  # before 1.17: its `sequence` when the backoff last increased
    initial_attempt: float | None = None  # the time at which it first entered activeQ

    @property
    def key(self) -> PodKey:
        return self.pod.key

    @property
    def place_in_backoff(self) -> int:
        """Return the number that orders pods whose backoff ends at the same time."""
        return self.backoff_sequence or self.sequence

    @property
    def gated(self) -> bool:
        return bool(self.gating_plugin)

    @property
    def rejectors(self) -> dict[str, None]:
        """Return the plugins that rejected the pod; empty after an error."""
        return self.unschedulable_plugins | self.pending_plugins
