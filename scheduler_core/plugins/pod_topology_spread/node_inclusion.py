"""The nodes on which a spread constraint counts pods.

kube-scheduler: podtopologyspread/common.go (matchNodeInclusionPolicies, nodeLabelsMatchSpreadConstraints) and
component-helpers' nodeaffinity.GetRequiredNodeAffinity.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Pod
from scheduler_core.apis.selectors import NodeSelector, SelectorRequirement
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.plugins.helpers.domain_counts import Domains
from scheduler_core.plugins.taint_toleration.rule import find_untolerated_taint

SCHEDULING_EFFECTS = ("NoSchedule", "NoExecute")
KEPT_DOMAINS = 256

Mask = NDArray[np.bool_]


class CountedDomains(msgspec.Struct, frozen=True, eq=False):
    """A constraint's domains: with all rows (`all`), and without the rows on which no pods are counted (`counted`).

    `eligible` are the domains with at least one included row: the skew is measured against the smallest of them.
    """

    all: Domains
    counted: Domains
    eligible: NDArray[np.intp]

    @staticmethod
    def of(domains: Domains, counted: Domains) -> CountedDomains:
        rows = np.bincount(counted.codes[counted.codes >= 0], minlength=counted.size)
        return CountedDomains(domains, counted, np.flatnonzero(rows))

    @property
    def all_eligible(self) -> bool:
        return len(self.eligible) == self.counted.size


def counted_domains(
    pod: Pod, constraint: TopologySpreadConstraint, required_keys: tuple[str, ...], nodes: NodeTable
) -> CountedDomains:
    """Return the domains of a constraint of this pod; rows without one of the `required_keys` are excluded.

    With no required keys (system defaulting) a node without the topology label belongs to the domain named "".
    """
    cache = nodes.derived("counted domains", lambda nodes: _DomainCache()).by_key
    key = (constraint.topology_key, required_keys, _inclusion_key(pod, constraint))
    domains = cache.get(key)
    if domains is None:
        if len(cache) >= KEPT_DOMAINS:
            del cache[next(iter(cache))]
        domains = cache[key] = _build(pod, constraint, required_keys, nodes, ("counted", key))
    return domains


class _DomainCache:
    """The cached domains, oldest first. The cache is limited, since pods can have any number of node affinities."""

    def __init__(self) -> None:
        self.by_key: dict[Hashable, CountedDomains] = {}


def _inclusion_key(pod: Pod, constraint: TopologySpreadConstraint) -> Hashable:
    """Return the parts of the pod that the inclusion policies read."""
    selector = affinity = tolerations = None
    if constraint.node_affinity_policy == "Honor" and (pod.node_selector or pod.required_node_affinity is not None):
        selector, affinity = tuple(sorted(pod.node_selector.items())), pod.required_node_affinity
    if constraint.node_taints_policy == "Honor":
        tolerations = pod.tolerations
    return selector, affinity, tolerations


def _build(
    pod: Pod, constraint: TopologySpreadConstraint, required_keys: tuple[str, ...], nodes: NodeTable, key: Hashable
) -> CountedDomains:
    column = nodes.label(constraint.topology_key)
    codes, names = column.codes, column.values
    if not required_keys and (codes < 0).any():
        names = names if "" in column.number else [*names, ""]
        codes = np.where(codes < 0, names.index(""), codes)
    mask = included(pod, constraint, nodes)
    for required in required_keys:
        mask &= nodes.label(required).codes >= 0
    counted = np.where(mask, codes, -1)
    return CountedDomains.of(Domains.of(constraint.topology_key, codes, names), Domains.of(key, counted, names))


def included(pod: Pod, constraint: TopologySpreadConstraint, nodes: NodeTable) -> Mask:
    """Return a bool per row: whether the constraint's node inclusion policies include it."""
    mask = np.ones(len(nodes), np.bool_)
    if constraint.node_affinity_policy == "Honor":
        for label, value in pod.node_selector.items():
            mask &= matching_requirement(nodes, SelectorRequirement(label, "In", (value,)))
        if pod.required_node_affinity is not None:
            mask &= matching_selector(nodes, pod.required_node_affinity)
    if constraint.node_taints_policy == "Honor":
        tolerated = [
            find_untolerated_taint(t, pod.tolerations, SCHEDULING_EFFECTS) is None for t in nodes.taints.values
        ]
        mask &= np.array(tolerated, np.bool_)[nodes.taints.codes]
    return mask


def matching_selector(nodes: NodeTable, selector: NodeSelector) -> Mask:
    """Return a bool per row: whether it matches one of the terms; a term without a condition matches no row."""
    mask = np.zeros(len(nodes), np.bool_)
    for term in selector.terms:
        if not term.empty:
            mask |= _matching_all(nodes, term.match_expressions) & _matching_names(nodes, term.match_fields)
    return mask


def matching_requirement(nodes: NodeTable, requirement: SelectorRequirement) -> Mask:
    """Return a bool per row: whether it satisfies the requirement, evaluated once per distinct label value."""
    column = nodes.label(requirement.key)
    answers = [requirement.matches({requirement.key: value}) for value in column.values]
    return np.array([*answers, requirement.matches({})], np.bool_)[column.codes]


def _matching_all(nodes: NodeTable, requirements: Iterable[SelectorRequirement]) -> Mask:
    mask = np.ones(len(nodes), np.bool_)
    for requirement in requirements:
        mask &= matching_requirement(nodes, requirement)
    return mask


def _matching_names(nodes: NodeTable, requirements: Iterable[SelectorRequirement]) -> Mask:
    mask = np.ones(len(nodes), np.bool_)
    for requirement in requirements:
        mask &= np.array([requirement.matches({requirement.key: name}) for name in nodes.names], np.bool_)
    return mask
