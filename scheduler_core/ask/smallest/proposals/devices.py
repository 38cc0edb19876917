"""Proposals for DynamicResources: smaller requests, tolerations for taints, and the release of allocated devices.

The spec of a claim is immutable, so the claim and its pod are created again. An edit of a generated claim changes its
template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from scheduler_core.apis.devices import (
    ALL,
    POD_CLAIM_NAME,
    Device,
    DeviceClass,
    DeviceRequest,
    ResourceClaim,
    ResourceSlice,
)
from scheduler_core.ask.editing.edits import Edit, Path, Remove, SetField
from scheduler_core.ask.smallest.proposals.proposal import Case, Proposal, narrowest_toleration
from scheduler_core.plugins.dynamic_resources.claims import claim_keys
from scheduler_core.trace.summaries import taint_text

MAX_CLASSES = 5
MAX_HOLDERS = 8
EFFECTS = ("NoSchedule", "NoExecute")


def proposals(case: Case) -> Iterator[Proposal]:
    """Propose changes of claims that have no devices yet, and the release of devices that the pod's own claims have on
    other nodes or that claims of other pods have.
    """
    own = list(_claims_of(case))
    for claim in own:
        if claim.allocation is not None:
            yield from _release(case, claim)
    claims = [claim for claim in own if claim.allocation is None]
    devices = list(_devices(case)) if claims else []
    for claim in claims:
        for path, request in _requests(claim):
            yield from _of_class(case, claim, path, request)
            yield from _fewer(case, claim, path, request)
            yield from _without_selectors(claim, path, request)
            yield from _tolerations(claim, path, request, devices)
        yield from _without_constraints(claim)
    if claims:
        yield from _holders(case)


def _claims_of(case: Case) -> Iterator[ResourceClaim]:
    for key in claim_keys(case.pod):
        claim = case.world.cluster.get("ResourceClaim", key)
        if isinstance(claim, ResourceClaim):
            yield claim


def _requests(claim: ResourceClaim) -> Iterator[tuple[Path, DeviceRequest]]:
    """Yield the requests, and the subrequests of lists, with their paths."""
    for index, request in enumerate(claim.spec.requests):
        path: Path = ("spec", "devices", "requests", index)
        for place, subrequest in enumerate(request.first_available):
            yield (*path, "firstAvailable", place), subrequest
        if not request.first_available:
            yield (*path, "exactly"), request


def _set(claim: ResourceClaim, path: Path, value: Any = None, *, add: bool = False) -> SetField:
    return SetField("ResourceClaim", claim.name, path, value, claim.namespace, add)


def _name(claim: ResourceClaim, request: DeviceRequest) -> str:
    return f"{claim.name} {request.name}"


def _of_class(case: Case, claim: ResourceClaim, path: Path, request: DeviceRequest) -> Iterator[Proposal]:
    """Propose up to MAX_CLASSES classes in place of one that does not exist, those with similar names first."""
    cluster = case.world.cluster
    if isinstance(cluster.get("DeviceClass", request.device_class), DeviceClass):
        return
    names = [
        device_class.name for device_class in cluster.objects("DeviceClass") if isinstance(device_class, DeviceClass)
    ]
    alike = {name: SequenceMatcher(None, name, request.device_class).ratio() for name in names}
    for name in sorted(names, key=lambda name: (-alike[name], name))[:MAX_CLASSES]:
        edit = _set(claim, (*path, "deviceClassName"), name)
        yield Proposal("device-class", [edit], _name(claim, request), request.device_class, name, 1.0 - alike[name] / 2)


def _fewer(case: Case, claim: ResourceClaim, path: Path, request: DeviceRequest) -> Iterator[Proposal]:
    """Propose the largest smaller count that suffices, or one device: for mode All, or if none suffices."""
    if request.mode == ALL:
        edit = _set(claim, (*path, "allocationMode"), "ExactCount")  # the default count is 1
        yield Proposal("device-count", [edit], _name(claim, request), ALL, 1, 1.0)
        return
    for count in range(request.count - 1, 0, -1):
        edit = _set(claim, (*path, "count"), count)
        if count == 1 or case.accepts([edit]):
            share = (request.count - count) / request.count
            yield Proposal("device-count", [edit], _name(claim, request), request.count, count, share)
            return


def _without_selectors(claim: ResourceClaim, path: Path, request: DeviceRequest) -> Iterator[Proposal]:
    selectors = [{"cel": {"expression": expression}} for expression in request.selectors]
    for index, expression in enumerate(request.selectors):
        edit = _set(claim, (*path, "selectors"), _all_but(selectors, index))
        yield Proposal("device-selector", [edit], _name(claim, request), expression, None, 0.75)


def _without_constraints(claim: ResourceClaim) -> Iterator[Proposal]:
    devices: Mapping[str, Any] = (claim.manifest.get("spec") or {}).get("devices") or {}
    constraints: Sequence[Any] = devices.get("constraints") or ()
    for index, constraint in enumerate(claim.spec.constraints):
        field = "matchAttribute" if constraint.match_attribute else "distinctAttribute"
        attribute = constraint.match_attribute or constraint.distinct_attribute
        edit = _set(claim, ("spec", "devices", "constraints"), _all_but(constraints, index))
        yield Proposal("device-constraint", [edit], f"{claim.name} {field}", attribute, None, 0.75)


def _all_but(entries: Sequence[Any], index: int) -> list[Any] | None:
    return [entry for at, entry in enumerate(entries) if at != index] or None


def _tolerations(
    claim: ResourceClaim, path: Path, request: DeviceRequest, devices: Sequence[Device]
) -> Iterator[Proposal]:
    """Propose to tolerate each taint of the node's devices."""
    for taint in dict.fromkeys(taint for device in devices for taint in device.taints):
        if taint.effect in EFFECTS and not any(toleration.tolerates(taint) for toleration in request.tolerations):
            edit = _set(claim, (*path, "tolerations"), narrowest_toleration(taint), add=True)
            yield Proposal("device-toleration", [edit], _name(claim, request), None, taint_text(taint), 0.5)


