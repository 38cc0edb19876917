"""Builds selectors of a document, validated as by kube-apiserver and interpreted as by the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.apis.selectors import (
    LABEL_SELECTOR_OPERATORS,
    NODE_NAME_FIELD,
    NODE_SELECTOR_OPERATORS,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Operator,
    SelectorRequirement,
    sorted_requirements,
)
from scheduler_core.scenario.fields.names import check_labels, dns_subdomain, label_value, qualified_name, text_map
from scheduler_core.scenario.reading.problems import Path, Problems, forbidden, invalid, one_of, required


def label_selector(data: Mapping[str, Any] | None, path: Path, problems: Problems) -> LabelSelector:
    """Build a label selector (`metav1.LabelSelectorAsSelector`): None matches nothing, an empty one everything."""
    if data is None:
        return LabelSelector.nothing()
    labels = text_map(data.get("matchLabels"))
    check_labels(labels, (*path, "matchLabels"), problems)
    requirements = [SelectorRequirement(key, "In", (value,)) for key, value in labels.items()]
    for index, expression in enumerate(data.get("matchExpressions") or ()):
        at = (*path, "matchExpressions", index)
        if requirement := _requirement(expression, at, problems, LABEL_SELECTOR_OPERATORS):
            _check_values(requirement.values, at, problems)
            requirements.append(requirement)
    return LabelSelector(sorted_requirements(tuple(requirements))) if requirements else LabelSelector.everything()


def node_selector(data: Mapping[str, Any], path: Path, problems: Problems, *, any_value: bool = False) -> NodeSelector:
    """Build a node selector (`ValidateNodeSelector`); `any_value`: values need not be label values."""
    terms = data.get("nodeSelectorTerms") or ()
    at = (*path, "nodeSelectorTerms")
    if not terms:
        problems.error(at, required(Message("must have at least one node selector term")))
    return NodeSelector(
        tuple(node_selector_term(term, (*at, index), problems, any_value=any_value) for index, term in enumerate(terms))
    )


def node_selector_term(data: Mapping[str, Any], path: Path, problems: Problems, *, any_value: bool) -> NodeSelectorTerm:
    """Build a node selector term (`ValidateNodeSelectorTerm`); `any_value`: values need not be label values."""
    expressions = []
    for index, expression in enumerate(data.get("matchExpressions") or ()):
        at = (*path, "matchExpressions", index)
        if requirement := _requirement(expression, at, problems, NODE_SELECTOR_OPERATORS):
            if not any_value:
                _check_values(requirement.values, at, problems)
            expressions.append(requirement)
    fields = []
    for index, expression in enumerate(data.get("matchFields") or ()):
        if requirement := _field_requirement(expression, (*path, "matchFields", index), problems):
            fields.append(requirement)
    return NodeSelectorTerm(tuple(expressions), tuple(fields))


def _requirement(
    data: Mapping[str, Any], path: Path, problems: Problems, operators: tuple[Operator, ...]
) -> SelectorRequirement | None:
    """Build a requirement with sorted values (`Validate{Label,Node}SelectorRequirement`).

    None is returned if the operator, or the number of values of Gt or Lt, is invalid; other errors are only reported.
    """
    key, operator = data.get("key") or "", data.get("operator") or ""
    values = tuple(data.get("values") or ())
    if reason := qualified_name(key):
        problems.error((*path, "key"), invalid(key, reason))
    if operator not in operators:
        reason = Message("not a valid selector operator; expected {operators}", operators=one_of(operators))
        problems.error((*path, "operator"), invalid(operator, reason))
        return None
    if operator in ("In", "NotIn") and not values:
        problems.error((*path, "values"), required(Message("must be specified when `operator` is 'In' or 'NotIn'")))
    elif operator in ("Exists", "DoesNotExist") and values:
        reason = Message("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        problems.error((*path, "values"), forbidden(reason))
    elif operator in ("Gt", "Lt") and len(values) != 1:
        problems.error(
            (*path, "values"), required(Message("must be specified single value when `operator` is 'Lt' or 'Gt'"))
        )
        return None
    return SelectorRequirement(key, cast(Operator, operator), tuple(sorted(set(values))))


def _check_values(values: tuple[str, ...], path: Path, problems: Problems) -> None:
    for value in values:
        if reason := label_value(value):
            problems.error((*path, "values"), invalid(value, reason))


def _field_requirement(data: Mapping[str, Any], path: Path, problems: Problems) -> SelectorRequirement | None:
    """Build a requirement on metadata.name (`ValidateNodeFieldSelectorRequirement`).

    A valid one is In or NotIn one name. None is returned if the operator is invalid; other errors are only reported.
    """
    key, operator = data.get("key") or "", data.get("operator") or ""
    values = tuple(data.get("values") or ())
    fits = True
    if operator not in ("In", "NotIn"):
        reason = Message("not a valid selector operator; expected In or NotIn")
        problems.error((*path, "operator"), invalid(operator, reason))
        fits = False
    elif len(values) != 1:
        reason = Message("must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
        problems.error((*path, "values"), required(reason))
    if key != NODE_NAME_FIELD:
        problems.error(
            (*path, "key"),
            invalid(
                key,
                Message("not a valid field selector key; expected {field}", field=NODE_NAME_FIELD),
            ),
        )
    else:
        for value in values:
            if unfit := dns_subdomain(value):
                problems.error((*path, "values"), invalid(value, unfit))
    return SelectorRequirement(key, cast(Operator, operator), values) if fits else None
