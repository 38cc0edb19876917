"""VolumeBinding's result for all nodes at once: the nodes that each volume reaches, as masks over label columns.

The rules are those of `VolumeSearch.find`, which evaluates one node; here each condition is evaluated once per
distinct label value, or once per group of nodes with the same labels. This covers pods with at most one claim that
needs a volume (with more, the choice for one claim takes volumes from the next) and without in-tree volumes that some
nodes migrated.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import SELECTED_NODE, PersistentVolume, PersistentVolumeClaim
from scheduler_core.apis.selectors import NodeSelector, SelectorRequirement
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.plugins.volumes.binding.binder import (
    BIND_CONFLICT,
    NODE_CONFLICT,
    NOT_ENOUGH_SPACE,
    VOLUME_NOT_FOUND,
    VolumeSearch,
    provision_keys,
    why_not_provisioned,
)
from scheduler_core.plugins.volumes.listers import group_rows
from scheduler_core.plugins.volumes.matching import Candidates

Mask = NDArray[np.bool_]  # one per row
Codes = NDArray[np.int8]

_PROVISION_CODES = {"": 0, BIND_CONFLICT: 1, NOT_ENOUGH_SPACE: 2}
_PROVISION_REASONS = ("", BIND_CONFLICT, NOT_ENOUGH_SPACE)
_BOUND_REASONS = (("", ""), (NODE_CONFLICT, ""), ("", VOLUME_NOT_FOUND))


def covers(search: VolumeSearch) -> bool:
    """Return whether `reasons_by_row` can evaluate the search."""
    return len(search.free) <= 1 and not search.by_csi_node


def reasons_by_row(search: VolumeSearch, nodes: NodeTable) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Return a code for each row, and the reasons for each code; no reasons: the node is suitable."""
    bound, provision = _bound(search, nodes), _unbound(search, nodes)
    codes = len(_BOUND_REASONS) * provision.astype(np.intp) + bound
    reasons = []
    for unbound in _PROVISION_REASONS:
        for conflict, missing in _BOUND_REASONS:
            reasons.append(tuple(reason for reason in (conflict, unbound, missing) if reason))
    return codes, reasons


def _bound(search: VolumeSearch, nodes: NodeTable) -> Codes:
    """Return codes into `_BOUND_REASONS`: the first bound volume that is out of reach or does not exist decides."""
    codes = np.zeros(len(nodes), np.int8)
    for _, pv in search.bound:
        volume_codes = np.full(len(nodes), 2) if pv is None else np.where(_reach(pv.node_affinity, nodes), 0, 1)
        codes = np.where(codes == 0, volume_codes, codes)
    return codes


def _unbound(search: VolumeSearch, nodes: NodeTable) -> Codes:
    """Return codes for the reason that the unbound claims get no volume on each row, in `VolumeSearch.find`'s order."""
    codes = np.zeros(len(nodes), np.int8)
    for claim in search.selected:
        codes = np.where(codes == 0, _provision(claim, search, nodes), codes)
    for candidates in search.free:
        matched = _matched(candidates, nodes)
        provision = np.where(matched, 0, _provision(candidates.claim, search, nodes))
        codes = np.where(codes == 0, provision, codes)
    for claim in search.selected:
        elsewhere = np.ones(len(nodes), np.bool_)
        row = nodes.row_of.get(claim.annotations[SELECTED_NODE])
        if row is not None:
            elsewhere[row] = False
        codes[elsewhere] = 1
    return codes


def _provision(claim: PersistentVolumeClaim, search: VolumeSearch, nodes: NodeTable) -> Codes:
    """Return codes into `_PROVISION_REASONS`, evaluated once for each group of nodes that are equal for the claim."""
    keys = provision_keys(claim, search.storage)
    first, group = group_rows(nodes, slice(0, len(nodes)), [nodes.label(key).codes for key in sorted(keys)])
    codes = [_PROVISION_CODES[why_not_provisioned(claim, search.storage, nodes.nodes[row].labels)] for row in first]
    return np.array(codes, np.int8)[group]


def _matched(candidates: Candidates, nodes: NodeTable) -> Mask:
    """Return a bool per node: whether `Candidates.choose` finds a volume for the claim while no volume is chosen."""
    if candidates.reserved:
        return _reach(candidates.reserved[0].node_affinity, nodes)
    return _any_reach(candidates.available, nodes)


def _any_reach(volumes: Iterable[PersistentVolume], nodes: NodeTable) -> Mask:
    """Return a bool per node: whether it reaches any volume; those with a single label are looked up together."""
    reached = np.zeros(len(nodes), np.bool_)
    by_key: dict[str, set[str]] = {}
    others: dict[NodeSelector | None, None] = {}
    for pv in volumes:
        single = _single_in(pv.node_affinity)
        if single is not None:
            by_key.setdefault(single.key, set()).update(single.values)
        else:
            others[pv.node_affinity] = None
    for key, values in by_key.items():
        reached |= _in(key, values, nodes)
    for affinity in others:
        reached |= _reach(affinity, nodes)
    return reached


def _single_in(affinity: NodeSelector | None) -> SelectorRequirement | None:
    """Return the condition of an affinity of the form "this label has one of these values", None for others."""
    if affinity is None or len(affinity.terms) != 1:
        return None
    term = affinity.terms[0]
    if len(term.match_expressions) == 1 and not term.match_fields and term.match_expressions[0].operator == "In":
        return term.match_expressions[0]
    return None


def _reach(affinity: NodeSelector | None, nodes: NodeTable) -> Mask:
    """Return a bool per node: whether it matches the affinity; fields are compared with "" (`CheckNodeAffinity`)."""
    if affinity is None:
        return np.ones(len(nodes), np.bool_)
    reached = np.zeros(len(nodes), np.bool_)
    for term in affinity.terms:
        if term.empty or not all(field.matches({field.key: ""}) for field in term.match_fields):
            continue
        matching = np.ones(len(nodes), np.bool_)
        for requirement in term.match_expressions:
            matching &= _holds(requirement, nodes)
        reached |= matching
    return reached


def _holds(requirement: SelectorRequirement, nodes: NodeTable) -> Mask:
    if requirement.operator == "In":
        return _in(requirement.key, requirement.values, nodes)
    column = nodes.label(requirement.key)
    verdicts = [requirement.matches({requirement.key: value}) for value in column.values]
    verdicts.append(requirement.matches({}))  # code -1: the label is absent
    mask: Mask = np.array(verdicts, np.bool_)[column.codes]
    return mask


def _in(key: str, values: Iterable[str], nodes: NodeTable) -> Mask:
    column = nodes.label(key)
    is_listed = np.zeros(len(column.values) + 1, np.bool_)
    is_listed[[column.number[value] for value in values if value in column.number]] = True
    mask: Mask = is_listed[column.codes]
    return mask
