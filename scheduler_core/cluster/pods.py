"""PodTable: all pods of the cluster as columns, including pending pods, and the observers of their placements.

A pod has a *slot* as long as it exists; a slot is never given to another pod. A column such as `priority` is indexed
by slot. Only `Cluster` writes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.nodes import IntColumn, NodeTable

_COLUMNS = ("row", "priority", "start", "arrival", "terminating", "spec", "terms", "load")


class PlacementObserver(Protocol):
    """An observer that counts the pods of each row itself. It is called after the columns have changed.

    Rows are only valid within one `nodes.generation`: count again when it changes.
    """

    def moved(self, slot: int, row: int, by: int) -> None:
        """Count the pod that was added to the row (+1) or removed from it (-1)."""


class SavedPlacements(msgspec.Struct, frozen=True):
    """The pods of each node in order, the ports that they use, and the order in which pods were added to nodes."""

    on_node: dict[str, list[int]]
    used_ports: dict[str, set[HostPort]]
    arrival: IntColumn
    arrivals: int

    @property
    def node_of(self) -> dict[int, str]:
        """Return the node name of each pod, by slot."""
        return {slot: name for name, slots in self.on_node.items() for slot in slots}


class PodTable:
    """Columns by slot. `row` is the node's row, -1 for a pod without a node in the snapshot.

    `spec[slot]` indexes `specs`, the distinct (namespace, labels); `terms[slot]` indexes `term_sets`, the distinct
    (required_affinity, required_anti_affinity, preferred_affinity, preferred_anti_affinity), number 0 if all are empty.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self.pods: list[Pod] = []
        self.slot_of: dict[PodKey, int] = {}
        self.node_name: list[str] = []  # the node that it is bound to or assumed on, "" if none
        self.specs: list[tuple[str, Mapping[str, str]]] = []
        self.term_sets: list[tuple[Any, Any, Any, Any]] = [((), (), (), ())]
        self._spec_number: dict[Hashable, int] = {}
        self._term_number: dict[Hashable, int] = {self.term_sets[0]: 0}
        self._placeholder_slots: dict[str, int] = {}  # by namespace: the slot of its placeholder
        self._on_node: dict[str, list[int]] = {}
        self.observers: list[PlacementObserver] = []
        # by node; a pod that is removed frees its ports, even if another pod of the node uses them
        self.used_ports: dict[str, set[HostPort]] = {}
        self.other_volumes: list[int] = []  # slots of pods that were replaced by one with different volumes, in order
        self.arrivals = 0
        self.changes = ChangeLog()  # nodes on which a pod was added, removed or updated
        self.row: NDArray[np.intp] = np.full(0, -1, np.intp)
        self.priority: IntColumn = np.zeros(0, np.int64)
        self.start: NDArray[np.float64] = np.zeros(0)  # seconds; inf for a pod that has not started
        self.arrival: IntColumn = np.zeros(0, np.int64)  # the order in which pods were added to nodes
        self.terminating: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.spec: NDArray[np.intp] = np.zeros(0, np.intp)
        self.terms: NDArray[np.intp] = np.zeros(0, np.intp)
        # [R + 3, slots], the pod's part of `NodeTable.load`: requests, non-zero cpu and memory, 1
        self.load: IntColumn = np.zeros((len(nodes.resources) + 3, 0), np.int64)
        self._grow(64)

    def copy(self, nodes: NodeTable) -> PodTable:
        """Return an independent copy for a copy of the node table, without observers and logged changes."""
        other = copy(self)
        other._nodes, other.observers, other.changes = nodes, [], ChangeLog()
        for name in (*_COLUMNS, "pods", "slot_of", "node_name", "specs", "term_sets", "_spec_number", "_term_number"):
            setattr(other, name, getattr(self, name).copy())
        other._placeholder_slots = dict(self._placeholder_slots)
        other.other_volumes = list(self.other_volumes)
        other._on_node = {name: list(slots) for name, slots in self._on_node.items()}
        other.used_ports = {name: set(ports) for name, ports in self.used_ports.items()}
        return other

    def __len__(self) -> int:
        """Return the number of slots that have been assigned; columns may be longer."""
        return len(self.pods)

    @property
    def requests(self) -> IntColumn:
        """Return the requests of the pods that count on a node: int64[R, slots]."""
        return self.load[:-3]

    def get(self, key: PodKey) -> Pod | None:
        """Return the pod as stored by the API server, None if it does not exist."""
        slot = self.slot_of.get(key)
        return None if slot is None else self.pods[slot]

    def all(self) -> Iterator[Pod]:
        """Return an iterator over all existing pods in order of creation."""
        return (self.pods[slot] for slot in self.slot_of.values())

    def on_node(self, name: str) -> Sequence[int]:
        """Return the slots of a node's pods in the order of NodeInfo.Pods: the last one replaces a removed one."""
        return self._on_node.get(name, ())

    def on_row(self, row: int) -> Sequence[int]:
        """Return the slots of the pods on a row, in the order of `on_node`."""
        return self._on_node.get(self._nodes.names[row], ())

    def on_rows(self, rows: NDArray[np.intp]) -> list[Sequence[int]]:
        """Return the slots of the pods on each of these rows, in the order of `on_node`."""
        on_node, names = self._on_node, self._nodes.names
        return [on_node.get(names[row], ()) for row in rows.tolist()]

    def placeholder_slot(self, namespace: str) -> int:
        """Return the slot of a placeholder: a pod in this namespace without priority, labels, terms and requests.

        It is created on first use, and is not among the existing pods.
        """
        slot = self._placeholder_slots.get(namespace)
        if slot is None:
            slot = self._placeholder_slots[namespace] = self.put(_placeholder(namespace))
            del self.slot_of[self.pods[slot].key]
        return slot

    # The methods below are called by `Cluster` only.

    def put(self, pod: Pod) -> int:
        """Assign a slot to a new pod, or replace a pod that is on no node in its slot. Return the slot."""
        slot = self.slot_of.get(pod.key)
        if slot is None:
            slot = self.slot_of[pod.key] = len(self.pods)
            self.pods.append(pod)
            self.node_name.append("")
            if slot >= len(self.row):
                self._grow(2 * len(self.row))
            self.row[slot] = -1
        elif _same_description(self.pods[slot], pod):
            self.replace_status(slot, pod)
            return slot
        elif self.pods[slot].volumes != pod.volumes:
            self.other_volumes.append(slot)
        self.replace_status(slot, pod)
        self._describe(slot, pod)
        return slot

    def replace_status(self, slot: int, pod: Pod) -> None:
        """Replace the pod in a slot, and its entries in `start` and `terminating`; other columns are not changed."""
        self.pods[slot] = pod
        self.start[slot] = np.inf if pod.start_time is None else pod.start_time
        self.terminating[slot] = pod.terminating

    def place(self, slot: int, node_name: str) -> None:
        """Add the pod to the end of the node's list, and its ports to those in use."""
        self.node_name[slot] = node_name
        self._on_node.setdefault(node_name, []).append(slot)
        self.changes.note(node_name)
        if self.pods[slot].host_ports:
            self.used_ports.setdefault(node_name, set()).update(self.pods[slot].host_ports)
        self.arrival[slot] = self.arrivals
        self.arrivals += 1

    def displace(self, slot: int) -> None:
        """Remove the pod from its node's list, where the last pod takes its position (NodeInfo.removeFromSlice)."""
        slots = self._on_node[self.node_name[slot]]
        position = slots.index(slot)
        slots[position] = slots[-1]
        slots.pop()
        if self.pods[slot].host_ports:
            self.used_ports[self.node_name[slot]].difference_update(self.pods[slot].host_ports)
        self.changes.note(self.node_name[slot])
        self.node_name[slot] = ""

    def only_status_changes(self, slot: int, pod: Pod) -> bool:
        """Return whether only the status of the pod can differ, and `terminating` does not."""
        return self.pods[slot].terminating == pod.terminating and _same_description(self.pods[slot], pod)

    def reappend(self, slot: int) -> None:
        """Swap the pod with the last one of its node's list, as Cache.updatePod does by removing and adding it."""
        slots = self._on_node[self.node_name[slot]]
        position = slots.index(slot)
        slots[position] = slots[-1]
        slots[-1] = slot
        self.changes.note(self.node_name[slot])
        if self.pods[slot].host_ports:
            self.used_ports[self.node_name[slot]].update(self.pods[slot].host_ports)

    def drop(self, key: PodKey) -> None:
        """Remove the pod from the existing ones; its slot is not used again. Raises KeyError."""
        del self.slot_of[key]

    def placed_slots(self, names: Sequence[str]) -> list[Sequence[int]]:
        """Return the slots of the pods on each of the nodes with these names."""
        return [self._on_node.get(name, ()) for name in names]

    def save_placements(self) -> SavedPlacements:
        """Return the current placements for `restore`."""
        return SavedPlacements(
            {name: list(slots) for name, slots in self._on_node.items()},
            {name: set(ports) for name, ports in self.used_ports.items()},
            self.arrival.copy(),
            self.arrivals,
        )

    def restore(self, saved: SavedPlacements) -> None:
        """Restore the order of the pods and the ports in use; the pods must be on the same nodes as then."""
        for name, slots in saved.on_node.items():
            if slots != self._on_node.get(name):
                self.changes.note(name)
        self._on_node, self.used_ports = saved.on_node, saved.used_ports
        self.arrival, self.arrivals = saved.arrival, saved.arrivals

    def widen(self) -> None:
        """Add rows of zeros to `load` for the resources that `nodes.resources` has got since."""
        more = len(self._nodes.resources) + 3 - len(self.load)
        if more > 0:
            self.load = np.vstack((self.load[:-3], np.zeros((more, self.load.shape[1]), np.int64), self.load[-3:]))

    def _describe(self, slot: int, pod: Pod) -> None:
        """Set the pod's entries in the columns that its status does not change."""
        requests = pod.requests if pod.standing_requests is None else pod.standing_requests
        by_index = self._nodes.resources.by_index(requests)
        self.widen()
        amounts = [0] * (len(self.load) - 3)
        for number, amount in by_index.items():
            amounts[number] = amount
        self.load[:, slot] = (*amounts, pod.non_zero_cpu, pod.non_zero_memory, 1)
        self.priority[slot] = pod.priority
        self.spec[slot] = self._spec_code(pod)
        self.terms[slot] = self._term_code(pod)

    def _spec_code(self, pod: Pod) -> int:
        key = (pod.namespace, tuple(sorted(pod.labels.items())))
        number = self._spec_number.setdefault(key, len(self.specs))
        if number == len(self.specs):
            self.specs.append((pod.namespace, pod.labels))
        return number

    def _term_code(self, pod: Pod) -> int:
        terms = (
            pod.required_affinity,
            pod.required_anti_affinity,
            pod.preferred_affinity,
            pod.preferred_anti_affinity,
        )
        number = self._term_number.setdefault(terms, len(self.term_sets))
        if number == len(self.term_sets):
            self.term_sets.append(terms)
        return number

    def _grow(self, capacity: int) -> None:
        for name in _COLUMNS:
            column = getattr(self, name)
            grown = np.zeros((*column.shape[:-1], capacity), column.dtype)
            grown[..., : column.shape[-1]] = column
            setattr(self, name, grown)


def _placeholder(namespace: str) -> Pod:
    return Pod("", namespace, "", {}, {}, 0, "PreemptLowerPriority", "", {}, 0, 0, (), 0.0)


def _same_description(old: Pod, new: Pod) -> bool:
    """Return whether only status and placement can differ: manifest, requests, labels and more are the same objects."""
    return (
        old.requests is new.requests
        and old.labels is new.labels
        and old.tolerations is new.tolerations
        and old.node_selector is new.node_selector
        and old.required_node_affinity is new.required_node_affinity
        and old.required_affinity is new.required_affinity
        and old.manifest is new.manifest
    )
