"""VolumeZone: the zone and region labels of a pod's bound volumes limit its nodes (volumezone/volume_zone.go).

A node without zone and region labels accepts every volume, as in a cluster with a single zone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import PersistentVolume, Pod, StorageClass
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
    PreFilterPlugin,
    PreFilterResult,
    QueueingHint,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.domain_counts import topology_domains
from scheduler_core.plugins.helpers.signing import by_volumes
from scheduler_core.plugins.volumes.csi_migration import MULTI_ZONE_DELIMITER, REGION, REGION_BETA, ZONE, ZONE_BETA
from scheduler_core.plugins.volumes.hints import after_referenced_claim
from scheduler_core.plugins.volumes.listers import Storage, direct_claims, group_rows, not_found
from scheduler_core.plugins.volumes.matching import claim_class

BETA_LABELS = (ZONE_BETA, REGION_BETA)
TOPOLOGY_LABELS = (*BETA_LABELS, ZONE, REGION)
STABLE_LABEL = {ZONE_BETA: ZONE, REGION_BETA: REGION}

NO_VOLUMES = PreFilterResult((), SKIP)
CONFLICT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) had no available volume zone",))


class VolumeTopology(msgspec.Struct, frozen=True):
    """A zone or region label of a volume: the node must have one of the values."""

    volume: str
    key: str
    values: frozenset[str]
    matches_stable_label: bool = True

    def value(self, labels: Mapping[str, str]) -> str | None:
        """Return the node's value, None without one; a beta label of the volume also matches the stable label."""
        other = STABLE_LABEL.get(self.key, self.key) if self.matches_stable_label else self.key
        return labels.get(self.key, labels.get(other))

    def allows(self, labels: Mapping[str, str]) -> bool:
        """Return whether the node has one of the values."""
        return self.value(labels) in self.values


Topologies = tuple[VolumeTopology, ...]


