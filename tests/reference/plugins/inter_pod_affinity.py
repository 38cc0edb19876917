"""InterPodAffinity directly from its rules: one node at a time, with every pod evaluated again.

Rules: kube-scheduler's interpodaffinity/{plugin,filtering,scoring}.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.config import InterPodAffinityArgs
from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Node, Pod, Workload
from tests.reference.framework.cluster_event import NODE_LABEL, POD_LABEL, Event
from tests.reference.framework.interface import (
    FITS,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    Cycle,
    Namespaces,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Scores,
    Verdict,
)

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"


class InterPodAffinity(Plugin):
    events = {"Node": ("Add", NODE_LABEL), "Pod": ("Add", POD_LABEL, "Delete")}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        pod, node, namespaces = cycle.pod, on.node, cycle.namespaces
        if is_skipped_in_filter(pod, cycle.snapshot, namespaces):
            return FITS
        gone = {p.key for p in on.removed}
        standing = [
            (other, existing)
            for other, pods in cycle.snapshot
            for existing in (*pods, *(on.added if other.name == node.name else ()))
            if existing.key not in gone
        ]
        if not _affinity_holds(pod, node, standing, namespaces):
            return UNRESOLVABLE, (AFFINITY,)
        for term in pod.required_anti_affinity:
            for other, existing in standing:
                if _same_domain(term, node, other) and own_term_matches(term, existing, namespaces):
                    return UNSCHEDULABLE, (ANTI_AFFINITY,)
        for other, existing in standing:
            for term in existing.required_anti_affinity:
                if _same_domain(term, node, other) and foreign_term_matches(term, pod, namespaces):
                    return UNSCHEDULABLE, (EXISTING_ANTI_AFFINITY,)
        return FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """Return the scores, or None if no term that counts matches a pod on a node with its topology key."""
        pod, args = cycle.pod, cycle.args[self.name]
        has_preferences = bool(pod.preferred_affinity or pod.preferred_anti_affinity)
        if args.ignore_preferred_terms_of_existing_pods and not has_preferences:
            return None
        weight_of: dict[tuple[str, str], int] = {}
        for node, pods in cycle.snapshot:
            for existing in pods:
                for term, weight in _matching_terms(pod, existing, args, cycle.namespaces):
                    if term.topology_key in node.labels:
                        pair = (term.topology_key, node.labels[term.topology_key])
                        weight_of[pair] = weight_of.get(pair, 0) + weight
        if not weight_of:
            return None
        raw = {
            node.name: sum(w for (key, value), w in weight_of.items() if node.labels.get(key) == value)
            for node, _ in feasible
        }
        return Scores(raw, _normalize(raw))

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        if event.kind == "Node":
            return _node_may_help(pod, event.old, event.new)
        return _pod_may_help(pod, event.old, event.new)


def own_term_matches(term: PodAffinityTerm, existing: Pod, namespaces: Namespaces) -> bool:
    """Return whether a term of the incoming pod matches the existing pod.

    A namespaceSelector is resolved to the names of the namespaces that it matches, but kube-scheduler still evaluates
    it on an empty label set afterwards, so a selector that matches an empty label set (DoesNotExist, NotIn, {}) matches
    every namespace.
    """
    if not term.selector.matches(existing.labels):
        return False
    if existing.namespace in term.namespaces:
        return True
    selector = term.namespace_selector
    if selector is None:
        return False
    return selector.matches({}) or (
        existing.namespace in namespaces and selector.matches(namespaces[existing.namespace])
    )


def foreign_term_matches(term: PodAffinityTerm, pod: Pod, namespaces: Namespaces) -> bool:
    """Return whether a term of an existing pod matches the incoming pod.

    The namespaceSelector is evaluated on the namespace's labels.
    """
    in_namespace = pod.namespace in term.namespaces or (
        term.namespace_selector is not None and term.namespace_selector.matches(namespaces.get(pod.namespace, {}))
    )
    return in_namespace and term.selector.matches(pod.labels)


def is_skipped_in_filter(pod: Pod, cluster: Sequence[NodeWithPods], namespaces: Namespaces) -> bool:
    """Return whether PreFilter skips the pod: it has no required terms, and no existing anti-affinity matches it."""
    if pod.required_affinity or pod.required_anti_affinity:
        return False
    return not any(
        foreign_term_matches(term, pod, namespaces) and term.topology_key in node.labels
        for node, pods in cluster
        for existing in pods
        for term in existing.required_anti_affinity
    )


def _affinity_holds(pod: Pod, node: Node, standing: Sequence[tuple[Node, Pod]], namespaces: Namespaces) -> bool:
    """Return whether the node has every term's topology key, and each of these domains has a pod matching ALL terms.

    The first pod of a group passes without such pods: it matches all terms itself, and no pod on a node with one of the
    keys does.
    """
    terms = pod.required_affinity
    if not all(term.topology_key in node.labels for term in terms):
        return False
    matching = [
        other for other, existing in standing if all(own_term_matches(term, existing, namespaces) for term in terms)
    ]
    keys = [term.topology_key for term in terms]
    if all(any(other.labels.get(key) == node.labels[key] for other in matching) for key in keys):
        return True
    counted = any(key in other.labels for other in matching for key in keys)
    return not counted and all(own_term_matches(term, pod, namespaces) for term in terms)


def _same_domain(term: PodAffinityTerm, node: Node, other: Node) -> bool:
    key = term.topology_key
    return key in node.labels and node.labels[key] == other.labels.get(key)


def _matching_terms(
    pod: Pod, existing: Pod, args: InterPodAffinityArgs, namespaces: Namespaces
) -> list[tuple[PodAffinityTerm, int]]:
    """Return the terms of either pod that match the other, with their weights, negative for anti-affinity.

    They are the preferred terms, and the existing pod's required affinity if hardPodAffinityWeight is positive.
    """
    found = [(w.term, w.weight) for w in pod.preferred_affinity if own_term_matches(w.term, existing, namespaces)]
    found += [
        (w.term, -w.weight) for w in pod.preferred_anti_affinity if own_term_matches(w.term, existing, namespaces)
    ]
    theirs = [(w.term, w.weight) for w in existing.preferred_affinity]
    theirs += [(w.term, -w.weight) for w in existing.preferred_anti_affinity]
    if args.hard_pod_affinity_weight > 0:
        theirs += [(term, args.hard_pod_affinity_weight) for term in existing.required_affinity]
    return found + [(term, weight) for term, weight in theirs if foreign_term_matches(term, pod, namespaces)]


def _normalize(raw: dict[str, int]) -> dict[str, int]:
    """Scale scores from 0 (the lowest) to 100 (the highest) in float64, truncated; equal scores become 0."""
    lowest, highest = min(raw.values()), max(raw.values())
    if highest == lowest:
        return dict.fromkeys(raw, 0)
    return {name: int(100.0 * (float(value - lowest) / float(highest - lowest))) for name, value in raw.items()}


def _node_may_help(pod: Pod, old: Node | None, new: Node) -> bool:
    for term in pod.required_affinity:
        key = term.topology_key
        if key in new.labels and (old is None or old.labels.get(key) != new.labels[key]):
            return True
    for term in pod.required_anti_affinity:
        key = term.topology_key
        if old is None or (key in old.labels and new.labels.get(key) != old.labels[key]):
            return True
    return False


def _pod_may_help(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """Return whether a change of a pod may help.

    A pod matches only if it matches all terms; a namespaceSelector is evaluated on an empty label set.
    """
    if old is not None and new is not None and new.uid == pod.uid:
        return True
    if any(one is not None and not one.node_name and not one.nominated_node_name for one in (old, new)):
        return False
    if old is None:
        return _matches_all(pod.required_affinity, new)
    if new is None:
        assert old is not None
        return _matches_all(pod.required_anti_affinity, old) or _matches_all(old.required_anti_affinity, pod)
    if not _matches_all(pod.required_affinity, old) and _matches_all(pod.required_affinity, new):
        return True
    return _matches_all(pod.required_anti_affinity, old) and not _matches_all(pod.required_anti_affinity, new)


def _matches_all(terms: Sequence[PodAffinityTerm], pod: Pod | None) -> bool:
    assert pod is not None
    return bool(terms) and all(
        (pod.namespace in term.namespaces or (term.namespace_selector and term.namespace_selector.matches({})))
        and term.selector.matches(pod.labels)
        for term in terms
    )
