"""Proposals about nodes that reject pods whatever runs there: taints, cordons, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.ask.editing.edits import Edit, Path
from scheduler_core.ask.smallest.proposals.proposal import MOST_VALUES, REQUIRED, Asked, Proposal
from scheduler_core.ask.smallest.proposals.truth import falsified, is_condition

EFFECTS = ("NoSchedule", "NoExecute")
UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable"
NODE_AFFINITY: Path = ("spec", "affinity", "nodeAffinity", REQUIRED)


def taint_toleration(asked: Asked) -> Iterator[Proposal]:
    """Propose, for each taint that the pod does not tolerate, to add a toleration or to remove the taint."""
    for taint in asked.node.taints:
        if taint.effect not in EFFECTS or any(_tolerates(toleration, taint) for toleration in asked.pod.tolerations):
            continue
        name = f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
        edit = asked.of_pod(("spec", "tolerations"), _toleration(taint), add=True)
        size = 1.5 if is_condition(taint.key) else 0.5
        yield Proposal("toleration", [edit], name, None, taint.effect, size)
        off = asked.of_node(("spec", "taints"), _without(asked, taint.key, taint.effect))
        yield Proposal("taint", [off], name, taint.effect, None, 0.75, falsified(off, "taint", taint.key))


def _without(asked: Asked, key: str, effect: str) -> list[Mapping[str, Any]] | None:
    """Return the node's taints except one."""
    taints = (asked.node.manifest.get("spec") or {}).get("taints") or ()
    return [taint for taint in taints if (taint.get("key"), taint.get("effect")) != (key, effect)] or None


def _toleration(taint: Taint) -> dict[str, str]:
    """Return the narrowest toleration for the taint."""
    found = {"key": taint.key, "operator": "Equal" if taint.value else "Exists", "effect": taint.effect}
    return {**found, "value": taint.value} if taint.value else found


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def node_unschedulable(asked: Asked) -> Iterator[Proposal]:
    """Propose to uncordon the node, which also removes the taint."""
    edits: list[Edit] = [asked.of_node(("spec", "unschedulable"))]
    if any(taint.key == UNSCHEDULABLE_TAINT for taint in asked.node.taints):
        edits.append(asked.of_node(("spec", "taints"), _without(asked, UNSCHEDULABLE_TAINT, "NoSchedule")))
    yield Proposal("uncordon", edits, asked.node.name, "true", None, 0.5)


def node_affinity(asked: Asked) -> Iterator[Proposal]:
    """Propose, for each nodeSelector entry and requirement that fails, another value, its removal, or a node label."""
    labels = asked.node.labels
    for key, wanted in asked.pod.node_selector.items():
        if labels.get(key) == wanted:
            continue
        path: Path = ("spec", "nodeSelector", key)
        if key in labels:
            edit = asked.of_pod(path, labels[key])
            yield Proposal("selector", [edit], key, wanted, labels[key], 0.5)
        yield Proposal("selector", [asked.of_pod(path)], key, wanted, None, 0.75)
        yield asked.label(key, wanted)
    affinity = ((asked.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms: Sequence[Mapping[str, Any]] = affinity.get("nodeSelectorTerms") or ()
    if not any(_holds(term, labels, asked.node.name) for term in terms) and affinity:
        for index, term in enumerate(terms):
            yield from _term(asked, index, term)
        yield Proposal("affinity", [asked.of_pod(NODE_AFFINITY)], "nodeAffinity", "required", None, 1.0)


def _holds(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    holding = (matches(expression, labels.get(str(expression.get("key")))) for expression in expressions)
    return bool(expressions or fields) and all(holding) and all(matches(field, name) for field in fields)


def matches(requirement: Mapping[str, Any], has: str | None) -> bool:
    """Return whether a label's value (None if absent) meets a requirement of node affinity."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In":
            return has in values
        case "NotIn":
            return has not in values
        case "Exists":
            return has is not None
        case "DoesNotExist":
            return has is None
        case "Gt":
            return _number(has) is not None and int(has or 0) > int(values[0])
        case "Lt":
            return _number(has) is not None and int(has or 0) < int(values[0])
    return False


def _number(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def _term(asked: Asked, number: int, term: Mapping[str, Any]) -> Iterator[Proposal]:
    """Propose changes for each requirement of a term that the node fails."""
    labels, name = asked.node.labels, asked.node.name
    several = len(term.get("matchExpressions") or ()) + len(term.get("matchFields") or ()) > 1
    for field in ("matchExpressions", "matchFields"):
        given: Sequence[Mapping[str, Any]] = term.get(field) or ()
        for index, one in enumerate(given):
            key = str(one.get("key"))
            has = labels.get(key) if field == "matchExpressions" else name
            if matches(one, has):
                continue
            path: Path = (*NODE_AFFINITY, "nodeSelectorTerms", number, field)
            said = _said(one)
            if several:
                left = [other for at, other in enumerate(given) if at != index] or None
                yield Proposal("affinity", [asked.of_pod(path, left)], said, said, None, 0.75)
            if (values := _values_with(one, has)) is not None:
                edit = asked.of_pod((*path, index, "values"), values)
                yield Proposal("affinity", [edit], said, said, _said({**one, "values": values}), 0.5)
            if field == "matchExpressions":
                for value in _labels_that_meet(one):
                    yield asked.label(key, value)


def _said(requirement: Mapping[str, Any]) -> str:
    """Return the requirement as text, such as: zone In [a, b]."""
    values = requirement.get("values")
    listed = f" [{', '.join(map(str, values))}]" if values else ""
    return f"{requirement.get('key')} {requirement.get('operator')}{listed}"


def _values_with(requirement: Mapping[str, Any], has: str | None) -> list[str] | None:
    """Return the requirement's values changed so that the label's value meets it; None if no change does that."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In" if has is not None:
            return [*values, has]
        case "NotIn":
            return [one for one in values if one != has] or None
        case "Gt" if (number := _number(has)) is not None:
            return [str(number - 1)]
        case "Lt" if (number := _number(has)) is not None:
            return [str(number + 1)]
    return None


def _labels_that_meet(requirement: Mapping[str, Any]) -> list[str | None]:
    """Return the values of the node's label that meet the requirement; None means no label."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In":
            return [*values[:MOST_VALUES]]
        case "Exists":
            return ["true"]
        case "Gt":
            return [str(int(values[0]) + 1)]
        case "Lt":
            return [str(int(values[0]) - 1)]
    return [None]  # NotIn, DoesNotExist
