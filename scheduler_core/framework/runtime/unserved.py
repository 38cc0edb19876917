"""Services for plugins that evaluate a cluster outside a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import Pod
from scheduler_core.trace.records import PodKey


class Unserved:
    """The services that plugins can call: no pod waits, and nothing is written."""

    def waiting_pods(self) -> Sequence[Any]:
        return ()

    def is_running_preemption(self, pod: Pod) -> bool:
        return False

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        """Do nothing: there is no scheduling queue."""

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        """Do nothing: there is no scheduling queue."""

    def write(self, item: Any, action: str) -> None:
        """Do nothing: nothing is bound."""

    def write_later(self, item: Any) -> None:
        """Do nothing: nothing is bound."""

    def delete_later(self, kind: str, key: str) -> None:
        """Do nothing: nothing is bound."""
