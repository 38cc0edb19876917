"""DynamicResources: a pod needs a node with devices for its claims, or with access to its allocated devices.

kube-scheduler: plugins/dynamicresources/dynamicresources.go. Filter searches each node for devices, Reserve keeps the
result for the selected one, and PreBind writes it to the claims. A claim that is already allocated limits the pod to
the nodes that can use its devices; if there is none, PostFilter may deallocate the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.devices import DeviceClass, ResourceClaim
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    PASS,
    SKIP,
    SUCCESS,
    Action,
    Change,
    ClusterEvent,
    Code,
    CycleState,
    Diagnosis,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreBindPreFlight,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    RecordsSearch,
    RegisteredEvent,
    ReservePlugin,
    Rows,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.framework.runtime.scores import default_normalize
from scheduler_core.plugins.dynamic_resources import binding, extended, scoring
from scheduler_core.plugins.dynamic_resources.alike import Searches
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.allocator import Allocator, Features, InvalidPools, TimedOut
from scheduler_core.plugins.dynamic_resources.claims import (
    ClaimError,
    claim_error,
    claims_of,
    device_class,
    extended_resource_claim,
)
from scheduler_core.plugins.dynamic_resources.facts import facts_of
from scheduler_core.plugins.dynamic_resources.hints import after_claim_change, after_pod_change
from scheduler_core.plugins.dynamic_resources.pools import Pools
from scheduler_core.plugins.dynamic_resources.record import record_search, search_again
from scheduler_core.plugins.dynamic_resources.requests import AllocationError
from scheduler_core.plugins.dynamic_resources.results import allocations
from scheduler_core.plugins.dynamic_resources.selectors import Selectors
from scheduler_core.plugins.dynamic_resources.state import NodeAllocation, State
from scheduler_core.plugins.helpers.signing import by_claims
from scheduler_core.trace.device_events import DevicesSearched

NO_CLAIMS_TO_FIND = PreFilterResult(status=SKIP)
NO_HELP = Status(Code.UNSCHEDULABLE)
NO_CLAIMS = Status(Code.UNSCHEDULABLE, ("no new claims to deallocate",))
NO_STATE = Status(Code.ERROR, ("not found",))
DISABLED = Status(Code.UNSCHEDULABLE, ("plugin disabled",))
DEALLOCATED = Status(Code.UNSCHEDULABLE, ("deallocation of ResourceClaim completed",))
DELETED = Status(Code.UNSCHEDULABLE, ("deletion of ResourceClaim completed",))
STILL_NOT_SCHEDULABLE = Status(Code.UNSCHEDULABLE, ("still not schedulable",))
CANNOT_ALLOCATE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("cannot allocate all claims",))
NOT_AVAILABLE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("resourceclaim not available on the node",))
INVALID_POOLS = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("invalid resource pools were encountered",))
TIMED_OUT = "timed out trying to allocate devices"


class DynamicResources(
    PreEnqueuePlugin,
    PreFilterPlugin,
    FilterPlugin,
    PostFilterPlugin,
    ScorePlugin,
    ScoreExtensions,
    ReservePlugin,
    PreBindPlugin,
    PreBindPreFlight,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
    RecordsSearch,
):
    """Filters nodes by the devices for the pod's claims, and for extended resources that a DeviceClass provides.

    All nodes pass for a pod that has neither.
    """

    name = "DynamicResources"
    about = AboutFile("about.yaml")
    without_pre_filter = "not found"
    scores_zero_without_state: Literal[True] = True
    post_filter_reads_filter: Literal[True] = True
    sign_pod = staticmethod(by_claims)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.handle = handle
        release = handle.release
        self._enabled = release.has_on("DynamicResourceAllocation")
        self._no_claims = NO_CLAIMS if release.rules.dynamic_resources_says_that_there_are_no_claims else NO_HELP
        self._features = Features.of(release)
        self._selectors = Selectors(release, consumable_capacity=self._features.consumable_capacity)
        self._pools = Pools(handle.cluster, release)
        self._allocated = AllocatedDevices(handle.cluster, shares_capacity=self._features.consumable_capacity)
        self._searches = Searches(handle.cluster, self._pools, self._allocated, self._selectors)
        self._extended_resources = handle.extended_resources

    # Before the cycle

    def pre_enqueue(self, pod: Pod) -> Status:
        """Gate a pod until its claims exist and can be used (`claims_of`)."""
        if not self._enabled or not pod.resource_claims:
            return SUCCESS
        error = claim_error(pod, self.handle.cluster)
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (error,)) if error else SUCCESS

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        if not self._enabled:
            return ()
        node_actions = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        add_or_update = Action.ADD | Action.UPDATE
        cluster = self.handle.cluster
        return (
            RegisteredEvent(ClusterEvent("Node", node_actions)),
            RegisteredEvent(ClusterEvent("resource.k8s.io/ResourceClaim", add_or_update), after_claim_change(cluster)),
            RegisteredEvent(ClusterEvent("Pod", Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM), after_pod_change(cluster)),
            RegisteredEvent(ClusterEvent("resource.k8s.io/DeviceClass", add_or_update)),
            RegisteredEvent(ClusterEvent("resource.k8s.io/ResourceSlice", add_or_update)),
        )

    # The scheduling cycle

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        wants_extended = self._extended_resources.requested_by(pod)
        if not self._enabled or not (pod.resource_claims or wants_extended):
            return NO_CLAIMS_TO_FIND
        try:
            claims = claims_of(pod, cluster)
        except ClaimError as error:
            return _rejected(str(error))
        extended_claim = None
        if wants_extended:
            extended_claim = extended_resource_claim(pod, cluster) or extended.claim_in_memory(pod)
            claims.append(extended_claim)
        if not claims:
            return NO_CLAIMS_TO_FIND
        selectors = [claim.allocation.node_selector if claim.allocation else None for claim in claims]
        state = State(claims, selectors, extended_claim, extended_claim.uid if extended_claim is not None else "")
        for number, claim in state.to_allocate():
            reason = self._check_unallocated(state, number, claim)
            if reason:
                return _rejected(reason)
        state.allocated = [number for number, claim in enumerate(claims) if claim.allocation is not None]
        if len(state.allocated) < len(claims):
            state.allocator = self._allocator()
            if extended_claim is None:
                state.shape = self._searches.shape(state.to_search())
        return PreFilterResult(state)

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Return the verdicts, cached for the cycle, since they do not depend on other pods; `change` is not used."""
        number_of: dict[Status, int] = {}
        numbers = np.zeros(len(nodes.all_rows[rows]), np.int16)
        for index, row in enumerate(nodes.all_rows[rows].tolist()):
            node = nodes.nodes[row]
            status = self._verdict(pod, state, node)
            if not status.is_success:
                numbers[index] = number_of.setdefault(status, len(number_of) + 1)
        return Verdicts(numbers, list(number_of)) if number_of else PASS

    def record_search(self, pod: Pod, state: State) -> DevicesSearched | None:
        return record_search(state, self.handle.cluster, self._pools)

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Deallocate a claim of the pod whose devices prevent scheduling, if no other pod uses it.

        If there is none, delete the claim for extended resources that an earlier cycle created. If PreFilter of this
        plugin has not run (an earlier plugin rejected the pod), return an error, which ends PostFilter.
        kube-scheduler selects any of several claims; the simulation, like the recorded runs, selects the first.
        """
        if not self._enabled:
            return PostFilterResult(DISABLED)
        if self.name not in cycle.states:
            return PostFilterResult(NO_STATE)
        state = cast("State | None", cycle.states[self.name])
        if state is None:
            return PostFilterResult(self._no_claims)
        for number in sorted(state.unavailable):
            claim = state.claims[number]
            if claim is not state.extended and {consumer.uid for consumer in claim.reserved_for} <= {pod.uid}:
                binding.deallocate(claim, self.handle)
                return PostFilterResult(DEALLOCATED)
        if state.extended is not None and not extended.is_in_memory(state.extended):
            binding.delete_claim(state.extended, self.handle)
            return PostFilterResult(DELETED)
        return PostFilterResult(STILL_NOT_SCHEDULABLE)

    def score(self, pod: Pod, state: State | None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return the scores, higher where earlier subrequests were chosen; 0 for a node without new allocations."""
        scores = np.zeros(len(rows), np.int64)
        if state is not None:
            names = nodes.names
            points: dict[int, int] = {}  # by the id of the solution, which nodes can share
            for index, row in enumerate(rows.tolist()):
                self._verdict(pod, state, nodes.nodes[row])
                on_node = state.nodes.get(names[row])
                if on_node is not None:
                    key = id(on_node.solution)
                    if key not in points:
                        points[key] = scoring.score(state, on_node.solution)
                    scores[index] = points[key]
        return scores

    def normalize(
        self, pod: Pod, state: State | None, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        return default_normalize(scores)

    # Reserve and the binding cycle

    def reserve(self, pod: Pod, state: State | None, node_name: str) -> Status:
        """Record the allocations that Filter found as pending, before PreBind writes the claims."""
        if state is None:
            return SUCCESS
        to_allocate = list(state.to_allocate())
        on_node = state.nodes.get(node_name)
        if not to_allocate or state.allocator is None:
            return SUCCESS
        if on_node is None:
            if all(claim is state.extended for _, claim in to_allocate):
                return SUCCESS  # the node's device plugins provide everything that the pod requests
            return Status(Code.ERROR, ("claim allocation not found for node",))
        node = self.handle.cluster.node(node_name)
        assert node is not None
        solution = on_node.solution.moved(self._pools.of_node(node), state.to_search(on_node.extended))
        results = iter(allocations(solution, node, self._features, self.handle.release.rules))
        for number, claim in to_allocate:
            allocation = state.reserved[number] = state.pending.get(number) or next(results)
            shown = on_node.extended if claim is state.extended and on_node.extended is not None else claim
            self.handle.cluster.pending_allocations.signal(binding.allocated(shown, allocation))
        return SUCCESS

    def unreserve(self, pod: Pod, state: State | None, node_name: str) -> None:
        if state is None:
            return
        for claim in state.user_claims:
            self.handle.cluster.pending_allocations.remove(claim.uid)
            if claim.allocation is not None and claim.is_reserved_for(pod.uid):
                binding.remove_reservation(claim, pod, self.handle)
        if state.extended is not None:
            extended.unreserve(state, self.handle)

    def pre_bind(self, pod: Pod, state: State | None, node_name: str) -> Status:
        """Write the claims. With binding conditions, fail if the drivers have not prepared the devices.

        kube-scheduler waits for the drivers; the simulated driver responds to the write at once.
        """
        if state is None:
            return SUCCESS
        for number, claim in enumerate(state.claims):
            if claim.is_reserved_for(pod.uid):
                continue
            try:
                state.claims[number] = self._bind(pod, state, number, node_name)
            except binding.BindingError as error:
                return Status(Code.ERROR, (str(error),))
        if self._features.binding_conditions:
            failed = binding.conditions_error(state, self.handle)
            if failed:
                return Status(Code.ERROR, (failed,))
        return SUCCESS

    def pre_bind_pre_flight(self, pod: Pod, state: State | None, node_name: str) -> bool:
        return state is not None

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return the reasons against each device, or the devices that were found."""
        node = cluster.nodes.nodes[row]
        status = self._verdict(pod, state, node)
        return facts_of(search_again(state, cluster, self._pools, node.name, status))

    def explain_score(
        self, pod: Pod, state: State | None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        if state is None:
            return ScoreExplanation(["a pod without resource claims: 0"])
        return scoring.explain(state, cluster.nodes.names[int(rows[index])], raw, index)

    # Parts

    def _bind(self, pod: Pod, state: State, number: int, node_name: str) -> ResourceClaim:
        """Write the claim and return it (bindClaim); an extended resource claim without requests is not written.

        Raises BindingError.
        """
        claim, allocation = state.claims[number], state.reserved.get(number)
        is_extended = claim is state.extended
        if is_extended and allocation is None and not claim.spec.requests:
            return claim  # the node's device plugins provide everything
        uid, bound = claim.uid, None
        try:
            if is_extended and extended.is_in_memory(claim):
                on_node = state.nodes.get(node_name)
                if on_node is None or on_node.extended is None:
                    raise binding.BindingError(f"extended resource claim not found for node {node_name}")
                claim = state.claims[number] = state.extended = extended.create(pod, on_node.extended, self.handle)
            bound = binding.bind_claim(pod, claim, allocation, self.handle)
        finally:
            if allocation is not None:
                self.handle.cluster.pending_allocations.remove(uid, force=bound is not None and not is_extended)
        if is_extended:
            state.extended = bound
            if not claim.spec.requests:
                raise binding.BindingError(
                    f"nil or empty request mappings, no update of pod {pod.key} ExtendedResourceClaimStatus"
                )
            self.handle.write_later(replace(pod, extended_resource_claim=claim.name))
        return bound

    def _allocator(self) -> Allocator:
        cluster = self.handle.cluster
        self._allocated.follow()
        self._pools.follow()
        self._searches.follow()
        allocated = self._allocated.including(cluster.pending_allocations.claims())
        return Allocator(self._selectors, _Classes(cluster), allocated, self.handle.release, self._features)

    def _check_unallocated(self, state: State, number: int, claim: ResourceClaim) -> str:
        """Check a claim without devices. Return the reason that no node can satisfy it, "" if there is none.

        An allocation that another pod of the same group will write is added to `state.pending`.
        """
        allocations = self.handle.cluster.pending_allocations
        pending = allocations.get(claim.uid)
        if pending is not None and pending.allocation is not None and allocations.is_of_group(claim.uid):
            state.pending[number] = pending.allocation
            return ""
        if pending is not None:
            return f"resource claim {claim.key} is in the process of being allocated"
        if claim is state.extended:
            return ""
        for request in claim.spec.requests:
            for subrequest in request.first_available or (request,):
                if device_class(self.handle.cluster, subrequest.device_class) is None:
                    name = f"{request.name}/{subrequest.name}" if request.first_available else request.name
                    return f"request {name}: device class {subrequest.device_class} does not exist"
        return ""

    def _verdict(self, pod: Pod, state: State, node: Node) -> Status:
        """Return the verdict of a node, computed once per cycle."""
        status = state.verdicts.get(node.name)
        if status is None:
            status = state.verdicts[node.name] = self._judge(pod, state, node)
        return status

    def _judge(self, pod: Pod, state: State, node: Node) -> Status:
        """Evaluate the claims on a node and return its status; the devices that were found are stored in the state."""
        extended_claim = None
        if state.extended is not None:
            alone = len(state.claims) == 1
            extended_claim, status = extended.on_node(pod, state.extended, node, self._extended_resources, alone=alone)
            if not status.is_success:
                return status
            if extended_claim is None and alone:
                return SUCCESS
        unavailable = [number for number in state.allocated if not self._is_available(state, number, node)]
        if state.allocator is not None:
            status = self._allocate(state, node, extended_claim)
            if not status.is_success:
                return status
        if unavailable:
            state.unavailable |= dict.fromkeys(unavailable)
            state.nodes.pop(node.name, None)
            return NOT_AVAILABLE
        return SUCCESS

    def _is_available(self, state: State, number: int, node: Node) -> bool:
        """Return whether an allocated claim can be used on the node and its devices are ready, or may become ready."""
        selector, claim = state.selectors[number], state.claims[number]
        if selector is not None and not selector.matches(node.labels, node.name):
            return False
        if claim.allocation is None or not self._features.binding_conditions:
            return True
        try:
            ready = binding.is_ready(claim)
        except binding.BindingError:
            return False
        return ready or not binding.has_timed_out(claim, self.handle.now)

    def _allocate(self, state: State, node: Node, extended_claim: ResourceClaim | None) -> Status:
        assert state.allocator is not None
        claims = state.to_search(extended_claim)
        shape = state.shape or self._searches.shape(claims)
        try:
            solution = self._searches.solve(state.allocator, node, claims, shape)
        except AllocationError as error:
            return Status(Code.ERROR, (str(error),))
        except InvalidPools:
            return INVALID_POOLS
        except TimedOut:
            if self.handle.release.rules.device_search_that_times_out_is_an_error:
                return Status(Code.ERROR, (f"node {node.name}: {TIMED_OUT}",))
            return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (TIMED_OUT,))
        if solution is None:
            return CANNOT_ALLOCATE
        state.nodes[node.name] = NodeAllocation(solution, extended_claim)
        return SUCCESS


class _Classes(Mapping[str, DeviceClass]):
    """The current DeviceClasses by name."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __getitem__(self, name: str) -> DeviceClass:
        item = device_class(self._cluster, name)
        if item is None:
            raise KeyError(name)
        return item

    def __iter__(self) -> Any:
        return (item.name for item in self._cluster.objects("DeviceClass"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _rejected(reason: str) -> PreFilterResult:
    return PreFilterResult(status=Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,)))
