"""Allocation results of the claims of a solution (allocator_*.go: Allocate, createNodeSelector)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Node
from scheduler_core.apis.devices import Allocation, DeviceResult, ResourceClaim
from scheduler_core.apis.selectors import NODE_NAME_FIELD, NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.plugins.dynamic_resources.allocator import Chosen, Features, Solution
from scheduler_core.releases import Rules

Manifest = Mapping[str, Any]


def allocations(solution: Solution, node: Node, features: Features, rules: Rules) -> list[Allocation]:
    """Return the allocation of each claim on the node."""
    return [_allocation(solution, number, node, features, rules) for number in range(len(solution.claims))]


def _allocation(solution: Solution, number: int, node: Node, features: Features, rules: Rules) -> Allocation:
    claim, devices = solution.claims[number], solution.chosen[number]
    selector = _selector_manifest(devices, node.name)
    return Allocation(
        results=tuple(_result(claim, index, device, features) for index, device in enumerate(devices)),
        node_selector=None if selector is None else _node_selector(selector),
        selector_manifest=selector,
        configs=_count_configs(solution, number, rules),
    )


def _result(claim: ResourceClaim, index: int, selected: Chosen, features: Features) -> DeviceResult:
    driver, pool, name = selected.candidate.id
    device, request = selected.candidate.device, selected.request.request
    binding = features.binding_conditions
    return DeviceResult(
        request=selected.request.name,
        driver=driver,
        pool=pool,
        device=name,
        admin_access=True if request.admin_access else None,
        tolerations=request.tolerations,
        binding_conditions=device.binding_conditions if binding else (),
        binding_failure_conditions=device.binding_failure_conditions if binding else (),
        share_id=_share_id(claim, index) if selected.shared else "",
        consumed_capacity=selected.consumed,
    )


def _share_id(claim: ResourceClaim, index: int) -> str:
    """Return a deterministic id; kube-scheduler uses a random UUID."""
    return f"{index:08x}{claim.uid[8:]}" if len(claim.uid) == 36 else f"{claim.uid}-{index}"


def _count_configs(solution: Solution, number: int, rules: Rules) -> int:
    """Return the number of configurations: of the classes (each once since 1.35) and of the claim (once since 1.37)."""
    claim, classes, count = solution.claims[number], set(), 0
    names: set[str] = set()
    for index, request in enumerate(claim.spec.requests):
        subrequest = solution.subrequests.get((number, index), 0)
        device_class = solution.requests[number, index, subrequest].device_class
        if device_class.name not in classes or not rules.results_have_class_configs_once:
            count += device_class.configs
        classes.add(device_class.name)
        names.add(request.name)
        if request.first_available:
            names.add(f"{request.name}/{request.first_available[subrequest].name}")
    for references in claim.spec.configs:
        if not references:
            count += 1
            continue
        matching = 0
        for request in claim.spec.requests:
            subrequests = {name for name in names if name.startswith(f"{request.name}/")}
            matching += request.name in references or bool(subrequests.intersection(references))
        count += min(matching, 1) if rules.results_have_claim_configs_once else matching
    return count


def _selector_manifest(devices: Sequence[Chosen], node_name: str) -> Manifest | None:
    """Return the manifest of the node selector (`createNodeSelector`): the node if a device is local to it, otherwise
    the requirements of the slices and devices. None if there are no requirements, so that all nodes can use the claim.
    """
    term: dict[str, list[Manifest]] = {"matchFields": [], "matchExpressions": []}
    for device in devices:
        candidate = device.candidate
        reach = candidate.slice.reach or candidate.device.reach
        if candidate.device.binds_to_node or (reach is not None and reach.node_name):
            return {"nodeSelectorTerms": [{"matchFields": [_in(NODE_NAME_FIELD, node_name)]}]}
        manifest = (reach.selector_manifest if reach is not None else None) or {}
        for selector_term in manifest.get("nodeSelectorTerms") or ():
            for field, entries in term.items():
                for requirement in selector_term.get(field) or ():
                    if not any(_same(requirement, other) for other in entries):
                        entries.append(requirement)
    requirements = {field: entries for field, entries in reversed(term.items()) if entries}
    return {"nodeSelectorTerms": [requirements]} if requirements else None


def _in(key: str, value: str) -> Manifest:
    return {"key": key, "operator": "In", "values": [value]}


def _same(first: Manifest, other: Manifest) -> bool:
    """Return whether the requirements are equal (`containsNodeSelectorRequirement`)."""
    same_values = set(first.get("values") or ()) == set(other.get("values") or ())
    return same_values and first.get("key") == other.get("key") and first.get("operator") == other.get("operator")


def _node_selector(manifest: Manifest) -> NodeSelector:
    terms = []
    for term in manifest["nodeSelectorTerms"]:
        expressions, fields = (
            tuple(
                SelectorRequirement(
                    requirement["key"], requirement["operator"], tuple(sorted(set(requirement.get("values") or ())))
                )
                for requirement in term.get(field) or ()
            )
            for field in ("matchExpressions", "matchFields")
        )
        terms.append(NodeSelectorTerm(expressions, fields))
    return NodeSelector(tuple(terms))
