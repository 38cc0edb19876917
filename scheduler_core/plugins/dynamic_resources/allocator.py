"""A depth-first search for devices on a node, one device at a time. The first complete solution is used.

kube-scheduler: staging/src/k8s.io/dynamic-resource-allocation/structured/internal, `Allocate`, `allocateOne` and
`allocateDevice`; 1.34 uses its allocator "experimental", later releases "incubating". Instead of Go's recursion, there
is a stack of the choices made, so that a claim can request any number of devices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Node
from scheduler_core.apis.devices import (
    ALLOCATION_RESULTS_MAX_SIZE,
    Device,
    DeviceClass,
    DeviceID,
    DeviceRequest,
    ResourceClaim,
)
from scheduler_core.apis.quantity import Quantity
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.capacity import consumed_capacity, fits
from scheduler_core.plugins.dynamic_resources.constraints import Constraint, constraint_of
from scheduler_core.plugins.dynamic_resources.counters import AvailableCounters, ConsumedCounters
from scheduler_core.plugins.dynamic_resources.pools import Candidate, Pool
from scheduler_core.plugins.dynamic_resources.requests import AllocationError, RequestData, RequestKey
from scheduler_core.plugins.dynamic_resources.selectors import Selectors
from scheduler_core.releases import Release

MAX_CALLS = 10_000_000  # calls of `allocateOne` per search; kube-scheduler stops after 10 s
MAX_STEPS = 200_000  # steps per search here, which skips states that have failed before
STEPS_BEFORE_REMEMBERING = 500  # shorter searches do not store the states that failed

Outcome = Literal["found", "none", "too many"]


class TimedOut(Exception):
    """The search exceeded its limit."""


class InvalidPools(Exception):
    """The search found no solution, and a pool of the node is invalid."""


class Features(msgspec.Struct, frozen=True):
    """The feature gates of the allocator, as they are in the release."""

    device_taints: bool
    partitionable_devices: bool
    consumable_capacity: bool
    binding_conditions: bool

    @staticmethod
    def of(release: Release) -> Features:
        return Features(
            device_taints=release.has_on("DRADeviceTaints"),
            partitionable_devices=release.has_on("DRAPartitionableDevices"),
            consumable_capacity=release.has_on("DRAConsumableCapacity"),
            binding_conditions=release.has_on("DRADeviceBindingConditions"),
        )


class Chosen(msgspec.Struct, frozen=True):
    """A device allocated to a request. `charged`: the pool's counters were charged for it."""

    request: RequestData
    candidate: Candidate
    consumed: tuple[tuple[str, Quantity], ...] = ()
    shared: bool = False
    charged: bool = False


class Solution(msgspec.Struct, frozen=True):
    """The devices of each claim in the order of allocation, and the chosen subrequests.

    `pools` are those of the node that was searched.
    """

    pools: Sequence[Pool]
    claims: Sequence[ResourceClaim]
    chosen: Sequence[Sequence[Chosen]]
    requests: Mapping[RequestKey, RequestData]
    subrequests: Mapping[tuple[int, int], int]

    def moved(self, pools: Sequence[Pool], claims: Sequence[ResourceClaim]) -> Solution:
        """Return the solution for equal pools and claims: the devices at the same positions."""
        positions = {candidate.id: position for position, candidate in enumerate(_devices(self.pools))}
        other_devices = list(_devices(pools))
        chosen = [
            [replace(device, candidate=other_devices[positions[device.candidate.id]]) for device in of_claim]
            for of_claim in self.chosen
        ]
        return replace(self, pools=pools, claims=claims, chosen=chosen)


class Allocator:
    """The data that all searches of a scheduling cycle share."""

    def __init__(
        self,
        selectors: Selectors,
        classes: Mapping[str, DeviceClass],
        allocated: AllocatedDevices,
        release: Release,
        features: Features,
    ) -> None:
        self.selectors = selectors
        self.classes = classes
        self.allocated = allocated
        self.release = release
        self.features = features
        self.available = AvailableCounters(allocated, release.rules)

    def allocate(self, node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim]) -> Solution | None:
        """Return devices of the node for all claims, None if there is no solution.

        Raises AllocationError, TimedOut, InvalidPools.
        """
        return DeviceSearch(self, node, pools, claims).run()


