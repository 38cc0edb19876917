"""The search for devices, repeated step by step for the trace: each device that was tried, and the reason for the
result.

The allocator itself keeps no record. A search depends only on the state of the scheduling cycle, so it is repeated for
a few nodes with a subclass that records each step; its result is that of Filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from scheduler_core.apis.core import Node
from scheduler_core.apis.device_manifests import claim_manifest
from scheduler_core.apis.devices import DeviceID, ResourceClaim
from scheduler_core.apis.quantity import Quantity
from scheduler_core.apis.yaml_lines import Path, YamlLines
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.status import Status
from scheduler_core.plugins.dynamic_resources.allocator import (
    Allocator,
    DeviceSearch,
    InvalidPools,
    Outcome,
    Position,
    TimedOut,
    prevents_allocation,
)
from scheduler_core.plugins.dynamic_resources.capacity import consumed_amount
from scheduler_core.plugins.dynamic_resources.pools import Candidate, Pool, Pools
from scheduler_core.plugins.dynamic_resources.requests import AllocationError, RequestData, RequestKey
from scheduler_core.plugins.dynamic_resources.state import State
from scheduler_core.trace.device_events import (
    DeviceShortage,
    DevicesSearched,
    DeviceTry,
    NodeSearch,
    SearchedPool,
    SearchedRequest,
    ShownDocument,
    TryKind,
)
from scheduler_core.trace.summaries import taint_text

MAX_NODES = 8
MANY_NODES = 200  # the number of nodes above which devices are not drawn
FEW_NODES = 2
MAX_TRIES = 48  # the number of recorded steps per node
ONE_REASON: tuple[TryKind, ...] = ("held", "chosen", "selector", "taint", "elsewhere", "counters", "constraint")


def record_search(state: State, cluster: Cluster, pools: Pools) -> DevicesSearched | None:
    """Return the event of this cycle's search; None if Filter evaluated no node."""
    verdicts = list(state.verdicts.items())
    if not verdicts:
        return None
    errors = [at for at, (_, status) in enumerate(verdicts) if status.is_error]
    del verdicts[errors[0] + 1 if errors else len(verdicts) :]  # nodes after an error were evaluated, but do not count
    shown = verdicts[: MAX_NODES if len(cluster.nodes) <= MANY_NODES else FEW_NODES]
    documents = Documents(cluster, state)
    nodes = [_node_search(documents, state, cluster, pools, name, status) for name, status in shown]
    return DevicesSearched(
        [claim.key for claim in state.claims],
        [request for claim in state.claims for request in _requests(claim)],
        nodes,
        [document for document, _ in documents.documents.values()],
        len(verdicts) - len(shown),
    )


def search_again(state: State, cluster: Cluster, pools: Pools, name: str, status: Status) -> NodeSearch:
    """Repeat the search on a node, and return its steps. `status`: the result of Filter for the node."""
    return _node_search(Documents(cluster, state), state, cluster, pools, name, status)


def _requests(claim: ResourceClaim) -> Iterator[SearchedRequest]:
    for request in claim.spec.requests:
        for subrequest in request.first_available or (request,):
            name = f"{request.name}/{subrequest.name}" if request.first_available else request.name
            count = 0 if subrequest.mode == "All" else subrequest.count
            yield SearchedRequest(claim.key, name, subrequest.device_class, count, bool(request.first_available))


class Documents(msgspec.Struct):
    """The documents to which steps refer, and the claims to which devices are allocated (`holder`)."""

    cluster: Cluster
    state: State
    documents: dict[tuple[str, str], tuple[ShownDocument, YamlLines]] = {}
    _holders: dict[DeviceID, str] | None = None

    def place(self, kind: Any, item: Any, path: Path) -> tuple[int, int]:
        """Return the index of the object's document, which is added on first use, and the line of the path in it."""
        key = kind, getattr(item, "key", item.name)
        if key not in self.documents:
            data = claim_manifest(item) if isinstance(item, ResourceClaim) else item.manifest
            lines = YamlLines(_shown_fields(data))
            self.documents[key] = ShownDocument(kind, item.name, lines.lines), lines
        return list(self.documents).index(key), self.documents[key][1].line_of(path)

    def holder(self, device: DeviceID) -> str:
        """Return the key of the claim to which the device is allocated without admin access, "" if there is none."""
        if self._holders is None:
            claims = [*self.cluster.objects("ResourceClaim"), *self.cluster.pending_allocations.claims()]
            self._holders = {
                result.device_id: claim.key
                for claim in claims
                if isinstance(claim, ResourceClaim) and claim.allocation is not None
                for result in claim.allocation.results
                if not result.admin_access
            }
        return self._holders.get(device, "")


