"""Nodes and claims as Karpenter sees them (pkg/controllers/state/statenode.go, cluster.go; pkg/utils/pdb)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set

import msgspec

from scheduler_core.apis.constraints import HostPort, Taint
from scheduler_core.apis.core import CSINode, Node, Pod, PodDisruptionBudget
from scheduler_core.apis.karpenter import NodeClaim, NodePool
from scheduler_core.apis.requirements import HOSTNAME, NODE_POOL
from scheduler_core.autoscaling.karpenter.pod_data import not_tolerated
from scheduler_core.autoscaling.karpenter.volumes import mounted
from scheduler_core.cluster.statuses import PodStatus
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.disruption import budgets_of
from scheduler_core.controllers.pods import pod_manifest
from scheduler_core.scenario.fields.schema import DURATION
from scheduler_core.scenario.reading.times import UNITS, parse_duration

Resources = Mapping[str, int]
REGISTERED, INITIALIZED = "karpenter.sh/registered", "karpenter.sh/initialized"
UNREGISTERED = Taint("karpenter.sh/unregistered", "", "NoExecute")
DISRUPTED = Taint("karpenter.sh/disrupted", "", "NoSchedule")
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
EPHEMERAL = (
    ("node.kubernetes.io/not-ready", "NoSchedule"),
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoSchedule"),
    ("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"),
    (UNREGISTERED.key, UNREGISTERED.effect),
)
EPHEMERAL_PREFIX = "readiness.k8s.io/"
STUCK_AFTER = 60.0
KUBERNETES = {"DaemonSet": "apps/v1", "StatefulSet": "apps/v1", "Node": "v1"}  # the API versions of owners
_PART = re.compile(r"(?P<number>[0-9]+\.?[0-9]*|\.[0-9]+)(?P<unit>[^.0-9]*)", re.ASCII)


class StateNode(msgspec.Struct, frozen=True, eq=False):
    """A node with its claim. `node` None: it does not exist yet; `claim` None: Karpenter did not create it.

    `pods` are the pods bound to it; `pod_requests` are those of unfinished pods, `daemon_requests` of DaemonSets' pods.
    `volume_limits`: how many volumes of each CSI driver it may have; `volumes`: the claims of its pods by driver.
    """

    name: str
    node: Node | None
    claim: NodeClaim | None
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    taints: tuple[Taint, ...]
    initialized: bool
    deleting: bool
    capacity: Resources
    allocatable: Resources
    pods: Sequence[tuple[Pod, PodStatus]]
    pod_requests: Resources
    daemon_requests: Resources
    host_ports: Sequence[HostPort]
    volume_limits: Mapping[str, int]
    volumes: Mapping[str, Set[str]]

    @property
    def pool(self) -> str:
        """Return the name of its NodePool, "" if it has none."""
        return self.labels.get(NODE_POOL, "")

    @property
    def hostname(self) -> str:
        return self.labels.get(HOSTNAME) or self.name


class ClusterState:
    """Karpenter's view of nodes and claims, with nominations and claims that a command will delete."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.marked: dict[str, None] = {}  # claims that a command will delete
        self.nominated: dict[str, float] = {}  # node -> end of its nomination
        self.changed, self.changes = 0.0, 0  # the time of the last change that may allow a consolidation; their number
        self.report: Callable[[Pod, str, str, str, str], None] = lambda pod, reason, message, level, of: None

    def note_change(self) -> None:
        """Note a change that may allow a consolidation (MarkUnconsolidated)."""
        self.changed = self._api.now
        self.changes += 1

    def claims(self) -> list[NodeClaim]:
        """Return all claims, in order of creation."""
        return [item for item in self._api.cluster.objects("NodeClaim") if isinstance(item, NodeClaim)]

    def claim(self, name: str) -> NodeClaim | None:
        """Return a claim, None if it does not exist."""
        item = self._api.cluster.get("NodeClaim", name)
        return item if isinstance(item, NodeClaim) else None

    def pools(self) -> list[NodePool]:
        """Return the NodePools by descending weight, then by descending name (OrderByWeight)."""
        pools = [item for item in self._api.cluster.objects("NodePool") if isinstance(item, NodePool)]
        pools.sort(key=lambda pool: pool.name, reverse=True)
        return sorted(pools, key=lambda pool: -pool.weight)

    def is_synced(self) -> bool:
        """Return whether the cloud has answered about all claims."""
        return all(claim.is_true("Launched") or claim.deleted is not None for claim in self.claims())

    def nodes(self) -> list[StateNode]:
        """Return all nodes by name, including launched nodes that do not exist yet."""
        by_node = {claim.node: claim for claim in self.claims() if claim.node}
        existing = {node.name: node for node in self._api.cluster.all_nodes()}
        state_nodes = [self._state_node(node, by_node.get(name)) for name, node in existing.items()]
        state_nodes += [self._state_node(None, claim) for name, claim in by_node.items() if name not in existing]
        return sorted(state_nodes, key=lambda node: node.name)

    def is_nominated(self, name: str) -> bool:
        """Return whether pods are expected on the node."""
        return self.nominated.get(name, float("-inf")) > self._api.now

    def daemon_pods(self) -> list[Pod]:
        """Return a pod of each DaemonSet, unless its template is invalid."""
        pods = []
        for daemon_set in self._api.workloads("DaemonSet"):
            template = (daemon_set.manifest.get("spec") or {}).get("template") or {}
            try:
                pods.append(self._api.build_pod(pod_manifest(daemon_set, template, f"{daemon_set.name}-template")))
            except AdmissionRefused:
                continue
        return pods

    def _state_node(self, node: Node | None, claim: NodeClaim | None) -> StateNode:
        registered = node is not None and node.labels.get(REGISTERED) == "true"
        initialized = claim is None or (node is not None and node.labels.get(INITIALIZED) == "true")
        if claim is not None and (node is None or not registered):
            labels, annotations, taints = claim.labels, claim.annotations, claim.taints
        else:
            assert node is not None
            labels, annotations, taints = node.labels, node.annotations, node.taints
        if claim is not None and not initialized:
            startup = {(taint.key, taint.effect) for taint in claim.startup_taints}
            taints = tuple(
                taint for taint in taints if not is_ephemeral(taint) and (taint.key, taint.effect) not in startup
            )
        capacity: Resources = node.capacity if node is not None else {}
        allocatable: Resources = node.allocatable if node is not None else {}
        if claim is not None and not initialized:
            capacity, allocatable = _filled(capacity, claim.capacity), _filled(allocatable, claim.allocatable)
        pods = self._api.pods_on(node.name) if node is not None else []
        active = [pod for pod, status in pods if status.phase not in ("Succeeded", "Failed")]
        name = node.name if node is not None else claim.node if claim is not None else ""
        csi_node = self._api.cluster.get("CSINode", name) if node is not None else None
        limits = csi_node.limits if isinstance(csi_node, CSINode) else {}
        volume_limits = {driver: limit for driver, limit in limits.items() if limit is not None}
        return StateNode(
            name,
            node,
            claim,
            labels,
            annotations,
            taints,
            initialized,
            claim is not None and (claim.name in self.marked or claim.deleted is not None),
            capacity,
            allocatable,
            pods,
            _total_requests(active),
            _total_requests([pod for pod in active if is_owned_by(pod, "DaemonSet")]),
            [port for pod in active for port in pod.host_ports],
            volume_limits,
            mounted(active, self._api) if volume_limits else {},
        )

    # Pods (pkg/utils/pod/scheduling.go, pkg/utils/pdb)

    def is_provisionable(self, pod: Pod) -> bool:
        """Return whether the pod is pending and may get a new node."""
        return self._api.waits_for_node(pod) and not is_owned_by(pod, "DaemonSet", "Node")

    def is_reschedulable(self, pod: Pod, status: PodStatus) -> bool:
        """Return whether the pod needs another node if its node is removed."""
        active = is_active(status) or (is_owned_by(pod, "StatefulSet") and status.deletion_requested is not None)
        return active and not is_owned_by(pod, "DaemonSet", "Node")

    def is_currently_reschedulable(self, pod: Pod, status: PodStatus) -> bool:
        """Return whether the pod needs another node, and no annotation or budget rules out its eviction."""
        return (
            self.is_reschedulable(pod, status)
            and not (is_active(status) and self.is_protected(pod))
            and not self._blocking_budgets(pod, status, _blocks_fully)
        )

    def is_evictable(self, pod: Pod, status: PodStatus) -> bool:
        """Return whether a drain evicts the pod."""
        return is_active(status) and is_drainable(pod) and not self.is_protected(pod)

    def is_protected(self, pod: Pod) -> bool:
        """Return whether the pod's annotation prevents its disruption: always, or for some time after its start.

        An event tells until when, that the time has passed, or that the value is invalid (IsDoNotDisruptActive).
        """
        value = pod.annotations.get(DO_NOT_DISRUPT)
        if value is None or value == "true":
            return value == "true"
        if problem := _problem_of_duration(value):
            message = f"Invalid {DO_NOT_DISRUPT} annotation: {problem}, ignoring annotation"
            self.report(pod, "InvalidDoNotDisruptAnnotation", message, "Warning", problem)
            return False
        started = self._api.status(pod).running_since
        if started is None:
            return True
        end = math.floor(started) + parse_duration(value)
        if self._api.now < end:
            message = f"The {DO_NOT_DISRUPT} grace period will elapse at {end:g}"
            self.report(pod, "DoNotDisruptUntil", message, "Normal", f"{end:g}")
            return True
        message = f"The {DO_NOT_DISRUPT} grace period has elapsed, pod is now disruptable"
        self.report(pod, "DoNotDisruptGracePeriodElapsed", message, "Normal", "")
        return False

    def blocking_budget(self, pods: Sequence[tuple[Pod, PodStatus]]) -> str:
        """Return why a budget prevents the eviction of a pod, "" if none does (CanEvictPods)."""
        for pod, status in pods:
            budgets = self._blocking_budgets(pod, status, lambda budget: self._disruptions_allowed(budget) == 0)
            keys = " ".join(f"{budget.namespace}/{budget.name}" for budget in budgets)
            if len(budgets) > 1:
                return f"eviction does not support multiple PDBs (PodDisruptionBudget(s)=[{keys}])"
            if budgets:
                return f"pdb prevents pod evictions (PodDisruptionBudget=[{keys}])"
        return ""

    def _blocking_budgets(
        self, pod: Pod, status: PodStatus, blocks: Callable[[PodDisruptionBudget], bool]
    ) -> Sequence[PodDisruptionBudget]:
        """Return the budgets that prevent the eviction of a pod: more than one, or one that `blocks` (isEvictable)."""
        if not self.is_evictable(pod, status):
            return ()
        budgets = budgets_of(pod, self._api)
        if len(budgets) == 1 and ((budgets[0].evicts_unhealthy and not status.ready) or not blocks(budgets[0])):
            return ()
        return budgets

    def _disruptions_allowed(self, budget: PodDisruptionBudget) -> int:
        """Return `status.disruptionsAllowed` as last written; until then, as in the scenario, or 0."""
        status = self._api.workload_status(budget)
        return status.number("disruptionsAllowed") if status.numbers else budget.disruptions_allowed or 0


