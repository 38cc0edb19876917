"""Node groups: detected by vendor labels of the nodes, or declared in the scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.autoscaling import NodeGroup
from scheduler_core.apis.core import Node
from scheduler_core.apis.messages import Message
from scheduler_core.apis.vendor_labels import GROUP_LABELS, GROUP_OWNER
from scheduler_core.ask.editing.edits import MAX_NODES_ADDED, NotPossible
from scheduler_core.ask.editing.objects import HOSTNAME
from scheduler_core.ask.operations.operation import zone_of
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.records import NodeName

VANISHING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable")


class Template(msgspec.Struct, frozen=True):
    """A kind of node in a group.

    `like`: an existing node of the kind, "" if there is none; `zone` "": no zone label.
    """

    zone: str
    like: NodeName
    count: int
    manifest: dict[str, Any]


class Group(msgspec.Struct, frozen=True):
    """A node group.

    `label`: the label by which it was detected, "" if it is only declared. `maximum` and `price` None: unknown.
    """

    name: str
    label: str
    nodes: list[NodeName]
    minimum: int
    maximum: int | None
    price: float | None
    templates: list[Template]


def groups_of(scenario: Scenario, nodes: Iterable[Node]) -> list[Group]:
    """Return the declared groups, then the detected ones, sorted by name. `nodes`: the existing nodes."""
    by_name: dict[str, tuple[str, list[Node]]] = {}
    for node in nodes:
        label, name = _group_of(node)
        if name:
            by_name.setdefault(name, (label, []))[1].append(node)
    declared = {node_group.name: node_group for node_group in scenario.node_groups}
    names = [*declared, *sorted(name for name in by_name if name not in declared)]
    return [_group(declared.get(name, NodeGroup(name)), *by_name.get(name, ("", []))) for name in names]


def _group_of(node: Node) -> tuple[str, str]:
    """Return the label or annotation that identifies the node's group, and the name of the group, "" if it has none."""
    for label in GROUP_LABELS:
        if name := node.labels.get(label):
            return label, name
    return GROUP_OWNER, node.annotations.get(GROUP_OWNER, "")


def _group(declared: NodeGroup, label: str, nodes: Sequence[Node]) -> Group:
    kinds: dict[object, list[Node]] = {}
    for node in nodes:
        kinds.setdefault((zone_of(node), tuple(sorted(node.allocatable.items()))), []).append(node)
    if declared.template is not None:
        metadata = declared.template["metadata"]
        zone = next((value for key, value in (metadata.get("labels") or {}).items() if key.endswith("/zone")), "")
        templates = [Template(zone, "", len(nodes), dict(declared.template))]
    else:
        templates = [
            Template(zone_of(alike[0]), alike[0].name, len(alike), fresh(alike[0].manifest)) for alike in kinds.values()
        ]
    return Group(
        declared.name,
        label,
        [node.name for node in nodes],
        declared.minimum,
        declared.maximum,
        declared.price,
        sorted(templates, key=lambda template: (template.zone, template.like)),
    )


def fresh(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a new node of the same kind: not cordoned and without taints for node conditions."""
    spec = {key: value for key, value in (manifest.get("spec") or {}).items() if key not in ("unschedulable", "taints")}
    taints = [taint for taint in (manifest.get("spec") or {}).get("taints") or () if taint.get("key") not in VANISHING]
    return {**manifest, "spec": {**spec, **({"taints": taints} if taints else {})}}


def template_of(groups: Sequence[Group], name: str, zone: str = "", like: NodeName = "") -> Template:
    """Return the group's first template that has the zone and the existing node, if these are given.

    Raises NotPossible.
    """
    group = next((group for group in groups if group.name == name), None)
    if group is None:
        names = ", ".join(group.name for group in groups) or "-"
        raise NotPossible(Message("there is no node group {name}; known: {known}", name=name, known=names))
    for template in group.templates:
        if (not zone or template.zone == zone) and (not like or template.like == like):
            return template
    raise NotPossible(
        Message("node group {name} has no nodes in zone {zone}, and no template", name=name, zone=zone or "-")
    )


def manifests_of(group: str, template: Template, count: int, taken: set[NodeName]) -> list[dict[str, Any]]:
    """Return manifests of new nodes of a group, each with its own name. Raises NotPossible."""
    if not 1 <= count <= MAX_NODES_ADDED:
        raise NotPossible(Message("add 1 to {most} nodes", most=MAX_NODES_ADDED))
    names = (f"{group}-new-{number}" for number in range(1, count + len(taken) + 1))
    manifests: list[dict[str, Any]] = []
    for name in names:
        if name not in taken and len(manifests) < count:
            metadata = {key: value for key, value in (template.manifest.get("metadata") or {}).items() if key != "uid"}
            labels = {**(metadata.get("labels") or {}), HOSTNAME: name}
            manifests.append({**template.manifest, "metadata": {**metadata, "name": name, "labels": labels}})
    return manifests
