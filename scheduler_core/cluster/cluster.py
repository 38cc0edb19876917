"""Cluster: all objects that the scheduler sees, and the only writer of the node and pod tables.

kube-scheduler: backend/cache/cache.go (assume, forget, add, update, remove, UpdateSnapshot) and the listers of its
informers. The simulation and the scheduling cycle call the writing methods; plugins only read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import chain

import numpy as np

from scheduler_core.apis.core import CoschedulingPodGroup, KubernetesObject, Node, Pod, PodKey, Workload
from scheduler_core.apis.devices import DeviceTaintRule, ResourceSlice
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.image_states import ImageStates
from scheduler_core.cluster.node_tree import NodeTree
from scheduler_core.cluster.nodes import NodeTable, ResourceIndex
from scheduler_core.cluster.pending_allocations import PendingAllocations
from scheduler_core.cluster.pod_group_members import PodGroupMembers
from scheduler_core.cluster.pods import PodTable
from scheduler_core.cluster.statuses import Statuses
from scheduler_core.cluster.tried_pods import TriedPods

ObjectKey = str  # "namespace/name", or "name" for kinds without a namespace


def kind_of(item: KubernetesObject) -> str:
    """Return the kind as it appears in a manifest."""
    return item.kind if isinstance(item, Workload | CoschedulingPodGroup) else type(item).__name__


def key_of(item: KubernetesObject) -> ObjectKey:
    """Return "namespace/name", or "name" for objects without a namespace."""
    namespace = getattr(item, "namespace", "")
    return f"{namespace}/{item.name}" if namespace else item.name


class Cluster:
    """The state of the cluster. `nodes` and `pods` are tables; other objects are stored by kind and key.

    Rows of `nodes` are those of the last `snapshot()`, which every scheduling cycle takes first. `assumed` are the pods
    that are counted on a node before they are bound, in order. `now` is virtual time in seconds.
    """

    def __init__(self, *, images: ImageStates | None = None, tree: NodeTree | None = None) -> None:
        self.now = 0.0
        self.nodes = NodeTable(ResourceIndex())
        self.pods = PodTable(self.nodes)
        self.assumed: dict[PodKey, None] = {}
        self.members = PodGroupMembers()
        self.tried = TriedPods(self.nodes, self.pods)
        self.pending_allocations = PendingAllocations()
        self._node_objects: dict[str, Node] = {}
        self.tree = tree or NodeTree()
        self._images = images or ImageStates()
        self._stale = False  # rows are rebuilt at the next snapshot
        self._objects: dict[str, dict[ObjectKey, KubernetesObject]] = {}
        self._changes: defaultdict[str, ChangeLog] = defaultdict(ChangeLog)  # by kind
        self.writes = 0  # the number of writes and deletions of objects other than nodes and pods
        self.statuses = Statuses()

    # Reading

    def get(self, kind: str, key: ObjectKey) -> KubernetesObject | None:
        """Return an object other than a Node or Pod ("PersistentVolumeClaim", "default/data"), None if there is none.

        A Workload is found by its own kind, such as "Service" or "ReplicaSet".
        """
        return self._objects.get(kind, _NOTHING).get(key)

    def objects(self, kind: str) -> Iterable[KubernetesObject]:
        """Return all objects of a kind other than Node and Pod, in order of creation."""
        return self._objects.get(kind, _NOTHING).values()

    def version(self, kind: str) -> int:
        """Return a number that increases with every write or deletion of an object of a kind, for use in cache keys."""
        return self._changes[kind].version

    def changed(self, kind: str, since: int) -> Sequence[ObjectKey]:
        """Return the keys of objects of a kind written or deleted since `version(kind)` was `since`, in that order."""
        return self._changes[kind].since(since)

    def node(self, name: str) -> Node | None:
        """Return the node object, None if it does not exist."""
        return self._node_objects.get(name)

    def all_nodes(self) -> list[Node]:
        """Return all node objects, in order of creation."""
        return list(self._node_objects.values())

    def order(self) -> list[str]:
        """Return the names of the nodes in the order of a snapshot taken now."""
        return self._order_of(self.tree)

    def order_after(self, change: Callable[[NodeTree], None]) -> list[str]:
        """Return the names of the nodes in the order of a snapshot after a change of the tree, which is not made."""
        tree = self.tree.copy()
        change(tree)
        return self._order_of(tree)

    def tainted(self, item: ResourceSlice) -> ResourceSlice:
        """Return the slice with the taints of all DeviceTaintRules."""
        return item.tainted_by(self._taint_rules().values())

    def slices_after(self, name: str, rule: DeviceTaintRule | None) -> list[ResourceSlice]:
        """Return the new versions of the slices that would change if the rule were written or, for None, deleted."""
        rules = self._taint_rules()
        if rule is None:
            rules.pop(name, None)
        else:
            rules[name] = rule
        return self._changed_by_taints(rules.values())

    def copy(self) -> Cluster:
        """Return an independent cluster in the same state; the objects, which are frozen, are shared.

        The copy has no statuses, and no observers of placements.
        """
        other = Cluster()
        other.now, other._stale = self.now, self._stale
        other.nodes = self.nodes.copy()
        other.pods = self.pods.copy(other.nodes)
        other.assumed = dict(self.assumed)
        other.members = self.members.copy()
        other.tried = self.tried.copy(other.nodes, other.pods)
        other.pending_allocations = self.pending_allocations.copy()
        other._node_objects = dict(self._node_objects)
        other.tree = self.tree.copy()
        other._images = self._images.copy()
        other._objects = {kind: dict(objects_of_kind) for kind, objects_of_kind in self._objects.items()}
        other._changes, other.writes = deepcopy(self._changes), self.writes
        return other

    def _order_of(self, tree: NodeTree) -> list[str]:
        """Return the names in the order of the tree, or of the last snapshot if that has the same nodes."""
        names = tree.list()
        return self.nodes.names if self.nodes.row_of.keys() == set(names) else names

    # Writing: objects

    def apply(self, item: KubernetesObject) -> None:
        """Create or replace an object of any kind. Slices get the taints of all DeviceTaintRules."""
        if isinstance(item, Node):
            self._apply_node(item)
        elif isinstance(item, Pod):
            self.apply_pod(item)
        else:
            kind = kind_of(item)
            if isinstance(item, ResourceSlice):
                item = self.tainted(item)
            self._objects.setdefault(kind, {})[key_of(item)] = item
            self._note(kind, key_of(item))
            if isinstance(item, DeviceTaintRule):
                self._taint_devices()

    def delete(self, kind: str, key: ObjectKey) -> None:
        """Remove an object of any kind. The pods of a deleted node stay bound to its name, and have no row.

        Raises KeyError if there is no such object.
        """
        if kind == "Node":
            self._images.remove(self._node_objects.pop(key))
            self.tree.remove(key)
            self._stale = True
        elif kind == "Pod":
            self.delete_pod(key)
        else:
            del self._objects[kind][key]
            self._note(kind, key)
            if kind == "DeviceTaintRule":
                self._taint_devices()

    def _taint_rules(self) -> dict[str, DeviceTaintRule]:
        return {rule.name: rule for rule in self.objects("DeviceTaintRule") if isinstance(rule, DeviceTaintRule)}

    def _changed_by_taints(self, rules: Iterable[DeviceTaintRule]) -> list[ResourceSlice]:
        slices = [item for item in self.objects("ResourceSlice") if isinstance(item, ResourceSlice)]
        tainted = [item.tainted_by(rules) for item in slices]
        return [new for old, new in zip(slices, tainted, strict=True) if new is not old]

    def _taint_devices(self) -> None:
        """Apply the DeviceTaintRules to all slices (tracker.go: `syncSlice`)."""
        for item in self._changed_by_taints(self._taint_rules().values()):
            self.apply(item)

    def _note(self, kind: str, key: ObjectKey) -> None:
        self.writes += 1
        self._changes[kind].note(key)
        if kind == "DeviceClass":
            self.nodes.generation += 1  # an extended resource may now belong to another class

    def _apply_node(self, node: Node) -> None:
        if node.name in self._node_objects:
            self.tree.update(node)
        else:
            self.tree.add(node)
        self._images.replace(self._node_objects.get(node.name), node)
        self._node_objects[node.name] = node
        self._stale = True

    # Writing: pods

    def apply_pod(self, pod: Pod) -> int:
        """Create or replace a pod and return its slot. A pod with a node name is counted on that node.

        An assumed pod stays on its assumed node until it is bound or forgotten.
        """
        slot = self.pods.slot_of.get(pod.key)
        if slot is None and pod.pod_group:
            self.members.add(pod)
        before = "" if slot is None else self.pods.node_name[slot]
        if slot is not None and before == pod.node_name and before and self.pods.only_status_changes(slot, pod):
            self.assumed.pop(pod.key, None)
            self._images.touch(before)
            self.pods.replace_status(slot, pod)
            self.pods.reappend(slot)
            return slot
        if slot is not None and before:
            self._displace(slot)
        slot = self.pods.put(pod)
        if pod.node_name:
            self.assumed.pop(pod.key, None)
        after = pod.node_name or before
        if after:
            self._place(slot, after)
        return slot

    def assume(self, key: PodKey, node_name: str) -> None:
        """Count a pending pod on the node before it is bound there (Cache.AssumePod)."""
        assert not self.pods.node_name[self.pods.slot_of[key]], f"{key} is already on a node"
        self.assumed[key] = None
        self._place(self.pods.slot_of[key], node_name)

    def forget(self, key: PodKey) -> None:
        """Undo `assume` (Cache.ForgetPod)."""
        del self.assumed[key]
        self._displace(self.pods.slot_of[key])

    def remove_from_node(self, key: PodKey) -> None:
        """Remove the pod from its node, without deleting it. Call it within `restored`, or undo it."""
        self._displace(self.pods.slot_of[key])

    def put_back_on_node(self, key: PodKey, node_name: str) -> None:
        """Undo `remove_from_node`."""
        self._place(self.pods.slot_of[key], node_name)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Put the pods that the block removes from nodes back on exit, in the former order (Snapshot.BackupSnapshot).

        Pods that the block adds to a node are not removed.
        """
        saved = self.pods.save_placements()
        try:
            yield
        finally:
            for slot, node_name in saved.node_of.items():
                if not self.pods.node_name[slot]:
                    self._place(slot, node_name)
            self.pods.restore(saved)

    def delete_pod(self, key: PodKey) -> None:
        """Remove the pod from its node, if it is on one, and from the cluster. Raises KeyError."""
        slot = self.pods.slot_of[key]
        if self.pods.node_name[slot]:
            self._displace(slot)
        self.assumed.pop(key, None)
        if self.pods.pods[slot].pod_group:
            self.members.remove(self.pods.pods[slot])
        self.pods.drop(key)

    def snapshot(self) -> None:
        """Update the rows of the node table (Cache.UpdateSnapshot); they are only rebuilt if a node has changed."""
        if not self._stale and len(self.nodes.allocatable) == len(self.nodes.resources):
            if self._images.refresh():
                self.nodes.generation += 1
                self.nodes.image_states = self._images.rows(self.nodes.names)
            return
        nodes = [self._node_objects[name] for name in self.order()]
        self.nodes.rebuild(nodes)
        self._images.refresh()
        self.nodes.image_states = self._images.rows(self.nodes.names)
        self.pods.widen()
        self._stale = False
        self._count_all()

    def _count_all(self) -> None:
        """Add the pods to the rebuilt rows of their nodes, and set the row of each pod."""
        pods, nodes = self.pods, self.nodes
        pods.row[: len(pods)] = -1
        by_row = pods.placed_slots(nodes.names)
        counts = np.fromiter(map(len, by_row), np.intp, len(by_row))
        slots = np.fromiter(chain.from_iterable(by_row), np.intp, int(counts.sum()))
        pods.row[slots] = np.repeat(nodes.all_rows, counts)
        occupied = counts.nonzero()[0]
        if len(occupied):
            heads = (np.cumsum(counts) - counts)[occupied]
            nodes.load[:, occupied] = np.add.reduceat(pods.load[:, slots], heads, axis=1)

    def _place(self, slot: int, node_name: str) -> None:
        """Count the pod on the node, and in its row if the node has one."""
        self.pods.place(slot, node_name)
        self._images.touch(node_name)
        row = -1 if self._stale else self.nodes.row_of.get(node_name, -1)
        self.pods.row[slot] = row
        if row >= 0:
            self._change_load(slot, row, +1)

    def _displace(self, slot: int) -> None:
        """Remove the pod from its node and row."""
        self._images.touch(self.pods.node_name[slot])
        row = -1 if self._stale else int(self.pods.row[slot])
        if row >= 0:
            self._change_load(slot, row, -1)
        self.pods.row[slot] = -1
        self.pods.displace(slot)

    def _change_load(self, slot: int, row: int, sign: int) -> None:
        """Add the pod to the row's sums (`sign` +1) or subtract it (-1), and notify the observers."""
        nodes, pods = self.nodes, self.pods
        if len(nodes.load) != len(pods.load):
            self._stale = True  # a new resource needs a new column
            return
        load, change = nodes.load[:, row], np.add if sign > 0 else np.subtract
        change(load, pods.load[:, slot], out=load)  # with `out`, since `+=` on a part of a column writes it twice
        nodes.touched[row] = None
        for observer in pods.observers:
            observer.moved(slot, row, sign)


_NOTHING: Mapping[ObjectKey, KubernetesObject] = {}
