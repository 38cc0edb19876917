"""Converts Karpenter's NodePools to node groups: https://karpenter.sh/docs/concepts/nodepools/

A NodePool restricts its nodes, but does not list the machine types. For a pool with nodes, these are used; for one
without nodes, the requirements determine the machine if they specify single amounts of cpu and memory, as
`karpenter.k8s.aws/instance-cpu` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kschedui.scenarios.importers.cleaning import labels_of, mappings_in, name_of, part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import QuantityError, parse_nano
from scheduler_core.apis.requirements import NODE_POOL
from scheduler_core.apis.selectors import parse_int64

GROUP = "karpenter.sh"
PODS = "110"


def convert_node_pools(objects: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the objects with a NodeGroup in place of each NodePool, and notes about pools of unknown machines.

    A NodePool with a NodeGroup of the same name, and NodeClaims, are left out.
    """
    declared = {name_of(manifest) for manifest in objects if manifest.get("kind") == "NodeGroup"}
    converted: list[Manifest] = []
    notes = []
    for manifest in objects:
        if manifest.get("kind") == "NodeClaim":
            continue
        if manifest.get("kind") != "NodePool" or str(manifest.get("apiVersion")).partition("/")[0] != GROUP:
            converted.append(manifest)
        elif name_of(manifest) not in declared:
            nodes = [
                node
                for node in objects
                if node.get("kind") == "Node" and labels_of(node).get(NODE_POOL) == name_of(manifest)
            ]
            spec = dict(_spec(manifest, nodes))
            group = {"apiVersion": "kschedui.io/v1alpha1", "kind": "NodeGroup", "metadata": {"name": name_of(manifest)}}
            converted.append({**group, "spec": spec})
            if not nodes and "template" not in spec:
                notes.append(
                    Message(
                        "NodePool {name} has no nodes and names no machine: add a template to its NodeGroup.",
                        name=name_of(manifest),
                    )
                )
    return converted, notes


def _spec(pool: Manifest, nodes: Sequence[Manifest]) -> Iterator[tuple[str, Any]]:
    spec = part(pool, "spec")
    amounts = _amounts_of(nodes[0]) if nodes else _amounts_required(spec)
    limits = part(spec, "limits")
    if amounts and limits:
        most = [
            limit // amount
            for name, quantity in amounts.items()
            if (limit := _nano(limits.get(name))) is not None and (amount := _nano(quantity))
        ]
        if (nodes_limit := parse_int64(str(limits.get("nodes")))) is not None:
            most.append(nodes_limit)
        if most:
            yield "maximum", max(len(nodes), min(most))
    if not nodes and amounts:
        yield "template", _template(pool, amounts)


def _nano(quantity: object) -> int | None:
    """Return a quantity in nano units; None if it is none."""
    try:
        return parse_nano(str(quantity))
    except QuantityError:
        return None


def _amounts_of(node: Manifest) -> dict[str, str]:
    """Return the cpu and memory of a pool's node, which the pool's limits count."""
    status = part(node, "status")
    capacity = part(status, "capacity") or part(status, "allocatable")
    return {name: str(capacity[name]) for name in ("cpu", "memory") if name in capacity}


def _amounts_required(spec: Manifest) -> dict[str, str]:
    """Return the cpu and memory in the requirements as quantities; {} unless they specify a single amount of each."""
    values = dict(_single_values(spec))
    cpu, memory = (values.get(f"karpenter.k8s.aws/instance-{name}") for name in ("cpu", "memory"))
    return {"cpu": cpu, "memory": f"{memory}Mi"} if cpu and memory else {}


def _single_values(spec: Manifest) -> Iterator[tuple[str, str]]:
    """Yield (key, value) of the template's requirements that allow a label a single value."""
    for requirement in mappings_in(part(part(spec, "template"), "spec"), "requirements"):
        values = requirement.get("values")
        if requirement.get("operator") == "In" and isinstance(values, list) and len(values) == 1:
            yield str(requirement.get("key")), str(values[0])


def _template(pool: Manifest, amounts: Mapping[str, str]) -> Manifest:
    spec = part(pool, "spec")
    template = part(spec, "template")
    labels = {**dict(_single_values(spec)), **labels_of(template), NODE_POOL: name_of(pool)}
    taints = part(template, "spec").get("taints")
    return {
        "metadata": {"labels": labels},
        "spec": {"taints": taints} if taints else {},
        "status": {"allocatable": {**amounts, "pods": PODS}},
    }
