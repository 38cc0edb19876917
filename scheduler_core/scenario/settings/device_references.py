"""Warnings about missing DeviceClasses and claims, claims for too many devices, and incomplete pools of slices.

The API server accepts such objects, and kube-scheduler reports the consequences, but they are probably mistakes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from scheduler_core.apis.core import KubernetesObject, Pod
from scheduler_core.apis.devices import (
    ALLOCATION_RESULTS_MAX_SIZE,
    POD_CLAIM_NAME,
    ClaimSpec,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.objects.device_selectors import exact_requests
from scheduler_core.scenario.objects.kinds import Identity
from scheduler_core.scenario.reading.problems import Path, Problems, show

Enter = Callable[[Identity], bool]
"""Makes paths relative to an object's document; returns False if the object has none."""


def check_device_references(
    objects: Iterable[KubernetesObject], exists: Callable[[Identity], bool], enter: Enter, problems: Problems
) -> None:
    """Warn about references to missing objects, claims for too many devices, and incomplete pools.

    `exists` returns whether an object exists at the start or will be created.
    """
    claims: dict[tuple[str, str], ResourceClaim] = {}
    pods: list[Pod] = []
    slices: defaultdict[tuple[str, str], list[ResourceSlice]] = defaultdict(list)
    for item in objects:
        if isinstance(item, ResourceSlice):
            slices[item.driver, item.pool].append(item)
        elif isinstance(item, ResourceClaimTemplate):
            if enter(("ResourceClaimTemplate", item.namespace, item.name)):
                _check_claim(item.spec, ("spec", "spec"), exists, problems)
        elif isinstance(item, ResourceClaim):
            claims[item.namespace, item.name] = item
            if item.allocation is None and enter(("ResourceClaim", item.namespace, item.name)):
                _check_claim(item.spec, ("spec",), exists, problems)
        elif isinstance(item, Pod) and item.resource_claims:
            pods.append(item)
    for pool in slices.values():
        _check_pool(pool, enter, problems)
    for pod in pods:
        if enter(("Pod", pod.namespace, pod.name)):
            _check_pod(pod, claims, exists, problems)


def _check_claim(spec: ClaimSpec, path: Path, exists: Callable[[Identity], bool], problems: Problems) -> None:
    path = (*path, "devices", "requests")
    for at, request in exact_requests(spec, path):
        if not exists(("DeviceClass", "", request.device_class)):
            message = Message("there is no DeviceClass {name}", name=show(request.device_class))
            problems.warn((*at, "deviceClassName"), message)
    fewest = sum(
        min(subrequest.count for subrequest in request.first_available or (request,)) for request in spec.requests
    )
    if fewest > ALLOCATION_RESULTS_MAX_SIZE:
        message = Message(
            "{count} devices are requested, and a claim can have at most {most}",
            count=fewest,
            most=ALLOCATION_RESULTS_MAX_SIZE,
        )
        problems.warn(path, message)


def _check_pool(slices: list[ResourceSlice], enter: Enter, problems: Problems) -> None:
    """Warn if the number of slices of the newest generation is not the one that the first of them states."""
    newest = max(piece.generation for piece in slices)
    current = [piece for piece in slices if piece.generation == newest]
    first = current[0]
    if len(current) == first.slice_count or not enter(("ResourceSlice", "", first.name)):
        return
    message = Message(
        "the pool {pool} of driver {driver} is incomplete: {count} of its {total} slices of generation {generation} "
        "exist",
        pool=first.pool,
        driver=first.driver,
        count=len(current),
        total=first.slice_count,
        generation=newest,
    )
    problems.warn(("spec", "pool", "resourceSliceCount"), message)


def _check_pod(
    pod: Pod, claims: dict[tuple[str, str], ResourceClaim], exists: Callable[[Identity], bool], problems: Problems
) -> None:
    generated = dict(pod.resource_claim_statuses)
    for index, entry in enumerate(pod.resource_claims):
        path: Path = ("spec", "resourceClaims", index)
        if entry.claim and not exists(("ResourceClaim", pod.namespace, entry.claim)):
            message = Message("there is no ResourceClaim {name}", name=show(entry.claim))
            problems.warn((*path, "resourceClaimName"), message)
        name = entry.claim or generated.get(entry.name, "")
        claim = claims.get((pod.namespace, name))
        is_generated = bool(entry.template) or (claim is not None and POD_CLAIM_NAME in claim.annotations)
        if claim is not None and is_generated and claim.owner_uid != pod.uid:
            message = Message("ResourceClaim {name} was generated for another pod", name=show(name))
            problems.warn((*path, "resourceClaimName" if entry.claim else "name"), message)
        elif entry.template and not name and not exists(("ResourceClaimTemplate", pod.namespace, entry.template)):
            message = Message("there is no ResourceClaimTemplate {name}", name=show(entry.template))
            problems.warn((*path, "resourceClaimTemplateName"), message)