def _shown_fields(manifest: Any) -> dict[str, Any]:
    metadata = manifest.get("metadata") or {}
    identity = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
    return {
        **{key: manifest[key] for key in ("apiVersion", "kind") if key in manifest},
        "metadata": identity,
        **{key: manifest[key] for key in ("spec", "status") if manifest.get(key)},
    }


def _node_search(
    documents: Documents, state: State, cluster: Cluster, pools: Pools, name: str, status: Status
) -> NodeSearch:
    node = cluster.node(name)
    assert node is not None
    tries: list[DeviceTry] = []
    unfinished = False
    found_devices: list[tuple[str, str, str]] = []
    shortage: DeviceShortage | None = None
    if state.allocator is not None:
        claims = [_on_node(state, name, claim) for number, claim in state.to_allocate() if number not in state.pending]
        search = RecordedSearch(state.allocator, node, pools.of_node(node), claims, documents)
        unfinished = search.record()
        tries += search.tries
        found_devices = search.found
        shortage = search.shortage() if not unfinished else None
    tries += _unavailable(documents, state, node)
    outcome = _outcome(status)
    return NodeSearch(
        name,
        outcome,
        list(_searched_pools(pools, node)),
        tries,
        unfinished,
        found_devices if status.is_success else [],
        "" if status.is_success else status.message,
        shortage if outcome == "none" else None,
    )


def _outcome(status: Status) -> Literal["found", "none", "unavailable", "error"]:
    if status.is_success:
        return "found"
    if status.is_error:
        return "error"
    return "unavailable" if any("not available" in reason for reason in status.reasons) else "none"


def _on_node(state: State, name: str, claim: ResourceClaim) -> ResourceClaim:
    """Return the claim as it is on the node; the claim for extended resources differs by node."""
    on_node = state.nodes.get(name)
    extended = on_node.extended if on_node is not None else None
    return extended if claim is state.extended and extended is not None else claim


def _unavailable(documents: Documents, state: State, node: Node) -> Iterator[DeviceTry]:
    """Yield an entry for each claim whose devices cannot be used from the node."""
    for number, selector in enumerate(state.selectors):
        claim = state.claims[number]
        if selector is None or claim.allocation is None or selector.matches(node.labels, node.name):
            continue
        devices = ["/".join(result.device_id) for result in claim.allocation.results]
        document, line = documents.place("ResourceClaim", claim, ("status", "allocation", "nodeSelector"))
        terms = (claim.allocation.selector_manifest or {}).get("nodeSelectorTerms") or ()
        text = " or ".join(_term_text(term) for term in terms)
        yield DeviceTry("elsewhere", "", claim.key, devices, text, document, line)


def _term_text(term: Any) -> str:
    conditions = [*(term.get("matchFields") or ()), *(term.get("matchExpressions") or ())]
    return " and ".join(map(_condition_text, conditions))


def _condition_text(condition: Any) -> str:
    values = ", ".join(condition.get("values") or ())
    return f"{condition['key'].removeprefix('metadata.')} {condition['operator'].lower()} {values}".strip()


def _searched_pools(pools: Pools, node: Node) -> Iterator[SearchedPool]:
    """Yield the node's pools, then those of `Pools.left_out` that are not among them, once per slice."""
    pools_of_node = pools.of_node(node)
    for pool in pools_of_node:
        names = [candidate.device.name for candidate in pool.devices()]
        if pool.invalid:
            yield SearchedPool(*pool.id, names, "invalid", pool.invalid)
        elif pool.incomplete:
            present, required = pools.completeness(pool.id)
            yield SearchedPool(*pool.id, names, "incomplete", f"{present}/{required}")
        else:
            yield SearchedPool(*pool.id, names)
    pool_ids = {pool.id for pool in pools_of_node}
    for pool_id, problem in pools.left_out(node):
        if pool_id not in pool_ids:
            yield SearchedPool(*pool_id, [], problem)


class _Enough(Exception):
    """Raised when enough steps are recorded."""


