"""Random small clusters with a pod that waits for devices: wrong classes, taints, selectors, too few devices, or
devices in use."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.builders import (
    Manifest,
    claims,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    pod,
    resource_slice,
    scenario,
)

SELECTORS = (
    "device.attributes['gpu.example.com'].model == 'h100'",
    "device.attributes['gpu.example.com'].numa == 0",
    "device.attributes['gpu.example.com'].model.startsWith('a')",
)


def text(seed: int) -> str:
    """Return a scenario whose first attempt is that of the pod default/waits."""
    random = Random(seed)
    names = [f"n{number}" for number in range(1, random.randint(1, 3) + 1)]
    slices = [_slice(random, name) for name in names]
    holding = [item for number, piece in enumerate(slices) for item in _holders(random, f"h{number}", piece)]
    wanted = [_claim(random, f"c{number}") for number in range(random.choice((1, 1, 1, 2)))]
    waits = pod("waits", resourceClaims=claims(*(one["metadata"]["name"] for one in wanted)))
    classes = [device_class("gpu"), device_class("nic")]
    users = _allocate(Random(f"{seed} allocated"), wanted, waits, slices, holding)
    return scenario(*map(node, names), *classes, *slices, *holding, *wanted, *users, waits)


def _allocate(
    random: Random,
    wanted: Sequence[Manifest],
    waits: Manifest,
    slices: Sequence[Manifest],
    holding: Sequence[Manifest],
) -> list[Manifest]:
    """In a third of the clusters, allocate a free device to one of the claims.

    Return the pods that use the claim, if any.

    The pending pod then usually selects another node.
    """
    held = {
        (one["pool"], one["device"])
        for claim in holding
        for one in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ())
    }
    free = [
        (piece["spec"]["nodeName"], piece["spec"]["pool"]["name"], one["name"])
        for piece in slices
        for one in piece["spec"]["devices"]
        if (piece["spec"]["pool"]["name"], one["name"]) not in held
    ]
    if not free or random.random() < 0.67:
        return []
    claim, (where, pool, taken) = random.choice(wanted), random.choice(free)
    result = {"request": "r0", "driver": "gpu.example.com", "pool": pool, "device": taken}
    field = {"key": "metadata.name", "operator": "In", "values": [where]}
    selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    claim["status"] = {"allocation": {"devices": {"results": [result]}, "nodeSelector": selector}}
    others = [name for piece in slices if (name := piece["spec"]["nodeName"]) != where]
    if others and random.random() < 0.8:
        waits["spec"]["nodeSelector"] = {"kubernetes.io/hostname": random.choice(others)}
    if random.random() < 0.25:
        return []
    claim["status"]["reservedFor"] = [{"resource": "pods", "name": "shares"}]
    return [pod("shares", node=where, resourceClaims=claims(claim["metadata"]["name"]))]


def _slice(random: Random, name: str) -> Manifest:
    devices = [_device(random, f"gpu-{number}") for number in range(random.randint(1, 4))]
    return resource_slice(f"{name}-gpu", devices, node=name)


def _device(random: Random, name: str) -> Manifest:
    made = device(name, model=random.choice(("a100", "h100")), numa=random.randint(0, 1), root=random.choice("xy"))
    if random.random() < 0.3:
        value = random.choice(("", "v"))
        made["taints"] = [{"key": random.choice(("broken", "slow")), "value": value, "effect": "NoSchedule"}]
    return made


def _holders(random: Random, name: str, piece: Manifest) -> list[Manifest]:
    """Return a claim with one or two devices of the slice and up to two pods that use it, or nothing."""
    devices = [one["name"] for one in piece["spec"]["devices"]]
    if random.random() < 0.4:
        return []
    held = random.sample(devices, min(len(devices), random.choice((1, 1, 2))))
    where = piece["spec"]["nodeName"]
    users = [f"{name}-{number}" for number in range(random.choice((0, 1, 1, 1, 2)))]
    results = [
        {"request": "gpu", "driver": "gpu.example.com", "pool": piece["spec"]["pool"]["name"], "device": one}
        for one in held
    ]
    status: dict[str, Any] = {"allocation": {"devices": {"results": results}}}
    status |= {"reservedFor": [{"resource": "pods", "name": one} for one in users]} if users else {}
    claim = device_claim(name, device_request(count=len(held)), status=status)
    return [claim, *(pod(one, node=where, resourceClaims=claims(name)) for one in users)]


def _claim(random: Random, name: str) -> Manifest:
    requests = []
    for number in range(random.choice((1, 1, 2))):
        if random.random() < 0.15:
            listed = [{"name": f"s{at}", **_exact(random)} for at in range(2)]
            requests.append({"name": f"r{number}", "firstAvailable": listed})
        else:
            requests.append({"name": f"r{number}", "exactly": _exact(random)})
    constraints = [{"matchAttribute": "gpu.example.com/root"}] if random.random() < 0.3 else []
    constraints += [{"matchAttribute": "gpu.example.com/numa"}] if random.random() < 0.15 else []
    return device_claim(name, *requests, constraints=constraints)


def _exact(random: Random) -> Manifest:
    made: Manifest = {"deviceClassName": random.choice(("gpu",) * 9 + ("gpus",))}
    if random.random() < 0.5:
        chosen = random.sample(SELECTORS, random.choice((1, 1, 2)))
        made["selectors"] = [{"cel": {"expression": one}} for one in chosen]
    if random.random() < 0.1:
        made["allocationMode"] = "All"
    elif random.random() < 0.4:
        made["count"] = random.choice((2, 3, 4))
    if random.random() < 0.1:
        made["tolerations"] = [{"key": "slow", "operator": "Exists"}]
    return made
