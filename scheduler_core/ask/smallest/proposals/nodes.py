"""Proposals about nodes that reject pods whatever runs there: taints, cordons, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.ask.editing.edits import Edit, Path
from scheduler_core.ask.smallest.proposals.proposal import MAX_VALUES, REQUIRED, Case, Proposal, narrowest_toleration
from scheduler_core.ask.smallest.proposals.truth import False_, find_contradicted_fact, is_condition
from scheduler_core.trace.summaries import taint_text

EFFECTS = ("NoSchedule", "NoExecute")
UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable"
NODE_AFFINITY: Path = ("spec", "affinity", "nodeAffinity", REQUIRED)


def taint_toleration(case: Case) -> Iterator[Proposal]:
    """Propose, for each taint that the pod does not tolerate, to add a toleration or to remove the taint."""
    for taint in case.node.taints:
        if taint.effect not in EFFECTS or any(_tolerates(toleration, taint) for toleration in case.pod.tolerations):
            continue
        name = taint_text(taint)
        edit = case.of_pod(("spec", "tolerations"), narrowest_toleration(taint), add=True)
        unhealthy = is_condition(taint.key) and taint.key != UNSCHEDULABLE_TAINT
        size, false = (1.5, "health") if unhealthy else (0.5, "")
        yield Proposal("toleration", [edit], name, None, taint.effect, size, cast(False_, false))
        off = case.of_node(("spec", "taints"), _without(case, taint.key, taint.effect))
        yield Proposal("taint", [off], name, taint.effect, None, 0.75, find_contradicted_fact(off, "taint", taint.key))


def _without(case: Case, key: str, effect: str) -> list[Mapping[str, Any]] | None:
    """Return the node's taints without that of a key and effect; None if no others are left."""
    taints = (case.node.manifest.get("spec") or {}).get("taints") or ()
    return [taint for taint in taints if (taint.get("key"), taint.get("effect")) != (key, effect)] or None


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def node_unschedulable(case: Case) -> Iterator[Proposal]:
    """Propose to uncordon the node, which also removes the taint."""
    edits: list[Edit] = [case.of_node(("spec", "unschedulable"))]
    if any(taint.key == UNSCHEDULABLE_TAINT for taint in case.node.taints):
        edits.append(case.of_node(("spec", "taints"), _without(case, UNSCHEDULABLE_TAINT, "NoSchedule")))
    yield Proposal("uncordon", edits, case.node.name, "true", None, 0.5)


def node_affinity(case: Case) -> Iterator[Proposal]:
    """Propose, for each nodeSelector entry and requirement that fails, another value, its removal, or a node label."""
    labels = case.node.labels
    for key, value in case.pod.node_selector.items():
        if labels.get(key) == value:
            continue
        path: Path = ("spec", "nodeSelector", key)
        if key in labels:
            edit = case.of_pod(path, labels[key])
            yield Proposal("selector", [edit], key, value, labels[key], 0.5)
        yield Proposal("selector", [case.of_pod(path)], key, value, None, 0.75)
        yield case.label(key, value)
    affinity = ((case.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms: Sequence[Mapping[str, Any]] = affinity.get("nodeSelectorTerms") or ()
    if not any(_holds(term, labels, case.node.name) for term in terms) and affinity:
        for index, term in enumerate(terms):
            yield from _term(case, index, term)
        yield Proposal("affinity", [case.of_pod(NODE_AFFINITY)], "nodeAffinity", "required", None, 1.0)


def _holds(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    holding = (matches(expression, labels.get(str(expression.get("key")))) for expression in expressions)
    return bool(expressions or fields) and all(holding) and all(matches(field, name) for field in fields)


def matches(requirement: Mapping[str, Any], actual: str | None) -> bool:
    """Return whether the node's actual value, None without the label, meets a requirement of node affinity."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In":
            return actual in values
        case "NotIn":
            return actual not in values
        case "Exists":
            return actual is not None
        case "DoesNotExist":
            return actual is None
        case "Gt":
            return (number := _number(actual)) is not None and number > int(values[0])
        case "Lt":
            return (number := _number(actual)) is not None and number < int(values[0])
    return False


def _number(text: str | None) -> int | None:
    return None if text is None else parse_int64(text)


def _term(case: Case, number: int, term: Mapping[str, Any]) -> Iterator[Proposal]:
    """Propose changes for each requirement of a term that the node fails."""
    labels, name = case.node.labels, case.node.name
    several = len(term.get("matchExpressions") or ()) + len(term.get("matchFields") or ()) > 1
    for field in ("matchExpressions", "matchFields"):
        requirements: Sequence[Mapping[str, Any]] = term.get(field) or ()
        for index, requirement in enumerate(requirements):
            key = str(requirement.get("key"))
            actual = labels.get(key) if field == "matchExpressions" else name
            if matches(requirement, actual):
                continue
            path: Path = (*NODE_AFFINITY, "nodeSelectorTerms", number, field)
            text = _requirement_text(requirement)
            if several:
                left = [other for at, other in enumerate(requirements) if at != index] or None
                yield Proposal("affinity", [case.of_pod(path, left)], text, text, None, 0.75)
            if (values := _values_with(requirement, actual)) is not None:
                edit = case.of_pod((*path, index, "values"), values)
                after = _requirement_text({**requirement, "values": values})
                yield Proposal("affinity", [edit], text, text, after, 0.5)
            if field == "matchExpressions":
                for value in _labels_that_meet(requirement):
                    yield case.label(key, value)


def _requirement_text(requirement: Mapping[str, Any]) -> str:
    """Return the requirement as text, such as: zone In [a, b]."""
    values = requirement.get("values")
    values_text = f" [{', '.join(map(str, values))}]" if values else ""
    return f"{requirement.get('key')} {requirement.get('operator')}{values_text}"


def _values_with(requirement: Mapping[str, Any], actual: str | None) -> list[str] | None:
    """Return the requirement's values changed so that the actual value meets it; None if no change does that."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In" if actual is not None:
            return [*values, actual]
        case "NotIn":
            return [value for value in values if value != actual] or None
        case "Gt" if (number := _number(actual)) is not None:
            return [str(number - 1)]
        case "Lt" if (number := _number(actual)) is not None:
            return [str(number + 1)]
    return None


def _labels_that_meet(requirement: Mapping[str, Any]) -> list[str | None]:
    """Return a few values of the node's label that meet the requirement; None means no label."""
    values = [str(value) for value in requirement.get("values") or ()]
    match requirement.get("operator"):
        case "In":
            return [*values[:MAX_VALUES]]
        case "Exists":
            return ["true"]
        case "Gt":
            return [str(int(values[0]) + 1)]
        case "Lt":
            return [str(int(values[0]) - 1)]
    return [None]  # NotIn, DoesNotExist
