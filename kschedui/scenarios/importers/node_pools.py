"""Converts Karpenter's NodePools to node groups: https://karpenter.sh/docs/concepts/nodepools/

A NodePool restricts its nodes, but does not list the machine types. For a pool with nodes, these are used; for one
without nodes, the requirements determine the machine if they specify single amounts of cpu and memory, as
`karpenter.k8s.aws/instance-cpu` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import parse_nano
from scheduler_core.apis.requirements import NODE_POOL

GROUP = "karpenter.sh"
PODS = "110"


def convert_node_pools(objects: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the objects with a NodeGroup in place of each NodePool, and notes about pools of unknown machines.

    A NodePool with a NodeGroup of the same name, and NodeClaims, are left out.
    """
    declared = {_name(manifest) for manifest in objects if manifest.get("kind") == "NodeGroup"}
    converted: list[Manifest] = []
    notes = []
    for manifest in objects:
        if manifest.get("kind") == "NodeClaim":
            continue
        if manifest.get("kind") != "NodePool" or str(manifest.get("apiVersion")).partition("/")[0] != GROUP:
            converted.append(manifest)
        elif _name(manifest) not in declared:
            nodes = [
                node
                for node in objects
                if node.get("kind") == "Node" and _labels(node).get(NODE_POOL) == _name(manifest)
            ]
            spec = dict(_spec(manifest, nodes))
            group = {"apiVersion": "kschedui.io/v1alpha1", "kind": "NodeGroup", "metadata": {"name": _name(manifest)}}
            converted.append({**group, "spec": spec})
            if not nodes and "template" not in spec:
                notes.append(
                    Message(
                        "NodePool {name} has no nodes and names no machine: add a template to its NodeGroup.",
                        name=_name(manifest),
                    )
                )
    return converted, notes


def _spec(pool: Manifest, nodes: Sequence[Manifest]) -> Iterator[tuple[str, Any]]:
    spec = pool.get("spec") or {}
    amounts = _amounts_of(nodes[0]) if nodes else _amounts_required(spec)
    limits = spec.get("limits") or {}
    if amounts and limits:
        limited = [name for name in amounts if name in limits]
        most = [parse_nano(str(limits[name])) // parse_nano(amounts[name]) for name in limited]
        most += [int(limits["nodes"])] if "nodes" in limits else []
        if most:
            yield "maximum", max(len(nodes), min(most))
    if not nodes and amounts:
        yield "template", _template(pool, amounts)


def _amounts_of(node: Manifest) -> dict[str, str]:
    """Return the cpu and memory of a pool's node, which the pool's limits count."""
    capacity = (node.get("status") or {}).get("capacity") or (node.get("status") or {}).get("allocatable") or {}
    return {name: str(capacity[name]) for name in ("cpu", "memory") if name in capacity}


def _amounts_required(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the cpu and memory in the requirements as quantities; {} unless they specify a single amount of each."""
    values = {
        requirement.get("key"): requirement.get("values") or []
        for requirement in _requirements(spec)
        if requirement.get("operator") == "In"
    }
    cpu, memory = (values.get(f"karpenter.k8s.aws/instance-{name}", []) for name in ("cpu", "memory"))
    return {"cpu": str(cpu[0]), "memory": f"{memory[0]}Mi"} if len(cpu) == len(memory) == 1 else {}


def _template(pool: Manifest, amounts: Mapping[str, str]) -> Manifest:
    spec = pool["spec"]
    template = spec.get("template") or {}
    of_requirements = {
        str(requirement.get("key")): str(requirement["values"][0])
        for requirement in _requirements(spec)
        if requirement.get("operator") == "In" and len(requirement.get("values") or ()) == 1
    }
    labels = {**of_requirements, **_labels(template), NODE_POOL: _name(pool)}
    taints = (template.get("spec") or {}).get("taints") or []
    return {
        "metadata": {"labels": labels},
        "spec": {"taints": taints} if taints else {},
        "status": {"allocatable": {**amounts, "pods": PODS}},
    }


def _requirements(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return ((spec.get("template") or {}).get("spec") or {}).get("requirements") or ()


def _labels(manifest: Mapping[str, Any]) -> dict[str, str]:
    return dict((manifest.get("metadata") or {}).get("labels") or {})


def _name(manifest: Mapping[str, Any]) -> str:
    return str((manifest.get("metadata") or {}).get("name"))
