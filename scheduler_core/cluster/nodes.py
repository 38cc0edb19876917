"""NodeTable: the snapshot of the cluster's nodes as columns, one row for each node in the order of the node tree.

kube-scheduler: framework.NodeInfo and backend/cache/snapshot.go. Row r of every column is the node `nodes[r]`. Only
`Cluster` writes. A plugin reads columns, for example `nodes.allocatable[nodes.resources["cpu"]][rows]`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node

IntColumn = NDArray[np.int64]
CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2  # the indexes of these resources in `ResourceIndex`
MIN_KEPT_STATES = 4096

T = TypeVar("T", bound=Hashable)
D = TypeVar("D")


class ResourceIndex(dict[str, int]):
    """The index of each resource name, except "pods", in `allocatable`, `requested` and `requests`."""

    def __init__(self) -> None:
        super().__init__({"cpu": CPU, "memory": MEMORY, "ephemeral-storage": EPHEMERAL_STORAGE})

    def number(self, name: str) -> int:
        """Return the index of a resource; a new name gets the next index."""
        return self.setdefault(name, len(self))

    def by_index(self, amounts: Mapping[str, int]) -> dict[int, int]:
        """Return amounts by index, without "pods"; new names get an index."""
        return {self.number(name): amount for name, amount in amounts.items() if name != "pods"}


class Interned(msgspec.Struct, Generic[T], frozen=True):
    """A column with few distinct values: row r has `values[codes[r]]`.

    Evaluate a rule once per value, then index by code.
    """

    values: list[T]
    codes: NDArray[np.intp]

    @staticmethod
    def of(items: Iterable[T]) -> Interned[T]:
        """Return the column of these items; the values are in order of first appearance."""
        number: dict[T, int] = {}
        codes = np.array([number.setdefault(item, len(number)) for item in items], np.intp)
        return Interned(list(number), codes)


class LabelColumn(msgspec.Struct, frozen=True):
    """The values of one label key: `codes[r]` indexes `values`, -1 if the node does not have the label."""

    values: list[str]
    codes: NDArray[np.intp]
    number: dict[str, int]  # value -> code


class NodeTable:
    """The snapshot's nodes as columns. `generation` increases with every change of rows other than their pods.

    Columns that depend on pods (`requested`, `non_zero`, `pod_count`) change in place; `touched` are the rows that
    changed since the last call of `states`.
    """

    def __init__(self, resources: ResourceIndex) -> None:
        self.resources = resources
        self.generation = 0
        self.numbering = 0  # the number of times that all states were numbered anew
        self.bare = False  # whether `without_pods` created it
        self.rebuild(())

    def rebuild(self, nodes: Sequence[Node]) -> None:
        """Replace all rows by those of the nodes, without pods. Called by `Cluster` only."""
        self.generation += 1
        self.touched: dict[int, None] = {}
        self.all_rows: NDArray[np.intp] = np.arange(len(nodes), dtype=np.intp)
        self.nodes: list[Node] = list(nodes)
        self.names: list[str] = [node.name for node in nodes]
        self.row_of: dict[str, int] = {name: row for row, name in enumerate(self.names)}
        names = dict.fromkeys(name for node in nodes for name in node.allocatable if name != "pods")
        numbers = [self.resources.number(name) for name in names]
        self._set_amounts(np.zeros((2 * len(self.resources) + 4, len(nodes)), np.int64))
        for name, number in zip(names, numbers, strict=True):
            self.allocatable[number] = [node.allocatable.get(name, 0) for node in nodes]
        self.allowed_pods[:] = [node.allocatable.get("pods", 0) for node in nodes]
        self.unschedulable: NDArray[np.bool_] = np.array([node.unschedulable for node in nodes], np.bool_)
        self.image_states: Interned[Any] = Interned([], np.empty(0, np.intp))  # of `image_states.ImageState`
        self._columns: dict[Hashable, Any] = {}
        self._state: NDArray[np.intp] | None = None
        self._state_number: dict[bytes, int] = {}

    def _set_amounts(self, amounts: IntColumn) -> None:
        """Set the columns of amounts as views of one array: int64[2 R + 4, N] for R resources and N nodes."""
        self._amounts = amounts
        count = (len(amounts) - 4) // 2
        self.allocatable: IntColumn = amounts[:count]  # [R, N]
        self.load: IntColumn = amounts[count:-1]  # [R + 3, N], the next three together, as in `PodTable.load`
        self.requested: IntColumn = amounts[count:-4]  # [R, N], the sum of `Pod.requests` of the node's pods
        # [2, N], cpu and memory with defaults for containers without requests
        self.non_zero: IntColumn = amounts[-4:-2]
        self.pod_count: IntColumn = amounts[-2]
        self.allowed_pods: IntColumn = amounts[-1]

    def copy(self) -> NodeTable:
        """Return an independent copy; the values that `derived` has cached are shared."""
        other = copy(self)
        other.resources = copy(self.resources)
        other._set_amounts(self._amounts.copy())
        other.touched, other._state, other._state_number = {}, None, {}
        other._columns = dict(self._columns)
        return other

    def __len__(self) -> int:
        return len(self.nodes)

    def derived(self, key: Hashable, build: Callable[[NodeTable], D]) -> D:
        """Return a value that `build` computes from the nodes without their pods; cached until rows are rebuilt."""
        if key not in self._columns:
            self._columns[key] = build(self)
        value: D = self._columns[key]
        return value

    def without_pods(self) -> NodeTable:
        """Return a table with the same nodes, without pods and image states; it is cached until rows are rebuilt."""

        def build(table: NodeTable) -> NodeTable:
            bare = NodeTable(table.resources)
            bare.rebuild(table.nodes)
            bare.bare = True
            bare.image_states = Interned([()], np.zeros(len(table), np.intp))
            return bare

        return self.derived(("without_pods", len(self.resources)), build)

    def everywhere(self, number: int) -> bool:
        """Return whether every node has an allocatable amount of the resource other than 0; True without nodes."""
        return self.derived(("everywhere", number), lambda nodes: bool(nodes.allocatable[number].all()))

    def states(self) -> NDArray[np.intp]:
        """Return int[N]: the state of each row as a number, which rows with equal amounts and numbers of pods share.

        The numbers are below `states_known` and keep their meaning as long as `numbering` does not change.
        """
        if self._state is None or (self.touched and len(self._state_number) > max(2 * len(self), MIN_KEPT_STATES)):
            self._state = self._number_states()
        else:
            for row in self.touched:
                key = self._amounts[:, row].tobytes()
                self._state[row] = self._state_number.setdefault(key, len(self._state_number))
        self.touched.clear()
        return self._state

    @property
    def states_known(self) -> int:
        """Return the number of distinct states that have been numbered."""
        return len(self._state_number)

    def _number_states(self) -> NDArray[np.intp]:
        """Number the distinct states of rows from 0, forgetting earlier ones. Return the number of each row's state."""
        rows = np.ascontiguousarray(self._amounts.T)
        keys: list[Any] = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel().tolist()
        number = self._state_number = {}
        self.numbering += 1
        return np.array([number.setdefault(key, len(number)) for key in keys], np.intp)

    def label(self, key: str) -> LabelColumn:
        """Return the column of a label key; it is cached until rows are rebuilt."""
        label_column = self._columns.get(("label", key))
        if label_column is None:
            number: dict[str, int] = {}
            values = [node.labels.get(key) for node in self.nodes]
            codes = [-1 if value is None else number.setdefault(value, len(number)) for value in values]
            label_column = LabelColumn(list(number), np.array(codes, np.intp), number)
            self._columns["label", key] = label_column
        column: LabelColumn = label_column
        return column

    @property
    def taints(self) -> Interned[Any]:
        """Return the taints of each node, interned as tuples of `Taint`."""
        return self.derived("taints", lambda nodes: Interned.of(node.taints for node in nodes.nodes))

    @property
    def declared_features(self) -> Interned[Any]:
        """Return the features that each node declares, interned as sorted tuples of names."""
        return self.derived(
            "declared_features", lambda nodes: Interned.of(node.declared_features for node in nodes.nodes)
        )

    @property
    def labels(self) -> Interned[Any]:
        """Return the labels of each node, interned as tuples of (key, value) sorted by key."""
        return self.derived(
            "labels", lambda nodes: Interned.of(tuple(sorted(node.labels.items())) for node in nodes.nodes)
        )

    @property
    def images(self) -> Interned[Any]:
        """Return the images of each node, interned as tuples of (name, bytes) sorted by name."""
        return self.derived(
            "images", lambda nodes: Interned.of(tuple(sorted(node.images.items())) for node in nodes.nodes)
        )
