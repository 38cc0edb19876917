"""NodeGroup documents: nodes that can be added, for questions about more nodes. Runs ignore them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.scenario_fields import NODE_GROUP
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, invalid, required
from scheduler_core.scenario.settings.cluster_state import build
from scheduler_core.scenario.types import NodeGroup


def build_node_groups(documents: Sequence[Document], problems: Problems, admission: Admission) -> tuple[NodeGroup, ...]:
    """Return the groups in the order of the file; names must be unique."""
    groups: dict[str, NodeGroup] = {}
    for document in documents:
        problems.enter(document.chunk, document.prefix)
        if not check(NODE_GROUP, document.data, (), problems, strict=True):
            continue
        group = _build(document.data, problems, admission)
        if group.name in groups:
            problems.error(("metadata", "name"), duplicate(group.name))
        groups[group.name] = group
    return tuple(groups.values())


def _build(data: Mapping[str, Any], problems: Problems, admission: Admission) -> NodeGroup:
    name = (data.get("metadata") or {}).get("name") or ""
    spec = data.get("spec") or {}
    if not name:
        problems.error(("metadata", "name"), required(Message("the name of the node group")))
    minimum, maximum, price = spec.get("minimum") or 0, spec.get("maximum"), spec.get("price")
    _check_least(minimum, 0, ("spec", "minimum"), problems)
    _check_least(maximum, minimum, ("spec", "maximum"), problems)
    _check_least(price, 0, ("spec", "price"), problems)
    template = spec.get("template")
    return NodeGroup(
        name,
        minimum,
        maximum,
        None if price is None else float(price),
        None if template is None else _template(name or "x", template, problems, admission),
    )


def _template(
    name: str, template: Mapping[str, Any], problems: Problems, admission: Admission
) -> Mapping[str, Any] | None:
    """Return the manifest of a node, which is validated like a Node."""
    node = {"apiVersion": "v1", "kind": "Node", **template}
    node["metadata"] = {**(template.get("metadata") or {}), "name": name}
    before, scratch = problems.count, Problems()
    if build(KINDS["Node"], node, scratch, admission) is None:
        for error in scratch.errors():
            problems.error(("spec", "template"), Message("{path}: {message}", path=error.path, message=error.message))
    return node if problems.count == before else None


def _check_least(number: float | None, least: float, path: Path, problems: Problems) -> None:
    if number is not None and not (least <= number < math.inf):
        problems.error(path, invalid(number, Message("must be greater than or equal to {least}", least=least)))
