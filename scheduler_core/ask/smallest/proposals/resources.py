"""Proposals for NodeResourcesFit: smaller requests, or a larger node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scheduler_core.apis.quantity import format_bytes, format_cpu, milli_value, parse_nano, value
from scheduler_core.ask.editing.edits import Edit, Path, SetField
from scheduler_core.ask.smallest.proposals.proposal import Asked, Proposal
from scheduler_core.ask.smallest.proposals.truth import falsified

OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")  # for other resources, request and limit are equal


def proposals(asked: Asked) -> Iterator[Proposal]:
    """Propose smaller requests or a larger node for the resources that are insufficient."""
    short = shortages(asked)
    for name, (has, needs, total) in short.items():
        if name != "pods" and needs and (less := _request(asked, name, max(has, 0))) is not None:
            yield less
        where = "allocatable" if (asked.node.manifest.get("status") or {}).get("allocatable") else "capacity"
        edit = asked.of_node(("status", where, name), written(name, total - has + needs))
        before = total if name == "pods" else written(name, total)
        after = total - has + needs if name == "pods" else written(name, total - has + needs)
        size = 0.5 if name == "pods" else 1.0 + (needs - has) / max(total, 1)
        yield Proposal("room", [edit], name, before, after, size, falsified(edit, "room"))


def shortages(asked: Asked) -> dict[str, tuple[int, int, int]]:
    """Return (free, requested, total) of each insufficient resource in base units; free may be negative."""
    nodes = asked.world.cluster.nodes
    row = nodes.row_of[asked.node.name]
    short: dict[str, tuple[int, int, int]] = {}
    if int(nodes.pod_count[row]) + 1 > int(nodes.allowed_pods[row]):
        allowed = int(nodes.allowed_pods[row])
        short["pods"] = (allowed - int(nodes.pod_count[row]), 1, allowed)
    for name, needs in asked.pod.requests.items():
        number = nodes.resources.get(name)
        total = int(nodes.allocatable[number, row]) if number is not None else 0
        free = total - (int(nodes.requested[number, row]) if number is not None else 0)
        if needs > free and name != "pods":
            short[name] = (free, needs, total)
    return short


class _Container(NamedTuple):
    """A container.

    `path` leads to its resources; `now` is its request. `alone`: an init container that ends before the others start.
    """

    path: Path
    resources: Mapping[str, Any]
    now: int
    alone: bool


def _request(asked: Asked, resource: str, most: int) -> Proposal | None:
    """Propose requests that total `most`; None if the overhead alone is more."""
    needs = asked.pod.requests[resource]
    budget = most - amount(resource, (asked.spec.get("overhead") or {}).get(resource, 0))
    if budget < 0:
        return None
    edits = _lowered(asked, resource, budget)
    own = asked.spec.get("resources") or {}
    if _given(resource, own) is not None:
        edits.append(_asking(asked, _Container(("spec", "resources"), own, 0, alone=False), resource, budget))
    share = (needs - most) / needs
    return Proposal("request", edits, resource, written(resource, needs), written(resource, most), share)


def _lowered(asked: Asked, resource: str, budget: int) -> list[Edit]:
    """Return lower requests.

    Containers and sidecars share the amount, the largest is reduced first; each other init container can use all of it.
    """
    found = list(_containers(asked, resource))
    wanted = [one.now for one in found]
    together = [index for index, one in enumerate(found) if not one.alone]
    while (over := sum(wanted[index] for index in together) - budget) > 0:
        largest = max(together, key=lambda index: wanted[index])
        wanted[largest] -= min(over, wanted[largest])
    sidecars = 0
    for index, one in enumerate(found):
        if one.path[1] != "initContainers":
            continue
        if one.alone:
            wanted[index] = max(min(wanted[index], budget - sidecars), 0)
        else:
            sidecars += wanted[index]
    return [
        _asking(asked, one, resource, now) for one, now in zip(found, wanted, strict=True) if now != one.now
    ]  # never negative, since sidecars and containers fit together


def _containers(asked: Asked, resource: str) -> Iterator[_Container]:
    for field in ("initContainers", "containers"):
        for index, one in enumerate(asked.spec.get(field) or ()):
            resources = one.get("resources") or {}
            alone = field == "initContainers" and one.get("restartPolicy") != "Always"
            yield _Container(("spec", field, index, "resources"), resources, _given(resource, resources) or 0, alone)


def _given(resource: str, resources: Mapping[str, Any]) -> int | None:
    """Return the request of a container; the limit is used if there is no request."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    found = requests.get(resource, limits.get(resource))
    return None if found is None else amount(resource, found)


def _asking(asked: Asked, one: _Container, resource: str, units: int) -> SetField:
    """Return the container's resources with another request; a limit equal to the request is changed too."""
    text = written(resource, units)
    if resource in OVERCOMMITTED:
        return asked.of_pod((*one.path, "requests", resource), text)
    both = {name: {**(one.resources.get(name) or {}), resource: text} for name in ("requests", "limits")}
    return asked.of_pod(one.path, {**one.resources, **both})


def amount(resource: str, quantity: object) -> int:
    """Return the amount in the engine's units: cpu in millicores."""
    return milli_value(parse_nano(str(quantity))) if resource == "cpu" else value(parse_nano(str(quantity)))


def written(resource: str, units: int) -> str:
    """Return the amount as a quantity in a manifest."""
    if resource == "cpu":
        return format_cpu(units)
    in_bytes = resource in OVERCOMMITTED or resource.startswith("hugepages-")
    return format_bytes(units) if in_bytes else str(units)
