"""The nominator: pods with a nominated node (backend/queue/nominator.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.pods import PodTable
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import NominationCleared, PodNominated

Cause = Literal["preempted-by-higher-priority", "attempt-failed", "bound", "deleted"]


class Nominator:
    """Nominations by pod, and by node in order. Each visible change is emitted as an event.

    `changes` logs the node of each change. `popped`: the members of the pod group that is being tried. They are in no
    queue, and of a nominated pod that is in no queue only the name is known (nominatedPodToInfo).
    """

    def __init__(self, pods: PodTable, emit: Callable[[AnyEvent], None]) -> None:
        self._pods = pods
        self._emit = emit
        self.changes = ChangeLog()
        self.popped: frozenset[PodKey] = frozenset()
        self._by_node: dict[str, list[PodKey]] = {}
        self._node_of: dict[PodKey, str] = {}

    def copy(self, pods: PodTable) -> Nominator:
        """Return a copy for the pods of another table; its changes emit no events."""
        other = Nominator(pods, lambda event: None)
        other.popped = self.popped
        other._by_node = {name: list(keys) for name, keys in self._by_node.items()}
        other._node_of = dict(self._node_of)
        return other

    def __bool__(self) -> bool:
        return bool(self._node_of)

    def set_popped(self, keys: Iterable[PodKey]) -> None:
        """Replace the popped members of the group that is tried, and log the nodes to which they are nominated."""
        before, self.popped = self.popped, frozenset(keys)
        for node_name in sorted({self.node_of(key) for key in before ^ self.popped} - {""}):
            self.changes.note(node_name)

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        """Return the pods nominated to a node, except `popped` ones, in the order of their nomination."""
        pods = (self._pods.get(key) for key in self._by_node.get(node_name, ()) if key not in self.popped)
        return [pod for pod in pods if pod is not None]

    def pairs(self) -> list[tuple[str, PodKey]]:
        """Return (node, pod) of all nominations, by node, in the order of their nomination."""
        return [(node_name, key) for node_name, keys in self._by_node.items() for key in keys]

    def node_of(self, key: PodKey) -> str:
        return self._node_of.get(key, "")

    def add(self, pod: Pod, override: str | None, cause: Cause = "attempt-failed") -> None:
        """Set a pod's nomination (AddNominatedPod). A pod that is deleted or has a node gets none.

        `override` None: the nomination is that of the pod's status; "": it is cleared; otherwise it is this node.
        """
        before = self.node_of(pod.key)
        self._add(pod, override)
        self._emit_change(pod.key, before, cause)

    def update(self, old: Pod, new: Pod) -> None:
        """Update a pod (UpdateNominatedPod). A nomination that is not yet in the pod's status is kept."""
        before = self.node_of(old.key)
        override = before if before and not old.nominated_node_name and not new.nominated_node_name else None
        self._remove(old.key)
        self._add(new, override)
        self._emit_change(new.key, before, "preempted-by-higher-priority")

    def delete(self, key: PodKey, cause: Cause) -> None:
        """Remove the pod's nomination, if any (DeleteNominatedPodIfExists)."""
        if key not in self._node_of:
            return
        before = self.node_of(key)
        self._remove(key)
        self._emit_change(key, before, cause)

    def suspend(self, key: PodKey) -> None:
        """Remove the pod's nomination until `resume`, while the pod is evaluated. No event is emitted."""
        self._remove(key)

    def resume(self, pod: Pod) -> None:
        """Restore the nomination in the pod's status."""
        if pod.nominated_node_name:
            self._add(pod, pod.nominated_node_name)

    def _add(self, pod: Pod, override: str | None) -> None:
        self._remove(pod.key)
        node_name = pod.nominated_node_name if override is None else override
        stored = self._pods.get(pod.key)
        if not node_name or stored is None or stored.node_name:
            return
        self.changes.note(node_name)
        self._node_of[pod.key] = node_name
        self._by_node.setdefault(node_name, []).append(pod.key)

    def _remove(self, key: PodKey) -> None:
        node_name = self._node_of.pop(key, None)
        if node_name is None:
            return
        self.changes.note(node_name)
        self._by_node[node_name].remove(key)
        if not self._by_node[node_name]:
            del self._by_node[node_name]

    def _emit_change(self, key: PodKey, before: str, cause: Cause) -> None:
        after = self.node_of(key)
        if after and after != before:
            self._emit(PodNominated(key, after))
        elif before and not after:
            self._emit(NominationCleared(key, before, cause))
