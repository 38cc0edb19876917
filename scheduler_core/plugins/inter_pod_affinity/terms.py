"""The incoming pod's own (anti-)affinity terms as rules about existing pods.

kube-scheduler: interpodaffinity/plugin.go (mergeAffinityTermNamespacesIfNotEmpty).
"""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Namespace, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.plugins.helpers.pod_rules import PodRule


def own_rule(term: PodAffinityTerm, cluster: Cluster) -> PodRule:
    """Return the rule for existing pods to which a term of the incoming pod applies.

    kube-scheduler unrolls the namespaceSelector into the names of the namespaces that it matches, but the term keeps
    the selector and later matches it against an empty label set: a selector that matches without any label
    (DoesNotExist, NotIn, {}) therefore matches every namespace.
    """
    selector = term.namespace_selector
    if selector is None:
        return PodRule(term.namespaces, term.selector)
    if selector.matches({}):
        return PodRule(None, term.selector)
    return PodRule(term.namespaces | _matching_namespaces(term, cluster), term.selector)


def _matching_namespaces(term: PodAffinityTerm, cluster: Cluster) -> frozenset[str]:
    selector = term.namespace_selector
    assert selector is not None
    namespaces = (item for item in cluster.objects("Namespace") if isinstance(item, Namespace))
    return frozenset(namespace.name for namespace in namespaces if selector.matches(namespace.labels))


def hint_matches_all(terms: Iterable[PodAffinityTerm], pod: Pod) -> bool:
    """Return whether the pod matches all terms, as the hints check it (`podMatchesAllAffinityTerms`): namespace
    selectors are not unrolled; no terms match nothing.
    """
    terms = tuple(terms)
    return bool(terms) and all(_hint_matches(term, pod) for term in terms)


def hint_matches_any(terms: Iterable[PodAffinityTerm], pod: Pod) -> bool:
    """Return whether the pod matches any of the terms, as the hints check it (`podMatchesAnyAffinityTerms`)."""
    return any(_hint_matches(term, pod) for term in terms)


def _hint_matches(term: PodAffinityTerm, pod: Pod) -> bool:
    in_namespace = pod.namespace in term.namespaces or (
        term.namespace_selector is not None and term.namespace_selector.matches({})
    )
    return in_namespace and term.selector.matches(pod.labels)
