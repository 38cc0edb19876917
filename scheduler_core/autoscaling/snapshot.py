"""A copy of the cluster on which an actor tries where pods would fit (simulator/clustersnapshot).

Only the Filter plugins of the default profile decide; scores play no part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.interface import CycleState, Status, Verdicts
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.reads import reads_of, shape_key
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.framework.runtime.unserved import Unserved
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import Release
from scheduler_core.scenario.settings.configuration import default_configuration

SCORING = ("preScore", "score")
HOSTNAME = "kubernetes.io/hostname"
NOT_IN_PRE_FILTER_RESULT = Status(reasons=("node is filtered out by the prefilter result",))


def filters_of(release: Release) -> Profile:
    """Return the default profile without its plugins that score."""
    profile = default_configuration(release, release.default_gates()).profiles[0]
    return replace(profile, plugins={point: refs for point, refs in profile.plugins.items() if point not in SCORING})


class _Shape(msgspec.Struct):
    """The verdicts of the nodes on pods of one shape: `passing` has a byte for each node, by its number.

    They are as of the first `seen` changes of nodes, and hold for one set of anti-affinity `terms`.
    """

    passing: bytearray
    seen: int
    terms: int


class _Memory:
    """The verdicts of nodes with equal contents on pods of one shape, shared by a snapshot and its copies.

    Pods have one shape if the plugins cannot tell them apart. Contents are what the plugins may see of one node: what
    it was made from, and the shapes of the pods that came since.
    """

    def __init__(self) -> None:
        self.reasons: dict[tuple[int, int, int], tuple[str, ...]] = {}  # by shape, terms and contents
        self.depends: dict[tuple[int, int], None] = {}  # shape and terms of pods that depend on more than the node
        self._shapes: dict[Hashable, int] = {}
        self._shape_of: dict[PodKey, tuple[Pod, int | None]] = {}
        self._contents: dict[Hashable, int] = {}
        self._unique = itertools.count()

    def shape(self, pod: Pod, key: Callable[[Pod], Hashable]) -> int | None:
        """Return the number of the pod's shape, None if verdicts on it cannot be kept."""
        known = self._shape_of.get(pod.key)
        if known is None or known[0] is not pod:
            number = None
            if not (pod.volumes or pod.has_resource_claims or pod.pod_group or _names_node(pod)):
                number = self._shapes.setdefault(key(pod), len(self._shapes))
            known = self._shape_of[pod.key] = pod, number
        return known[1]

    def contents(self, *parts: Hashable) -> int:
        """Return the number of the contents that are made of these parts."""
        return self._contents.setdefault(parts, len(self._contents))

    def new_contents(self) -> int:
        """Return a number of contents that are like no others."""
        return self.contents("unlike any other", next(self._unique))

    def new_terms(self) -> int:
        """Return a number of a set of anti-affinity terms that is like no other."""
        return next(self._unique)


