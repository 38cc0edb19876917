"""The scheduling simulation: places pods, the largest first, on existing nodes, opened claims or new claims.

karpenter: pkg/controllers/provisioning/scheduling/scheduler.go, nodeclaim.go, existingnode.go, queue.go.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import msgspec

from scheduler_core.apis.constraints import HostPort, Taint
from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.apis.karpenter import NodePool
from scheduler_core.apis.requirements import HOSTNAME, NO_REQUIREMENTS, Requirements, conflict, merge, one_of
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue, NoInstanceType, Types, filter_types
from scheduler_core.autoscaling.karpenter.pod_data import (
    Mounts,
    PodData,
    Volumes,
    add,
    conflicting_ports,
    not_tolerated,
    pod_data,
    relax,
    requests_of,
    show_conflict,
)
from scheduler_core.autoscaling.karpenter.state import StateNode
from scheduler_core.autoscaling.karpenter.topology import Topology, Unsatisfiable
from scheduler_core.scenario.objects.karpenter import requirements_of_pool

Resources = Mapping[str, int]
LIMITS_EXCEEDED = "all available instance types exceed limits for nodepool (NodePool={pool})"
NODES_EXHAUSTED = "node limits have been exhausted for nodepool (NodePool={pool})"
NO_TYPES = "nodepool requirements filtered out all available instance types"
DEVICES = "pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter"


class Misfit(msgspec.Struct, frozen=True):
    """The reason why a pod is not placed, as Karpenter words it. `for_good`: later placements do not change it."""

    text: object
    for_good: bool = True

    def __str__(self) -> str:
        return str(self.text)


class Template(msgspec.Struct, frozen=True, eq=False):
    """The initial claim of a pool: requirements, suitable types, and DaemonSets' requests (NodeClaimTemplate)."""

    pool: NodePool
    requirements: Requirements
    types: Types
    daemon_requests: Resources
    daemon_ports: tuple[HostPort, ...]


class Offer(msgspec.Struct, frozen=True, eq=False):
    """The offer of a pool for a pod: a new node of one of `types`, with `requirements`; or none, for a `reason`."""

    template: Template
    reason: str
    requirements: Requirements
    types: Types


class ExistingNode:
    """A node that exists or is being launched, with the pods that the simulation adds."""

    def __init__(self, state: StateNode, daemon_requests: Resources, requirements: Requirements) -> None:
        self.state = state
        self.pods: list[Pod] = []
        missing = {
            name: max(amount - state.daemon_requests.get(name, 0), 0) for name, amount in daemon_requests.items()
        }
        self.remaining = {
            name: amount - state.pod_requests.get(name, 0) - missing.get(name, 0)
            for name, amount in state.allocatable.items()
        }
        self.requirements = requirements
        self._mounts = dict(state.volumes)
        self._ports = list(state.host_ports)
        self._broken = any(amount < 0 for amount in self.remaining.values())

    def can_add(self, data: PodData, topology: Topology) -> Requirements | Misfit:
        """Return the node's requirements with the pod, or why it does not fit (ExistingNode.CanAdd)."""
        if (reason := not_tolerated(self.state.taints, data.pod.tolerations)) is not None:
            return Misfit(reason)
        if any(len(self._mounted(data, driver)) > most for driver, most in self.state.volume_limits.items()):
            return Misfit("checking volume usage, would exceed volume limit")
        if data.pod.host_ports and (conflicting := conflicting_ports(data.pod.host_ports, self._ports)) is not None:
            return Misfit(show_conflict(*conflicting))
        if self._broken or any(amount > self.remaining.get(name, 0) for name, amount in data.requests.items()):
            return Misfit("exceeds node resources")
        if (against := conflict(self.requirements, data.requirements)) is not None:
            return Misfit(against)
        base = merge(self.requirements, data.requirements)
        misfits = []
        for volume in data.volumes or (NO_REQUIREMENTS,):
            result = _with_topology(data, volume, topology, self.state.taints, base, frozenset())
            if not isinstance(result, Misfit):
                return result
            misfits.append(result)
        return Misfit(misfits[-1].text, for_good=all(misfit.for_good for misfit in misfits))

    def add(self, data: PodData, requirements: Requirements, topology: Topology) -> None:
        """Place the pod."""
        self.pods.append(data.pod)
        for name, amount in data.requests.items():
            self.remaining[name] = self.remaining.get(name, 0) - amount
        self.requirements = requirements
        self._ports += data.pod.host_ports
        self._mounts = {driver: self._mounted(data, driver) for driver in self.state.volume_limits}
        topology.record(data.pod, self.state.taints, requirements)

    def _mounted(self, data: PodData, driver: str) -> Set[str]:
        """Return the claims whose volumes a driver mounts on the node, with those of the pod."""
        return self._mounts.get(driver, frozenset()) | data.mounts.get(driver, frozenset())


