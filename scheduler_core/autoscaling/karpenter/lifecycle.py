"""The life of a claim: it is launched, registered, initialised, expires or drifts, is drained and removed.

karpenter: pkg/controllers/nodeclaim/{lifecycle,expiration,podevents,disruption}, pkg/controllers/node/termination,
kwok/cloudprovider. The cloud is that of the kwok provider, which launches the cheapest offering.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.karpenter import ClaimCondition, InstanceType, KWOKNodeClass, NodeClaim, NodePool, Offering
from scheduler_core.apis.requirements import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    ZONE,
    conflict,
    merge,
    of_labels,
)
from scheduler_core.autoscaling.karpenter.events import Recorder
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.autoscaling.karpenter.state import (
    DISRUPTED,
    INITIALIZED,
    REGISTERED,
    UNREGISTERED,
    ClusterState,
    deletion_time,
    is_active,
    is_drainable,
    is_ephemeral,
    is_owned_by,
    is_stuck_terminating,
)
from scheduler_core.cluster.statuses import NodeStatus, PodStatus
from scheduler_core.controllers.api import Api, grace_of
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.eviction import CREATED, evict
from scheduler_core.controllers.node_lifecycle import with_taints
from scheduler_core.scenario.objects.karpenter import as_requirement
from scheduler_core.trace.records import Because

LAUNCH_SECONDS = 0.2  # from the claim to the answer of the cloud
REACTION = 0.1  # from a change to the reaction
WRITE_PAUSE = 1.0  # the sleep of the claim controller after a write
MIN_DRAIN = 5.0
DRAIN_POLL = 1.0
POD_EVENT_REPEAT = 10.0
LAUNCH_TIMEOUT, REGISTRATION_TIMEOUT = 300.0, 900.0
INSTANCE_TYPE_CHECKED_AFTER = 3600.0
FIRST_EVICTION_RETRY, LONGEST_EVICTION_RETRY = 0.1, 10.0
CRITICAL = ("system-cluster-critical", "system-node-critical")
HASH = ("karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version")
FORCEFUL = "Forceful Termination"
Later = Callable[[float, Callable[[], None]], None]


class Lifecycle:
    """Moves claims from one condition to the next. A node is ready `ready_seconds` after its creation."""

    def __init__(
        self,
        api: Api,
        state: ClusterState,
        catalogue: Catalogue,
        recorder: Recorder,
        later: Later,
        ready_seconds: float,
    ) -> None:
        self._api = api
        self._state = state
        self._catalogue = catalogue
        self._recorder = recorder
        self._later = later
        self._ready_seconds = ready_seconds
        self._evicting: dict[str, int] = {}  # by uid of the pod: the number of refused evictions
        self._terminating: dict[str, None] = {}  # claims whose termination has begun
        self._hashes: dict[str, object] = {}  # of the pools from which claims come that existed at the start
        self.on_drain: Callable[[str], None] = lambda node_name: None

    # Writing

    def _set(self, name: str, cause: str, **fields: object) -> NodeClaim | None:
        claim = self._state.claim(name)
        if claim is None:
            return None
        changed = replace(claim, **fields)
        self._api.apply_object(changed, "update", because(cause, claim=name))
        return changed

    def set_condition(self, name: str, condition: str, status: str = "True", reason: str = "") -> None:
        """Set a condition of a claim, unless it has this status and reason; another reason keeps the time."""
        claim = self._state.claim(name)
        if claim is None:
            return
        known = claim.conditions.get(condition)
        if known is None or (known.status, known.reason) != (status, reason):
            since = known.since if known is not None and known.status == status else self._api.now
            new = ClaimCondition(status, since, reason)
            self._set(name, "nodeclaim-status", conditions={**claim.conditions, condition: new})

    def clear_condition(self, name: str, condition: str) -> None:
        """Remove a condition of a claim."""
        claim = self._state.claim(name)
        if claim is not None and condition in claim.conditions:
            left = {key: value for key, value in claim.conditions.items() if key != condition}
            self._set(name, "nodeclaim-status", conditions=left)

    # From the claim to a node

    def launch(self, claim: NodeClaim) -> None:
        """Request an instance for a new claim from the cloud."""
        self._later(LAUNCH_SECONDS, partial(self._launch, claim.name))
        self._plan_expiration(claim)

    def adopt(self, claim: NodeClaim) -> None:
        """Take over a claim that exists at the start."""
        self._hashes[claim.name] = self._hash_of_adopted(claim)
        self._plan_expiration(claim)
        if claim.deleted is not None:
            self._later(REACTION, partial(self.terminate, claim.name))
        elif not claim.is_true("Launched"):
            self._later(LAUNCH_SECONDS, partial(self._launch, claim.name))
        elif not claim.is_true("Registered"):
            self._later(REACTION, partial(self._register, claim.name))
            wait = math.floor(claim.created) + REGISTRATION_TIMEOUT - self._api.now
            self._later(max(wait, 0.0), partial(self._give_up, claim.name))
        elif not claim.is_true("Initialized"):
            self.try_to_initialize(claim.name)
        else:
            self.refresh(claim.name)

    def _hash_of_adopted(self, claim: NodeClaim) -> object:
        """Return the hash of the pool from which a claim comes, None if the annotations of both do not tell it."""
        pool = self._api.cluster.get("NodePool", claim.pool)
        if not isinstance(pool, NodePool):
            return None
        annotations = (pool.manifest.get("metadata") or {}).get("annotations") or {}
        of_claim, of_pool = ([entries.get(key) for key in HASH] for entries in (claim.annotations, annotations))
        if None in (*of_claim, *of_pool) or of_claim[1] != of_pool[1]:
            return None
        return pool.hash if of_claim == of_pool else of_claim[0]

    def _launch(self, name: str) -> None:
        claim = self._state.claim(name)
        if claim is None or claim.deleted is not None:
            return
        number = self._catalogue.number
        types = sum(1 << number[type_name] for type_name in claim.instance_types if type_name in number)
        cheapest = self._catalogue.cheapest(types, claim.requirements)
        if cheapest is None:
            message = "insufficient capacity, all requested instance types were unavailable during launch"
            event = f"NodeClaim {name} event: {message}"
            self._recorder.on("NodeClaim", name, "InsufficientCapacityError", event, "Warning")
            self.delete(name)
            return
        entry, offering = cheapest
        labels = {**_instance_labels(claim, entry, offering), **claim.labels}
        launched = ClaimCondition("True", self._api.now)
        self._set(
            name,
            "nodeclaim-launched",
            labels=labels,
            node=name,
            capacity=entry.capacity,
            allocatable=entry.allocatable,
            conditions={**claim.conditions, "Launched": launched},
        )
        self._state.note_change()
        self._later(self._registration_delay(claim), partial(self._appear, name))
        self._later(REGISTRATION_TIMEOUT, partial(self._give_up, name))

    def _registration_delay(self, claim: NodeClaim) -> float:
        pool = self._api.cluster.get("NodePool", claim.pool)
        if isinstance(pool, NodePool):
            node_class = self._api.cluster.get("KWOKNodeClass", pool.node_class[2])
            if isinstance(node_class, KWOKNodeClass):
                return node_class.registration_delay
        return 0.0

    def _give_up(self, name: str) -> None:
        """Delete a claim whose node has not registered in time (liveness.go)."""
        claim = self._state.claim(name)
        if claim is not None and not claim.is_true("Registered"):
            self.delete(name)

    def _appear(self, name: str) -> None:
        """Create the node of a claim (kwok: toNode). It has no condition Ready yet, so it has no taint for it."""
        claim = self._state.claim(name)
        if claim is None or claim.deleted is not None:
            return
        manifest = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {**claim.labels, HOSTNAME: name},
                "annotations": dict(claim.annotations),
            },
        }
        node = self._api.build("Node", manifest)
        assert isinstance(node, Node)
        node = replace(node, capacity=claim.capacity, allocatable=claim.allocatable)
        node = replace(with_taints(node, (UNREGISTERED,)), creation_timestamp=self._api.second)
        self._api.statuses.nodes[name] = NodeStatus(ready="", changed=self._api.now)
        self._api.apply_object(node, "create", because("instance-started", group=claim.pool))
        self._later(self._ready_seconds, partial(self._become_ready, name))

    def _register(self, name: str) -> None:
        """Add the claim's labels and taints to its node, and set Registered (registration.go)."""
        claim, node = self._state.claim(name), self._node_of(name)
        if claim is None or node is None or claim.deleted is not None or claim.is_true("Registered"):
            return
        taints = [taint for taint in node.taints if taint != UNREGISTERED]
        for taint in (*claim.taints, *claim.startup_taints):
            if not any((taint.key, taint.effect) == (other.key, other.effect) for other in taints):
                taints.append(taint)
        labels = {**node.labels, **claim.labels, REGISTERED: "true"}
        self._write_node(replace(with_taints(node, taints), labels=labels), because("node-registered"))
        self.set_condition(name, "Registered")
        self._later(WRITE_PAUSE, partial(self.try_to_initialize, name))

    def watch_node(self, name: str) -> None:
        """Go on with a claim whose node has changed."""
        self._register(name)
        self.try_to_initialize(name)

    def _become_ready(self, name: str) -> None:
        node = self._node_of(name)
        if node is None or self._api.node_status(name).lost:
            return
        self._api.set_node_status(node, NodeStatus(ready="True", changed=self._api.now), "KubeletReady")

    def try_to_initialize(self, name: str) -> None:
        """Set Initialized once the node is ready and has no startup taints (initialization.go)."""
        claim, node = self._state.claim(name), self._node_of(name)
        if claim is None or node is None or claim.deleted is not None or claim.is_true("Initialized"):
            return
        registered = claim.conditions.get("Registered")
        if registered is None or self._api.now - registered.since < WRITE_PAUSE - 1e-9:
            return
        startup = {(taint.key, taint.effect) for taint in claim.startup_taints}
        waits = (
            self._api.node_status(node.name).ready != "True"
            or any((taint.key, taint.effect) in startup or is_ephemeral(taint) for taint in node.taints)
            or any(amount and not node.allocatable.get(resource) for resource, amount in claim.requests.items())
        )
        if waits:
            return
        self._write_node(replace(node, labels={**node.labels, INITIALIZED: "true"}), because("node-initialized"))
        self._state.note_change()
        self.set_condition(name, "Initialized")
        self.set_condition(name, "Ready")
        self.refresh(name)

    def _node_of(self, name: str) -> Node | None:
        claim = self._state.claim(name)
        return self._api.cluster.node(claim.node) if claim is not None and claim.node else None

    def _write_node(self, node: Node, cause: Because) -> None:
        metadata = {**(node.manifest.get("metadata") or {}), "labels": dict(node.labels)}
        self._api.apply_object(replace(node, manifest={**node.manifest, "metadata": metadata}), "update", cause)

    # Conditions that allow disruption

    def note_pod_event(self, node_name: str) -> None:
        """Store the time at which a pod was bound to the node or left it (podevents), at most once in 10 s."""
        claim = self.claim_of(node_name)
        if claim is None:
            return
        last = claim.last_pod_event
        if last is not None and self._api.now - last < POD_EVENT_REPEAT:
            return
        self._set(claim.name, "nodeclaim-status", last_pod_event=self._api.second)
        self.refresh(claim.name)

    def claim_of(self, node_name: str) -> NodeClaim | None:
        """Return the claim of a node, None if Karpenter did not create the node."""
        claim = self._state.claim(node_name)
        if claim is not None and claim.node == node_name:
            return claim
        return next((claim for claim in self._state.claims() if claim.node == node_name), None)

    def refresh(self, name: str) -> None:
        """Set or clear Consolidatable and Drifted."""
        claim = self._state.claim(name)
        if claim is None or claim.deleted is not None:
            return
        pool = self._api.cluster.get("NodePool", claim.pool)
        if not isinstance(pool, NodePool):
            return
        reason = self._drift(pool, claim) if claim.is_true("Launched") else ""
        if reason:
            self.set_condition(name, "Drifted", "True", reason)
        else:
            self.clear_condition(name, "Drifted")
        self._refresh_consolidatable(pool, name)

    def _refresh_consolidatable(self, pool: NodePool, name: str) -> None:
        """Set Consolidatable once no pod came or went for consolidateAfter (nodeclaim/disruption/consolidation.go)."""
        claim = self._state.claim(name)
        assert claim is not None
        initialized = claim.conditions.get("Initialized")
        if pool.consolidate_after is None or initialized is None or initialized.status != "True":
            self.clear_condition(name, "Consolidatable")
            return
        since = math.floor(initialized.since) if claim.last_pod_event is None else claim.last_pod_event
        wait = since + pool.consolidate_after - self._api.now
        if wait > 1e-9:
            self.clear_condition(name, "Consolidatable")
            self._later(wait, partial(self.refresh, name))
        else:
            self.set_condition(name, "Consolidatable")

    def _drift(self, pool: NodePool, claim: NodeClaim) -> str:
        """Return the reason for the drift of a claim from its pool, "" if it has not drifted (disruption/drift.go)."""
        known = self._hashes.get(claim.name) if claim.pool_hash is None else claim.pool_hash
        if known is not None and known != pool.hash:
            return "NodePoolDrifted"
        if conflict(of_labels(claim.labels), merge(map(as_requirement, pool.requirements))) is not None:
            return "RequirementsDrifted"
        old = self._api.now - claim.created > INSTANCE_TYPE_CHECKED_AFTER
        name = claim.labels.get(INSTANCE_TYPE, "")
        if old and self._catalogue.types and self._catalogue.price_of(claim.labels, name) is None:
            return "InstanceTypeNotFound"
        return ""

    def _plan_expiration(self, claim: NodeClaim) -> None:
        if claim.expire_after is not None:
            wait = math.floor(claim.created) + claim.expire_after - self._api.now
            self._later(max(wait, 0.0), partial(self.delete, claim.name))

    # The end

    def delete(self, name: str) -> None:
        """Request the deletion of a claim."""
        claim = self._state.claim(name)
        if claim is not None and claim.deleted is None:
            self._set(name, "nodeclaim-deleted", deleted=self._api.now)

    def terminate(self, name: str) -> None:
        """Start terminating a claim whose deletion was requested: its node is drained first (lifecycle)."""
        claim = self._state.claim(name)
        if claim is None or name in self._terminating:
            return
        self._terminating[name] = None
        if claim.termination_grace_period is not None:
            message = f"All pods will be deleted by {self._termination_time(claim):g}"
            self._recorder.on("NodeClaim", name, "TerminationGracePeriodExpiring", message, "Warning")
        node = self._node_of(name)
        if node is None:
            self._later(REACTION, partial(self._remove_claim, name))
            return
        if DISRUPTED not in node.taints:
            self._write_node(with_taints(node, (*node.taints, DISRUPTED)), because("node-removed", node=node.name))
        self.on_drain(node.name)
        self.set_condition(name, "Drained", "Unknown", "Draining")
        self._drain(name)

    def _termination_time(self, claim: NodeClaim) -> float:
        assert claim.deleted is not None
        assert claim.termination_grace_period is not None
        return math.floor(claim.deleted) + claim.termination_grace_period

    def _drain(self, name: str) -> None:
        """Evict the pods of a node, group by group; end the instance once none is left (awaitDrain)."""
        claim, node = self._state.claim(name), self._node_of(name)
        if claim is None:
            return
        if node is None:
            self._remove_claim(name)
            return
        self._delete_expiring(claim, node)
        waiting = [pod for pod, status in self._api.pods_on(node.name) if self._is_waiting_for_eviction(pod, status)]
        began = claim.conditions["Drained"].since
        if waiting:
            groups: dict[int, list[Pod]] = {}
            for pod in waiting:
                groups.setdefault(_drain_group(pod), []).append(pod)
            for pod in groups[min(groups)]:
                if self._state.is_evictable(pod, self._api.status(pod)) and pod.uid not in self._evicting:
                    self._evicting[pod.uid] = 0
                    self._later(0.0, partial(self._evict, pod.key, pod.uid, name))
            message = f"Failed to drain node, {len(waiting)} pods are waiting to be evicted"
            self._recorder.on("Node", node.name, "FailedDraining", message, "Warning")
        elif self._api.now - math.floor(began) >= MIN_DRAIN:
            self._end_instance(name, node)
            return
        self._later(DRAIN_POLL, partial(self._drain, name))

    def _is_waiting_for_eviction(self, pod: Pod, status: PodStatus) -> bool:
        """Return whether a drain waits for the pod (IsWaitingEviction)."""
        ended = status.phase in ("Succeeded", "Failed") or is_stuck_terminating(status, self._api.now)
        return not ended and is_drainable(pod)

    def _delete_expiring(self, claim: NodeClaim, node: Node) -> None:
        """Delete pods whose grace period would exceed the termination time of the node (DeleteExpiringPods).

        Those that are being deleted get a shorter grace period if theirs ends after that time.
        """
        if claim.termination_grace_period is None:
            return
        end = self._termination_time(claim)
        message = f"All pods will be deleted by {end:g}"
        self._recorder.on("Node", node.name, "TerminationGracePeriodExpiring", message, "Warning")
        for pod, status in self._api.pods_on(node.name):
            grace = grace_of(pod)
            if not self._is_waiting_for_eviction(pod, status) or self._api.now <= end - grace:
                continue
            if not is_active(status) and deletion_time(status) <= end:
                continue
            left = max(math.floor(end - self._api.now), 1)
            message = (
                f"Deleting the pod to accommodate the terminationTime {end:g} of the node. The pod was granted {left} "
                f"seconds of grace-period of its {grace:g} terminationGracePeriodSeconds. This bypasses the PDB of the "
                "pod and the do-not-disrupt annotation."
            )
            self._recorder.on_pod(pod, "Disrupted", message, of=(self._name_of(pod),))
            self._api.delete_pod(pod, because("node-removed", node=node.name), grace=float(left))

    def _evict(self, key: PodKey, uid: str, name: str) -> None:
        """Evict a pod; after a refusal, try again with an increasing delay (eviction.go)."""
        pod, claim = self._api.pod(key), self._state.claim(name)
        if pod is None or pod.uid != uid or claim is None:
            self._evicting.pop(uid, None)
            return
        called = self._name_of(pod)
        if evict(pod, self._api, because_of=because("node-removed", node=pod.node_name)) == CREATED:
            self._evicting.pop(uid, None)
            reason = claim.conditions.get("DisruptionReason")
            text = reason.reason if reason is not None and reason.status == "True" else FORCEFUL
            self._recorder.on_pod(pod, "Evicted", f"Evicted pod: {text}", of=(called,))
            return
        refusals = self._evicting[uid]
        self._evicting[uid] = refusals + 1
        wait = min(FIRST_EVICTION_RETRY * 2**refusals, LONGEST_EVICTION_RETRY)
        self._later(wait, partial(self._evict, key, uid, name))

    def _name_of(self, pod: Pod) -> str:
        """Return the pod's name in a cluster, where only pods of StatefulSets and those without owner get it again."""
        keeps_name = pod.owner is None or is_owned_by(pod, "StatefulSet")
        return pod.name if keeps_name else pod.uid

    def _end_instance(self, name: str, node: Node) -> None:
        """End the instance of a drained node: delete the node, then its claim."""
        for condition in ("Drained", "VolumesDetached", "InstanceTerminating"):
            self.set_condition(name, condition)
        for pod, _ in self._api.pods_on(node.name):
            self._api.delete_pod(pod, because("instance-ended", node=node.name), grace=0.0)
        self._api.delete("Node", node.name, because("instance-ended", node=node.name))
        self._recorder.on("Node", node.name, "Finalized", "Finalized karpenter.sh/termination")
        self._state.note_change()
        self._later(REACTION, partial(self._remove_claim, name))

    def _remove_claim(self, name: str) -> None:
        if self._state.claim(name) is not None:
            self._api.delete("NodeClaim", name, because("nodeclaim-ended", claim=name))
        self._terminating.pop(name, None)
        self._state.marked.pop(name, None)
        self._state.note_change()


def _instance_labels(claim: NodeClaim, entry: InstanceType, offering: Offering) -> Mapping[str, str]:
    """Return the labels of a launched node (kwok: addInstanceLabels)."""
    single = {
        key: next(iter(wanted.values))
        for key, wanted in claim.requirements.items()
        if wanted.operator == "In" and len(wanted.values) == 1
    }
    of_type = {key: next(iter(wanted.values)) for key, wanted in entry.requirements.items() if len(wanted.values) == 1}
    chosen = {INSTANCE_TYPE: entry.name, ZONE: offering.zone, CAPACITY_TYPE: offering.capacity_type}
    return {**single, **of_type, **chosen}


def _drain_group(pod: Pod) -> int:
    """Return the pod's group, 0 to 3; critical pods of DaemonSets are evicted last (groupPodsByPriority)."""
    return 2 * (pod.priority_class_name in CRITICAL) + is_owned_by(pod, "DaemonSet")
