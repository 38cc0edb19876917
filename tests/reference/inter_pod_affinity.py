"""InterPodAffinity read straight from its rules: one node at a time, plain loops, no arrays and no caches.

The oracle for the columnar plugin. `cluster` is every node with the pods that stand on it; `namespaces` maps a
namespace to its labels. Rules: kube-scheduler's interpodaffinity/{plugin,filtering,scoring}.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduler_core.apis.config import InterPodAffinityArgs
from scheduler_core.apis.core import Node, Pod, PodAffinityTerm

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"

NodeWithPods = tuple[Node, Sequence[Pod]]
Namespaces = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Scores:
    """None instead of this: the plugin is skipped. Raw and normalised score by node name."""

    raw: dict[str, int]
    normalized: dict[str, int]


def own_term_matches(term: PodAffinityTerm, existing: Pod, namespaces: Namespaces) -> bool:
    """Does a term of the incoming pod speak of the existing pod?

    A namespaceSelector is unrolled to the names of the namespaces that it matches, but kube-scheduler then still asks
    it about an empty label set, so a selector that holds for no labels (DoesNotExist, NotIn, {}) holds everywhere.
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
    """Does a term of an existing pod speak of the incoming pod? Here the namespace's labels are asked directly."""
    in_namespace = pod.namespace in term.namespaces or (
        term.namespace_selector is not None and term.namespace_selector.matches(namespaces.get(pod.namespace, {}))
    )
    return in_namespace and term.selector.matches(pod.labels)


def is_skipped_in_filter(pod: Pod, cluster: Sequence[NodeWithPods], namespaces: Namespaces) -> bool:
    """PreFilter's Skip: no required terms of its own, and no existing pod's anti-affinity reaches it."""
    if pod.required_affinity or pod.required_anti_affinity:
        return False
    return not any(
        foreign_term_matches(term, pod, namespaces) and term.topology_key in node.labels
        for node, pods in cluster
        for existing in pods
        for term in existing.required_anti_affinity
    )


def filter(
    pod: Pod,
    node: Node,
    cluster: Sequence[NodeWithPods],
    namespaces: Namespaces,
    added: Sequence[Pod] = (),
    removed: Sequence[Pod] = (),
) -> tuple[str, tuple[str, ...]]:
    """Verdict on one node, as if `added` pods stood on it as well and `removed` ones did not."""
    if is_skipped_in_filter(pod, cluster, namespaces):
        return "Success", ()
    gone = {p.key for p in removed}
    standing = [
        (other, existing)
        for other, pods in cluster
        for existing in (*pods, *(added if other.name == node.name else ()))
        if existing.key not in gone
    ]
    if not _affinity_holds(pod, node, standing, namespaces):
        return "UnschedulableAndUnresolvable", (AFFINITY,)
    for term in pod.required_anti_affinity:
        key = term.topology_key
        for other, existing in standing:
            same_domain = key in node.labels and node.labels[key] == other.labels.get(key)
            if same_domain and own_term_matches(term, existing, namespaces):
                return "Unschedulable", (ANTI_AFFINITY,)
    for other, existing in standing:
        for term in existing.required_anti_affinity:
            key = term.topology_key
            same_domain = key in node.labels and node.labels[key] == other.labels.get(key)
            if same_domain and foreign_term_matches(term, pod, namespaces):
                return "Unschedulable", (EXISTING_ANTI_AFFINITY,)
    return "Success", ()


def _affinity_holds(pod: Pod, node: Node, standing: Sequence[tuple[Node, Pod]], namespaces: Namespaces) -> bool:
    """Every term needs its key on the node and a pod in the node's domain that matches ALL terms.

    The first of a group: no pod in the cluster (on a node with one of the keys) matches, and the pod matches itself.
    """
    terms = pod.required_affinity
    if not all(term.topology_key in node.labels for term in terms):
        return False
    friends = [
        other for other, existing in standing if all(own_term_matches(term, existing, namespaces) for term in terms)
    ]
    keys = [term.topology_key for term in terms]
    if all(any(other.labels.get(key) == node.labels[key] for other in friends) for key in keys):
        return True
    counted = any(key in other.labels for other in friends for key in keys)
    return not counted and all(own_term_matches(term, pod, namespaces) for term in terms)


def score(
    pod: Pod,
    feasible: Sequence[str],
    cluster: Sequence[NodeWithPods],
    args: InterPodAffinityArgs,
    namespaces: Namespaces,
) -> Scores | None:
    """Scores of the feasible nodes; None when no preferred (or hard existing) term meets a pod anywhere."""
    has_preferences = bool(pod.preferred_affinity or pod.preferred_anti_affinity)
    if args.ignore_preferred_terms_of_existing_pods and not has_preferences:
        return None
    weight_of: dict[tuple[str, str], int] = {}
    for node, pods in cluster:
        for existing in pods:
            for term, weight in _meeting_terms(pod, existing, args, namespaces):
                if term.topology_key in node.labels:
                    pair = (term.topology_key, node.labels[term.topology_key])
                    weight_of[pair] = weight_of.get(pair, 0) + weight
    if not weight_of:
        return None
    labels = {node.name: node.labels for node, _ in cluster}
    raw = {name: sum(w for (key, value), w in weight_of.items() if labels[name].get(key) == value) for name in feasible}
    return Scores(raw, _normalize(raw))


def _meeting_terms(
    pod: Pod, existing: Pod, args: InterPodAffinityArgs, namespaces: Namespaces
) -> list[tuple[PodAffinityTerm, int]]:
    """Every term of either pod that speaks of the other, with its signed weight."""
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
    """100 for the highest, 0 for the lowest, all 0 when equal: by way of float64 and truncation."""
    lowest, highest = min(raw.values()), max(raw.values())
    if highest == lowest:
        return dict.fromkeys(raw, 0)
    return {name: int(100.0 * (float(value - lowest) / float(highest - lowest))) for name, value in raw.items()}
