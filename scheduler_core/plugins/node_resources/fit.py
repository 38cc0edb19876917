"""NodeResourcesFit: checks that the node has room for the pod, and scores its utilization (noderesources/fit.go)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import NodeResourcesFitArgs, PluginArgs
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.devices import DEVICE_CLASS_PREFIX, DeviceClass
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    PASS,
    Action,
    Change,
    ClusterEvent,
    Code,
    CountingFilter,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    Placement,
    PlacementScorePlugin,
    PreFilterPlugin,
    PreFilterResult,
    QueueingHint,
    Reads,
    RegisteredEvent,
    Rows,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import Fragments, by_requests
from scheduler_core.plugins.node_resources.allocation import CORE_RESOURCES, amounts, is_extended_resource
from scheduler_core.plugins.node_resources.explain import explain_fit, explain_strategy
from scheduler_core.plugins.node_resources.placement import placement_utilization
from scheduler_core.plugins.node_resources.strategies import (
    broken_linear,
    least_allocated,
    most_allocated,
    rounded_weighted_mean,
    utilization,
    weighted_mean,
)

SIDECARS_ARE_OFF = Status(  # in 1.28
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
    ("Pod has a restartable init container and the SidecarContainers feature is disabled",),
)
KEPT_RESULTS = 1000
NO_LIMIT = 1 << 62
SIGN_BIT = 63
FEW_BITS = 12
# Resource name and amount (> 0 since 1.28), in the order in which kube-scheduler checks them.
State = list[tuple[str, int]]


class NodeResourcesFit(
    PreFilterPlugin,
    FilterPlugin,
    CountingFilter,
    ScorePlugin,
    PlacementScorePlugin,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
):
    """Filters and scores nodes by resources.

    Counters (add_pod_delta): pods, then the requests of each resource in the state.
    """

    name = "NodeResourcesFit"
    about = AboutFile("fit.yaml")
    without_pre_filter = 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'
    reads = Reads(
        pod=("requests", "non_zero_cpu", "non_zero_memory", "scoring_requests", "has_sidecars"),
        node=("allocatable", "requested", "non_zero", "pod_count"),
    )

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.args = args if isinstance(args, NodeResourcesFitArgs) else NodeResourcesFitArgs()
        self._resizes_in_place = handle.release.has_on("InPlacePodVerticalScaling")
        self._rejects_sidecars = handle.release.gate_is_off("SidecarContainers")
        self._compares_extended_zero = handle.release.rules.fit_compares_extended_requests_of_zero
        self._compares_zero = handle.release.rules.fit_compares_requests_of_zero
        self._finds_too_small_nodes = handle.release.rules.too_large_requests_are_unresolvable
        self._extended_resources = handle.extended_resources
        self._notices_device_classes = handle.release.has_on("DRAExtendedResource")
        self._results: dict[tuple[tuple[str, int], ...], PreFilterResult] = {}

    def sign_pod(self, pod: Pod) -> Fragments | None:
        """Return None for a pod that may get devices for an extended resource, which cannot be signed."""
        return None if self._extended_resources.requested_by(pod) else by_requests(pod)

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        key = tuple(pod.requests.items())
        pre_filter_result = self._results.get(key)
        if pre_filter_result is None:
            pre_filter_result = PreFilterResult(
                [(name, pod.requests.get(name, 0)) for name in self._checked_resources(pod)]
            )
            if len(self._results) < KEPT_RESULTS:
                self._results[key] = pre_filter_result
        return pre_filter_result

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Reject a node with a reason for each insufficient resource.

        Since 1.34, the code is UnschedulableAndUnresolvable if even the empty node is too small. In 1.28, a pod with
        sidecars is rejected by every node.
        """
        if self._rejects_sidecars and pod.has_sidecars:
            return Verdicts(np.ones(len(nodes.all_rows[rows]), np.int16), (SIDECARS_ARE_OFF,))
        lacks = self.slack(pod, state, nodes, rows) < (0 if change is None else change.delta)
        if not np.count_nonzero(lacks):
            return PASS
        lacking = [(number, short) for number, short in enumerate(lacks) if np.count_nonzero(short)]
        too_small = np.zeros(lacks.shape[1], np.bool_)
        for number, short in lacking if self._finds_too_small_nodes else ():
            if number:
                name, amount = state[number - 1]
                too_small |= short & (_column(nodes.allocatable, nodes, name, rows) < amount)
        return _verdicts(lacking, too_small, ["Too many pods", *(f"Insufficient {name}" for name, _ in state)])

    def slack(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows) -> NDArray[np.int64]:
        """Return int64[counters, rows]: how much each counter may increase so that the pod still fits, negative if it
        does not.

        An extended resource of a DeviceClass that the node itself does not have is left to DynamicResources.
        """
        margin_of_pods = nodes.allowed_pods[rows] - nodes.pod_count[rows] - 1
        margins = [margin_of_pods]
        for name, amount in state:
            allocatable = _column(nodes.allocatable, nodes, name, rows)
            margin = allocatable - _column(nodes.requested, nodes, name, rows) - amount
            if self._extended_resources.class_of(name) is not None:
                margin = np.where(allocatable > 0, margin, NO_LIMIT)
            margins.append(margin)
        return np.array(margins)

    def add_pod_delta(
        self, pod: Pod, state: State, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        requests = cluster.pods.requests
        numbers = [cluster.nodes.resources.get(name, len(requests)) for name, _ in state]
        zeros = np.zeros(len(slots), np.int64)
        requested = [requests[number][slots] if number < len(requests) else zeros for number in numbers]
        return np.array([np.ones(len(slots), np.int64), *requested])

    def score(self, pod: Pod, state: State, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the strategy's score of each resource, averaged by weight over the resources that the node has."""
        scored = amounts(pod, nodes, rows, self.args.resources, non_zero=True)
        parts = [
            (self._score(amount.requested, amount.allocatable), amount.exists, amount.spec.weight) for amount in scored
        ]
        mean = rounded_weighted_mean if self.args.strategy == "RequestedToCapacityRatio" else weighted_mean
        return mean(parts, len(rows))

    def score_placement(self, pod_group: str, placement: Placement, assigned: Sequence[Pod], nodes: NodeTable) -> int:
        """Return the utilization of the whole placement (MostAllocated, also with another strategy for nodes)."""
        return placement_utilization(self.args.resources, placement, assigned, nodes)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        pod_actions = Action.DELETE | (Action.UPDATE_POD_SCALE_DOWN if self._resizes_in_place else 0)
        events = [
            RegisteredEvent(ClusterEvent("Pod", pod_actions), self._after_pod_event),
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_ALLOCATABLE), self._after_node_change),
        ]
        if self._notices_device_classes:
            changed = ClusterEvent("resource.k8s.io/DeviceClass", Action.ADD | Action.UPDATE)
            events.append(RegisteredEvent(changed, self._after_device_class_change))
        return events

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        by_devices = {name for name, _ in state if self._extended_resources.class_of(name) is not None}
        return explain_fit(state, cluster.nodes, row, change, by_devices)

    def explain_score(
        self, pod: Pod, state: State, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return explain_strategy(self.args, self._score, pod, cluster.nodes, rows, index)

    def _score(self, requested: NDArray[np.int64], allocatable: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.args.strategy == "LeastAllocated":
            return least_allocated(requested, allocatable)
        if self.args.strategy == "MostAllocated":
            return most_allocated(requested, allocatable)
        return broken_linear(self.args.shape, utilization(requested, allocatable))

    def _checked_resources(self, pod: Pod) -> list[str]:
        core = [name for name in CORE_RESOURCES if pod.requests.get(name)]
        scalar = sorted(name for name in pod.requests if name not in (*CORE_RESOURCES, "pods"))
        if self._compares_zero and (core or scalar):
            core = list(CORE_RESOURCES)
        return core + [
            name
            for name in scalar
            if (pod.requests[name] or self._compares_extended_zero) and not self._is_ignored(name)
        ]

    def _is_ignored(self, name: str) -> bool:
        group = name.split("/")[0]
        is_listed = name in self.args.ignored_resources or group in self.args.ignored_resource_groups
        return is_listed and is_extended_resource(name)

    def _after_pod_event(self, pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
        """Queue the pod if a pod with a node or a nomination was deleted, or a pod was scaled down.

        The scaled-down pod is this one, or a pod on a node that now requests less of a resource that this one requests.
        """
        if new is None:
            assert old is not None
            return _hint(bool(old.node_name or old.nominated_node_name))
        if new.uid == pod.uid:
            return QueueingHint.QUEUE
        if not new.node_name or old is None:
            return QueueingHint.SKIP
        return _hint(any(old.requests.get(r, 0) > new.requests.get(r, 0) for r, n in pod.requests.items() if n))

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node) -> QueueingHint:
        """Queue the pod if it fits the empty node, and the node is new or has more of a requested resource.

        Extended resources that the node lacks and a DeviceClass provides count as available.
        """
        requests = {name: n for name, n in pod.requests.items() if n and name != "pods"}
        by_devices = {
            r for r in requests if not new.allocatable.get(r) and self._extended_resources.class_of(r) is not None
        }
        lacks = any(n > new.allocatable.get(r, 0) for r, n in requests.items() if r not in by_devices)
        if new.allocatable.get("pods", 0) < 1 or lacks:
            return QueueingHint.SKIP
        if old is None or by_devices:
            return QueueingHint.QUEUE
        return _hint(any(new.allocatable.get(r, 0) > old.allocatable.get(r, 0) for r in (*requests, "pods")))

    def _after_device_class_change(self, pod: Pod, old: DeviceClass | None, new: DeviceClass) -> QueueingHint:
        """Queue the pod if it requests a resource that the class provides and did not provide before."""
        if old is None and DEVICE_CLASS_PREFIX + new.name in pod.requests:
            return QueueingHint.QUEUE
        if old is not None and old.extended_resource_name == new.extended_resource_name:
            return QueueingHint.SKIP
        return _hint(new.extended_resource_name in pod.requests)


def _column(table: NDArray[np.int64], nodes: NodeTable, name: str, rows: Rows) -> NDArray[np.int64]:
    """Return a resource's amounts on these rows of `table` (allocatable or requested); 0 if no node has ever had it."""
    number = nodes.resources.get(name, len(table))
    return table[number][rows] if number < len(table) else np.zeros_like(nodes.pod_count[rows])


def _hint(helps: bool) -> QueueingHint:
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP


def _verdicts(
    lacking: Sequence[tuple[int, NDArray[np.bool_]]], too_small: NDArray[np.bool_], reasons: Sequence[str]
) -> Verdicts:
    """Return verdicts with a status for each distinct combination of `lacking` (number of the reason, its rows)."""
    combination, bit = too_small.astype(np.int64), 1
    for _, where in lacking:
        if bit == SIGN_BIT:  # no bit is left: number the combinations so far, in their order
            combination = np.unique(np.append(0, combination), return_inverse=True)[1][1:]
            bit = int(combination.max()).bit_length()
        combination |= where.astype(np.int64) << bit
        bit += 1
    numbers = np.zeros(len(combination), np.int16)
    statuses: list[Status] = []
    for value in _occurring(combination, bit):
        same = combination == value
        first = int(same.argmax())
        code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if too_small[first] else Code.UNSCHEDULABLE
        statuses.append(Status(code, tuple(reasons[number] for number, where in lacking if where[first])))
        numbers[same] = len(statuses)
    return Verdicts(numbers, statuses)


def _occurring(combination: NDArray[np.int64], bits: int) -> list[int]:
    """Return the distinct combinations, ascending, without 0 (no reason)."""
    occurring = np.bincount(combination).nonzero()[0] if bits <= FEW_BITS else np.unique(combination)
    combinations: list[int] = occurring[occurring > 0].tolist()
    return combinations