class NewClaim:
    """A claim that the simulation opened. The cloud selects one of `types` later."""

    def __init__(self, template: Template, types: Types, catalogue: Catalogue, number: int) -> None:
        self.template = template
        self.pool = template.pool
        self.types = types
        self.hostname = f"hostname-placeholder-{number:04}"
        self.requirements = merge(template.requirements, (one_of(HOSTNAME, self.hostname),))
        self.requests: Resources = template.daemon_requests
        self.pods: list[Pod] = []
        self._catalogue = catalogue
        self._ports = list(template.daemon_ports)

    def can_add(
        self, data: PodData, topology: Topology, *, relaxes_min_values: bool = False
    ) -> tuple[Requirements, Types] | Misfit:
        """Return requirements and types with the pod, or why it does not fit (NodeClaim.CanAdd)."""
        if (reason := not_tolerated(self.pool.taints, data.pod.tolerations)) is not None:
            return Misfit(reason)
        if data.pod.host_ports and (conflicting := conflicting_ports(data.pod.host_ports, self._ports)) is not None:
            return Misfit(show_conflict(*conflicting))
        undefined = self._catalogue.well_known
        if (against := conflict(self.requirements, data.requirements, undefined)) is not None:
            return Misfit(f"incompatible requirements, {against}")
        total = add(self.requests, data.requests)
        base = merge(self.requirements, data.requirements)
        fits = self._filter(base, data, total, relaxes_min_values)
        if isinstance(fits, Misfit) and not topology.concerns(data.pod) and not data.volumes:
            return fits
        misfits = []
        for volume in data.volumes or (NO_REQUIREMENTS,):
            narrowed = _with_topology(data, volume, topology, self.pool.taints, base, undefined)
            if isinstance(narrowed, Misfit):
                misfits.append(narrowed)
                continue
            result = fits if narrowed is base else self._filter(narrowed, data, total, relaxes_min_values)
            if not isinstance(result, Misfit):
                return result
            misfits.append(Misfit(result.text, for_good=False))
        for_good = isinstance(fits, Misfit) or all(misfit.for_good for misfit in misfits)
        return Misfit(misfits[-1].text, for_good=for_good)

    def add(self, data: PodData, requirements: Requirements, types: Types, topology: Topology) -> None:
        """Place the pod."""
        self.pods.append(data.pod)
        self.types = types
        self.requests = add(self.requests, data.requests)
        self.requirements = requirements
        topology.register(self.hostname)
        topology.record(data.pod, self.pool.taints, requirements)
        self._ports += data.pod.host_ports

    def finish(self) -> None:
        """Remove the host name, which only the simulation needs (FinalizeScheduling)."""
        self.requirements = {key: entry for key, entry in self.requirements.items() if key != HOSTNAME}

    def _filter(
        self, requirements: Requirements, data: PodData, total: Resources, relaxes_min_values: bool
    ) -> tuple[Requirements, Types] | Misfit:
        left, requirements, reason = filter_types(
            self._catalogue,
            self.types,
            requirements,
            data.requests,
            self.template.daemon_requests,
            total,
            relaxes_min_values=relaxes_min_values,
        )
        return (requirements, left) if reason is None else Misfit(reason)


