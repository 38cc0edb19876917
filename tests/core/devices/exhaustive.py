"""The devices that a pod's claims get on a node, by exhaustive search: the first solution in the order of the search.

Written from the documentation of `resource.k8s.io/v1`, on manifests, without the engine. The first solution of a
depth-first search is the lexicographically first of all, so that nothing here has to backtrack. Selectors are Python,
next to their CEL text in `SELECTORS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tests.builders import Manifest

DOMAIN = "gpu.example.com"
DeviceID = tuple[str, str, str]  # driver, pool, device


def attribute(device: Manifest, name: str) -> Any:
    """Return the value of an attribute, or None if the device does not have it."""
    found = device.get("attributes", {}).get(name)
    return None if found is None else next(iter(found.values()))


def memory(device: Manifest) -> int:
    """Return the memory of a device in Gi."""
    return int(device["capacity"]["memory"]["value"].removesuffix("Gi"))


SELECTORS: dict[str, Callable[[Manifest], bool]] = {
    "true": lambda _: True,
    f'device.attributes["{DOMAIN}"].model == "a100"': lambda one: attribute(one, "model") == "a100",
    f'device.attributes["{DOMAIN}"].model in ["h100", "l4"]': lambda one: attribute(one, "model") in ("h100", "l4"),
    f'device.capacity["{DOMAIN}"].memory.compareTo(quantity("40Gi")) >= 0': lambda one: memory(one) >= 40,
    f'device.capacity["{DOMAIN}"].memory.isLessThan(quantity("40Gi"))': lambda one: memory(one) < 40,
    f'has(device.attributes["{DOMAIN}"].link) && device.attributes["{DOMAIN}"].link': (
        lambda one: attribute(one, "link") is True
    ),
    f'"numa" in device.attributes["{DOMAIN}"] && device.attributes["{DOMAIN}"].numa > 0': (
        lambda one: attribute(one, "numa") is not None and attribute(one, "numa") > 0
    ),
    f'!device.attributes["{DOMAIN}"].model.startsWith("a")': lambda one: not attribute(one, "model").startswith("a"),
}


class Refused(Exception):
    """The search ends with an error: a request wants all devices, and a pool of the node is incomplete or ambiguous."""


@dataclass(frozen=True)
class Used:
    """Resources in use: whole devices, the memory of shared devices in Gi, and counters by pool."""

    whole: frozenset[DeviceID] = frozenset()
    memory: Mapping[DeviceID, int] = field(default_factory=dict)
    counters: Mapping[tuple[str, str], int] = field(default_factory=dict)  # driver, pool -> slots


@dataclass(frozen=True)
class Candidate:
    id: DeviceID
    device: Manifest
    slots: int | None  # that the pool has

    @property
    def shared(self) -> bool:
        return bool(self.device.get("allowMultipleAllocations"))

    @property
    def consumes(self) -> int:
        sets = self.device.get("consumesCounters", [])
        return sum(int(one["counters"]["slots"]["value"]) for one in sets)


@dataclass(frozen=True)
class Pick:
    """A device for a request. `amount`: the memory that it takes of a shared device, in Gi."""

    request: str
    candidate: Candidate
    amount: int = 0
    admin: bool = False


def picks(node: str, claims: Sequence[Manifest], slices: Sequence[Manifest], used: Used, minor: int) -> Any:
    """Return the (request, device) pairs of each claim on the node, or None if it has no solution.

    Raise Refused if a request wants all devices and a pool of the node is incomplete or ambiguous.
    """
    candidates, broken = _candidates(node, slices, minor)
    for claim in claims:
        for request in claim["spec"]["devices"]["requests"]:
            exact = request.get("exactly")
            for one in [exact] if exact else request["firstAvailable"]:
                if one.get("allocationMode") == "All" and broken:
                    raise Refused
    for found in _products(claims, candidates, used):
        return [[(pick.request, pick.candidate.id) for pick in chosen] for chosen in found]
    return None


def _candidates(node: str, slices: Sequence[Manifest], minor: int) -> tuple[list[Candidate], bool]:
    """Return the devices for the node in order, and whether a pool of the node is incomplete or ambiguous."""
    pools: dict[tuple[str, str], list[Manifest]] = {}
    for one in slices:
        pools.setdefault((one["spec"]["driver"], one["spec"]["pool"]["name"]), []).append(one)
    found: list[Candidate] = []
    broken = False
    for (driver, pool), pieces in sorted(pools.items()):
        newest = max(piece["spec"]["pool"]["generation"] for piece in pieces)
        current = [piece for piece in pieces if piece["spec"]["pool"]["generation"] == newest]
        here = [
            piece
            for piece in sorted(current, key=lambda piece: piece["metadata"]["name"])
            if piece["spec"].get("nodeName") == node or piece["spec"].get("allNodes")
        ]
        if not here:
            continue
        wanted = here[0]["spec"]["pool"]["resourceSliceCount"]
        if (len(here) if minor < 35 else len(current)) != wanted:
            broken = True
            if minor >= 35:
                continue
        names = [device["name"] for piece in here for device in piece["spec"].get("devices", [])]
        if len(set(names)) < len(names):
            broken = True
            continue
        slots = None
        for piece in current:
            for one in piece["spec"].get("sharedCounters", []):
                slots = int(one["counters"]["slots"]["value"])
        for piece in here:
            devices = piece["spec"].get("devices", [])
            found += [Candidate((driver, pool, device["name"]), device, slots) for device in devices]
    return found, broken


def _products(claims: Sequence[Manifest], candidates: list[Candidate], used: Used) -> Iterator[list[list[Pick]]]:
    """Yield all solutions in the order of the search."""

    def of_claims(number: int, before: list[list[Pick]]) -> Iterator[list[list[Pick]]]:
        if number == len(claims):
            yield before
            return
        for picked in of_requests(claims[number], 0, [], [one for listed in before for one in listed]):
            yield from of_claims(number + 1, [*before, picked])

    def of_requests(claim: Manifest, number: int, mine: list[Pick], others: list[Pick]) -> Iterator[list[Pick]]:
        requests = claim["spec"]["devices"]["requests"]
        if number == len(requests):
            if all(_holds(one, mine) for one in claim["spec"]["devices"].get("constraints", [])):
                yield mine
            return
        request = requests[number]
        alternatives = (
            [(request["name"], request["exactly"])]
            if "exactly" in request
            else [(f"{request['name']}/{one['name']}", one) for one in request["firstAvailable"]]
        )
        for name, one in alternatives:
            for group in _groups(name, one, candidates, used):
                if _is_free(others, mine, group, used):
                    yield from of_requests(claim, number + 1, [*mine, *group], others)

    return of_claims(0, [])


def _groups(name: str, request: Manifest, candidates: list[Candidate], used: Used) -> Iterator[list[Pick]]:
    """Yield all ways to serve one request, regardless of devices in use; mode All leaves out shared devices that are
    full."""
    admin = bool(request.get("adminAccess"))
    asked = request.get("capacity", {}).get("requests", {}).get("memory")
    matching: list[Pick] = []
    for candidate in candidates:
        if request["deviceClassName"] == "net" and candidate.id[0] != "net.example.com":
            continue
        if request["deviceClassName"] == "gpu" and candidate.id[0] != DOMAIN:
            continue
        if not all(SELECTORS[one["cel"]["expression"]](candidate.device) for one in request.get("selectors", [])):
            continue
        amount = _amount(candidate, asked)
        if amount is not None:
            matching.append(Pick(name, candidate, amount, admin))
    usable = [one for one in matching if _tolerated(one.candidate.device, request)]
    if request.get("allocationMode") == "All":
        matching = [one for one in matching if not one.candidate.shared or _has_room(one, used)]
        usable = [one for one in usable if one in matching]
        if matching and usable == matching:
            yield matching
        return
    yield from map(list, combinations(usable, request.get("count", 1)))


def _has_room(pick: Pick, used: Used) -> bool:
    return used.memory.get(pick.candidate.id, 0) + pick.amount <= memory(pick.candidate.device)


def _amount(candidate: Candidate, asked: str | None) -> int | None:
    """Return the memory in Gi that is taken of a shared device, or None if it has too little."""
    whole = memory(candidate.device) if "capacity" in candidate.device else 0
    wanted = int(asked.removesuffix("Gi")) if asked else None
    if wanted is not None and wanted > whole:
        return None
    if not candidate.shared:
        return 0
    policy = candidate.device["capacity"]["memory"].get("requestPolicy")
    if policy is None:
        return whole if wanted is None else wanted
    if wanted is None:
        return int(policy["default"].removesuffix("Gi"))
    if "validValues" in policy:
        values = [int(one.removesuffix("Gi")) for one in policy["validValues"]]
        return next((one for one in values if one >= wanted), None)
    least, step = (int(policy["validRange"][key].removesuffix("Gi")) for key in ("min", "step"))
    rounded = least + -(-max(wanted - least, 0) // step) * step
    return rounded if rounded <= int(policy["validRange"]["max"].removesuffix("Gi")) else None


def _tolerated(device: Manifest, request: Manifest) -> bool:
    def is_tolerated(taint: Manifest) -> bool:
        return any(
            one.get("effect", taint["effect"]) == taint["effect"]
            and one.get("key", taint["key"]) == taint["key"]
            and (one.get("operator") == "Exists" or one.get("value", "") == taint.get("value", ""))
            for one in request.get("tolerations", [])
        )

    return all(is_tolerated(one) for one in device.get("taints", []) if one["effect"] in ("NoSchedule", "NoExecute"))


def _is_free(before: list[Pick], mine: list[Pick], group: list[Pick], used: Used) -> bool:
    """Return whether `group` is still free after other claims (`before`) and this one (`mine`) got their devices.

    A device is given once. Admin access is for any device, once in a claim, and nobody else is given it after that.
    """
    mine = list(mine)
    for pick in group:
        earlier = {one.candidate.id for one in (mine if pick.admin else [*before, *mine])}
        if not pick.candidate.shared and pick.candidate.id in earlier:
            return False
        if not pick.admin and pick.candidate.id in used.whole:
            return False
        mine.append(pick)
    amounts: Counter[DeviceID] = Counter(used.memory)
    slots: Counter[tuple[str, str]] = Counter(used.counters)
    for one in (*before, *mine):
        amounts[one.candidate.id] += one.amount
        if one.candidate.shared and amounts[one.candidate.id] > memory(one.candidate.device):
            return False
        slots[one.candidate.id[:2]] += one.candidate.consumes
        if one.candidate.consumes and slots[one.candidate.id[:2]] > (one.candidate.slots or 0):
            return False
    return True


def _holds(constraint: Manifest, picked: list[Pick]) -> bool:
    key = constraint.get("matchAttribute") or constraint["distinctAttribute"]
    concerned = [
        one
        for one in picked
        if not constraint.get("requests")
        or one.request in constraint["requests"]
        or one.request.split("/")[0] in constraint["requests"]
    ]
    values = []
    for one in concerned:
        domain, _, name = key.partition("/")
        value = one.candidate.device.get("attributes", {}).get(name if domain == one.candidate.id[0] else key)
        if value is None:
            return False
        values.append(str(value))
    return len(set(values)) <= 1 if "matchAttribute" in constraint else len(set(values)) == len(values)
