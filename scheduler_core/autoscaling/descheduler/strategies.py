"""The strategies other than utilization, each with the file of its plugin (pkg/framework/plugins)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.autoscaling.descheduler.evictor import Evictor, NodeLimit
from scheduler_core.autoscaling.descheduler.utilization import (
    eviction_order,
    high_node_utilization,
    low_node_utilization,
)
from scheduler_core.controllers.api import Api
from scheduler_core.plugins.node_affinity.rule import matches_required
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, find_untolerated_taint, tolerates
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.reading.problems import Problems

Args = Mapping[str, Any]
Strategy = Callable[[Args, Sequence[Node], Evictor], None]
MIN_FAILED_SECONDS = 3600  # the default of minPodLifetimeSeconds
RESTARTS = "kschedui.io/restart-count"  # the restarts of a pod at the start


class Strategies:
    """The strategies by name; each evicts pods of the nodes. They may raise TotalLimit."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.deschedule: Mapping[str, Strategy] = {
            "RemovePodsViolatingNodeTaints": self._node_taints,
            "RemovePodsViolatingNodeAffinity": self._node_affinity,
            "RemovePodsViolatingInterPodAntiAffinity": self._anti_affinity,
            "RemovePodsHavingTooManyRestarts": self._restarts,
            "RemoveFailedPods": self._failed_pods,
            "PodLifeTime": self._life_time,
        }
        self.balance: Mapping[str, Strategy] = {
            "RemoveDuplicates": self._duplicates,
            "LowNodeUtilization": low_node_utilization,
            "HighNodeUtilization": high_node_utilization,
            "RemovePodsViolatingTopologySpreadConstraint": self._topology_spread,
        }

    def _evict_all(self, pods: Sequence[Pod], strategy: str, evictor: Evictor) -> None:
        """Evict the pods; on each node, up to its limit."""
        full: set[str] = set()
        for pod in pods:
            if pod.node_name in full:
                continue
            try:
                evictor.evict(pod, strategy)
            except NodeLimit:
                full.add(pod.node_name)

    def _candidates(
        self, args: Args, nodes: Sequence[Node], evictor: Evictor, *, finished: bool = False
    ) -> Iterator[tuple[Node, Pod]]:
        """Yield the evictable pods that match the namespaces and labels of the arguments; `finished`: also these."""
        for node in nodes:
            for pod in evictor.all_on(node) if finished else evictor.pods_on(node):
                if _is_chosen(args, pod) and evictor.is_evictable(pod) and evictor.passes_pre_eviction(pod):
                    yield node, pod

    # Deschedule

    def _node_taints(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods that do not tolerate a taint of their node (removepodsviolatingnodetaints/node_taint.go)."""
        effects = {"NoSchedule", *(["PreferNoSchedule"] if args.get("includePreferNoSchedule") else [])}
        excluded, included = set(args.get("excludedTaints") or ()), set(args.get("includedTaints") or ())
        violating = []
        for node, pod in self._candidates(args, nodes, evictor):
            for taint in node.taints:
                names = {taint.key, f"{taint.key}={taint.value}"}
                is_considered = taint.effect in effects and not names & excluded and (not included or names & included)
                if is_considered and not tolerates(pod.tolerations, taint):
                    violating.append(pod)
                    break
        self._evict_all(violating, "RemovePodsViolatingNodeTaints", evictor)

    def _node_affinity(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods whose affinity fits another node better (removepodsviolatingnodeaffinity/node_affinity.go)."""
        for kind in args.get("nodeAffinityType") or ():
            is_elsewhere = _prefers_another if kind.startswith("preferred") else _requires_another
            violating = [
                pod
                for node, pod in self._candidates(args, nodes, evictor)
                if is_elsewhere(pod, node, nodes) and any(evictor.fits(pod, other) for other in nodes)
            ]
            self._evict_all(violating, "RemovePodsViolatingNodeAffinity", evictor)

    def _anti_affinity(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods whose anti-affinity is violated; of two pods, only the one with the term.

        Only pods count that match the arguments. removepodsviolatinginterpodantiaffinity/pod_antiaffinity.go
        """
        chosen = {node.name: [pod for pod in evictor.pods_on(node) if _is_chosen(args, pod)] for node in nodes}
        for node in nodes:
            for pod in sorted(chosen[node.name], key=eviction_order):
                if not any(_is_violated(term, pod, node, nodes, chosen) for term in pod.required_anti_affinity):
                    continue
                if not evictor.is_evictable(pod) or not evictor.passes_pre_eviction(pod):
                    continue
                try:
                    if evictor.evict(pod, "RemovePodsViolatingInterPodAntiAffinity"):
                        chosen[node.name].remove(pod)
                except NodeLimit:
                    break

    def _restarts(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods with too many restarts, on each node the most first.

        removepodshavingtoomanyrestarts/toomanyrestarts.go
        """
        least = args.get("podRestartThreshold") or 1
        for node in nodes:
            candidates = (pod for _, pod in self._candidates(args, [node], evictor, finished=True))
            pods = [pod for pod in candidates if self._restarts_of(pod) >= least]
            pods.sort(key=self._restarts_of, reverse=True)
            self._evict_all(pods, "RemovePodsHavingTooManyRestarts", evictor)

    def _restarts_of(self, pod: Pod) -> int:
        return self._api.status(pod).restarts + (parse_int64(pod.annotations.get(RESTARTS, "0")) or 0)

    def _failed_pods(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict failed pods that are old enough (removefailedpods/failedpods.go)."""
        least = args.get("minPodLifetimeSeconds")
        excluded = args.get("excludeOwnerKinds") or ()
        pods = [
            pod
            for _, pod in self._candidates(args, nodes, evictor, finished=True)
            if self._api.status(pod).phase == "Failed"
            and self._api.now - pod.creation_timestamp >= (MIN_FAILED_SECONDS if least is None else least)
            and (pod.owner is None or pod.owner.kind not in excluded)
        ]
        self._evict_all(pods, "RemoveFailedPods", evictor)

    def _life_time(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods in `states` and of `ownerKinds` that are too old, the oldest of all nodes first.

        Without maxPodLifeTimeSeconds, pods of any age are evicted (podlifetime/pod_lifetime.go).
        """
        most = args.get("maxPodLifeTimeSeconds")
        states, kinds = set(args.get("states") or ()), args.get("ownerKinds") or {}
        pods = []
        for _, pod in self._candidates(args, nodes, evictor, finished=True):
            owner = "" if pod.owner is None else pod.owner.kind
            if most is not None and int(self._api.now - pod.creation_timestamp) <= most:
                continue
            if states and self._api.status(pod).phase not in states:
                continue
            if owner not in kinds["include"] if kinds.get("include") else owner in (kinds.get("exclude") or ()):
                continue
            pods.append(pod)
        self._evict_all(sorted(pods, key=lambda pod: pod.creation_timestamp), "PodLifeTime", evictor)

    # Balance

    def _duplicates(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods of owners with several on a node, down to the average (removeduplicates/removeduplicates.go)."""
        excluded = args.get("excludeOwnerKinds") or ()
        count: dict[tuple[str, ...], int] = {}
        duplicates: dict[tuple[str, ...], dict[str, list[Pod]]] = {}
        seen: set[tuple[str, tuple[str, ...]]] = set()
        for node, pod in self._candidates(args, nodes, evictor):
            if pod.owner is None or pod.owner.kind in excluded:
                continue
            owner = pod.namespace, pod.owner.kind, pod.owner.name, *_images_of(pod)
            count[owner] = count.get(owner, 0) + 1
            if (node.name, owner) in seen:
                duplicates.setdefault(owner, {}).setdefault(node.name, []).append(pod)
            seen.add((node.name, owner))
        for owner, by_node in duplicates.items():
            targets: set[str] = set()
            for pod in chain.from_iterable(by_node.values()):
                landing = {node.name for node in nodes if _may_land(pod, node)}
                targets |= landing if len(landing) > 1 else set()
            if len(targets) < 2:
                continue
            average = math.ceil(count[owner] / len(targets))
            for pods in by_node.values():
                if len(pods) + 1 > average:
                    self._evict_all(pods[average - 1 :], "RemoveDuplicates", evictor)

    def _topology_spread(self, args: Args, nodes: Sequence[Node], evictor: Evictor) -> None:
        """Evict pods until the domains of each spread constraint are balanced.

        removepodsviolatingtopologyspreadconstraint/topologyspreadconstraint.go
        """
        actions = args.get("constraints") or ["DoNotSchedule"]
        by_namespace: dict[str, list[Pod]] = {}
        for node in nodes:
            for pod in evictor.pods_on(node):
                if _is_chosen(args, pod) and evictor.is_evictable(pod):
                    by_namespace.setdefault(pod.namespace, []).append(pod)
        going: dict[str, Pod] = {}
        for pods in by_namespace.values():
            constraints: dict[Hashable, tuple[TopologySpreadConstraint, Pod]] = {}
            for pod in pods:
                for constraint in pod.topology_spread_constraints:
                    if constraint.when_unsatisfiable in actions:
                        constraints.setdefault(_identity(constraint, pod), (constraint, pod))
            for constraint, pod in constraints.values():
                fit = args.get("topologyBalanceNodeFit", True)
                for moved in self._balance(constraint, pod, pods, nodes, evictor, fit=fit):
                    going[moved.key] = moved
        pods = [pod for pod in going.values() if evictor.is_evictable(pod) and evictor.passes_pre_eviction(pod)]
        self._evict_all(pods, "RemovePodsViolatingTopologySpreadConstraint", evictor)

    def _balance(
        self,
        constraint: TopologySpreadConstraint,
        sample: Pod,
        pods: Sequence[Pod],
        nodes: Sequence[Node],
        evictor: Evictor,
        *,
        fit: bool,
    ) -> Iterator[Pod]:
        """Yield the pods to move until the domains are balanced (balanceDomains).

        `fit`: pods that fit on no other node count as moved, but are not yielded.
        """
        key, by_name = constraint.topology_key, {node.name: node for node in nodes}
        eligible = [node for node in nodes if key in node.labels and _is_counted(constraint, sample, node)]
        domains: dict[str, list[Pod]] = {node.labels[key]: [] for node in eligible}
        for pod in pods:
            value = by_name[pod.node_name].labels.get(key)
            if value is not None and not evictor.is_terminating(pod) and constraint.selector.matches(pod.labels):
                domains.setdefault(value, []).append(pod)
        if not domains:
            return
        average = sum(map(len, domains.values())) / len(domains)
        for members in domains.values():
            members.sort(key=lambda pod: _eviction_order(pod, evictor))
        ordered = sorted(domains.items(), key=lambda entry: len(entry[1]))
        below = {value for value, members in ordered if len(members) < average}
        destinations = [node for node in eligible if node.labels[key] in below]
        low, high = 0, len(ordered) - 1
        while low < high:
            if len(ordered[high][1]) <= average:
                high -= 1
            smallest, largest = ordered[low][1], ordered[high][1]
            skew = len(largest) - len(smallest)
            half = math.ceil((skew - constraint.max_skew) / 2)
            count = min(math.ceil(len(largest) - average), math.ceil(average - len(smallest)), half)
            if skew <= constraint.max_skew or count <= 0:
                low += 1
                continue
            largest.sort(key=lambda pod: evictor.fits_other_node(pod, destinations))
            moved = largest[-count:]
            yield from (pod for pod in moved if not fit or evictor.fits_other_node(pod, destinations))
            del largest[-count:]
            smallest.extend(moved)


def _is_chosen(args: Args, pod: Pod) -> bool:
    """Return whether the pod matches the namespaces and labels of the arguments."""
    namespaces = args.get("namespaces") or {}
    if namespaces.get("include") and pod.namespace not in namespaces["include"]:
        return False
    if pod.namespace in (namespaces.get("exclude") or ()):
        return False
    selector = args.get("labelSelector")
    return selector is None or label_selector(selector, (), Problems()).matches(pod.labels)


def _identity(constraint: TopologySpreadConstraint, pod: Pod) -> Hashable:
    """Return a key that pods share if the constraint means the same for them, by the nodes that count for it."""
    affinity = repr((pod.required_node_affinity, sorted(pod.node_selector.items())))
    if constraint.node_affinity_policy != "Honor":
        affinity = ""
    return constraint, affinity, repr(pod.tolerations) if constraint.node_taints_policy == "Honor" else ""


def _images_of(pod: Pod) -> list[str]:
    containers = (pod.manifest.get("spec") or {}).get("containers") or ()
    return sorted(container.get("image") or "" for container in containers)


def _requires_another(pod: Pod, node: Node, nodes: Sequence[Node]) -> bool:
    return pod.required_node_affinity is not None and not matches_required(pod, node)


def _prefers_another(pod: Pod, node: Node, nodes: Sequence[Node]) -> bool:
    """Return whether the pod prefers one of the nodes to its own; it need not be one that it fits."""
    return any(_weight(pod, other) > _weight(pod, node) for other in nodes)


def _is_violated(term: Any, pod: Pod, node: Node, nodes: Sequence[Node], chosen: Mapping[str, Sequence[Pod]]) -> bool:
    """Return whether a chosen pod of the same domain matches the term; a node is a domain even without the label."""
    key = term.topology_key
    return any(
        other.name != pod.name and other.namespace in term.namespaces and term.selector.matches(other.labels)
        for place in nodes
        if place is node or (key in node.labels and place.labels.get(key) == node.labels[key])
        for other in chosen[place.name]
    )


def _weight(pod: Pod, node: Node) -> int:
    """Return the sum of the weights of the preferences that a node meets."""
    terms = pod.preferred_node_affinity
    return sum(term.weight for term in terms if term.term.matches(node.labels, node.name))


def _may_land(pod: Pod, node: Node) -> bool:
    if find_untolerated_taint(node.taints, pod.tolerations, HARD_EFFECTS) is not None:
        return False
    return bool(matches_required(pod, node))


def _is_counted(constraint: TopologySpreadConstraint, pod: Pod, node: Node) -> bool:
    """Return whether a node counts for the constraint (matchNodeInclusionPolicies)."""
    if constraint.node_affinity_policy == "Honor" and not matches_required(pod, node):
        return False
    if constraint.node_taints_policy != "Honor":
        return True
    return find_untolerated_taint(node.taints, pod.tolerations, HARD_EFFECTS) is None


def _eviction_order(pod: Pod, evictor: Evictor) -> tuple[bool, bool, int]:
    """Return a sort key; the pods at the end of a domain are evicted first (sortDomains)."""
    choosy = bool(pod.node_selector) or pod.required_node_affinity is not None or bool(pod.preferred_node_affinity)
    return evictor.is_evictable(pod), not choosy, -pod.priority
