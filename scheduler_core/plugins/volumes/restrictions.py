"""VolumeRestrictions: disks that only one pod can mount, and claims that only one pod can use.

kube-scheduler: volumerestrictions/volume_restrictions.go. Two pods on one node conflict if they mount the same GCE
disk, EBS volume, RBD image or iSCSI target (except if both mount it read-only; EBS always conflicts). If another pod of
the cluster uses one of the pod's claims with the access mode ReadWriteOncePod, every node is rejected; preempting that
pod would make its node feasible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact
from scheduler_core.framework.interface import (
    SKIP,
    SUCCESS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    FilterPlugin,
    Handle,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    QueueingHint,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_volumes
from scheduler_core.plugins.volumes.exclusive import conflicts, disk_names, is_exclusive
from scheduler_core.plugins.volumes.hints import after_referenced_claim
from scheduler_core.plugins.volumes.listers import Storage, VolumePods, direct_claims, not_found

READ_WRITE_ONCE_POD = "ReadWriteOncePod"

CLAIM_IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
CLAIM_IN_USE_ON_THE_NODE = (  # in older releases
    "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
)
DISK_CONFLICT = Status(Code.UNSCHEDULABLE, ("node(s) had no available disk",))


class State(msgspec.Struct, frozen=True):
    """The state: `claims` are the names of the pod's ReadWriteOncePod claims, `in_use` the number of those in use."""

    claims: frozenset[str]
    in_use: int
    disks: bool  # the pod has volumes that may conflict with another pod's


NO_VOLUMES = PreFilterResult(State(frozenset(), 0, disks=False), SKIP)


class VolumeRestrictions(
    PreFilterPlugin, FilterPlugin, PreFilterExtensions, EnqueueExtensions, ExplainsFilter, SignPlugin
):
    """Rejects nodes with conflicting disks, and all nodes if a ReadWriteOncePod claim is in use.

    Counters (add_pod_delta): pods with conflicting disks; uses of the pod's ReadWriteOncePod claims.
    """

    name = "VolumeRestrictions"
    about = AboutFile("restrictions.yaml")
    without_pre_filter = 'cannot read "PreFilterVolumeRestrictions" from cycleState'
    sign_pod = staticmethod(by_volumes)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.storage = Storage(handle.cluster)
        self._knows_exclusive_claims = handle.release.has_on("ReadWriteOncePod")
        self.cluster = handle.cluster
        names_node = handle.release.rules.claim_in_use_reason_names_the_node
        in_use = CLAIM_IN_USE_ON_THE_NODE if names_node else CLAIM_IN_USE
        self._statuses = (DISK_CONFLICT, Status(Code.UNSCHEDULABLE, (in_use,)))
        self._users = VolumePods(handle.cluster, lambda pod: (f"{pod.namespace}/{name}" for name in direct_claims(pod)))
        self._mounts = VolumePods(handle.cluster, _exclusive_names)

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        if not pod.volumes:
            return NO_VOLUMES
        disks = any(map(is_exclusive, pod.volumes))
        if not self._knows_exclusive_claims:
            return PreFilterResult(State(frozenset(), 0, disks), SUCCESS if disks else SKIP)
        claims = set()
        for name in direct_claims(pod):
            claim = self.storage.persistent_volume_claim(f"{pod.namespace}/{name}")
            if claim is None:
                error = not_found("persistentvolumeclaim", name)
                return PreFilterResult(status=Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (error,)))
            if READ_WRITE_ONCE_POD in claim.access_modes:
                claims.add(name)
        in_use = sum(len(self._users.slots(f"{pod.namespace}/{name}")) > 0 for name in claims)
        state = State(frozenset(claims), in_use, disks)
        return PreFilterResult(state, SUCCESS if state.disks or in_use else SKIP)

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        disks = np.zeros(len(nodes), np.int64)
        if state.disks:
            disks += np.bincount(self.cluster.pods.row[self._conflicting(pod)], minlength=len(nodes))
        conflicting, in_use = disks[rows], np.full(len(disks[rows]), state.in_use)
        if change is not None:
            conflicting, in_use = conflicting + change.delta[0], in_use + change.delta[1]
        numbers = np.where(conflicting > 0, 1, np.where(in_use > 0, 2, 0)).astype(np.int16)
        return Verdicts(numbers, self._statuses)

    def add_pod_delta(
        self, pod: Pod, state: State, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return int64[2, slots]: whether each pod has a conflicting disk, and how often it uses one of the claims.

        As in kube-scheduler, claims are compared by name, without the namespace.
        """
        counters = np.zeros((2, len(slots)), np.int64)
        for position, slot in enumerate(slots):
            other = cluster.pods.pods[slot]
            counters[0, position] = conflicts(pod, other)
            counters[1, position] = sum(name in state.claims for name in direct_claims(other))
        return counters

    def _conflicting(self, pod: Pod) -> NDArray[np.intp]:
        """Return the slots of the pods on nodes whose disks conflict with the pod's."""
        pods = self.cluster.pods.pods
        sharing = [self._mounts.slots(name) for name in dict.fromkeys(_exclusive_names(pod))]
        slots = np.unique(np.concatenate(sharing)) if sharing else np.empty(0, np.intp)
        return np.array([slot for slot in slots if conflicts(pod, pods[slot])], np.intp)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Pod", Action.DELETE), after_pod_deleted),
            RegisteredEvent(ClusterEvent("Node", Action.ADD)),
            RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD), after_referenced_claim),
        )

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.names[row]
        facts = []
        if state.disks:
            slots = [slot for slot in self._conflicting(pod) if cluster.pods.row[slot] == row]
            count = len(slots) + (int(change.delta[0, 0]) if change is not None else 0)
            facts.append(_disk_fact(pod, node, [cluster.pods.pods[slot] for slot in slots], count))
        if state.claims:
            users = {name: self._users.slots(f"{pod.namespace}/{name}") for name in sorted(state.claims)}
            names = [cluster.pods.pods[slot].key for slots in users.values() for slot in slots]
            count = state.in_use + (int(change.delta[1, 0]) if change is not None else 0)
            facts.append(_claim_fact(sorted(state.claims), names, count))
        return facts