def _with_topology(
    data: PodData,
    volume: Requirements,
    topology: Topology,
    taints: tuple[Taint, ...],
    base: Requirements,
    undefined: frozenset[str],
) -> Requirements | Misfit:
    """Return the requirements with those of a place of the pod's volumes and of its terms, or why they conflict.

    Without any, it is `base` itself.
    """
    if volume:
        if (against := conflict(base, volume, undefined)) is not None:
            return Misfit(f"incompatible volume requirements, {against}")
        base = merge(base, volume)
    if not topology.concerns(data.pod):
        return base
    requirements = topology.add_requirements(data.pod, taints, data.strict_requirements, base)
    if isinstance(requirements, Unsatisfiable):
        return Misfit(requirements, for_good=False)
    if (against := conflict(base, requirements, undefined)) is not None:
        return Misfit(against, for_good=False)
    return merge(base, requirements)


class Results(msgspec.Struct):
    """The result of a simulation: new claims, nodes with their new pods, and why pods fit nowhere."""

    claims: list[NewClaim]
    nodes: list[ExistingNode]
    errors: dict[PodKey, tuple[Pod, str]]


class Options(msgspec.Struct, frozen=True):
    """The options of a simulation. `minValues` may be relaxed, and preferences ignored."""

    ignores_preferences: bool = False
    relaxes_min_values: bool = False


