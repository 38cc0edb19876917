"""A pod's spread constraints with their domains and counters, prepared once for all equal pods.

Pods are equal if they have the same namespace, labels, constraints, node selector, required node affinity and
tolerations and, if the constraints are default ones, the same owner. Only the counts change from cycle to cycle.
"""

from __future__ import annotations

from collections.abc import Hashable

import msgspec
import numpy as np

from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn
from scheduler_core.plugins.helpers.domain_counts import DomainCounter, DomainCounts, Domains, every_row
from scheduler_core.plugins.helpers.pod_rules import PodRule, PodRules
from scheduler_core.plugins.pod_topology_spread.constraints import HOSTNAME, SpreadConstraints
from scheduler_core.plugins.pod_topology_spread.node_inclusion import CountedDomains, counted_domains
from scheduler_core.releases import Rules

KEPT_PLANS = 1024


class CountedConstraint(msgspec.Struct):
    """A constraint, the pods that it counts, and the domains in which it counts them.

    `counter` None: countPodsMatchSelector counts nothing with an empty selector. `self_match`: 1 if the constraint
    selects the pod itself, else 0. `per_row`: a soft constraint on the hostname counts the pods on each node, even if
    the node has no such label.
    """

    constraint: TopologySpreadConstraint
    topology: CountedDomains
    rules: PodRules
    counter: DomainCounter | None
    self_match: int
    per_row: Domains | None = None
    _zeros: IntColumn = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def cells(self) -> IntColumn:
        """Return the matching pods per domain (per row with `per_row`), followed by a 0."""
        if self.counter is not None:
            return self.counter.cells
        if not len(self._zeros):
            self._zeros = np.zeros((self.per_row or self.topology.all).size + 1, np.int64)
        return self._zeros

    @property
    def too_few_domains(self) -> bool:
        """Return whether there are fewer eligible domains than minDomains (default 1), so that the minimum is 0."""
        return len(self.topology.eligible) < (self.constraint.min_domains or 1)


class Plan(msgspec.Struct):
    """Hard and soft constraints in their order. `required_keys`: labels that a node must have to be scored."""

    hard: list[CountedConstraint] = []
    soft: list[CountedConstraint] = []
    required_keys: tuple[str, ...] = ()
    stamp: tuple[Hashable, ...] = ()


NOTHING = Plan()


class Plans:
    """The plans of a profile, rebuilt if nodes, workloads or counters change."""

    def __init__(self, constraints: SpreadConstraints, cluster: Cluster, rules: Rules) -> None:
        self._constraints, self._cluster = constraints, cluster
        self._counts_all = not rules.empty_selectors_count_no_pod
        self._counts = DomainCounts.of(cluster)
        self._plans: dict[Hashable, Plan] = {}

    def of(self, pod: Pod) -> Plan:
        if not pod.topology_spread_constraints and not self._constraints.defaults_apply(pod):
            return NOTHING
        key, stamp = self._key(pod), self._stamp(pod)
        plan = self._plans.get(key)
        if plan is None or plan.stamp != stamp:
            if len(self._plans) >= KEPT_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._make(pod)
            plan.stamp = stamp  # the stamp from before, since creating the plan can drop one of its own counters
        return plan

    def _key(self, pod: Pod) -> Hashable:
        spec = int(self._cluster.pods.spec[self._cluster.pods.slot_of[pod.key]])
        selector = tuple(sorted(pod.node_selector.items())) if pod.node_selector else None
        owner = None if pod.topology_spread_constraints else pod.owner
        return spec, pod.topology_spread_constraints, selector, pod.required_node_affinity, pod.tolerations, owner

    def _stamp(self, pod: Pod) -> tuple[Hashable, ...]:
        versions = () if pod.topology_spread_constraints else self._constraints.versions
        return self._cluster.nodes.generation, self._counts.evictions, versions

    def _make(self, pod: Pod) -> Plan:
        hard, soft = self._constraints.of(pod, "DoNotSchedule"), self._constraints.of(pod, "ScheduleAnyway")
        hard_keys = tuple(constraint.topology_key for constraint in hard)
        required = tuple(c.topology_key for c in soft) if self._constraints.require_all_topologies(pod) else ()
        return Plan(
            [self._count(pod, constraint, hard_keys) for constraint in hard],
            [
                self._count(pod, constraint, required, by_host=constraint.topology_key == HOSTNAME)
                for constraint in soft
            ],
            required,
        )

    def _count(
        self, pod: Pod, constraint: TopologySpreadConstraint, keys: tuple[str, ...], *, by_host: bool = False
    ) -> CountedConstraint:
        nodes, selector = self._cluster.nodes, constraint.selector
        topology = counted_domains(pod, constraint, keys, nodes)
        per_row = every_row(nodes) if by_host else None
        rules = (PodRule(frozenset((pod.namespace,)), selector),)
        counter = None
        if self._counts_all or not selector.empty:
            counter = self._counts.counter(rules, per_row or topology.counted, skip_terminating=True)
        self_match = int(selector.matches(pod.labels))
        return CountedConstraint(constraint, topology, rules, counter, self_match, per_row)