def _exclusive_names(pod: Pod) -> Iterator[str]:
    return (name for volume in pod.volumes for name in disk_names(volume))


def after_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Queue the pod if the deleted pod, of the same namespace, used one of its disks or claims in any access mode."""
    if old.namespace != pod.namespace:
        return QueueingHint.SKIP
    shared = set(direct_claims(pod)) & set(direct_claims(old))
    return QueueingHint.QUEUE if shared or conflicts(pod, old) else QueueingHint.SKIP


def _disk_fact(pod: Pod, node: str, others: list[Pod], count: int) -> Fact:
    disks = ", ".join(dict.fromkeys(_exclusive_names(pod)))
    using = " and ".join(other.key for other in others) or "no other pod"
    return Fact(
        "VolumeRestrictions.disk",
        left=f"pods on {node} with the same disk",
        op="=" if count == 0 else ">",
        right="0",
        holds=count <= 0,
        values={"pods": count, "disks": disks},
        text=f"The pod mounts {disks}; on {node} it is mounted by {using}.",
        field="spec.volumes",
    )


def _claim_fact(claims: list[str], users: list[str], count: int) -> Fact:
    using = " and ".join(users) or "no other pod"
    return Fact(
        "VolumeRestrictions.readWriteOncePod",
        left="pods using the claim",
        op="=" if count == 0 else ">",
        right="0",
        holds=count <= 0,
        values={"pods": count, "claims": ", ".join(claims)},
        text=f"Only one pod in the cluster may use the claim {' or '.join(claims)}; it is used by {using}.",
        field="spec.volumes[*].persistentVolumeClaim.claimName",
    )
