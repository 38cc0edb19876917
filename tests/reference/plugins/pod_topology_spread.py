"""PodTopologySpread directly from its rules: one node at a time, with all pods counted again.

Rules: kube-scheduler's podtopologyspread/{common,filtering,scoring,plugin}.go and helper/spread.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.config import PodTopologySpreadArgs
from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Node, Pod, Workload
from scheduler_core.apis.selectors import LabelSelector, SelectorRequirement
from tests.reference.framework.cluster_event import NODE_LABEL, NODE_TAINT, POD_LABEL, POD_TOLERATION, Event
from tests.reference.framework.interface import (
    FITS,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    Cycle,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Scores,
    Verdict,
)
from tests.reference.plugins.helpers.go_math import log, round_half_away
from tests.reference.plugins.node_affinity import matches_required_node_affinity
from tests.reference.plugins.taint_toleration import untolerated

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
MISSING_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"
SKEWED = "node(s) didn't match pod topology spread constraints"
SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(3, HOSTNAME, "ScheduleAnyway", LabelSelector.nothing()),
    TopologySpreadConstraint(5, ZONE, "ScheduleAnyway", LabelSelector.nothing()),
)


class PodTopologySpread(Plugin):
    events = {
        "Node": ("Add", "Delete", NODE_LABEL, NODE_TAINT),
        "Pod": ("Add", POD_LABEL, POD_TOLERATION, "Delete"),
    }

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject the node if it lacks a topology key, or if the pod would raise its domain's skew above maxSkew."""
        pod, labels = cycle.pod, on.node.labels
        constraints = constraints_of(pod, "DoNotSchedule", cycle.args[self.name], cycle.workloads)
        for constraint in constraints:
            key = constraint.topology_key
            if key not in labels:
                return UNRESOLVABLE, (MISSING_LABEL,)
            per_domain = _counts(constraint, constraints, cycle, on)
            enough_domains = len(per_domain) >= (1 if constraint.min_domains is None else constraint.min_domains)
            least = min(per_domain.values()) if enough_domains else 0
            self_match = 1 if constraint.selector.matches(pod.labels) else 0
            if per_domain.get(labels[key], 0) + self_match - least > constraint.max_skew:
                return UNSCHEDULABLE, (SKEWED,)
        return FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """Score each node by the number of matching pods in its domains. Return None without soft constraints."""
        pod, args = cycle.pod, cycle.args[self.name]
        constraints = constraints_of(pod, "ScheduleAnyway", args, cycle.workloads)
        if not constraints:
            return None
        require_all = bool(pod.topology_spread_constraints) or args.defaulting_type != "System"
        ignored = {
            node.name
            for node, _ in feasible
            if require_all and any(c.topology_key not in node.labels for c in constraints)
        }
        scored = [(node, pods) for node, pods in feasible if node.name not in ignored]
        weights = [_weight(c, scored) for c in constraints]
        raw = dict.fromkeys((node.name for node, _ in feasible), 0)
        for node, pods in scored:
            total = 0.0
            for constraint, weight in zip(constraints, weights, strict=True):
                if constraint.topology_key not in node.labels:
                    continue
                if constraint.topology_key == HOSTNAME:
                    count = matching_pods(pods, constraint.selector, pod.namespace)
                else:
                    count = _count_in_domain(constraint, cycle, node, constraints if require_all else [])
                total += count * weight + (constraint.max_skew - 1)
            raw[node.name] = round_half_away(total)
        return Scores(raw, _normalize(raw, ignored))

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        constraints = constraints_of(pod, "DoNotSchedule", args, workloads)
        if event.kind == "Node":
            return _node_may_help(event.old, event.new, constraints)
        return _pod_may_help(pod, event.old, event.new, constraints)


def _counts(
    constraint: TopologySpreadConstraint, constraints: Sequence[TopologySpreadConstraint], cycle: Cycle, on: NodeInfo
) -> dict[str, int]:
    """Return the number of matching pods by domain, on the nodes that have every constraint's label and are included.

    AddPod and RemovePod also count terminating pods, and all pods of the namespace for an empty selector.
    """
    namespace = cycle.pod.namespace
    found: dict[str, int] = {}
    for node, pods in cycle.snapshot:
        if any(c.topology_key not in node.labels for c in constraints) or not counts_node(constraint, cycle.pod, node):
            continue
        count = matching_pods(pods, constraint.selector, namespace)
        if node.name == on.node.name:
            count += sum(p.namespace == namespace and constraint.selector.matches(p.labels) for p in on.added)
            count -= sum(p.namespace == namespace and constraint.selector.matches(p.labels) for p in on.removed)
        domain = node.labels[constraint.topology_key]
        found[domain] = found.get(domain, 0) + count
    return found


def constraints_of(
    pod: Pod, action: str, args: PodTopologySpreadArgs, workloads: Sequence[Workload]
) -> list[TopologySpreadConstraint]:
    """Return the pod's own constraints with this action, with matchLabelKeys merged.

    A pod without constraints has the default ones, unless no workload selects it.
    """
    if pod.topology_spread_constraints:
        return [_merged(c, pod) for c in pod.topology_spread_constraints if c.when_unsatisfiable == action]
    defaults = SYSTEM_DEFAULTS if args.defaulting_type == "System" else args.default_constraints
    selector = default_selector(pod, workloads)
    if selector.empty:
        return []
    return [_with_selector(c, selector) for c in defaults if c.when_unsatisfiable == action]


