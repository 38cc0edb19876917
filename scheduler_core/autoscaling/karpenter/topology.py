"""Spreads, affinities and anti-affinities of the pods of a simulation, by domain.

karpenter: pkg/controllers/provisioning/scheduling/topology.go, topologygroup.go, topologynodefilter.go,
topologydomaingroup.go. Where the source takes any domain of a map, here the first by name is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from scheduler_core.apis.constraints import PodAffinityTerm, Taint, Toleration, TopologySpreadConstraint
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.requirements import (
    HOSTNAME,
    Requirement,
    Requirements,
    conflict,
    get,
    merge,
    of_expressions,
    of_labels,
    one_of,
)
from scheduler_core.apis.selectors import LabelSelector, SelectorRequirement
from scheduler_core.autoscaling.karpenter.pod_data import not_tolerated

Kind = Literal["topology spread", "pod affinity", "pod anti-affinity"]
Domains = Mapping[str, Sequence[tuple[Taint, ...]]]  # each with the taints of the pools that have it
MOST_SHOWN = 25
NO_LIMIT = 2**31 - 1


class NodeFilter(msgspec.Struct, frozen=True, eq=False):
    """The nodes that count for a term. `alternatives`: with `honors_affinity`, a node has to meet one of them."""

    alternatives: Sequence[Requirements] | None = None
    honors_affinity: bool = False
    honors_taints: bool = True
    tolerations: tuple[Toleration, ...] = ()
    always: bool = True  # for affinities: all nodes count

    def matches(self, taints: tuple[Taint, ...], requirements: Requirements) -> bool:
        """Return whether a node with the taints and requirements counts."""
        if self.always:
            return True
        if (
            self.honors_affinity
            and self.alternatives
            and not any(conflict(requirements, wanted) is None for wanted in self.alternatives)
        ):
            return False
        return not self.honors_taints or not_tolerated(taints, self.tolerations) is None


class TopologyGroup:
    """The pods that a term selects, counted by domain. `empty`: the domains without such a pod."""

    def __init__(
        self,
        kind: Kind,
        key: str,
        selector: LabelSelector,
        namespaces: frozenset[str],
        node_filter: NodeFilter,
        domains: Iterable[str],
        max_skew: int = NO_LIMIT,
        min_domains: int | None = None,
    ) -> None:
        self.kind = kind
        self.key = key
        self.node_filter = node_filter
        self.namespaces = namespaces
        self.selector = selector
        self.owners: dict[PodKey, None] = {}
        self.domains = dict.fromkeys(domains, 0)
        self.empty = dict.fromkeys(self.domains)
        self._max_skew = max_skew
        self._min_domains = min_domains

    def selects(self, pod: Pod) -> bool:
        """Return whether the term selects the pod."""
        return pod.namespace in self.namespaces and self.selector.matches(pod.labels)

    def lists(self, pod: Pod) -> bool:
        """Return whether the pod counts if it runs already; without a selector, all pods do (TopologyListOptions)."""
        return pod.namespace in self.namespaces and (self.selector.matches_nothing or self.selector.matches(pod.labels))

    def counts(self, pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> bool:
        """Return whether the pod counts if it runs on a node with these taints and requirements."""
        return self.selects(pod) and self.node_filter.matches(taints, requirements)

    def record(self, domains: Iterable[str]) -> None:
        """Count a pod in the domains."""
        for domain in domains:
            self.domains[domain] = self.domains.get(domain, 0) + 1
            self.empty.pop(domain, None)

    def register(self, domain: str) -> None:
        """Add a domain without pods."""
        if domain not in self.domains:
            self.domains[domain] = 0
            self.empty[domain] = None

    def next_domains(self, pod: Pod, of_pod: Requirement, of_node: Requirement) -> Requirement:
        """Return the domains where the pod may run, DoesNotExist if there is none."""
        if self.kind == "topology spread":
            return self._next_spread(pod, of_pod, of_node)
        if self.kind == "pod affinity":
            return self._next_affinity(pod, of_pod, of_node)
        return self._next_anti_affinity(of_pod, of_node)

    def _next_spread(self, pod: Pod, of_pod: Requirement, of_node: Requirement) -> Requirement:
        """Return the domain with the fewest pods, of those within the skew (nextDomainTopologySpread)."""
        own = int(self.selects(pod))
        if self.key == HOSTNAME and len(of_node.values) == 1:
            (host,) = of_node.values
            return one_of(self.key, *((host,) if self.domains.get(host, 0) + own <= self._max_skew else ()))
        least = self._least(of_pod)
        best, best_count = "", NO_LIMIT
        candidates: Collection[str] = of_node.values if of_node.operator == "In" else self.domains
        for domain in sorted(candidates):
            if domain in self.domains and of_node.has(domain):
                count = self.domains[domain] + own
                if count - least <= self._max_skew and count < best_count:
                    best, best_count = domain, count
        return one_of(self.key, *((best,) if best else ()))

    def _least(self, of_pod: Requirement) -> int:
        """Return the smallest count of the domains that the pod may use; 0 for hosts, since a new host is possible."""
        if self.key == HOSTNAME:
            return 0
        counts = [count for domain, count in self.domains.items() if of_pod.has(domain)]
        if self._min_domains is not None and len(counts) < self._min_domains:
            return 0
        return min(counts, default=NO_LIMIT)

    def _next_affinity(self, pod: Pod, of_pod: Requirement, of_node: Requirement) -> Requirement:
        """Return the domains with selected pods; the first pod of its own group may use others (nextDomainAffinity)."""
        if self.key == HOSTNAME and len(of_node.values) == 1:
            (host,) = of_node.values
            if not of_pod.has(host):
                return one_of(self.key)
            fits = self.domains.get(host, 0) > 0 or self._may_begin(pod, of_pod)
            return one_of(self.key, *((host,) if fits else ()))
        candidates: Collection[str] = of_node.values if of_node.operator == "In" else self.domains
        options = [
            domain
            for domain in candidates
            if self.domains.get(domain, 0) > 0 and of_pod.has(domain) and of_node.has(domain)
        ]
        if not options and self._may_begin(pod, of_pod):
            both = of_pod.intersection(of_node)
            domains = sorted(self.domains)
            options = [domain for domain in domains if both.has(domain)][:1]
            options += [domain for domain in domains if of_pod.has(domain)][:1]
        return one_of(self.key, *options)

    def _may_begin(self, pod: Pod, of_pod: Requirement) -> bool:
        """Return whether the pod may be the first of its group."""
        nowhere = len(self.domains) == len(self.empty)
        return self.selects(pod) and (
            nowhere or not any(count > 0 and of_pod.has(domain) for domain, count in self.domains.items())
        )

    def _next_anti_affinity(self, of_pod: Requirement, of_node: Requirement) -> Requirement:
        """Return the domains without selected pods (nextDomainAntiAffinity)."""
        if self.key == HOSTNAME and len(of_node.values) == 1:
            (host,) = of_node.values
            return one_of(self.key, *((host,) if self.domains.get(host, 0) == 0 else ()))
        return one_of(self.key, *(domain for domain in self.empty if of_node.has(domain) and of_pod.has(domain)))


class Unsatisfiable(msgspec.Struct, frozen=True):
    """A topology constraint that no domain satisfies."""

    group: TopologyGroup
    counts: Mapping[str, int]
    of_pod: Requirement
    of_node: Requirement

    def __str__(self) -> str:
        shown = ", ".join(f"{domain}: {self.counts[domain]}" for domain in sorted(self.counts)[:MOST_SHOWN])
        if len(self.counts) > MOST_SHOWN:
            shown += f" and {len(self.counts) - MOST_SHOWN} other(s)"
        return (
            f"unsatisfiable topology constraint for {self.group.kind}, key={self.group.key} (counts = {shown}, "
            f"podDomains = {self.of_pod}, nodeDomains = {self.of_node}"
        )


class Topology:
    """The terms of all pods of a simulation.

    `domains` returns the domains of a key that pools can have; `running` are the pods that count, with their nodes, and
    `nodes` the nodes whose domains count; `leaving` are pods that are being deleted, of which only the anti-affinity
    counts; `namespaces` the labels of the namespaces.
    """

    def __init__(
        self,
        domains: Callable[[str], Domains],
        nodes: Sequence[Node],
        running: Sequence[tuple[Pod, Node]],
        leaving: Sequence[tuple[Pod, Node]],
        namespaces: Mapping[str, Mapping[str, str]],
        *,
        ignores_preferences: bool,
    ) -> None:
        self._domains = domains
        self._nodes = nodes
        self._running = running
        self._namespaces = namespaces
        self._ignores_preferences = ignores_preferences
        self._groups: dict[object, TopologyGroup] = {}
        self._inverse: dict[object, TopologyGroup] = {}
        self._of_pod: dict[PodKey, list[TopologyGroup]] = {}
        for pod, node in (*running, *leaving):
            if pod.required_anti_affinity:
                self._update_inverse(pod, node.labels)

    def update(self, pod: Pod) -> None:
        """Replace the stored terms of a pod with its current terms."""
        if not self._has_terms(pod) and pod.key not in self._of_pod:
            return
        for group in self._of_pod.pop(pod.key, ()):
            group.owners.pop(pod.key, None)
        self._update_inverse(pod, {})
        groups = [*self._spreads(pod), *self._affinities(pod)]
        for group in groups:
            group.owners[pod.key] = None
        if groups:
            self._of_pod[pod.key] = groups

    def concerns(self, pod: Pod) -> bool:
        """Return whether any term restricts the domains of the pod."""
        return pod.key in self._of_pod or any(group.selects(pod) for group in self._inverse.values())

    def add_requirements(
        self, pod: Pod, taints: tuple[Taint, ...], of_pod: Requirements, of_node: Requirements
    ) -> Requirements | Unsatisfiable:
        """Return the node's requirements with those of all terms that concern the pod, or the first violated term."""
        requirements = of_node
        matching = list(self._of_pod.get(pod.key, ()))
        matching += (group for group in self._inverse.values() if group.counts(pod, taints, of_node))
        for group in matching:
            domains_of_pod, domains_of_node = get(of_pod, group.key), get(of_node, group.key)
            domains = group.next_domains(pod, domains_of_pod, domains_of_node)
            if not domains.values:
                return Unsatisfiable(group, dict(group.domains), domains_of_pod, domains_of_node)
            requirements = merge(requirements, (domains,))
        return requirements

    def record(self, pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> None:
        """Count a pod that was placed."""
        for group in self._groups.values():
            if group.counts(pod, taints, requirements):
                domains = get(requirements, group.key)
                if group.kind == "pod anti-affinity" or (len(domains.values) == 1 and not domains.complement):
                    group.record(sorted(domains.values))
        for group in self._inverse.values():
            if pod.key in group.owners:
                group.record(sorted(get(requirements, group.key).values))

    def register(self, host: str) -> None:
        """Add a host as a domain without pods."""
        for group in (*self._groups.values(), *self._inverse.values()):
            if group.key == HOSTNAME:
                group.register(host)

    def _has_terms(self, pod: Pod) -> bool:
        return bool(
            pod.topology_spread_constraints
            or pod.required_affinity
            or pod.preferred_affinity
            or pod.required_anti_affinity
            or pod.preferred_anti_affinity
        )

    def _update_inverse(self, pod: Pod, labels: Mapping[str, str]) -> None:
        """Store the domains of a pod's anti-affinity, which the excluded pods avoid (updateInverseAntiAffinity)."""
        for term in pod.required_anti_affinity:
            group = self._group(self._inverse, "pod anti-affinity", term, pod)
            if term.topology_key in labels:
                group.record((labels[term.topology_key],))
            group.owners[pod.key] = None

    def _affinities(self, pod: Pod) -> list[TopologyGroup]:
        affinity, anti = list(pod.required_affinity), list(pod.required_anti_affinity)
        if not self._ignores_preferences:
            affinity += (weighted.term for weighted in pod.preferred_affinity)
            anti += (weighted.term for weighted in pod.preferred_anti_affinity)
        return [
            *(self._group(self._groups, "pod affinity", term, pod) for term in affinity),
            *(self._group(self._groups, "pod anti-affinity", term, pod) for term in anti),
        ]

    def _group(self, groups: dict[object, TopologyGroup], kind: Kind, term: PodAffinityTerm, pod: Pod) -> TopologyGroup:
        namespaces = self._selected(term)
        name = kind, term.topology_key, term.selector, namespaces
        if name not in groups:
            domains = self._domains(term.topology_key)
            known = (
                domain
                for domain, pools in domains.items()
                if any(not_tolerated(taints, pod.tolerations) is None for taints in pools)
            )
            group = TopologyGroup(kind, term.topology_key, term.selector, namespaces, NodeFilter(), known)
            if groups is self._groups:
                self._count(group)
            groups[name] = group
        return groups[name]

    def _selected(self, term: PodAffinityTerm) -> frozenset[str]:
        if term.namespace_selector is None:
            return term.namespaces
        matching = (name for name, labels in self._namespaces.items() if term.namespace_selector.matches(labels))
        return term.namespaces | frozenset(matching)

    def _spreads(self, pod: Pod) -> list[TopologyGroup]:
        wanted = pod.topology_spread_constraints
        if self._ignores_preferences:
            wanted = tuple(spread for spread in wanted if spread.when_unsatisfiable == "DoNotSchedule")
        return [self._spread(pod, spread) for spread in wanted]

    def _spread(self, pod: Pod, spread: TopologySpreadConstraint) -> TopologyGroup:
        keys = [key for key in spread.match_label_keys if key in pod.labels]
        extra = (SelectorRequirement(key, "In", (pod.labels[key],)) for key in keys)
        selector = spread.selector.and_also(*extra)
        honors = spread.node_affinity_policy == "Honor", spread.node_taints_policy == "Honor"
        about_nodes = tuple(sorted(pod.node_selector.items())), pod.required_node_affinity, pod.tolerations
        name = ("spread", spread.topology_key, spread.max_skew, selector, pod.namespace, honors, about_nodes)
        if name not in self._groups:
            base = of_labels(pod.node_selector)
            terms = pod.required_node_affinity.terms if pod.required_node_affinity is not None else ()
            alternatives = [merge(base, of_expressions(term.match_expressions)) for term in terms] or [base]
            node_filter = NodeFilter(alternatives, *honors, pod.tolerations, always=False)
            domains = self._domains(spread.topology_key)
            known = (
                domain
                for domain, pools in domains.items()
                if not honors[1] or any(not_tolerated(taints, pod.tolerations) is None for taints in pools)
            )
            group = TopologyGroup(
                "topology spread",
                spread.topology_key,
                selector,
                frozenset({pod.namespace}),
                node_filter,
                known,
                spread.max_skew,
                spread.min_domains,
            )
            self._count(group)
            self._groups[name] = group
        return self._groups[name]

    def _count(self, group: TopologyGroup) -> None:
        """Add the domains of the nodes, and count the running pods (countDomains)."""
        counted: dict[str, bool] = {}

        def counts(node: Node) -> bool:
            if node.name not in counted:
                counted[node.name] = group.node_filter.matches(node.taints, of_labels(node.labels))
            return counted[node.name]

        for node in self._nodes:
            if group.key in node.labels and counts(node):
                group.register(node.labels[group.key])
        for pod, node in self._running:
            domain = node.labels.get(group.key, node.name if group.key == HOSTNAME else "")
            if domain and group.lists(pod) and counts(node):
                group.record((domain,))
