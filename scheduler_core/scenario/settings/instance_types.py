"""Instance types of Karpenter's cloud: those of the document, or the generic ones of its kwok provider."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.container_resources import amounts
from scheduler_core.apis.karpenter import InstanceType, Offering
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.names import check_labels, text_map
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, invalid, required

Manifest = Mapping[str, Any]
DEFAULT_PODS = "110"
GIB = 1 << 30
# From kwok/tools/gen_instance_types.go, without the largest types and those with Windows.
CPUS = (1, 2, 4, 8, 16, 32, 48, 64)
FAMILIES = {"c": 2, "s": 4, "m": 8}  # GiB of memory per cpu
ARCHITECTURES = ("amd64", "arm64")
ZONES = ("test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d")
CPU_PRICE, GIGABYTE_PRICE = 0.025, 0.001  # for an hour
SPOT_SHARE = 0.7  # of the price on demand


def build_instance_types(data: Sequence[Manifest] | None, path: Path, problems: Problems) -> tuple[InstanceType, ...]:
    """Return the instance types of a document, or the generic ones if `data` is None."""
    if data is None:
        return generic_types()
    types: dict[str, InstanceType] = {}
    for index, entry in enumerate(data):
        built = _instance_type(entry, (*path, index), problems)
        if built.name in types:
            problems.error((*path, index, "name"), duplicate(built.name))
        types[built.name] = built
    return tuple(types.values())


def generic_types() -> tuple[InstanceType, ...]:
    """Return instance types of 1 to 64 cpus in three families and two architectures, each on offer in four zones."""
    return tuple(_generic(family, cpu, arch) for cpu in CPUS for family in FAMILIES for arch in ARCHITECTURES)


def estimated_price(capacity: Mapping[str, int]) -> float:
    """Return the price per hour of a generic type with these millicores of cpu and bytes of memory."""
    return CPU_PRICE * capacity.get("cpu", 0) / 1000 + GIGABYTE_PRICE * capacity.get("memory", 0) / 1e9


def _generic(family: str, cpu: int, arch: str) -> InstanceType:
    memory = cpu * FAMILIES[family] * GIB
    price = round(estimated_price({"cpu": cpu * 1000, "memory": memory}), 6)
    offerings = (
        Offering(zone, kind, price if kind == "on-demand" else round(price * SPOT_SHARE, 6))
        for zone in ZONES
        for kind in ("spot", "on-demand")
    )
    capacity = {"cpu": cpu * 1000, "memory": memory, "pods": cpu * 16, "ephemeral-storage": 20 * GIB}
    return InstanceType(f"{family}-{cpu}x-{arch}-linux", capacity, tuple(offerings), arch)


def _instance_type(data: Manifest, path: Path, problems: Problems) -> InstanceType:
    name = data.get("name") or ""
    if not name:
        problems.error((*path, "name"), required(Message("the name of the instance type")))
    for field in ("cpu", "memory"):
        if data.get(field) is None:
            problems.error(
                (*path, field), required(Message("as in {example}", example={"cpu": "4", "memory": "16Gi"}[field]))
            )
    resources = {"pods": DEFAULT_PODS, "ephemeral-storage": "100Gi", **(data.get("resources") or {})}
    resources |= {field: data[field] for field in ("cpu", "memory", "pods") if data.get(field) is not None}
    capacity = amounts(resources)
    for resource, amount in capacity.items():
        if amount < 0:
            message = Message("must be greater than or equal to {least}", least=0)
            problems.error(
                (*path, resource if resource in data else "resources"), invalid(resources[resource], message)
            )
    labels = text_map(data.get("labels"))
    check_labels(labels, (*path, "labels"), problems)
    if not data.get("offerings"):
        problems.error((*path, "offerings"), required(Message("a zone, a capacity type and a price")))
    return InstanceType(
        name,
        capacity,
        tuple(
            _offering(offering, (*path, "offerings", index), problems)
            for index, offering in enumerate(data.get("offerings") or ())
        ),
        data.get("arch") or "amd64",
        tuple(data.get("os") or ("linux",)),
        labels,
    )


def _offering(data: Manifest, path: Path, problems: Problems) -> Offering:
    for field in ("zone", "capacityType", "price"):
        if data.get(field) is None:
            problems.error((*path, field), required())
    price = data.get("price") or 0
    if not 0 <= price < math.inf:
        message = Message("must be greater than or equal to {least}", least=0)
        problems.error((*path, "price"), invalid(price, message))
    available = data.get("available")
    return Offering(
        data.get("zone") or "",
        data.get("capacityType") or "on-demand",
        float(price),
        True if available is None else available,
    )
