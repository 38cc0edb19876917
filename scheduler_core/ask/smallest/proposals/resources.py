"""Proposals for NodeResourcesFit: smaller requests, or a larger node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scheduler_core.apis.quantity import format_bytes, format_cpu, milli_value, parse_nano, value
from scheduler_core.ask.editing.edits import Edit, Path, SetField
from scheduler_core.ask.smallest.proposals.proposal import Case, Proposal
from scheduler_core.ask.smallest.proposals.truth import find_contradicted_fact

NO_DEVICE = 4.0  # the size of a request for none of an extended resource: more than that of another node
OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")  # for other resources, request and limit are equal


def proposals(case: Case) -> Iterator[Proposal]:
    """Propose smaller requests or a larger node for the resources that are insufficient."""
    short = shortages(case)
    for name, (has, needs, total) in short.items():
        if name != "pods" and needs and (less := _request(case, name, max(has, 0))) is not None:
            yield less
        where = "allocatable" if (case.node.manifest.get("status") or {}).get("allocatable") else "capacity"
        edit = case.of_node(("status", where, name), written(name, total - has + needs))
        before = total if name == "pods" else written(name, total)
        after = total - has + needs if name == "pods" else written(name, total - has + needs)
        size = 0.5 if name == "pods" else 1.0 + (needs - has) / max(total, 1)
        yield Proposal("room", [edit], name, before, after, size, find_contradicted_fact(edit, "room"))


def shortages(case: Case) -> dict[str, tuple[int, int, int]]:
    """Return (free, requested, total) of each insufficient resource in base units; free may be negative."""
    nodes = case.world.cluster.nodes
    row = nodes.row_of[case.node.name]
    short: dict[str, tuple[int, int, int]] = {}
    if int(nodes.pod_count[row]) + 1 > int(nodes.allowed_pods[row]):
        allowed = int(nodes.allowed_pods[row])
        short["pods"] = (allowed - int(nodes.pod_count[row]), 1, allowed)
    for name, needs in case.pod.requests.items():
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


def _request(case: Case, resource: str, most: int) -> Proposal | None:
    """Propose requests that total `most`; None if the overhead alone is more."""
    needs = case.pod.requests[resource]
    budget = most - amount(resource, (case.spec.get("overhead") or {}).get(resource, 0))
    if budget < 0:
        return None
    edits = _lowered(case, resource, budget)
    own = case.spec.get("resources") or {}
    if _container_request(resource, own) is not None:
        edits.append(_requesting(case, _Container(("spec", "resources"), own, 0, alone=False), resource, budget))
    share = (needs - most) / needs
    if most == 0 and resource not in OVERCOMMITTED:
        share = NO_DEVICE  # a pod that asks for a device hardly works without one
    before, after = written(resource, needs), written(resource, most)
    return Proposal("request", edits, resource, before, after, share, where=_containers_of(case, edits))


def _containers_of(case: Case, edits: list[Edit]) -> str:
    """Return the containers that the edits change, as in "init container warm-up"; "" if the pod has only one."""
    count = sum(len(case.spec.get(field) or ()) for field in ("initContainers", "containers"))
    names = []
    for edit in edits:
        match edit.path if isinstance(edit, SetField) else ():
            case ("spec", "initContainers" | "containers" as field, int(index), *_):
                kind = "init container" if field == "initContainers" else "container"
                names.append(f"{kind} {case.spec[field][index].get('name')}")
    return ", ".join(dict.fromkeys(names)) if count > 1 else ""


def _lowered(case: Case, resource: str, budget: int) -> list[Edit]:
    """Return the edits that lower the requests of the containers to the budget.

    Containers and sidecars share the budget; the largest request is lowered first. Each other init container can use
    what the sidecars before it leave.
    """
    containers = list(_containers(case, resource))
    requests = [container.now for container in containers]
    together = [index for index, container in enumerate(containers) if not container.alone]
    while (over := sum(requests[index] for index in together) - budget) > 0:
        largest = max(together, key=lambda index: requests[index])
        requests[largest] -= min(over, requests[largest])
    sidecars = 0
    for index, container in enumerate(containers):
        if container.path[1] != "initContainers":
            continue
        if container.alone:
            requests[index] = min(requests[index], budget - sidecars)  # not negative: the sidecars fit in the budget
        else:
            sidecars += requests[index]
    return [
        _requesting(case, container, resource, request)
        for container, request in zip(containers, requests, strict=True)
        if request != container.now
    ]


def _containers(case: Case, resource: str) -> Iterator[_Container]:
    for field in ("initContainers", "containers"):
        for index, container in enumerate(case.spec.get(field) or ()):
            resources = container.get("resources") or {}
            alone = field == "initContainers" and container.get("restartPolicy") != "Always"
            request = _container_request(resource, resources) or 0
            yield _Container(("spec", field, index, "resources"), resources, request, alone)


def _container_request(resource: str, resources: Mapping[str, Any]) -> int | None:
    """Return the request of a container, or else its limit; None if it has neither."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    request = requests.get(resource, limits.get(resource))
    return None if request is None else amount(resource, request)


def _requesting(case: Case, container: _Container, resource: str, units: int) -> SetField:
    """Return the edit that sets a container's request; for resources that cannot be overcommitted, also its limit."""
    text = written(resource, units)
    if resource in OVERCOMMITTED:
        return case.of_pod((*container.path, "requests", resource), text)
    both = {name: {**(container.resources.get(name) or {}), resource: text} for name in ("requests", "limits")}
    return case.of_pod(container.path, {**container.resources, **both})


def amount(resource: str, quantity: object) -> int:
    """Return the amount in the engine's units: cpu in millicores."""
    return milli_value(parse_nano(str(quantity))) if resource == "cpu" else value(parse_nano(str(quantity)))


def written(resource: str, units: int) -> str:
    """Return the amount as a quantity in a manifest."""
    if resource == "cpu":
        return format_cpu(units)
    in_bytes = resource in OVERCOMMITTED or resource.startswith("hugepages-")
    return format_bytes(units) if in_bytes else str(units)