def is_owned_by(pod: Pod, *kinds: str) -> bool:
    """Return whether the pod's owner has one of the kinds, which must be those of Kubernetes (IsOwnedBy)."""
    owner = pod.owner
    return owner is not None and owner.kind in kinds and owner.api_version in ("", KUBERNETES[owner.kind])


def is_active(status: PodStatus) -> bool:
    """Return whether the pod has not ended and is not being deleted."""
    return status.phase not in ("Succeeded", "Failed") and status.deletion_requested is None


def is_drainable(pod: Pod) -> bool:
    """Return whether a drain waits for the pod: it does not tolerate the taint, and it is not a mirror pod."""
    return not_tolerated((DISRUPTED,), pod.tolerations) is not None and not is_owned_by(pod, "Node")


def is_stuck_terminating(status: PodStatus, now: float) -> bool:
    """Return whether the pod should have been gone for more than a minute (IsStuckTerminating)."""
    return now - deletion_time(status) > STUCK_AFTER


def deletion_time(status: PodStatus) -> float:
    """Return the time at which a pod's grace period ends (`metadata.deletionTimestamp`), infinity if it has none."""
    return math.inf if status.deletion_requested is None else math.floor(status.deletion_requested) + status.grace


def is_ephemeral(taint: Taint) -> bool:
    """Return whether the taint is expected to be removed from a new node."""
    return (taint.key, taint.effect) in EPHEMERAL or taint.key.startswith(EPHEMERAL_PREFIX)