def _merged(constraint: TopologySpreadConstraint, pod: Pod) -> TopologySpreadConstraint:
    extra = [
        SelectorRequirement(key, "In", (pod.labels[key],)) for key in constraint.match_label_keys if key in pod.labels
    ]
    return _with_selector(constraint, constraint.selector.and_also(*extra))


def _with_selector(c: TopologySpreadConstraint, selector: LabelSelector) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(
        c.max_skew,
        c.topology_key,
        c.when_unsatisfiable,
        selector,
        c.min_domains,
        c.node_affinity_policy,
        c.node_taints_policy,
    )


def default_selector(pod: Pod, workloads: Sequence[Workload]) -> LabelSelector:
    """Return the combined selectors of the services that select the pod and of its controller."""
    labels: dict[str, str] = {}
    in_namespace = [w for w in workloads if w.namespace == pod.namespace]
    for service in in_namespace:
        if service.kind == "Service" and service.selector.matches(pod.labels):
            labels.update({r.key: r.values[0] for r in service.selector.requirements})
    extra: tuple[SelectorRequirement, ...] = ()
    if pod.owner is not None:
        for workload in in_namespace:
            if workload.kind != pod.owner.kind or workload.name != pod.owner.name:
                continue
            if (workload.kind, pod.owner.api_version) == ("ReplicationController", "v1"):
                labels.update({r.key: r.values[0] for r in workload.selector.requirements})
            elif workload.kind in ("ReplicaSet", "StatefulSet") and pod.owner.api_version == "apps/v1":
                extra = workload.selector.requirements
    return LabelSelector.from_labels(labels).and_also(*extra)


def counts_node(constraint: TopologySpreadConstraint, pod: Pod, node: Node) -> bool:
    """Return whether the constraint's node inclusion policies include the node."""
    if constraint.node_affinity_policy == "Honor" and not matches_required_node_affinity(pod, node):
        return False
    return constraint.node_taints_policy != "Honor" or not untolerated(pod, node)


def matching_pods(pods: Sequence[Pod], selector: LabelSelector, namespace: str) -> int:
    """Return the number of matching pods in the namespace, without terminating ones; 0 for an empty selector."""
    if selector.empty:
        return 0
    return sum(1 for p in pods if p.namespace == namespace and not p.terminating and selector.matches(p.labels))


def _weight(constraint: TopologySpreadConstraint, scored: Sequence[NodeWithPods]) -> float:
    if constraint.topology_key == HOSTNAME:
        return log(len(scored) + 2)
    return log(len({node.labels.get(constraint.topology_key, "") for node, _ in scored}) + 2)


def _count_in_domain(
    constraint: TopologySpreadConstraint, cycle: Cycle, node: Node, required: Sequence[TopologySpreadConstraint]
) -> int:
    """Return the number of matching pods on the included nodes of the node's domain.

    A node without the label is in the domain ""; nodes without the key of a `required` constraint are not counted.
    """
    total = 0
    for other, pods in cycle.snapshot:
        if any(c.topology_key not in other.labels for c in required) or not counts_node(constraint, cycle.pod, other):
            continue
        if other.labels.get(constraint.topology_key, "") == node.labels[constraint.topology_key]:
            total += matching_pods(pods, constraint.selector, cycle.pod.namespace)
    return total


def _normalize(raw: dict[str, int], ignored: set[str]) -> dict[str, int]:
    counted = [value for name, value in raw.items() if name not in ignored]
    highest, lowest = max(counted, default=0), min(counted, default=0)
    result = {}
    for name, value in raw.items():
        if name in ignored:
            result[name] = 0
        elif highest == 0:
            result[name] = 100
        else:
            result[name] = 100 * (highest + lowest - value) // highest
    return result


def _node_may_help(old: Node | None, new: Node | None, constraints: Sequence[TopologySpreadConstraint]) -> bool:
    keys = [constraint.topology_key for constraint in constraints]
    was = old is not None and all(key in old.labels for key in keys)
    now = new is not None and all(key in new.labels for key in keys)
    if old is None or new is None:
        return was or now
    if was != now:
        return True
    return now and (old.taints != new.taints or any(old.labels[key] != new.labels[key] for key in keys))


def _pod_may_help(pod: Pod, old: Pod | None, new: Pod | None, constraints: Sequence[TopologySpreadConstraint]) -> bool:
    for one in (old, new):
        if one is not None and one.uid != pod.uid and not (one.node_name and one.namespace == pod.namespace):
            return False
    if old is not None and new is not None:
        tolerates_more = new.uid == pod.uid and old.tolerations != new.tolerations
        if tolerates_more and any(constraint.node_taints_policy == "Honor" for constraint in constraints):
            return True
        return any(c.selector.matches(old.labels) != c.selector.matches(new.labels) for c in constraints)
    other = old or new
    assert other is not None
    return any(constraint.selector.matches(other.labels) for constraint in constraints)