class Snapshot:
    """A cluster in which pods are placed and nodes are added, independent of the one it was copied from.

    Most pods are judged by their own node alone. Their verdicts are kept: until something changes on a node, and for
    all nodes with equal contents. `filters`: the profile that `filters_of` returns.
    """

    def __init__(
        self,
        cluster: Cluster,
        release: Release,
        filters: Profile,
        memory: _Memory | None = None,
    ) -> None:
        self.cluster = cluster.copy()
        self._release = release
        self._filters = filters
        self._memory = memory or _Memory()
        self._names = [node.name for node in self.cluster.all_nodes()]
        self._number = {name: number for number, name in enumerate(self._names)}
        self._contents = {name: self._memory.new_contents() for name in self._names}
        self._changed: list[str] = []  # nodes, in order of their changes
        self._shapes: dict[int, _Shape] = {}
        self._terms = self._memory.new_terms()
        self._next = 0  # where the search for a node begins

    @cached_property
    def _framework(self) -> Framework:
        """Return the framework with the Filter plugins, built on first use: many snapshots are asked nothing."""
        return Framework(
            self._filters,
            REGISTRY,
            self.cluster,
            Unserved(),
            extenders=(),
            feature_gates=self._release.default_gates(),
            release=self._release,
            pod_groups=PodGroupManager(self.cluster, {self._filters.scheduler_name}),
        )

    @cached_property
    def _key(self) -> Callable[[Pod], Hashable]:
        reads = (reads_of(plugin) for plugin in self._framework.filters.plugins)
        return shape_key([fields for fields in reads if fields is not None])

    def copy(self) -> Snapshot:
        """Return an independent snapshot in the same state."""
        other = Snapshot(self.cluster, self._release, self._filters, self._memory)
        other._next, other._terms, other._contents = self._next, self._terms, dict(self._contents)
        return other

    def add_node(self, node: Node, pods: Iterable[Pod] = (), like: str = "") -> None:
        """Add a node with pods that run on it, or replace the node. Nodes with the same `like` differ only in names."""
        self.cluster.apply(node)
        if node.name not in self._number:
            self._number[node.name] = len(self._names)
            self._names.append(node.name)
            for shape in self._shapes.values():
                shape.passing.append(0)
        self._set_contents(node.name, self._memory.contents("like", like) if like else self._memory.new_contents())
        for pod in pods:
            self.place(pod, node.name)

    def remove_node(self, name: str) -> None:
        """Remove a node and its pods."""
        for pod in self.pods_on(name):
            self.remove_pod(pod.key)
        self.cluster.delete("Node", name)
        del self._contents[name]
        self._names.remove(name)
        self._number = {name: number for number, name in enumerate(self._names)}
        self._shapes, self._changed = {}, []

    def remove_pod(self, key: PodKey) -> None:
        """Remove a pod."""
        pod = self.cluster.pods.get(key)
        assert pod is not None
        self.cluster.delete("Pod", key)
        if pod.required_anti_affinity:
            self._terms = self._memory.new_terms()
        if pod.node_name in self._contents:
            self._set_contents(pod.node_name, self._memory.new_contents())

    def place(self, pod: Pod, node_name: str) -> None:
        """Move a pod to a node, or add it there."""
        if self.cluster.pods.get(pod.key) is not None:
            self.remove_pod(pod.key)
        self.cluster.apply(replace(pod, node_name=node_name))
        if pod.required_anti_affinity:
            self._terms = self._memory.new_terms()
        shape = self._shape(pod)
        before = self._contents[node_name]
        self._set_contents(
            node_name, self._memory.new_contents() if shape is None else self._memory.contents(before, shape)
        )

    def _set_contents(self, node_name: str, contents: int) -> None:
        self._contents[node_name] = contents
        self._changed.append(node_name)

    def pods_on(self, name: str) -> list[Pod]:
        """Return the pods of a node, in order of creation."""
        table = self.cluster.pods
        return [pod for slot in sorted(table.on_node(name)) if (pod := table.pods[slot]).node_name == name]

    def nodes(self) -> list[Node]:
        """Return all nodes, in order of creation."""
        return self.cluster.all_nodes()

    def reasons(self, pod: Pod, node_name: str) -> tuple[str, ...]:
        """Return why a pod does not fit a node; () if it does."""
        shape = None if self._is_placed(pod) else self._shape(pod)
        if shape is not None:
            kept = self._memory.reasons.get((shape, self._terms, self._contents[node_name]))
            if kept is not None:
                return kept
        passed, status_of = self._filter(pod, [node_name])
        return () if passed[0] else status_of(0).reasons

    def find_node(self, pod: Pod, acceptable: Callable[[str], bool], hint: str = "") -> str:
        """Return the hint if the pod fits it, otherwise the first such node after the last match; "" if there is none.

        A node must be acceptable, and must not be cordoned, unless it is the hint.
        simulator/clustersnapshot/predicate/plugin_runner.go: RunFiltersUntilPassingNode.
        """
        passing = self._passing(pod)
        if hint in self._number and passing[self._number[hint]] and acceptable(hint):
            return hint
        for first, end in ((self._next, len(self._names)), (0, self._next)):
            number = passing.find(1, first, end)
            while number >= 0:
                name = self._names[number]
                node = self.cluster.node(name)
                if node is not None and not node.unschedulable and acceptable(name):
                    self._next = (number + 1) % len(self._names)
                    return name
                number = passing.find(1, number + 1, end)
        return ""

    def _shape(self, pod: Pod) -> int | None:
        return self._memory.shape(pod, self._shape_key)

    def _shape_key(self, pod: Pod) -> Hashable:
        """Return a key: the plugins treat pods with equal keys alike if they refer to no other objects."""
        waiting = replace(pod, node_name="")
        terms = pod.required_affinity, pod.required_anti_affinity, pod.topology_spread_constraints
        return self._key(waiting), pod.namespace, tuple(sorted(pod.labels.items())), pod.host_ports, *terms

    def _passing(self, pod: Pod) -> bytearray:
        """Return a byte for each node, by its number: 1 if the pod fits."""
        number = None if self._is_placed(pod) else self._shape(pod)
        if number is None or (number, self._terms) in self._memory.depends:
            return bytearray(self._filter(pod, self._names)[0].tobytes())
        shape = self._shapes.get(number)
        if shape is None or shape.terms != self._terms:
            shape = self._shapes[number] = _Shape(bytearray(len(self._names)), len(self._changed), self._terms)
            names: Sequence[str] = self._names
        else:
            names = list(dict.fromkeys(self._changed[shape.seen :]))
            shape.seen = len(self._changed)
        known, terms, contents, unknown = self._memory.reasons, self._terms, self._contents, []
        for name in names:
            reasons = known.get((number, terms, contents[name]))
            if reasons is None:
                unknown.append(name)
            else:
                shape.passing[self._number[name]] = not reasons
        if unknown:
            for name, passes in zip(unknown, self._filter(pod, unknown)[0].tolist(), strict=True):
                shape.passing[self._number[name]] = passes
        return shape.passing

    def _is_placed(self, pod: Pod) -> bool:
        """Return whether the pod has a node in this snapshot; `_filter` judges it as if it had none."""
        placed = self.cluster.pods.get(pod.key)
        return placed is not None and placed.node_name != ""

    def _filter(self, pod: Pod, names: Sequence[str]) -> tuple[NDArray[np.bool_], Callable[[int], Status]]:
        """Return a boolean array of whether the pod fits each named node, and a function that returns the status of a
        node that it does not fit, by position.

        Verdicts are kept if they depend on the nodes alone.
        """
        cluster = self.cluster
        waiting = replace(pod, node_name="")
        before = cluster.pods.get(pod.key)
        if before is not None:
            cluster.delete("Pod", pod.key)
        cluster.apply(waiting)
        try:
            cluster.snapshot()
            cycle = CycleState(waiting, cluster.pods.slot_of[pod.key])
            outcome = self._framework.run_pre_filter(cycle)
            if not outcome.status.is_success:
                return np.zeros(len(names), np.bool_), lambda position: outcome.status
            rows = np.array([cluster.nodes.row_of[name] for name in names], np.intp)
            result = self._framework.filters.run(cycle, rows, None)
            passed = result.numbers == 0
            if outcome.node_names is not None:
                passed &= np.array([name in outcome.node_names for name in names], np.bool_)
            status_of = partial(_status, result)
            shape = self._shape(pod)
            if shape is not None and before is None:
                if outcome.node_names is None and self._framework.filters.plan(cycle).of_node_alone:
                    for position, (name, passes) in enumerate(zip(names, passed.tolist(), strict=True)):
                        key = shape, self._terms, self._contents[name]
                        self._memory.reasons[key] = () if passes else status_of(position).reasons
                else:
                    self._memory.depends[shape, self._terms] = None
            return passed, status_of
        finally:
            cluster.delete("Pod", pod.key)
            if before is not None:
                cluster.apply(before)


def _names_node(pod: Pod) -> bool:
    """Return whether the pod tells nodes apart by their names, which nodes with equal contents do not share."""
    terms = pod.required_node_affinity.terms if pod.required_node_affinity is not None else ()
    return HOSTNAME in pod.node_selector or any(
        term.match_fields or any(wanted.key == HOSTNAME for wanted in term.match_expressions) for term in terms
    )


def _status(result: Verdicts, position: int) -> Status:
    number = int(result.numbers[position])
    status: Status = result.statuses[number - 1] if number else NOT_IN_PRE_FILTER_RESULT
    return status