class RecordedSearch(DeviceSearch):
    """A search that records its steps in `tries`, and its result in `found`."""

    def __init__(
        self,
        allocator: Allocator,
        node: Node,
        pools: Iterable[Pool],
        claims: list[ResourceClaim],
        documents: Documents,
    ) -> None:
        super().__init__(allocator, node, list(pools), claims)
        self.tries: list[DeviceTry] = []
        self.found: list[tuple[str, str, str]] = []
        self._documents = documents
        self._failure: tuple[TryKind, str, Path] | None = None
        self._listed: tuple[str, str] = ("", "")
        self._furthest: Position | None = None  # the position with the most selected devices
        self._most = (0, 0, 0)  # the number of devices there, and the claim and request of the next one

    def record(self) -> bool:
        """Run the search and record its steps. Return whether it was stopped after MAX_TRIES steps."""
        try:
            solution = self.run()
        except _Enough:
            return True
        except AllocationError as error:
            self.tries.append(DeviceTry("error", "", text=str(error)))
            return False
        except (InvalidPools, TimedOut):
            return False
        if solution is not None:
            for claim, devices in zip(solution.claims, solution.chosen, strict=True):
                self.found += [(claim.key, device.request.name, "/".join(device.candidate.id)) for device in devices]
        return False

    def shortage(self) -> DeviceShortage | None:
        """Return the request at which the search had selected the most devices, with the number that it found.

        Return None if the request is for all devices or for one, or if the search reached no request.
        """
        at = self._furthest
        data = self.requests[at.key] if at is not None else None
        if at is None or data is None or data.takes_all or data.count < 2:
            return None
        return DeviceShortage(self.claims[at.claim].key, data.name, at.device, data.count)

    # Steps of the search, with a note

    def usable(self, at: Position, data: RequestData, candidate: Candidate) -> bool:
        if super().usable(at, data, candidate):
            return True
        claim = self.claims[at.claim]
        if data.request.admin_access and self._used_by_claim(candidate.id, at.claim):
            self._note("chosen", claim, data, candidate)
        elif not data.request.admin_access and self._in_use(candidate.id, at.claim):
            self._note_in_use(claim, data, candidate)
        elif not self._note_mismatch(claim, data, candidate):
            self._note("capacity", claim, data, candidate, self._lack_of_capacity(data, candidate))
        return False

    def take(self, at: Position, data: RequestData, candidate: Candidate, *, must: bool = False) -> bool:
        self._failure = None
        claim = self.claims[at.claim]
        in_use = not data.request.admin_access and self._in_use(candidate.id, at.claim)
        try:
            fits = super().take(at, data, candidate, must=must)
        except AllocationError:
            if self._failure is not None:
                kind, text, path = self._failure
                self._note(kind, claim, data, candidate, text, path)
            raise
        if fits:
            self._note("taken", claim, data, candidate)
        elif self._failure is not None:
            kind, text, path = self._failure
            self._note(kind, claim, data, candidate, text, path)
        elif in_use:
            self._note_in_use(claim, data, candidate)
        elif prevents_allocation(candidate.device, data.request):
            taints = ", ".join(taint_text(taint) for taint in candidate.device.taints)
            self._note("taint", claim, data, candidate, taints)
        else:
            self._note("capacity", claim, data, candidate, self._lack_of_capacity(data, candidate))
        return fits

    def give_back(self, claim: int, data: RequestData, candidate: Candidate) -> None:
        super().give_back(claim, data, candidate)
        self._note("returned", self.claims[claim], data, candidate)

    def _enter(self, at: Position) -> Position | Outcome:
        if at.claim < len(self.claims) and at.request < len(self.claims[at.claim].spec.requests):
            data = self.requests[at.key]
            if data.parent is None or at.within:
                reached = sum(map(len, self.chosen)), at.claim, at.request
                if reached >= self._most:
                    self._furthest, self._most = at, reached
                if data.takes_all and not data.count:
                    self._note("empty", self.claims[at.claim], data)
        return super()._enter(at)

    def _request_data(
        self, claim: ResourceClaim, request: Any, parent: Any, key: RequestKey, answers: Any
    ) -> RequestData:
        data = super()._request_data(claim, request, parent, key, answers)
        ids = {candidate.id for candidate in data.all_devices or ()}
        if data.takes_all:
            for candidate in (device for pool in self.pools for device in pool.devices()):
                if candidate.id not in ids:
                    self._note_mismatch(claim, data, candidate)
        return data

    def _charge(self, candidate: Candidate) -> bool:
        sufficient = super()._charge(candidate)
        if not sufficient:
            self._failure = "counters", self._lack_of_counters(candidate), ()
        return sufficient

    def _satisfies_constraints(self, at: Position, data: RequestData, candidate: Candidate, *, must: bool) -> bool:
        for number, constraint in enumerate(self.constraints[at.claim]):
            objection = constraint.objection(
                data.base_name, data.subrequest_name, candidate.device, candidate.slice.driver
            )
            if objection:
                self._failure = "constraint", objection, ("spec", "devices", "constraints", number, "matchAttribute")
                break
        return super()._satisfies_constraints(at, data, candidate, must=must)

    # Notes

    def _note(
        self,
        kind: TryKind,
        claim: ResourceClaim,
        data: RequestData,
        candidate: Candidate | None = None,
        text: str = "",
        path: Path = (),
        document: tuple[int, int] | None = None,
    ) -> None:
        previous, self._listed = self._listed, (claim.key, data.name)
        if data.parent is not None and kind != "returned" and previous != self._listed:
            place = self._documents.place("ResourceClaim", claim, self._path(claim, data))
            self._add(DeviceTry("subrequest", data.name, claim.key, [], "", *place))
        place = document or self._documents.place("ResourceClaim", claim, path or self._path(claim, data))
        devices = ["/".join(candidate.id)] if candidate is not None else []
        self._add(DeviceTry(kind, data.name, claim.key, devices, text, *place))

    def _add(self, step: DeviceTry) -> None:
        last = self.tries[-1] if self.tries else None
        if last is not None and step.kind in ONE_REASON and _is_alike(last, step):
            if step.devices[0] not in last.devices:
                last.devices.append(step.devices[0])
            return
        if len(self.tries) >= MAX_TRIES:
            raise _Enough
        self.tries.append(step)

    def _note_in_use(self, claim: ResourceClaim, data: RequestData, candidate: Candidate) -> None:
        holder = self._documents.holder(candidate.id) if candidate.id in self.allocator.allocated.held else ""
        self._note("held" if holder else "chosen", claim, data, candidate, holder)

    def _note_mismatch(self, claim: ResourceClaim, data: RequestData, candidate: Candidate) -> bool:
        """Record the selector or node selection that rejects the device. Return whether there is one."""
        if self.is_selectable(claim, data, candidate):
            return False
        objection = self.allocator.selectors.objection(
            data.device_class, data.request, candidate.slice.driver, candidate.device
        )
        if objection is None:
            self._note("elsewhere", claim, data, candidate)
            return True
        of_class, index, text = objection
        path: Path = ("selectors", index, "cel", "expression")
        if of_class:
            place = self._documents.place("DeviceClass", data.device_class, ("spec", *path))
            self._note("selector", claim, data, candidate, text, document=place)
        else:
            self._note("selector", claim, data, candidate, text, (*self._path(claim, data), *path))
        return True

    def _path(self, claim: ResourceClaim, data: RequestData) -> Path:
        """Return the path of the request in its claim; ("spec",) if the claim has no such request."""
        for number, request in enumerate(claim.spec.requests):
            if request.name == data.base_name:
                start: Path = ("spec", "devices", "requests", number)
                for index, subrequest in enumerate(request.first_available):
                    if subrequest.name == data.subrequest_name:
                        return (*start, "firstAvailable", index)
                return (*start, "exactly")
        return ("spec",)

    def _lack_of_counters(self, candidate: Candidate) -> str:
        available = self.allocator.available.of(candidate.pool)
        consumed = self.counters.consumed(candidate.pool)
        for name, amounts in candidate.device.consumes_counters:
            for counter, amount in amounts:
                remaining = available.get(name, {}).get(counter, 0) - consumed.get(name, {}).get(counter, 0)
                if amount > remaining:
                    return f"{counter} {_amount(amount)} > {_amount(max(0, remaining))}"
        return ""

    def _lack_of_capacity(self, data: RequestData, candidate: Candidate) -> str:
        amounts = dict(data.request.capacity or ())
        for name in amounts:
            if name not in candidate.device.capacity:
                return f"{name} is missing"
        used = self.allocator.allocated.capacities.get(candidate.id, {})
        amounts_taken = self.capacities.get(candidate.id, {})
        for name, capacity in candidate.device.capacity.items():
            amount = consumed_amount(amounts.get(name), capacity)
            remaining = capacity.value.nano - used.get(name, 0) - amounts_taken.get(name, 0)
            if amount.nano > remaining:
                return f"{name} {amount} > {_amount(max(0, remaining))}"
        return ""


def _is_alike(device_try: DeviceTry, other: DeviceTry) -> bool:
    return (
        device_try.kind,
        device_try.request,
        device_try.claim,
        device_try.text,
        device_try.document,
        device_try.line,
    ) == (
        other.kind,
        other.request,
        other.claim,
        other.text,
        other.document,
        other.line,
    )


def _amount(nano: int) -> str:
    return str(Quantity(nano, "BinarySI"))