def _slices(case: Case) -> Iterator[ResourceSlice]:
    """Yield the slices that the node can use."""
    labels, name = case.node.labels, case.node.name
    for piece in case.world.cluster.objects("ResourceSlice"):
        if isinstance(piece, ResourceSlice) and (piece.reach is None or piece.reach.includes(name, labels)):
            yield piece


def _devices(case: Case) -> Iterator[Device]:
    return (device for piece in _slices(case) for device in piece.devices)


def _holders(case: Case) -> Iterator[Proposal]:
    """Propose, for up to MAX_HOLDERS claims that have devices of the node, to delete the users, which releases them."""
    pools = {(piece.driver, piece.pool) for piece in _slices(case)}
    number = 0
    for claim in case.world.cluster.objects("ResourceClaim"):
        if not isinstance(claim, ResourceClaim) or claim.allocation is None:
            continue
        if claim.key in claim_keys(case.pod) or not any(
            (result.driver, result.pool) in pools and not result.admin_access for result in claim.allocation.results
        ):
            continue
        for proposal in _release(case, claim) if number < MAX_HOLDERS else ():
            number += 1
            yield proposal


def _release(case: Case, claim: ResourceClaim) -> Iterator[Proposal]:
    """Propose to delete a claim's other users, which releases its devices; a generated claim goes with its pod."""
    if any(consumer.resource != "pods" for consumer in claim.reserved_for):
        return
    users = [f"{claim.namespace}/{consumer.name}" for consumer in claim.reserved_for]
    there = [pod for key in users if key != case.pod.key and (pod := case.world.cluster.pods.get(key)) is not None]
    generated = POD_CLAIM_NAME in claim.annotations and claim.key not in claim_keys(case.pod)
    release = Remove("ResourceClaim", claim.name, claim.namespace) if generated else _set(claim, ("status",))
    edits: list[Edit] = [release, *(Remove("Pod", pod.name, pod.namespace) for pod in there)]
    names = ", ".join(pod.name for pod in there)
    yield Proposal("device-holder", edits, claim.name, names or None, None, 1.0 + len(there))
