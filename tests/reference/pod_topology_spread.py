"""PodTopologySpread read straight from its rules: one node at a time, plain loops, no arrays and no caches.

The oracle for the columnar plugin. `cluster` is every node with the pods that stand on it; a node's pods are counted
anew for every question. Rules: kube-scheduler's podtopologyspread/{common,filtering,scoring}.go and helper/spread.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_core.apis.config import PodTopologySpreadArgs
from scheduler_core.apis.core import Node, Pod, TopologySpreadConstraint, Workload
from scheduler_core.apis.selectors import LabelSelector, Requirement
from tests.reference.node_rules import matches_required_node_affinity, tolerates_scheduling_taints

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
MISSING_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"
SKEWED = "node(s) didn't match pod topology spread constraints"
SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(3, HOSTNAME, "ScheduleAnyway", LabelSelector.nothing()),
    TopologySpreadConstraint(5, ZONE, "ScheduleAnyway", LabelSelector.nothing()),
)

NodeWithPods = tuple[Node, Sequence[Pod]]


@dataclass(frozen=True)
class Scores:
    """None instead of this: the plugin is skipped. Raw and normalised score by node name."""

    raw: dict[str, int]
    normalized: dict[str, int]


def constraints_of(
    pod: Pod, action: str, args: PodTopologySpreadArgs, workloads: Sequence[Workload]
) -> list[TopologySpreadConstraint]:
    """The pod's own constraints of this kind with matchLabelKeys merged, or else the default ones."""
    if pod.topology_spread_constraints:
        return [_merged(c, pod) for c in pod.topology_spread_constraints if c.when_unsatisfiable == action]
    defaults = SYSTEM_DEFAULTS if args.defaulting_type == "System" else args.default_constraints
    selector = default_selector(pod, workloads)
    if selector.empty:
        return []
    return [_with_selector(c, selector) for c in defaults if c.when_unsatisfiable == action]


def _merged(constraint: TopologySpreadConstraint, pod: Pod) -> TopologySpreadConstraint:
    extra = [Requirement(key, "In", (pod.labels[key],)) for key in constraint.match_label_keys if key in pod.labels]
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
    """What the services that select the pod and the controller that owns it select by, all together."""
    labels: dict[str, str] = {}
    in_namespace = [w for w in workloads if w.namespace == pod.namespace]
    for service in in_namespace:
        if service.kind == "Service" and service.selector.matches(pod.labels):
            labels.update({r.key: r.values[0] for r in service.selector.requirements})
    extra: tuple[Requirement, ...] = ()
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
    """Do the constraint's node inclusion policies let this node take part in counting?"""
    if constraint.node_affinity_policy == "Honor" and not matches_required_node_affinity(pod, node):
        return False
    return constraint.node_taints_policy != "Honor" or tolerates_scheduling_taints(pod, node)


def matching_pods(pods: Sequence[Pod], selector: LabelSelector, namespace: str) -> int:
    """Pods of the namespace that match; terminating ones are left out, and an empty selector counts nothing."""
    if selector.empty:
        return 0
    return sum(1 for p in pods if p.namespace == namespace and not p.terminating and selector.matches(p.labels))


