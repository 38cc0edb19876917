"""Creates claims for pending pods (pkg/controllers/provisioning/provisioner.go, batcher.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Namespace, Node, Pod, PodKey
from scheduler_core.apis.karpenter import NodeClaim, NodePool
from scheduler_core.apis.requirements import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    KWOK,
    NODE_POOL,
    NORMALIZED,
    ZONE,
    Requirements,
    get,
    merge,
    of_labels,
    one_of,
)
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.autoscaling.karpenter.evaluation import evaluated_scale_up
from scheduler_core.autoscaling.karpenter.events import Recorder
from scheduler_core.autoscaling.karpenter.instance_types import CAPACITY_TYPES, Catalogue, show_resources
from scheduler_core.autoscaling.karpenter.pod_data import pod_data
from scheduler_core.autoscaling.karpenter.solver import NewClaim, Options, Results, Solver
from scheduler_core.autoscaling.karpenter.state import ClusterState, StateNode
from scheduler_core.autoscaling.karpenter.topology import Domains, Topology
from scheduler_core.autoscaling.karpenter.volumes import mounted, volume_problem, volume_requirements
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.scenario.objects.karpenter import as_requirement, labels_of_pool
from scheduler_core.trace.autoscaling_events import MOST_PODS, ScaleUpEvaluated

PENDING_RETRY = 10.0  # a pod that is still pending triggers another batch
SOLVE_SECONDS = 0.1  # from the end of a batch to its claims
FAILURE_REPEAT = 300.0
POOL_REPEAT = 60.0
RESTRICTED_DOMAINS = (KWOK, "karpenter.sh")  # of labels that pods must not select, except for well-known ones
Later = Callable[[float, Callable[[], None]], None]


class Provisioner:
    """Creates claims for the pods of a batch, and calls `launch(claim)` for each of them."""

    def __init__(
        self,
        api: Api,
        state: ClusterState,
        catalogue: Catalogue,
        flags: Mapping[str, Any],
        recorder: Recorder,
        later: Later,
        launch: Callable[[NodeClaim], None],
    ) -> None:
        self._api = api
        self._state = state
        self._catalogue = catalogue
        self._flags = flags
        self._recorder = recorder
        self._later = later
        self._launch = launch
        self._options = Options(flags["preference-policy"] == "Ignore", flags["min-values-policy"] == "BestEffort")
        self._watched: dict[PodKey, None] = {}  # the pending pods that trigger again later
        self._batch: dict[str, None] = {}  # the pods and nodes that triggered the batch
        self._opened = 0.0
        self._closes = float("inf")
        self._made: dict[str, int] = {}  # the number of claims created for each pool
        self._domains: dict[str, Domains] = {}
        self._pools_version = -1
        self._last_evaluation: ScaleUpEvaluated | None = None  # of the last batch

    # Batches

    def watch_pod(self, key: PodKey) -> None:
        """Begin or extend a batch for a pending pod, and again every 10 s while it is pending (PodController)."""
        pod = self._api.cluster.pods.get(key)
        if pod is None or pod.node_name or pod.scheduling_gates:
            return
        provisionable = self._state.is_provisionable(pod)
        if provisionable:
            self.trigger(key)
        is_promised = bool(pod.nominated_node_name) or key in self._api.cluster.assumed
        if (provisionable or is_promised) and key not in self._watched:
            self._watched[key] = None
            self._later(PENDING_RETRY, partial(self._watch_pod_again, key))

    def _watch_pod_again(self, key: PodKey) -> None:
        del self._watched[key]
        self.watch_pod(key)

    def watch_node(self, name: str) -> None:
        """Begin or extend a batch for a node that is being disrupted, and again every 10 s (NodeController)."""
        node = self._api.cluster.node(name)
        if node is not None and any(taint.key == "karpenter.sh/disrupted" for taint in node.taints):
            self.trigger(name)
            self._later(PENDING_RETRY, partial(self.watch_node, name))

    def trigger(self, name: str) -> None:
        """Begin a batch for a pod or node, or extend it if it does not contain the pod or node yet."""
        if name in self._batch:
            return
        now = self._api.now
        if not self._batch:
            self._opened = now
        self._batch[name] = None
        end = self._opened + self._flags["batch-max-duration"]
        self._closes = time = min(now + self._flags["batch-idle-duration"], end)
        self._later(max(time - now, 0.0), partial(self._close, time))

    def _close(self, time: float) -> None:
        if time != self._closes:
            return
        self._batch.clear()
        self._closes = float("inf")
        if self._state.is_synced():  # otherwise the batch is lost, and the next trigger begins another
            self._later(SOLVE_SECONDS, self._provision)

    # One batch

    def _provision(self) -> None:
        """Create claims for all pending pods and the pods of nodes that are being deleted (Schedule)."""
        nodes = self._state.nodes()
        pods = [*self.pending_pods(), *self.pods_of_deleting(nodes)]
        if not pods or not self._state.pools():
            return
        results = self.simulate(pods, [node for node in nodes if not node.deleting])
        event = evaluated_scale_up(results, len(pods), self._catalogue)
        if event != self._last_evaluation:
            self._last_evaluation = event
            self._api.emit(event)
        for pod, reason in results.errors.values():
            self.record_failure(pod, reason)
        self.record_nominations(results)
        self.create(results.claims, nominates=True)

    def record_failure(self, pod: Pod, reason: str) -> None:
        """Record that no node can be created for a pod."""
        message = f"Failed to schedule pod, {reason}"
        self._recorder.on_pod(pod, "FailedScheduling", message, "Warning", repeat=FAILURE_REPEAT)

    def record_nominations(self, results: Results) -> None:
        """Nominate the nodes on which pods are expected, and record events on the pods (Results.Record).

        In the recorded runs, a nomination of a node that does not exist yet is lost when the node appears.
        """
        for node in results.nodes:
            if node.pods and node.state.node is not None:
                self.nominate(node.state.name)
            for pod in node.pods:
                claim = f"nodeclaim/{node.state.claim.name}" if node.state.claim is not None else ""
                place = f"node/{node.state.node.name}" if node.state.node is not None else ""
                self._recorder.nominate(pod, ", ".join(filter(None, (claim, place))))

    def nominate(self, name: str) -> None:
        """Nominate a node for twice the longest duration of a batch, at least 10 s."""
        self._state.nominated[name] = self._api.now + max(2 * self._flags["batch-max-duration"], 10.0)

    def pending_pods(self) -> list[Pod]:
        """Return the pending pods that may get a new node, and record invalid ones (GetPendingPods)."""
        pods = []
        for pod in self._api.cluster.pods.all():
            if not self._state.is_provisionable(pod):
                continue
            reason = self._problem_of(pod)
            if reason is None:
                pods.append(pod)
            elif reason:
                self.record_failure(pod, reason)
        return pods

    def _problem_of(self, pod: Pod) -> str | None:
        """Return why a pod is invalid, "" if it excludes Karpenter's nodes, None if it is valid (Validate)."""
        requirements = pod_data(pod).requirements
        if NODE_POOL in requirements and requirements[NODE_POOL].operator == "DoesNotExist":
            return ""
        reasons: list[str] = []
        for key, value in pod.node_selector.items():
            reasons += self._problems_of_requirement(key, "In", (value,))
        for term in pod.required_node_affinity.terms if pod.required_node_affinity is not None else ():
            if term.match_fields:
                reasons.append("node selector term with matchFields is not supported")
            for entry in term.match_expressions:
                reasons += self._problems_of_requirement(entry.key, entry.operator, entry.values)
        reasons.append(volume_problem(pod, self._api))
        return "; ".join(filter(None, reasons)) or None

    def _problems_of_requirement(self, key: str, operator: str, values: Sequence[str]) -> Iterator[str]:
        """Yield why a pod must not have a requirement (ValidateRequirement)."""
        key = NORMALIZED.get(key, key)
        domain = key.partition("/")[0] if "/" in key else ""
        restricted = key == HOSTNAME or any(domain == end or domain.endswith(f".{end}") for end in RESTRICTED_DOMAINS)
        if restricted and key not in self._catalogue.well_known:
            known, domains = " ".join(sorted(self._catalogue.well_known)), " ".join(RESTRICTED_DOMAINS)
            yield (
                f"using label {key} is not allowed as it might interfere with the internal provisioning logic; specify "
                f"a well known label: [{known}], or a custom label that does not use a restricted domain: [{domains}]"
            )
        if key == CAPACITY_TYPE and operator == "In" and not set(values) & set(CAPACITY_TYPES):
            shown, known = " ".join(values), " ".join(f"{kind}:{{}}" for kind in sorted(CAPACITY_TYPES))
            yield f"no valid values found in [{shown}] for {key}, expected one of: map[{known}], got: [{shown}]"
        bound = parse_int64(values[0]) if operator in ("Gt", "Lt") else 0
        if bound is None or bound < 0:
            yield f"key {key} with operator {operator} must have a single positive integer value"

    def pods_of_deleting(self, nodes: Sequence[StateNode]) -> list[Pod]:
        """Return the pods that will be evicted from nodes that are being deleted."""
        return [
            pod
            for node in nodes
            if node.deleting
            for pod, status in node.pods
            if self._state.is_currently_reschedulable(pod, status)
        ]

    # The simulation

    def simulate(self, pods: Sequence[Pod], nodes: Sequence[StateNode]) -> Results:
        """Return the placement of the pods on the nodes and on new claims; pools without any type are recorded."""
        waiting = [_unplaced(pod) for pod in pods]
        solver = self.solver(waiting, nodes)
        for pool, of_min_values in solver.without_types:
            because_of = " due to minValues incompatibility" if of_min_values else ""
            message = f"NodePool requirements filtered out all compatible available instance types{because_of}"
            reason = "NoCompatibleInstanceTypes"
            self._recorder.on("NodePool", pool.name, reason, message, "Warning", repeat=POOL_REPEAT)
        results = solver.solve(waiting)
        for claim in results.claims:
            claim.types = self._catalogue.truncated(claim.types, claim.requirements)
        return results

    def solver(self, waiting: Sequence[Pod], nodes: Sequence[StateNode]) -> Solver:
        """Return a simulation for pods without a node."""
        moving = {pod.key for pod in waiting}
        running: list[tuple[Pod, Node]] = []
        leaving: list[tuple[Pod, Node]] = []
        for node in self._api.cluster.all_nodes():
            for pod, status in self._api.pods_on(node.name):
                if pod.key not in moving and status.phase not in ("Succeeded", "Failed"):
                    (running if status.deletion_requested is None else leaving).append((pod, node))
        topology = Topology(
            self._domains_of,
            [node.node for node in nodes if node.node is not None],
            running,
            leaving,
            {item.name: item.labels for item in self._api.cluster.objects("Namespace") if isinstance(item, Namespace)},
            ignores_preferences=self._options.ignores_preferences,
        )
        with_volumes = [pod for pod in waiting if pod.volumes]
        limited = any(node.volume_limits for node in nodes)
        return Solver(
            self._catalogue,
            self._state.pools(),
            nodes,
            topology,
            self._state.daemon_pods(),
            {pod.key: volume_requirements(pod, self._api) for pod in with_volumes},
            {pod.key: mounted((pod,), self._api) for pod in with_volumes if limited},
            self._options,
        )

    def _domains_of(self, key: str) -> Domains:
        """Return the domains of a key that pools can have, with the taints of those pools (buildDomainGroups)."""
        version = self._api.cluster.version("NodePool")
        if version != self._pools_version:
            self._domains, self._pools_version = {}, version
        if key not in self._domains:
            self._domains[key] = self._build_domains(key)
        return self._domains[key]

    def _build_domains(self, key: str) -> Domains:
        domains: dict[str, list[tuple[Any, ...]]] = {}
        for pool in self._state.pools():
            own = merge(map(as_requirement, pool.requirements), of_labels(pool.labels))
            entries = []
            for of_type in self._catalogue.requirements:
                entries += [merge(own, of_type)[key]] if key in own or key in of_type else []
            entries += [own[key]] if key in own and own[key].operator == "In" else []
            for domain in dict.fromkeys(value for entry in entries for value in sorted(entry.values)):
                known = domains.setdefault(domain, [])
                if not pool.taints:
                    known[:] = [()]
                elif () not in known:
                    known.append(pool.taints)
        return domains

    # Claims

    def create(self, claims: Sequence[NewClaim], *, nominates: bool = False) -> list[str]:
        """Create claims in the order of pool, zone, types and requests, launch them, and return their names.

        No claim is created in a pool that already exceeds its limits.

        In Karpenter, both orders are random: claims are created in parallel (ParallelizeUntil) and launched by several
        workers. Here the claim that was opened last is launched first, as a processor first runs the goroutine that was
        started last.
        """
        made: dict[int, NodeClaim] = {}  # by position
        for position in sorted(range(len(claims)), key=lambda position: self._order(claims[position])):
            claim = claims[position]
            if not self._exceeds_limits(claim.pool):
                self._made[claim.pool.name] = number = self._made.get(claim.pool.name, 0) + 1
                made[position] = self._create(f"{claim.pool.name}-{number}", claim, nominates)
        opened = sorted(made)
        for position in (*opened[-1:], *opened[:-1]):
            self._launch(made[position])
        return [node_claim.name for node_claim in made.values()]

    def _order(self, claim: NewClaim) -> tuple[Any, ...]:
        zones = sorted(get(claim.requirements, ZONE).values)
        return claim.pool.name, zones, self._catalogue.names(claim.types), show_resources(claim.requests)

    def _exceeds_limits(self, pool: NodePool) -> bool:
        """Return whether the pool already exceeds its limits (Limits.ExceededBy)."""
        used: dict[str, int] = {}
        for node in self._state.nodes():
            if node.pool == pool.name and not node.deleting:
                for name, amount in {**node.capacity, "nodes": 1}.items():
                    used[name] = used.get(name, 0) + amount
        return any(used.get(name, 0) > limit for name, limit in (pool.limits or {}).items())

    def _create(self, name: str, new: NewClaim, nominates: bool) -> NodeClaim:
        pool, requirements = new.pool, self._final_requirements(new)
        labels = {**labels_of_pool(pool), **_custom_labels(requirements, self._catalogue)}
        claim = NodeClaim(
            name=name,
            pool=pool.name,
            labels=labels,
            annotations=pool.annotations,
            requirements=requirements,
            instance_types=tuple(self._catalogue.names(new.types)),
            requests=new.requests,
            taints=pool.taints,
            startup_taints=pool.startup_taints,
            expire_after=pool.expire_after,
            termination_grace_period=pool.termination_grace_period,
            pool_hash=pool.hash,
            created=self._api.now,
        )
        pods = ", ".join(pod.key for pod in new.pods[:MOST_PODS])
        cause = because("nodeclaim-needed", pool=pool.name, count=len(new.pods), pods=pods)
        self._api.apply_object(claim, "create", cause)
        if nominates:
            for pod in new.pods:
                self._recorder.nominate(pod, f"nodeclaim/{name}")
        return claim

    def _final_requirements(self, new: NewClaim) -> Requirements:
        """Return the requirements of a claim with its types and their capacity types (ToNodeClaim)."""
        least = get(new.requirements, INSTANCE_TYPE).min_values
        names = one_of(INSTANCE_TYPE, *self._catalogue.names(new.types))
        requirements = merge(new.requirements, (names,))
        if least is not None:
            requirements = merge(requirements, (get(new.requirements, INSTANCE_TYPE),))
        kinds = {
            offering.capacity_type
            for number in self._catalogue.members(new.types)
            for offering in self._catalogue.compatible(number, requirements)
        }
        return merge(requirements, (one_of(CAPACITY_TYPE, *kinds),)) if kinds else requirements


def _custom_labels(requirements: Requirements, catalogue: Catalogue) -> dict[str, str]:
    """Return the labels for requirements with custom keys (resolveCustomLabelsFromRequirements).

    Where the source takes any value, or a random number for a label that only has to exist, here it is the smallest.
    """
    custom = (entry for key, entry in requirements.items() if key not in catalogue.well_known and key != HOSTNAME)
    return {
        entry.key: min(entry.values) if entry.operator == "In" else str(entry.at_least or 0)
        for entry in custom
        if entry.operator != "DoesNotExist"
    }


def _unplaced(pod: Pod) -> Pod:
    return replace(pod, node_name="")