class Position(msgspec.Struct, frozen=True):
    """The next device to find: the `device`-th of a request. `within`: a subrequest is being tried.

    `start` is the candidate from which to continue.
    """

    claim: int = 0
    request: int = 0
    subrequest: int = 0
    device: int = 0
    within: bool = False
    start: int = 0

    @property
    def key(self) -> RequestKey:
        return self.claim, self.request, self.subrequest


class Choice(Protocol):
    """A choice of the search, to which it can backtrack."""

    def retry(self, search: DeviceSearch, outcome: Outcome) -> Position | Outcome:
        """Continue after `outcome`: return the next position, or an outcome for the previous choice."""
        ...


class DeviceSearch:
    """A search for devices on one node.

    `calls` counts kube-scheduler's calls of `allocateOne`, `steps` the steps made here.
    """

    def __init__(
        self, allocator: Allocator, node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim]
    ) -> None:
        self.allocator = allocator
        self.node = node
        self.pools = pools
        self.claims = claims
        self.rules = allocator.release.rules
        self.features = allocator.features
        self.requests: dict[RequestKey, RequestData] = {}
        self.constraints: list[list[Constraint]] = []
        self.chosen: list[list[Chosen]] = [[] for _ in claims]
        self.allocating: dict[DeviceID, set[int]] = {}  # device -> the claims for which it is selected
        self.capacities: dict[DeviceID, dict[str, int]] = {}  # the consumption of the selected devices, in nano units
        self.shares: dict[DeviceID, int] = {}  # of the selected devices
        self.counters = ConsumedCounters(allocator.available)
        self.candidates = self._candidates()
        self.steps = self.calls = 0
        self.failed: dict[Hashable, int] = {}  # state of the search that failed -> calls
        self.answers: dict[tuple[RequestKey, DeviceID], bool] = {}  # whether a request's selectors accept a device
        self._stack: list[Choice] = []

    def run(self) -> Solution | None:
        """Return the solution, None if there is none. Raises the errors of `Allocator.allocate`."""
        for number, claim in enumerate(self.claims):
            self._prepare(number, claim)
        outcome = self._walk()
        if outcome == "found":
            subrequests = {
                (choice.position.claim, choice.position.request): choice.number
                for choice in self._stack
                if isinstance(choice, SubrequestChoice)
            }
            return Solution(self.pools, self.claims, self.chosen, self.requests, subrequests)
        if outcome == "too many":  # only before 1.36, where a request for all devices can go on as another subrequest
            raise AllocationError("allocation max size exceeded")
        if self.rules.invalid_pools_are_skipped and any(pool.invalid for pool in self.pools):
            raise InvalidPools
        return None

    def _candidates(self) -> list[Candidate | Pool]:
        """Return the devices in the order in which they are tried.

        Until 1.34, an invalid pool is a candidate itself and ends the search with an error; since 1.35, the devices of
        invalid and incomplete pools are left out.
        """
        candidates: list[Candidate | Pool] = []
        for pool in self.pools:
            if pool.invalid and not self.rules.invalid_pools_are_skipped:
                candidates.append(pool)
            elif not pool.invalid and not (pool.incomplete and self.rules.pools_are_complete_across_nodes):
                candidates += pool.devices()
        return candidates

    # Before the search

    def _prepare(self, number: int, claim: ResourceClaim) -> None:
        """Set up the requests and constraints of a claim. Raises AllocationError if the claim cannot be allocated."""
        fewest = 0
        answers: dict[tuple[DeviceID, RequestKey], bool] = {}
        for index, request in enumerate(claim.spec.requests):
            counts = []
            for position, subrequest in enumerate(request.first_available or (request,)):
                if subrequest.capacity is not None and not self.features.consumable_capacity:
                    raise AllocationError(
                        f"claim {claim.key}, request {request.name}: has capacity requests, but the "
                        "DRAConsumableCapacity feature is disabled"
                    )
                key_position = position if self.rules.all_subrequests_keep_their_place else max(position - 1, 0)
                parent = request if request.first_available else None
                data = self._request_data(claim, subrequest, parent, (number, index, key_position), answers)
                self.requests[number, index, position] = data
                counts.append(data.count)
            fewest += min(counts)
        if fewest > ALLOCATION_RESULTS_MAX_SIZE:
            raise AllocationError(
                f"claim {claim.key}: number of requested devices {fewest} exceeds the claim limit of "
                f"{ALLOCATION_RESULTS_MAX_SIZE}"
            )
        self.constraints.append([constraint_of(spec, self.rules) for spec in claim.spec.constraints])

    def _request_data(
        self,
        claim: ResourceClaim,
        request: DeviceRequest,
        parent: DeviceRequest | None,
        key: RequestKey,
        answers: dict[tuple[DeviceID, RequestKey], bool],
    ) -> RequestData:
        """Return the request with its class, and with its devices if it requests all. Raises AllocationError.

        `answers` caches by device and `key` whether the selectors of a request accept a device.
        """
        device_class = self.allocator.classes.get(request.device_class)
        if device_class is None:
            missing = f'deviceclass.resource.k8s.io "{request.device_class}" not found'
            raise AllocationError(
                f"claim {claim.key}, request {request.name}: could not retrieve device class "
                f"{request.device_class}: {missing}"
            )
        data = RequestData(request, parent, device_class, request.count)
        if not data.takes_all:
            return data
        devices: list[Candidate] = []
        for pool in self.pools:
            if pool.incomplete or pool.invalid:
                state = "currently being updated" if pool.incomplete else "currently invalid"
                raise AllocationError(
                    f"claim {claim.key}, request {request.name}: asks for all devices, but resource pool {pool.name} "
                    f"is {state}"
                )
            for candidate in pool.devices():
                answer = answers.get((candidate.id, key))
                if answer is None:
                    answer = answers[candidate.id, key] = self.is_selectable(claim, data, candidate)
                if answer and self._may_fit(data, candidate):
                    devices.append(candidate)
        return RequestData(request, parent, device_class, len(devices), devices)

    # The search

    def _walk(self) -> Outcome:
        """Advance while devices are found, otherwise backtrack. Return the final outcome."""
        step: Position | Outcome = Position()
        while True:
            while isinstance(step, Position):
                step = self._enter(step)
            if step == "found":
                return step
            while self._stack and not isinstance(step, Position):
                step = self._stack[-1].retry(self, step)
                if not isinstance(step, Position):
                    self._stack.pop()
            if not isinstance(step, Position):
                return step

    def _enter(self, at: Position) -> Position | Outcome:
        """Return the next position, or the outcome of this one (`allocateOne`)."""
        self.steps += 1
        self.count(1)
        if at.claim >= len(self.claims):
            return "found"
        if at.request >= len(self.claims[at.claim].spec.requests):
            self._stack.append(EndOfClaim())
            return Position(at.claim + 1)
        data = self.requests[at.key]
        if data.parent is not None and not at.within:
            choice = SubrequestChoice(at)
            self._stack.append(choice)
            return choice.first()
        if data.takes_all and not data.count:
            return "none"
        if at.device >= data.count:
            return Position(at.claim, at.request + 1)
        if len(self.chosen[at.claim]) + data.count - at.device > ALLOCATION_RESULTS_MAX_SIZE:
            return "too many"
        if data.takes_all:
            return self._take_all(at, data)
        device = DeviceChoice(at, data)
        self._stack.append(device)
        step = device.advance(self)
        if not isinstance(step, Position):
            self._stack.pop()
        return step

    def _take_all(self, at: Position, data: RequestData) -> Position | Outcome:
        """Take the next device of a request for all devices. Return the next position, or the outcome.

        Before 1.36, the search continues with the first subrequest.
        """
        assert data.all_devices is not None
        candidate = data.all_devices[at.device]
        if not self.take(at, data, candidate, must=True):
            return "none"
        self._stack.append(TakenDevice(at.claim, data, candidate))
        first_place = at.subrequest if self.rules.all_subrequests_keep_their_place else 0
        return Position(at.claim, at.request, first_place, at.device + 1, at.within)

    def count(self, calls: int) -> None:
        """Count calls of `allocateOne`. Raises TimedOut after too many calls, or too many steps."""
        self.calls += calls
        if self.calls > MAX_CALLS or self.steps > MAX_STEPS:
            raise TimedOut

    # One device

    def usable(self, at: Position, data: RequestData, candidate: Candidate) -> bool:
        """Return whether a device can be allocated: it is not in use, selectable, and has enough capacity left.

        With admin access, a device counts as in use only if the claim already has it. Raises AllocationError.
        """
        in_use = self._used_by_claim if data.request.admin_access else self._in_use
        if in_use(candidate.id, at.claim):
            return False
        key = (at.key, candidate.id)
        answer = self.answers.get(key)
        if answer is None:
            answer = self.answers[key] = self.is_selectable(self.claims[at.claim], data, candidate)
        return answer and self._fits(data, candidate)

    def is_selectable(self, claim: ResourceClaim, data: RequestData, candidate: Candidate) -> bool:
        """Return whether all selectors accept the device and it is available on the node (`isSelectable`).

        A device with binding conditions is not selectable without their feature gate. Raises AllocationError if a
        selector fails.
        """
        device = candidate.device
        if device.binding_conditions and not self.features.binding_conditions:
            return False
        answer = self.allocator.selectors.answer(data.device_class, data.request, candidate.slice.driver, device)
        if isinstance(answer, str):
            raise AllocationError(answer.format(claim=claim.key, device="/".join(candidate.id)))
        if not answer or candidate.slice.reach is not None:
            return answer
        return device.reach is not None and device.reach.includes(self.node.name, self.node.labels)

    def take(self, at: Position, data: RequestData, candidate: Candidate, *, must: bool = False) -> bool:
        """Allocate the device if it is compatible with those chosen so far (`allocateDevice`). Return whether it is.

        Changes that kube-scheduler does not undo up to 1.36 when it rejects a device, such as the consumed counters,
        are not undone here either. `must`: a violated constraint is an error.
        """
        device, request = candidate.device, data.request
        shared = self.features.consumable_capacity and device.allow_multiple_allocations
        if request.admin_access:
            if not shared and self._used_by_claim(candidate.id, at.claim):
                return False
        elif self._in_use(candidate.id, at.claim):
            return False
        charged = bool(device.consumes_counters) and not (shared and self._is_shared(candidate.id))
        if charged and not self._charge(candidate):
            return False
        rolls_back = self.rules.rejected_devices_are_rolled_back
        if (self.features.device_taints and prevents_allocation(device, request)) or not self._satisfies_constraints(
            at, data, candidate, must=must
        ):
            if charged and rolls_back:
                self.counters.give_back(candidate)
            return False
        claims = self.allocating.setdefault(candidate.id, set())
        if not shared:
            claims.add(at.claim)
        if not self._fits(data, candidate):
            if rolls_back:
                self._undo(at.claim, data, candidate, charged=charged)
            return False
        consumed: tuple[tuple[str, Quantity], ...] = ()
        if shared:
            consumed = consumed_capacity(device, request.capacity)
            self._consume(candidate.id, consumed)
            self.shares[candidate.id] = self.shares.get(candidate.id, 0) + 1
        self.chosen[at.claim].append(Chosen(data, candidate, consumed, shared, charged))
        return True

    def give_back(self, claim: int, data: RequestData, candidate: Candidate) -> None:
        """Undo `take` for the claim's last device, or the part of it that kube-scheduler undoes in the release."""
        device = self.chosen[claim].pop()
        if device.shared:
            self._release(candidate.id, device.consumed)
            self.shares[candidate.id] -= 1
        charged = device.charged and (not device.shared or self.rules.rejected_devices_are_rolled_back)
        self._undo(claim, data, candidate, charged=charged)

    def _undo(self, claim: int, data: RequestData, candidate: Candidate, *, charged: bool) -> None:
        for constraint in self.constraints[claim]:
            constraint.remove(data.base_name, data.subrequest_name)
        self.allocating[candidate.id].discard(claim)
        if charged:
            self.counters.give_back(candidate)

    def state(self, at: Position) -> Hashable:
        """Return a key for everything on which the rest of the search depends."""
        return (
            (at.key, at.device, at.within, at.start),
            len(self.chosen[at.claim]),
            frozenset((device, *sorted(claims)) for device, claims in self.allocating.items() if claims),
            tuple(constraint.state() for constraint in self.constraints[at.claim]),
            frozenset(
                (device, name, amount)
                for device, amounts in self.capacities.items()
                for name, amount in amounts.items()
            ),
            frozenset(device for device, shares in self.shares.items() if shares),
            self.counters.state(),
        )

    def _in_use(self, device: DeviceID, claim: int) -> bool:
        return device in self.allocator.allocated.held or bool(self.allocating.get(device))

    def _used_by_claim(self, device: DeviceID, claim: int) -> bool:
        return claim in self.allocating.get(device, ())

    def _may_fit(self, data: RequestData, candidate: Candidate) -> bool:
        """Return whether a device counts for a request for all devices: whether its remaining capacity suffices.

        Since 1.37, it is enough if the capacity of the unused device suffices; the search then fails if it is in use.
        Every device counts without DRAConsumableCapacity.
        """
        if not self.rules.all_devices_must_have_room:
            return self._fits(data, candidate)
        return not self.features.consumable_capacity or fits(candidate.device, data.request.capacity, {}, {})

    def _fits(self, data: RequestData, candidate: Candidate) -> bool:
        if not self.features.consumable_capacity:
            return True
        consumed = self.allocator.allocated.capacities.get(candidate.id, {})
        allocating = self.capacities.get(candidate.id, {})
        return fits(candidate.device, data.request.capacity, consumed, allocating)

    def _charge(self, candidate: Candidate) -> bool:
        """Consume the counters that the device needs. Return whether they are sufficient."""
        return self.features.partitionable_devices and self.counters.consume(candidate)

    def _is_shared(self, device: DeviceID) -> bool:
        """Return whether the device has a share, so that its counters are already charged (`deviceCapacityInUse`)."""
        if device in self.allocator.allocated.capacities or device in self.capacities:
            return True
        return self.rules.rejected_devices_are_rolled_back and bool(self.shares.get(device))

    def _satisfies_constraints(self, at: Position, data: RequestData, candidate: Candidate, *, must: bool) -> bool:
        """Add the device to all constraints of the claim, or to none. Return whether it was added.

        `must`: raise AllocationError if a constraint rejects the device.
        """
        base, sub = data.base_name, data.subrequest_name
        constraints = self.constraints[at.claim]
        for number, constraint in enumerate(constraints):
            if constraint.add(base, sub, candidate.device, candidate.slice.driver):
                continue
            if must:
                raise AllocationError(
                    f"claim {self.claims[at.claim].key}, request {data.request.name}: cannot add device "
                    f"{'/'.join(candidate.id)} because a claim constraint would not be satisfied"
                )
            for earlier in constraints[:number]:
                earlier.remove(base, sub)
            return False
        return True

    def _consume(self, device: DeviceID, amounts: tuple[tuple[str, Quantity], ...]) -> None:
        consumed = self.capacities.setdefault(device, {})
        for name, amount in amounts:
            consumed[name] = consumed.get(name, 0) + amount.nano

    def _release(self, device: DeviceID, amounts: tuple[tuple[str, Quantity], ...]) -> None:
        consumed = self.capacities.get(device)
        if not amounts or consumed is None:  # a device of which nothing is consumed has no entry
            return
        for name, amount in amounts:
            consumed[name] -= amount.nano
        if not any(consumed.values()):
            del self.capacities[device]