def _problem_of_duration(value: str) -> str:
    """Return why an annotation is no positive duration, "" if it is one (parseDoNotDisrupt, time.ParseDuration)."""
    if DURATION.check(value) is None:
        return "" if parse_duration(value) > 0 else f'duration "{value}" must be positive'
    reason, rest = "invalid", value.removeprefix("-") if value.startswith("-") else value.removeprefix("+")
    while reason == "invalid" and rest and (part := _PART.match(rest)) is not None:
        if not part["unit"]:
            reason = "missing unit in"
        elif part["unit"] not in UNITS:
            reason = f'unknown unit "{part["unit"]}" in'
        rest = rest[part.end() :]
    return f'failed to parse "{value}" as a duration: time: {reason} duration "{value}"'


def _blocks_fully(budget: PodDisruptionBudget) -> bool:
    return budget.max_unavailable in (0, "0%") or budget.min_available == "100%"


def _filled(amounts: Resources, of_claim: Resources) -> Resources:
    return {**of_claim, **{name: amount for name, amount in amounts.items() if amount or name not in of_claim}}


def _total_requests(pods: Sequence[Pod]) -> Resources:
    total: dict[str, int] = {"pods": len(pods)}
    for pod in pods:
        for name, amount in pod.requests.items():
            total[name] = total.get(name, 0) + amount
    return total