class Solver:
    """Simulates the placement of pods on nodes and new claims.

    `volumes`: the topologies in which each pod's volumes can be reached; `mounts`: its claims by CSI driver, which are
    not needed if no node has a limit.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        pools: Sequence[NodePool],
        nodes: Sequence[StateNode],
        topology: Topology,
        daemon_pods: Sequence[Pod],
        volumes: Mapping[PodKey, Volumes],
        mounts: Mapping[PodKey, Mounts],
        options: Options,
    ) -> None:
        self._catalogue = catalogue
        self._topology = topology
        self._volumes = volumes
        self._mounts = mounts
        self._options = options
        self._tolerates_preferences = any(taint.effect == "PreferNoSchedule" for pool in pools for taint in pool.taints)
        self._claims: list[NewClaim] = []
        self._opened = 0
        self._data: dict[PodKey, PodData] = {}
        # By `PodData.like`: the nodes and claims on which the pods do not fit.
        self._refused: dict[object, set[object]] = {}
        # The pools without a suitable type; True: because of minValues.
        self.without_types: list[tuple[NodePool, bool]] = []
        daemon_pods = [pod for pod in daemon_pods if not pod.has_resource_claims]  # shouldSkipDaemonPod
        templates = (self._template(pool, daemon_pods) for pool in pools)
        self._templates = [template for template in templates if template is not None]
        self._remaining = {pool.name: dict(pool.limits) for pool in pools if pool.limits is not None}
        self._nodes = [self._existing(node, daemon_pods) for node in nodes]
        self._nodes.sort(key=lambda node: (not node.state.initialized, node.state.name))
        for node in self._nodes:
            topology.register(node.state.hostname)
            self._take_from_limits(node.state)

    def solve(self, pods: Iterable[Pod]) -> Results:
        """Place the pods and return the results (Solve)."""
        pods = list(pods)
        for pod in pods:
            self._topology.update(pod)
            self._read(pod)
        queue = deque(sorted(pods, key=self._order))
        last_length: dict[PodKey, int] = {}
        errors: dict[PodKey, tuple[Pod, str]] = {}
        while queue and last_length.get(queue[0].key) != len(queue):
            pod = queue.popleft()
            reason = self._try(pod)
            if reason is None:
                errors.pop(pod.key, None)
                continue
            errors[pod.key] = pod, reason
            self._topology.update(pod)
            self._read(pod)
            queue.append(pod)
            last_length[pod.key] = len(queue)
        for claim in self._claims:
            claim.finish()
        return Results(self._claims, self._nodes, errors)

    def _order(self, pod: Pod) -> tuple[int, int, int, str]:
        """Return a sort key: large requests of cpu first, then of memory, then old pods (byCPUAndMemoryDescending)."""
        requests = self._data[pod.key].requests
        return -requests.get("cpu", 0), -requests.get("memory", 0), math.floor(pod.creation_timestamp), pod.uid

    def _read(self, pod: Pod) -> None:
        volumes, mounts = self._volumes.get(pod.key, ()), self._mounts.get(pod.key, {})
        ignores = self._options.ignores_preferences
        self._data[pod.key] = pod_data(pod, volumes, mounts, ignores_preferences=ignores)

    def _try(self, pod: Pod) -> str | None:
        """Place a pod, dropping preferences one by one. Return the reason for a failure, else None (trySchedule)."""
        if pod.has_resource_claims:
            return DEVICES
        while True:
            reason = self._add(self._data[pod.key])
            if reason is None:
                return None
            relaxed = relax(pod, tolerates_preferences=self._tolerates_preferences)
            if relaxed is None:
                return reason
            pod = relaxed
            self._topology.update(pod)
            self._read(pod)

    def _add(self, data: PodData) -> str | None:
        """Place a pod on a node, the opened claim with the fewest pods, or a new claim.

        Return the reason for a failure, else None.
        """
        topology = self._topology
        refused = self._refused.setdefault(data.like, set())
        for node in self._nodes:
            if node.state.name in refused:
                continue
            requirements = node.can_add(data, topology)
            if not isinstance(requirements, Misfit):
                node.add(data, requirements, topology)
                return None
            if requirements.for_good:
                refused.add(node.state.name)
        self._claims.sort(key=lambda claim: len(claim.pods))
        for claim in self._claims:
            if claim.hostname in refused:
                continue
            fits = claim.can_add(data, topology)
            if not isinstance(fits, Misfit):
                claim.add(data, *fits, topology)
                return None
            if fits.for_good:
                refused.add(claim.hostname)
        return self._open(data)

    def _open(self, data: PodData) -> str | None:
        """Place a pod on a new claim of the first pool that has a type for it (addToNewNodeClaim).

        Return the reason for a failure, else None.
        """
        if not self._templates:
            return NO_TYPES
        reasons = []
        for template in self._templates:
            types = template.types
            remaining = self._remaining.get(template.pool.name)
            if remaining is not None:
                if remaining.get("nodes") == 0:
                    reasons.append(NODES_EXHAUSTED.format(pool=template.pool.name))
                    continue
                types = self._catalogue.within(types, remaining)
                if not types:
                    reasons.append(LIMITS_EXCEEDED.format(pool=template.pool.name))
                    continue
            claim = NewClaim(template, types, self._catalogue, self._opened + 1)
            fits = claim.can_add(data, self._topology, relaxes_min_values=self._options.relaxes_min_values)
            if isinstance(fits, Misfit):
                reasons.append(str(fits))
                continue
            self._opened += 1
            claim.add(data, *fits, self._topology)
            self._claims.append(claim)
            if remaining is not None:
                for name in remaining:  # "nodes" too, of which a type has none: a batch may open more than are left
                    remaining[name] -= self._catalogue.largest(claim.types, name)
            return None
        return "; ".join(reasons)

    def offers(self, pod: Pod) -> list[Offer]:
        """Return the offer of each pool for a new node for the pod alone, without its preferences.

        Pools in `without_types` are left out.
        """
        while (relaxed := relax(pod, tolerates_preferences=self._tolerates_preferences)) is not None:
            pod = relaxed
        self._topology.update(pod)
        self._read(pod)
        data = self._data[pod.key]
        return [self._offer(template, data) for template in self._templates]

    def _offer(self, template: Template, data: PodData) -> Offer:
        remaining = self._remaining.get(template.pool.name)
        types = template.types
        if remaining is not None:
            exhausted = remaining.get("nodes") == 0
            types = 0 if exhausted else self._catalogue.within(types, remaining)
            if not types:
                sentence = NODES_EXHAUSTED if exhausted else LIMITS_EXCEEDED
                return Offer(template, sentence.format(pool=template.pool.name), {}, 0)
        fits = NewClaim(template, types, self._catalogue, 0).can_add(data, self._topology)
        if isinstance(fits, Misfit):
            return Offer(template, str(fits), {}, 0)
        return Offer(template, "", *fits)

    def why_not_type(self, template: Template, number: int, pod: Pod) -> str:
        """Return the reason against a node of the type for a pod that `offers` or `solve` was asked about.

        It is "requirements", "resources" or "offering"; "" if such a node is possible.
        """
        data, bit = self._data[pod.key], 1 << number
        requirements = merge(template.requirements, data.requirements)
        if not template.types & bit or not self._catalogue.meeting(requirements) & bit:
            return "requirements"
        if not self._catalogue.fitting(add(template.daemon_requests, data.requests)) & bit:
            return "resources"
        return "" if self._catalogue.offered(requirements) & bit else "offering"

    def _template(self, pool: NodePool, daemon_pods: Sequence[Pod]) -> Template | None:
        """Return the initial claim of a pool; None if no type meets its requirements, which `without_types` notes."""
        requirements = requirements_of_pool(pool)
        relaxes = self._options.relaxes_min_values
        types, _, reason = filter_types(
            self._catalogue, self._catalogue.all, requirements, {}, {}, {}, relaxes_min_values=relaxes
        )
        if reason is not None:
            self.without_types.append((pool, bool(isinstance(reason, NoInstanceType) and reason.short)))
            return None
        fitting = [pod for pod in daemon_pods if self._runs_on(pod, pool.taints, requirements)]
        ports = tuple(port for pod in fitting for port in pod.host_ports)
        return Template(pool, requirements, types, requests_of(fitting) if fitting else {}, ports)

    def _runs_on(self, daemon_pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> bool:
        """Return whether a DaemonSet will run on nodes of a pool, without its preferences (isDaemonPodCompatible)."""
        hard = tuple(taint for taint in taints if taint.effect != "PreferNoSchedule")
        if not_tolerated(hard, daemon_pod.tolerations) is not None:
            return False
        return _matches(daemon_pod, lambda wanted: conflict(requirements, wanted, self._catalogue.well_known) is None)

    def _existing(self, node: StateNode, daemon_pods: Sequence[Pod]) -> ExistingNode:
        """Return a node with the requests of the DaemonSets that run on it (getCompatibleDaemonPods)."""
        labels, requirements = self._catalogue.requirements_of_node(node.labels, node.hostname)
        fitting = [
            pod
            for pod in daemon_pods
            if not_tolerated(node.taints, pod.tolerations) is None
            and conflict(labels, pod_data(pod).strict_requirements) is None
        ]
        return ExistingNode(node, requests_of(fitting), requirements)

    def _take_from_limits(self, node: StateNode) -> None:
        remaining = self._remaining.get(node.pool)
        if remaining is not None:
            for name in remaining:
                remaining[name] -= 1 if name == "nodes" else node.capacity.get(name, 0)


def _matches(pod: Pod, fits: Callable[[Requirements], bool]) -> bool:
    """Return whether the pod's selector fits with one of its required terms, if it has any."""
    while not fits(pod_data(pod).strict_requirements):
        affinity = pod.required_node_affinity
        if affinity is None or len(affinity.terms) < 2:
            return False
        relaxed = relax(pod, tolerates_preferences=False)
        assert relaxed is not None
        pod = relaxed
    return True