class VolumeZone(PreFilterPlugin, FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Filters nodes by zone. The state is the zone and region labels of the pod's bound volumes."""

    name = "VolumeZone"
    about = AboutFile("zone.yaml")
    runs_pre_filter = True
    sign_pod = staticmethod(by_volumes)
    labels: tuple[str, ...] = TOPOLOGY_LABELS  # the labels that count

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.storage = Storage(handle.cluster)
        self._stable = handle.release.rules.volume_zone_matches_stable_labels
        self._zoned_only = handle.release.rules.volume_zone_reads_claims_on_zoned_nodes

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        if not pod.volumes:
            return NO_VOLUMES
        topologies: list[VolumeTopology] = []
        for name in direct_claims(pod):
            pv, error = _bound_volume(f"{pod.namespace}/{name}", name, self.storage)
            if error:
                return PreFilterResult(status=Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (error,)))
            topologies += volume_topologies(pv, self.labels, stable=self._stable) if pv is not None else ()
        return PreFilterResult(tuple(topologies), SUCCESS if topologies else SKIP)

    def filter(self, pod: Pod, state: Topologies, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        first, group = group_rows(nodes, rows, [nodes.label(key).codes for key in self.labels])
        return Verdicts.by_code(group, [self._judge(state, nodes.nodes[row].labels) for row in first])

    def read_claims_on(self, nodes: NodeTable, rows: Rows) -> NDArray[np.bool_]:
        """Return bool[len(rows)]: where Filter reads the pod's claims if its PreFilter does not run."""
        reads = np.full(len(nodes.all_rows[rows]), not self._zoned_only)
        for key in self.labels if self._zoned_only else ():
            reads |= topology_domains(nodes, key).codes[rows] >= 0
        return reads

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("storage.k8s.io/StorageClass", Action.ADD), after_storage_class_added),
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)),
            RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD | Action.UPDATE), after_referenced_claim),
            RegisteredEvent(ClusterEvent("PersistentVolume", Action.ADD | Action.UPDATE), after_volume_change),
        )

    def explain_filter(
        self, pod: Pod, state: Topologies, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.nodes[row]
        if not self._has_topology(node.labels):
            return [_fact_no_topology(node.name)]
        return [_fact(topology, node.name, node.labels) for topology in state]

    def _has_topology(self, labels: Mapping[str, str]) -> bool:
        """Return whether the node has a zone or region label."""
        return any(key in labels for key in self.labels)

    def _judge(self, topologies: Topologies, labels: Mapping[str, str]) -> Status:
        """Return the verdict for a node with these labels."""
        fits = not self._has_topology(labels) or all(topology.allows(labels) for topology in topologies)
        return SUCCESS if fits else CONFLICT


def _bound_volume(key: str, name: str, storage: Storage) -> tuple[PersistentVolume | None, str]:
    """Return the claim's volume and "", or None and the reason that no node fits.

    Return None and "" while the claim waits for its first consumer.
    """
    claim = storage.persistent_volume_claim(key)
    if claim is None:
        return None, not_found("persistentvolumeclaim", name)
    if claim.volume_name:
        pv = storage.persistent_volume(claim.volume_name)
        return pv, "" if pv is not None else not_found("persistentvolume", claim.volume_name)
    class_name = claim_class(claim)
    if not class_name:
        return None, "PersistentVolumeClaim had no pv name and storageClass name"
    storage_class = storage.storage_class(class_name)
    if storage_class is None:
        return None, not_found("storageclass.storage.k8s.io", class_name)
    waits = storage_class.volume_binding_mode == "WaitForFirstConsumer"
    return None, "" if waits else "PersistentVolume had no name"


def volume_topologies(
    pv: PersistentVolume, labels: tuple[str, ...] = TOPOLOGY_LABELS, *, stable: bool = True
) -> Topologies:
    """Return the volume's zone and region labels.

    A label with an empty zone in its list is ignored (`getPVTopologies`).
    """
    topologies = []
    for key in labels:
        zones = [zone.strip() for zone in pv.labels.get(key, "").split(MULTI_ZONE_DELIMITER)]
        if key in pv.labels and all(zones):
            topologies.append(VolumeTopology(pv.name, key, frozenset(zones), stable))
    return tuple(topologies)


def after_storage_class_added(pod: Pod, old: None, new: StorageClass) -> QueueingHint:
    """Queue the pod if the class waits for the first consumer, since an unbound claim then passes."""
    return QueueingHint.QUEUE if new.volume_binding_mode == "WaitForFirstConsumer" else QueueingHint.SKIP


def after_volume_change(pod: Pod, old: PersistentVolume | None, new: PersistentVolume) -> QueueingHint:
    """Queue the pod if the volume is new or its zone or region labels changed."""
    if old is None or volume_topologies(old) != volume_topologies(new):
        return QueueingHint.QUEUE
    return QueueingHint.SKIP


def _fact_no_topology(node: str) -> Fact:
    return Fact(
        "VolumeZone.node",
        left=f"{node}'s zone and region labels",
        op="=",
        right="none",
        holds=True,
        text=f"{node} has no zone or region label, so the volumes' zones do not matter on it.",
        field="metadata.labels",
    )


def _fact(topology: VolumeTopology, node: str, labels: Mapping[str, str]) -> Fact:
    value, zones, holds = topology.value(labels), " or ".join(sorted(topology.values)), topology.allows(labels)
    has = f"has {topology.key}={value}" if value is not None else f"has no label {topology.key}"
    return Fact(
        "VolumeZone.volume",
        left=value or "(no label)",
        op="∈" if holds else "∉",
        right=zones,
        holds=holds,
        values={"volume": topology.volume, "key": topology.key, "node": value or "", "volumeZones": zones},
        text=f"The volume {topology.volume} is in {zones}, and {node} {has}.",
        field="spec.volumes[*].persistentVolumeClaim.claimName",
    )
