"""Nodes that match a node selector: each requirement is evaluated once per distinct label value and cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import PreferredNodeTerm
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.selectors import NODE_NAME_FIELD, NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.cluster.nodes import NodeTable

Mask = NDArray[np.bool_]  # one per row


def matching_nodes(nodes: NodeTable, node_selector: Mapping[str, str], required: NodeSelector | None) -> Mask:
    """Return bool[N]: whether each node has all labels of `node_selector` and, unless None, matches `required`."""
    key = ("matching_nodes", tuple(sorted(node_selector.items())), required)
    return nodes.derived(key, lambda table: _matching_nodes(table, node_selector, required))


def preferred_weights(nodes: NodeTable, terms: Sequence[PreferredNodeTerm]) -> NDArray[np.int64]:
    """Return int64[N]: the sum of the weights of the terms that each node matches; an empty term counts 0."""
    weights = np.zeros(len(nodes), np.int64)
    for preferred in terms:
        if preferred.weight and not preferred.term.empty:
            weights += np.where(_rows_matching_term(nodes, preferred.term), preferred.weight, 0)
    return weights


def matches_required(pod: Pod, node: Node) -> bool | None:
    """Return whether the node matches the pod's node selector and required affinity (RequiredNodeAffinity.Match of
    component-helpers).

    None for an error: no term matches, and one cannot be parsed.
    """
    if any(node.labels.get(key) != value for key, value in pod.node_selector.items()):
        return False
    required = pod.required_node_affinity
    if required is None or required.matches(node.labels, node.name):
        return True
    return None if any(term.errors() for term in required.terms) else False


@lru_cache(maxsize=1024)
def preferred_error(terms: tuple[PreferredNodeTerm, ...]) -> str:
    """Return the error with which `NewPreferredSchedulingTerms` rejects the terms, "" if it accepts them."""
    errors = [
        f"[{index}].{error}"
        for index, preferred in enumerate(terms)
        if preferred.weight and not preferred.term.empty
        for error in preferred.term.errors()
    ]
    if len(errors) <= 1:
        return errors[0] if errors else ""
    return f"[{', '.join(errors)}]"


def _matching_nodes(nodes: NodeTable, node_selector: Mapping[str, str], required: NodeSelector | None) -> Mask:
    mask = np.ones(len(nodes), np.bool_)
    for key, value in node_selector.items():
        mask &= _rows_matching_requirement(nodes, SelectorRequirement(key, "In", (value,)))
    if required is not None:
        any_term = np.zeros(len(nodes), np.bool_)
        for term in required.terms:
            any_term |= _rows_matching_term(nodes, term)
        mask &= any_term
    return mask


def _rows_matching_term(nodes: NodeTable, term: NodeSelectorTerm) -> Mask:
    """Return a bool per row: whether it matches all expressions and fields; an empty term matches no row."""
    if term.empty:
        return np.zeros(len(nodes), np.bool_)
    mask = np.ones(len(nodes), np.bool_)
    for requirement in term.match_expressions:
        mask &= _rows_matching_requirement(nodes, requirement)
    for requirement in term.match_fields:
        mask &= np.array([requirement.matches({NODE_NAME_FIELD: name}) for name in nodes.names], np.bool_)
    return mask


def _rows_matching_requirement(nodes: NodeTable, requirement: SelectorRequirement) -> Mask:
    column = nodes.label(requirement.key)
    verdicts = [requirement.matches({requirement.key: value}) for value in column.values]
    verdicts.append(requirement.matches({}))  # code -1: the label is absent
    mask: Mask = np.array(verdicts, np.bool_)[column.codes]
    return mask
