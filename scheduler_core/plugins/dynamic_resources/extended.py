"""Extended resources that DRA provides (extendeddynamicresources.go): the scheduler itself creates a claim.

Until PreBind writes it, the claim has a name that no object can have. On each node it requests what the node's device
plugins do not provide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.container_resources import is_sidecar, requests_or_limits
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.devices import (
    DEVICE_CLASS_PREFIX,
    EXTENDED_RESOURCE_CLAIM,
    ClaimSpec,
    DeviceRequest,
    ResourceClaim,
)
from scheduler_core.framework.extended_resources import ExtendedResources
from scheduler_core.framework.interface import SUCCESS, Code, Handle, Status
from scheduler_core.plugins.dynamic_resources import binding
from scheduler_core.plugins.dynamic_resources.state import State
from scheduler_core.plugins.node_resources.allocation import is_extended_resource

NAME_IN_MEMORY = "<extended-resources>"
OLD_CLAIM = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("cannot schedule extended resource claim",))
DOES_NOT_FIT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("cannot fit resource",))


def is_in_memory(claim: ResourceClaim) -> bool:
    """Return whether the claim has not been written yet."""
    return claim.name == NAME_IN_MEMORY


def claim_in_memory(pod: Pod) -> ResourceClaim:
    """Return a claim for all extended resources of the pod, without requests yet."""
    return ResourceClaim(
        NAME_IN_MEMORY,
        pod.namespace,
        f"{pod.uid}-extended-resources",
        ClaimSpec(),
        owner_name=pod.name,
        owner_uid=pod.uid,
        annotations={EXTENDED_RESOURCE_CLAIM: "true"},
    )


def on_node(
    pod: Pod, claim: ResourceClaim, node: Node, resources: ExtendedResources, *, alone: bool
) -> tuple[ResourceClaim | None, Status]:
    """Return the claim for the node and a status (`filterExtendedResources`).

    None with success: the claim is allocated, or device plugins provide everything. `alone`: the pod has no other
    claims; with others, even a claim without requests is allocated.
    """
    if claim.spec.requests:
        return None, OLD_CLAIM  # the claim of an earlier cycle, which PostFilter deletes
    by_dra = []
    for name, amount in pod.requests.items():
        if not amount or not (is_extended_resource(name) or name.startswith(DEVICE_CLASS_PREFIX)):
            continue
        if resources.class_of(name) is not None and not node.allocatable.get(name):
            by_dra.append(name)
        elif name not in node.allocatable:
            return None, DOES_NOT_FIT
    if claim.allocation is not None or (alone and not by_dra):
        return None, SUCCESS
    return replace(claim, spec=ClaimSpec(_requests(pod, sorted(by_dra), resources))), SUCCESS


def create(pod: Pod, claim: ResourceClaim, handle: Handle) -> ResourceClaim:
    """Write the claim for the chosen node, under its final name, and return it."""
    name = f"{pod.name}-extended-resources"
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": pod.namespace,
            "annotations": dict(claim.annotations),
            "ownerReferences": [owner],
        },
        "spec": {"devices": {"requests": [_manifest(request) for request in claim.spec.requests]}},
    }
    resource_claim = replace(claim, name=name, uid=f"{pod.uid}-{name}", manifest=manifest)
    handle.write(resource_claim, "create")
    return resource_claim


def unreserve(state: State, handle: Handle) -> None:
    """Remove the pending allocation, and delete the claim if it was written (`unreserveExtendedResourceClaim`)."""
    assert state.extended is not None
    handle.cluster.pending_allocations.remove(state.extended_uid)
    if not is_in_memory(state.extended):
        binding.delete_claim(state.extended, handle)


class _Container(msgspec.Struct, frozen=True):
    """A container's requests, and whether it is an init container that ends before the others start."""

    requests: dict[str, int]
    short_lived: bool


def _requests(pod: Pod, names: Sequence[str], resources: ExtendedResources) -> tuple[DeviceRequest, ...]:
    """Return a request for each container and resource (`createRequestsAndMappings`).

    Later containers reuse the devices of init containers.
    """
    spec = pod.manifest.get("spec") or {}
    init_containers = spec.get("initContainers") or ()
    containers = [
        _Container(requests_or_limits(container.get("resources") or {}), not is_sidecar(container))
        for container in init_containers
    ]
    containers += [
        _Container(requests_or_limits(container.get("resources") or {}), False)
        for container in spec.get("containers") or ()
    ]
    device_requests: list[DeviceRequest] = []
    for name in names:
        resource_class = resources.class_of(name)
        if resource_class is not None:
            device_requests += _of_resource(name, resource_class.name, containers)
    return tuple(sorted(device_requests, key=lambda request: request.name))


def _of_resource(name: str, device_class: str, containers: Sequence[_Container]) -> list[DeviceRequest]:
    """Return the requests for the resource: the largest of the init containers that end, then one for each other
    container that needs devices.
    """
    lasting: list[DeviceRequest | None] = [
        None if container.short_lived else _request(index, container, name, device_class, 0)
        for index, container in enumerate(containers)
    ]
    largest: DeviceRequest | None = None
    for index, container in enumerate(containers):
        if container.short_lived:
            reusable = sum(request.count for request in lasting[index:] if request is not None)
            request = _request(index, container, name, device_class, reusable)
            if request is not None and (largest is None or largest.count < request.count):
                largest = request
    return [request for request in (largest, *lasting) if request is not None]


def _request(index: int, container: _Container, name: str, device_class: str, reusable: int) -> DeviceRequest | None:
    """Return the container's request for the devices beyond the `reusable` ones, None if it needs no others."""
    amount = container.requests.get(name, 0)
    if not amount or reusable >= amount:
        return None
    position = sorted(container.requests).index(name)
    return DeviceRequest(f"container-{index}-request-{position}", device_class, count=amount - reusable)


def _manifest(request: DeviceRequest) -> dict[str, Any]:
    exactly = {"deviceClassName": request.device_class, "allocationMode": request.mode, "count": request.count}
    return {"name": request.name, "exactly": exactly}
