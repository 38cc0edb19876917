"""EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits: limits of in-tree volumes per node (before 1.31).

kube-scheduler: nodevolumelimits/non_csi.go. They count only volumes that no CSI driver serves on the node, mostly on
nodes without a CSINode; NodeVolumeLimits counts the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Node, PersistentVolumeClaim, Pod, Volume
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, format_count
from scheduler_core.framework.interface import (
    PASS,
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
    RegisteredEvent,
    Rows,
    Status,
    Verdicts,
)
from scheduler_core.plugins.volumes.csi_migration import BY_SOURCE, Migrations
from scheduler_core.plugins.volumes.limits import EXCEEDED
from scheduler_core.plugins.volumes.listers import Storage, ephemeral_claim_error, not_found

NOTHING_TO_COUNT = PreFilterResult(status=SKIP)
NITRO = re.compile("^[cmr]5.*|t3|z1d")
NITRO_LIMIT = 25
INSTANCE_TYPE = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")


class InTreeVolumes(msgspec.Struct, frozen=True):
    """The volumes that a plugin counts: their source, the field with their identity, and their provisioner.

    `limit_key` is the resource of a node that has its limit, `default` the limit of a node without it.
    """

    source: str
    identity: str
    provisioner: str
    limit_key: str
    default: int


class InTreeLimits(PreFilterPlugin, FilterPlugin, PreFilterExtensions, EnqueueExtensions, ExplainsFilter):
    """The common base of the four plugins; `counts` are the volumes that each of them counts."""

    name: str
    about = AboutFile("in_tree_limits.yaml")
    counts: ClassVar[InTreeVolumes]

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._storage = Storage(
            handle.cluster,
            missing_claims_err=handle.release.rules.missing_claims_fail_the_counting,
            migrations=Migrations.of(handle.release),
        )
        self._pods = handle.cluster.pods

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        may_count = any(volume.claim is not None or self._is_inline(volume) for volume in pod.volumes)
        return PreFilterResult() if may_count else NOTHING_TO_COUNT

    def filter(self, pod: Pod, state: Any, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Evaluate node by node: few pods have volumes of this kind."""
        new = self._volumes(pod, new=True)
        numbers = np.arange(len(nodes), dtype=np.intp)[rows].tolist()
        if isinstance(new, Status):
            return Verdicts(np.ones(len(numbers), np.int16), (new,))
        if not new:
            return PASS
        statuses = [self._judge(new, nodes.nodes[row], self._slots(row, i, change)) for i, row in enumerate(numbers)]
        return Verdicts.by_code(np.arange(len(statuses)), statuses)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Node", Action.ADD)),
            RegisteredEvent(ClusterEvent("Pod", Action.DELETE)),
            RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD)),
        )

    def explain_filter(
        self, pod: Pod, state: Any, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node, new = cluster.nodes.nodes[row], self._volumes(pod, new=True)
        if isinstance(new, Status):
            return [_unknown(new)]
        if not new or self._is_migrated(node):
            return []
        attached = self._volumes_of_pods(self._slots(row, 0, change))
        if isinstance(attached, Status):
            return [_unknown(attached)]
        present, added, limit = len(attached), len(new - attached), self._limit(node)
        holds = present + added <= limit
        volumes = format_count(present, "volume")
        text = f"{node.name} has {volumes} of this kind, the pod adds {added}; the limit is {limit}."
        return [
            Fact(
                "NodeVolumeLimits.driver",
                left=f"{present} + {added}",
                op="≤" if holds else ">",
                right=str(limit),
                holds=holds,
                values={"driver": self.counts.provisioner, "attached": present, "new": added, "limit": limit},
                text=text,
                field="spec.volumes",
            )
        ]

    def _judge(self, new: set[str], node: Node, slots: Sequence[int]) -> Status:
        if self._is_migrated(node):
            return SUCCESS
        attached = self._volumes_of_pods(slots)
        if isinstance(attached, Status):
            return attached
        return EXCEEDED if len(attached) + len(new - attached) > self._limit(node) else SUCCESS

    def _is_migrated(self, node: Node) -> bool:
        """Return whether a CSI driver serves these volumes on the node, so that NodeVolumeLimits counts them."""
        return self._storage.migrations.is_migrated(BY_SOURCE[self.counts.source], self._storage.csi_node(node.name))

    def _volumes_of_pods(self, slots: Sequence[int]) -> set[str] | Status:
        """Return the counted volumes of these pods, or the status of an error."""
        attached: set[str] = set()
        for slot in slots:
            volumes = self._volumes(self._pods.pods[slot], new=False)
            if isinstance(volumes, Status):
                return volumes
            attached |= volumes
        return attached

    def _slots(self, row: int, position: int, change: Change | None) -> list[int]:
        slots = list(self._pods.on_row(row))
        if change is None:
            return slots
        removed = set(change.removed[position])
        return [slot for slot in slots if slot not in removed] + change.added[position]

    def _limit(self, node: Node) -> int:
        return node.allocatable.get(self.counts.limit_key, self.counts.default)

    def _is_inline(self, volume: Volume) -> bool:
        return volume.source_type == self.counts.source

    def _volumes(self, pod: Pod, *, new: bool) -> set[str] | Status:
        """Return the identities of the pod's counted volumes (filterVolumes); `new`: all its claims must exist."""
        volumes: set[str] = set()
        for volume in pod.volumes:
            if self._is_inline(volume):
                volumes.add(str((volume.source or {}).get(self.counts.identity, "")))
                continue
            if volume.claim is None:
                continue
            key = f"{pod.namespace}/{volume.claim}"
            claim = self._storage.persistent_volume_claim(key)
            if claim is None:
                if new:
                    reason = f"looking up PVC {key}: {not_found('persistentvolumeclaim', volume.claim)}"
                    errs = self._storage.missing_claims_err
                    return Status(Code.ERROR if errs else Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
                continue
            if volume.ephemeral and (error := ephemeral_claim_error(pod, claim)):
                return Status(Code.ERROR, (error,))
            volumes |= self._of_claim(claim)
        return volumes

    def _of_claim(self, claim: PersistentVolumeClaim) -> set[str]:
        pv = self._storage.persistent_volume(claim.volume_name) if claim.volume_name else None
        if pv is not None:
            source = pv.source.get(self.counts.source)
            return set() if source is None else {str(source.get(self.counts.identity, ""))}
        storage_class = self._storage.storage_class(claim.storage_class or "")
        counts = storage_class is not None and storage_class.provisioner == self.counts.provisioner
        return {f"unbound-{claim.namespace}/{claim.name}"} if counts else set()


class EBSLimits(InTreeLimits):
    """Limits AWS EBS volumes: by default 39, and 25 on Nitro instance types."""

    name = "EBSLimits"
    counts = InTreeVolumes(
        "awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs", "attachable-volumes-aws-ebs", 39
    )

    def _limit(self, node: Node) -> int:
        instance_type = next((node.labels[key] for key in INSTANCE_TYPE if key in node.labels), "")
        default = NITRO_LIMIT if NITRO.search(instance_type) else self.counts.default
        return node.allocatable.get(self.counts.limit_key, default)


def _unknown(error: Status) -> Fact:
    """Return a fact that does not hold: volumes are not known."""
    return Fact("NodeVolumeLimits.volumes", "the pod's volumes", "=", "known", holds=False, text=error.message)


class GCEPDLimits(InTreeLimits):
    """Limits Google's persistent disks."""

    name = "GCEPDLimits"
    counts = InTreeVolumes("gcePersistentDisk", "pdName", "kubernetes.io/gce-pd", "attachable-volumes-gce-pd", 16)


class AzureDiskLimits(InTreeLimits):
    """Limits Azure disks."""

    name = "AzureDiskLimits"
    counts = InTreeVolumes("azureDisk", "diskName", "kubernetes.io/azure-disk", "attachable-volumes-azure-disk", 16)


class CinderLimits(InTreeLimits):
    """Limits OpenStack volumes; not a default plugin."""

    name = "CinderLimits"
    counts = InTreeVolumes("cinder", "volumeID", "kubernetes.io/cinder", "attachable-volumes-cinder", 256)