def filter(
    pod: Pod,
    node: Node,
    cluster: Sequence[NodeWithPods],
    args: PodTopologySpreadArgs,
    workloads: Sequence[Workload] = (),
    added: Sequence[Pod] = (),
    removed: Sequence[Pod] = (),
) -> tuple[str, tuple[str, ...]]:
    """Verdict on one node, as if `added` pods stood on it as well and `removed` ones did not.

    Added and removed pods are counted the way of AddPod and RemovePod: terminating ones too, and by an empty selector.
    """
    constraints = constraints_of(pod, "DoNotSchedule", args, workloads)
    keys = [c.topology_key for c in constraints]
    for constraint in constraints:
        key = constraint.topology_key
        if key not in node.labels:
            return "UnschedulableAndUnresolvable", (MISSING_LABEL,)
        per_domain: dict[str, int] = {}
        for other, pods in cluster:
            if any(k not in other.labels for k in keys) or not counts_node(constraint, pod, other):
                continue
            count = matching_pods(pods, constraint.selector, pod.namespace)
            if other.name == node.name:
                count += sum(p.namespace == pod.namespace and constraint.selector.matches(p.labels) for p in added)
                count -= sum(p.namespace == pod.namespace and constraint.selector.matches(p.labels) for p in removed)
            per_domain[other.labels[key]] = per_domain.get(other.labels[key], 0) + count
        enough_domains = len(per_domain) >= (1 if constraint.min_domains is None else constraint.min_domains)
        least = min(per_domain.values()) if enough_domains else 0
        self_match = 1 if constraint.selector.matches(pod.labels) else 0
        if per_domain.get(node.labels[key], 0) + self_match - least > constraint.max_skew:
            return "Unschedulable", (SKEWED,)
    return "Success", ()


def score(
    pod: Pod,
    feasible: Sequence[NodeWithPods],
    cluster: Sequence[NodeWithPods],
    args: PodTopologySpreadArgs,
    workloads: Sequence[Workload] = (),
) -> Scores | None:
    """Scores of the feasible nodes with the pods that are seen there; None when there is nothing soft to spread by."""
    constraints = constraints_of(pod, "ScheduleAnyway", args, workloads)
    if not constraints:
        return None
    require_all = bool(pod.topology_spread_constraints) or args.defaulting_type != "System"
    ignored = {
        node.name for node, _ in feasible if require_all and any(c.topology_key not in node.labels for c in constraints)
    }
    scored = [(node, pods) for node, pods in feasible if node.name not in ignored]
    raw = dict.fromkeys((node.name for node, _ in feasible), 0)
    weights = [_weight(c, scored) for c in constraints]
    for node, pods in scored:
        total = 0.0
        for constraint, weight in zip(constraints, weights, strict=True):
            if constraint.topology_key not in node.labels:
                continue
            if constraint.topology_key == HOSTNAME:
                count = matching_pods(pods, constraint.selector, pod.namespace)
            else:
                count = _count_in_domain(constraint, pod, node, cluster, constraints if require_all else [])
            total += count * weight + (constraint.max_skew - 1)
        raw[node.name] = _round_half_away(total)
    return Scores(raw, _normalize(raw, ignored))


def _weight(constraint: TopologySpreadConstraint, scored: Sequence[NodeWithPods]) -> float:
    if constraint.topology_key == HOSTNAME:
        return go_log(len(scored) + 2)
    return go_log(len({node.labels.get(constraint.topology_key, "") for node, _ in scored}) + 2)


def _count_in_domain(
    constraint: TopologySpreadConstraint,
    pod: Pod,
    node: Node,
    cluster: Sequence[NodeWithPods],
    required: Sequence[TopologySpreadConstraint],
) -> int:
    """Matching pods in the node's domain. A node without the label stands in the domain named ""."""
    total = 0
    for other, pods in cluster:
        if any(c.topology_key not in other.labels for c in required) or not counts_node(constraint, pod, other):
            continue
        if other.labels.get(constraint.topology_key, "") == node.labels[constraint.topology_key]:
            total += matching_pods(pods, constraint.selector, pod.namespace)
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


def _round_half_away(value: float) -> int:
    whole = math.floor(value)
    return whole + 1 if value - whole >= 0.5 else whole


def go_log(number: int) -> float:
    """Go's math.Log (FreeBSD's e_log.c), which may differ in the last bit from the C library's."""
    fraction, exponent = math.frexp(float(number))
    if fraction < math.sqrt(2) / 2:
        fraction, exponent = fraction * 2, exponent - 1
    f, k = fraction - 1, float(exponent)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    odd = s2 * (
        6.666666666666735130e-01
        + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01))
    )
    even = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01))
    half_square = 0.5 * f * f
    return k * 6.93147180369123816490e-01 - (
        (half_square - (s * (half_square + (odd + even)) + k * 1.90821492927058770002e-10)) - f
    )
