"""The results of a rule's expressions on nodes, evaluated once for each distinct set of the values that they read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cel.plan import Variables
from scheduler_core.cel.reads import EACH, Path, tree_of
from scheduler_core.cel.values import Value
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.scenario.rules.variables import (
    amounts_value,
    cluster_value,
    project_node,
    project_pod,
)

MAX_ANSWERS = 1_000_000  # the number of cached results

A = TypeVar("A", bound=Hashable)
Slots = Sequence[int]


class ClusterSums(msgspec.Struct, frozen=True):
    """The sums over all nodes and their pods; PreFilter computes them once per attempt."""

    nodes: int
    pods: int
    requested: tuple[tuple[str, int], ...]
    allocatable: tuple[tuple[str, int], ...]

    @staticmethod
    def of(nodes: NodeTable) -> ClusterSums:
        names = list(nodes.resources)
        requested, allocatable = nodes.requested.sum(axis=1), nodes.allocatable.sum(axis=1)
        pods = int(nodes.pod_count.sum())
        return ClusterSums(
            len(nodes),
            pods,
            (*zip(names, requested.tolist(), strict=False), ("pods", pods)),
            (*zip(names, allocatable.tolist(), strict=False), ("pods", int(nodes.allowed_pods.sum()))),
        )

    def changed(self, cluster: Cluster, removed: Slots, added: Slots) -> ClusterSums:
        """Return the sums with pods removed and added."""
        if not removed and not added:
            return self
        number = cluster.nodes.resources
        requested = tuple(
            (name, amount + _requests_of(cluster, name, number.get(name, -1), removed, added))
            for name, amount in self.requested
        )
        return ClusterSums(self.nodes, self.pods + len(added) - len(removed), requested, self.allocatable)

    @property
    def value(self) -> Value:
        requested, allocatable = amounts_value(dict(self.requested)), amounts_value(dict(self.allocatable))
        return cluster_value(self.nodes, self.pods, requested, allocatable)


class Results(Generic[A]):
    """The results of expressions that together read `paths`; `decide` returns the result for variables."""

    def __init__(self, paths: Iterable[Path], decide: Callable[[Variables], A]) -> None:
        self._tree = tree_of(paths)
        self._decide = decide
        self._known: dict[Hashable, int] = {}
        self._number: dict[A, int] = {}
        self.results: list[A] = []
        self._projections: dict[Hashable, int] = {}  # the number of each distinct set of values of a node or pod
        self._pods: dict[int, tuple[Pod, str, int, Value]] = {}  # by slot

    def reads(self, *roots: str) -> bool:
        """Return whether the expressions read one of the variables."""
        return any(root in self._tree for root in roots)

    @property
    def depends_on_pods(self) -> bool:
        """Return whether the results depend on the pods on the nodes."""
        return self.reads("requested", "pods", "cluster")

    def of_pod(self, pod: Pod) -> A:
        """Return the result for a pod; the expressions must read only the pod."""
        key, variables = self._of_pod(pod)
        return self.results[self._result_index((key,), lambda: variables)]

    def of_rows(
        self,
        pod: Pod,
        sums: ClusterSums | None,
        cluster: Cluster,
        nodes: NodeTable,
        rows: NDArray[np.intp],
        changes: Sequence[tuple[Slots, Slots]] | None = None,
    ) -> NDArray[np.intp]:
        """Return the index into `results` for each row; `changes` are the pods removed from and added to each."""
        pod_key, _ = self._of_pod(pod)
        if set(self._tree) <= {"pod", "podRequests", "node"}:
            return self._of_distinct_nodes(pod, pod_key, cluster, nodes, rows)
        columns: list[Sequence[Hashable]] = []
        if "node" in self._tree:
            columns.append(self._codes(nodes)[rows].tolist())
        removed_and_added = changes or [((), ())] * len(rows)
        if self.reads("allocatable"):
            columns += self._amounts("allocatable", nodes, rows)
        if self.reads("requested"):
            columns += self._requested(cluster, nodes, rows, changes)
        if "pods" in self._tree:
            columns.append(
                [
                    tuple([self._of_slot(cluster, slot)[0] for slot in slots])
                    for slots in self._slots(cluster, nodes, rows, removed_and_added)
                ]
            )
        if "cluster" in self._tree:
            assert sums is not None
            columns.append([sums.changed(cluster, *change) for change in removed_and_added])
        keys = list(zip(*columns, strict=True)) if columns else [()] * len(rows)
        numbers = np.empty(len(rows), np.intp)
        number_of: dict[Hashable, int] = {}
        for at, key in enumerate(keys):
            number = number_of.get(key)
            if number is None:
                number = number_of[key] = self._result_index(
                    (pod_key, key),
                    lambda at=at: self.variables(  # type: ignore[misc]
                        pod, sums, cluster, nodes, int(rows[at]), *removed_and_added[at]
                    ),
                )
            numbers[at] = number
        return numbers

    def _of_distinct_nodes(
        self, pod: Pod, pod_key: Hashable, cluster: Cluster, nodes: NodeTable, rows: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        if "node" not in self._tree:
            number = self._result_index((pod_key, ()), lambda: self.variables(pod, None, cluster, nodes, int(rows[0])))
            return np.full(len(rows), number, np.intp)
        codes, first, inverse = np.unique(self._codes(nodes)[rows], return_index=True, return_inverse=True)
        numbers = [
            self._result_index(
                (pod_key, (code,)),
                lambda at=at: self.variables(pod, None, cluster, nodes, int(rows[at])),  # type: ignore[misc]
            )
            for code, at in zip(codes.tolist(), first.tolist(), strict=True)
        ]
        return np.array(numbers, np.intp)[inverse]

    def variables(
        self,
        pod: Pod,
        sums: ClusterSums | None,
        cluster: Cluster,
        nodes: NodeTable,
        row: int,
        removed: Slots = (),
        added: Slots = (),
    ) -> Variables:
        """Return the variables for the pod on a node, with pods of the node removed and added."""
        variables = dict(self._of_pod(pod)[1])
        rows, change = np.array([row], np.intp), [(removed, added)]
        if "node" in self._tree:
            variables["node"] = project_node(nodes.nodes[row], self._tree["node"])[1]
        for name in ("allocatable", "requested"):
            if name in self._tree:
                columns = (
                    self._amounts(name, nodes, rows)
                    if name == "allocatable"
                    else self._requested(cluster, nodes, rows, change)
                )
                amounts = zip(self._names(name, nodes), columns, strict=True)
                variables[name] = amounts_value({resource: column[0] for resource, column in amounts})
        if "pods" in self._tree:
            slots = self._slots(cluster, nodes, rows, change)[0]
            variables["pods"] = [self._of_slot(cluster, slot)[1] for slot in slots]
        if "cluster" in self._tree:
            assert sums is not None
            variables["cluster"] = sums.changed(cluster, removed, added).value
        return variables

    def _result_index(self, key: Hashable, variables: Callable[[], Variables]) -> int:
        """Return the index into `results` for the key, whose result is computed on first use."""
        number = self._known.get(key)
        if number is None:
            if len(self._known) >= MAX_ANSWERS:
                self._known.clear()
            result = self._decide(variables())
            number = self._number.get(result)
            if number is None:
                number = self._number[result] = len(self.results)
                self.results.append(result)
            self._known[key] = number
        return number

    def _of_pod(self, pod: Pod) -> tuple[Hashable, Variables]:
        keys: list[Hashable] = []
        variables: Variables = {}
        if "pod" in self._tree:
            key, variables["pod"] = project_pod(pod, pod.node_name, self._tree["pod"])
            keys.append(key)
        if "podRequests" in self._tree:
            keys.append(tuple(pod.requests.items()))
            variables["podRequests"] = amounts_value(pod.requests)
        return tuple(keys), variables

    def _of_slot(self, cluster: Cluster, slot: int) -> tuple[int, Value]:
        """Return the value of the pod in the slot, after a number that is equal for equal values."""
        pods = cluster.pods
        pod, node_name = pods.pods[slot], pods.node_name[slot]
        cached = self._pods.get(slot)
        if cached is not None and cached[0] is pod and cached[1] == node_name:
            return cached[2:]
        below = self._tree["pods"]
        key, value = project_pod(pod, node_name, None if below is None else below[EACH])
        number = self._number_of(key)
        self._pods[slot] = pod, node_name, number, value
        return number, value

    def _codes(self, nodes: NodeTable) -> NDArray[np.intp]:
        """Return a number for each row that is equal for nodes with equal values."""
        tree = self._tree["node"]
        return nodes.derived(
            ("rule", self),
            lambda table: np.array([self._number_of(project_node(node, tree)[0]) for node in table.nodes], np.intp),
        )

    def _number_of(self, projection: Hashable) -> int:
        return self._projections.setdefault(projection, len(self._projections))

    def _names(self, variable: str, nodes: NodeTable) -> list[str]:
        tree = self._tree[variable]
        return [*nodes.resources, "pods"] if tree is None or EACH in tree else list(tree)

    def _amounts(self, variable: str, nodes: NodeTable, rows: NDArray[np.intp]) -> list[list[int]]:
        amounts, pods = (
            (nodes.allocatable, nodes.allowed_pods) if variable == "allocatable" else (nodes.requested, nodes.pod_count)
        )
        columns = []
        for name in self._names(variable, nodes):
            number = nodes.resources.get(name, len(amounts))
            if name == "pods":
                columns.append(pods[rows].tolist())
            else:
                columns.append(amounts[number][rows].tolist() if number < len(amounts) else [0] * len(rows))
        return columns

    def _requested(
        self,
        cluster: Cluster,
        nodes: NodeTable,
        rows: NDArray[np.intp],
        changes: Sequence[tuple[Slots, Slots]] | None,
    ) -> list[list[int]]:
        columns = self._amounts("requested", nodes, rows)
        for name, column in zip(self._names("requested", nodes), columns, strict=True):
            number = nodes.resources.get(name, -1)
            for at, (removed, added) in enumerate(changes or ()):
                column[at] += _requests_of(cluster, name, number, removed, added)
        return columns

    def _slots(
        self,
        cluster: Cluster,
        nodes: NodeTable,
        rows: NDArray[np.intp],
        changes: Sequence[tuple[Slots, Slots]],
    ) -> list[list[int]]:
        """Return the slots of the pods on each row, with the changes applied."""
        if nodes.bare:
            return [[] for _ in rows]
        on_rows = cluster.pods.on_rows(rows)
        return [
            [*(slot for slot in slots if slot not in removed), *added]
            for slots, (removed, added) in zip(on_rows, changes, strict=True)
        ]


def _requests_of(cluster: Cluster, name: str, number: int, removed: Slots, added: Slots) -> int:
    """Return the change in the sum of the requests for a resource; for "pods", in the number of pods.

    `number` is the number of the resource; for an unknown one, the change is 0.
    """
    if name == "pods":
        return len(added) - len(removed)
    requests = cluster.pods.requests
    if not 0 <= number < len(requests):
        return 0
    return sum(int(requests[number][slot]) for slot in added) - sum(int(requests[number][slot]) for slot in removed)