class EndOfClaim(msgspec.Struct):
    """The end of a claim: the outcome "too many" of a later claim becomes "none" for the choices of this one."""

    def retry(self, search: DeviceSearch, outcome: Outcome) -> Position | Outcome:
        return "none"


class SubrequestChoice(msgspec.Struct):
    """A choice between the subrequests of a prioritized list, in order."""

    position: Position
    number: int = 0
    all_too_many: bool = True

    def first(self) -> Position:
        """Return the position of the first device of the current subrequest."""
        at = self.position
        return Position(at.claim, at.request, self.number, at.device, within=True)

    def retry(self, search: DeviceSearch, outcome: Outcome) -> Position | Outcome:
        if outcome != "too many":
            self.all_too_many = False
        self.number += 1
        if (self.position.claim, self.position.request, self.number) in search.requests:
            return self.first()
        return "too many" if self.all_too_many else "none"


class TakenDevice(msgspec.Struct):
    """A device that is required because all devices are requested; it has no alternative."""

    claim: int
    data: RequestData
    candidate: Candidate

    def retry(self, search: DeviceSearch, outcome: Outcome) -> Position | Outcome:
        search.give_back(self.claim, self.data, self.candidate)
        return outcome


class DeviceChoice(msgspec.Struct):
    """The choice of one of the requested devices: the candidates in order, starting after the previous device.

    Before 1.36, kube-scheduler starts with the first candidate each time, which has the same result and takes longer.
    """

    position: Position
    data: RequestData
    place: int = -1
    taken: Candidate | None = None
    before: Hashable = None
    calls: int = 0  # the number of calls before this choice

    def retry(self, search: DeviceSearch, outcome: Outcome) -> Position | Outcome:
        assert self.taken is not None
        search.give_back(self.position.claim, self.data, self.taken)
        return outcome if outcome == "too many" else self.advance(search)

    def advance(self, search: DeviceSearch) -> Position | Outcome:
        """Take the next usable device and return the next position, or "none" if no device is left.

        Raises AllocationError and TimedOut.
        """
        at, candidates = self.position, search.candidates
        if self.place < 0:
            self.place, self.calls = at.start - 1, search.calls
            if search.steps > STEPS_BEFORE_REMEMBERING:
                self.before = search.state(at)
                if self.before in search.failed:
                    search.count(search.failed[self.before])
                    return "none"
        for place in range(self.place + 1, len(candidates)):
            candidate = candidates[place]
            if isinstance(candidate, Pool):
                raise AllocationError(f"pool {candidate.id[1]} is invalid: {candidate.invalid}")
            if search.usable(at, self.data, candidate) and search.take(at, self.data, candidate):
                self.place, self.taken = place, candidate
                return Position(at.claim, at.request, at.subrequest, at.device + 1, at.within, place + 1)
        if not search.rules.devices_are_tried_in_one_order:
            search.count((search.calls - self.calls) * at.device)  # the same devices with this one in each other place
        if self.before is not None and search.state(at) == self.before:
            search.failed[self.before] = search.calls - self.calls
        return "none"


def _devices(pools: Sequence[Pool]) -> Iterator[Candidate]:
    return (candidate for pool in pools for candidate in pool.devices())


def prevents_allocation(device: Device, request: DeviceRequest) -> bool:
    """Return whether an untolerated taint prevents allocation (`taintPreventsAllocation`)."""
    return any(
        taint.effect in ("NoSchedule", "NoExecute")
        and not any(toleration.tolerates(taint) for toleration in request.tolerations)
        for taint in device.taints
    )
