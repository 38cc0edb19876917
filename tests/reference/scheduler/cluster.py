"""The state of the scheduler's cache, the nominator and the simulated controllers, as lists and dicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    KubernetesObject,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    StorageClass,
    VolumeAttachment,
    Workload,
)
from scheduler_core.apis.selectors import NodeSelector, NodeSelectorTerm, SelectorRequirement
from tests.reference.framework.cluster_event import Event
from tests.reference.framework.interface import ImageCopies
from tests.reference.framework.storage import Storage
from tests.reference.plugins.volumes.binding import choose
from tests.reference.plugins.volumes.claims import SELECTED_NODE, class_of

REGION, BETA_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
ZONE, BETA_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
FINISHED = ("Succeeded", "Failed")


@dataclass
class ReferenceCluster:
    """The state of the cluster.

    `pods_on[node]`: in NodeInfo's order, also for nodes that do not exist. `gone_at`: by pod key, the times at which
    victims are removed. `ports_on[node]` is a set, so a pod that leaves frees its host ports even if another pod on the
    node shares them. `zones`: the node tree, node names by zone. `listed`: the node names of the last snapshot.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    zones: dict[str, list[str]] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    pods_on: dict[str, list[Pod]] = field(default_factory=dict)
    ports_on: dict[str, set[HostPort]] = field(default_factory=dict)
    pending: dict[str, Pod] = field(default_factory=dict)
    nominated: dict[str, str] = field(default_factory=dict)
    gone_at: dict[str, float] = field(default_factory=dict)
    others: dict[tuple[str, str], KubernetesObject] = field(default_factory=dict)
    image_sizes: dict[str, int] = field(default_factory=dict)
    images_of: dict[str, ImageCopies] = field(default_factory=dict)  # by node, as of its last copy in `snapshot`
    touched: set[str] = field(default_factory=set)  # nodes whose NodeInfo has changed since the last snapshot
    next_start_node_index: int = 0
    own_events: list[Event] = field(default_factory=list)  # caused by the scheduler's own writes, in order

    # Create, update and delete objects

    def apply(self, item: KubernetesObject) -> None:
        """Create or replace an object; the caller has merged an update with the stored object.

        A bound claim also binds its volume.
        """
        if isinstance(item, Node):
            self._apply_node(item)
        elif isinstance(item, Pod):
            self._apply_pod(item)
        else:
            self.others[kind_of(item), key_of(item)] = item
            if isinstance(item, PersistentVolumeClaim) and item.bound:
                self._claim_volume(item)

    def delete(self, kind: str, key: str) -> None:
        """Remove an object that exists. The pods on a deleted node are not removed."""
        if kind == "Node":
            self._leave_zone(self.nodes[key])
            self._forget_images(self.nodes.pop(key))
        elif kind == "Pod":
            self.pending.pop(key, None)
            self.nominated.pop(key, None)
            self.gone_at.pop(key, None)
            self._remove(key)
        else:
            del self.others[kind, key]

    def get(self, kind: str, key: str) -> KubernetesObject | None:
        """Return the stored object with this kind and key, or None."""
        if kind == "Node":
            return self.nodes.get(key)
        if kind == "Pod":
            return self.pending.get(key) or next((pod for pod in self.running() if pod.key == key), None)
        return self.others.get((kind, key))

    def running(self) -> list[Pod]:
        """Return every pod with a node name, including those that are being deleted."""
        return [pod for pods in self.pods_on.values() for pod in pods]

    @property
    def workloads(self) -> list[Workload]:
        return [item for item in self.others.values() if isinstance(item, Workload)]

    @property
    def budgets(self) -> list[PodDisruptionBudget]:
        return [item for item in self.others.values() if isinstance(item, PodDisruptionBudget)]

    @property
    def namespaces(self) -> dict[str, Mapping[str, str]]:
        return {item.name: item.labels for item in self.others.values() if isinstance(item, Namespace)}

    @property
    def storage(self) -> Storage:
        """Return all storage objects."""
        items = self.others.values()
        return Storage(
            {key_of(one): one for one in items if isinstance(one, PersistentVolumeClaim)},
            {one.name: one for one in items if isinstance(one, PersistentVolume)},
            {one.name: one for one in items if isinstance(one, StorageClass)},
            {one.name: one for one in items if isinstance(one, CSINode)},
            {one.name: one for one in items if isinstance(one, CSIDriver)},
            [one for one in items if isinstance(one, CSIStorageCapacity)],
            [one for one in items if isinstance(one, VolumeAttachment)],
        )

    # The scheduler's snapshot

    def snapshot(self) -> list[tuple[Node, list[Pod]]]:
        """Return every node with its pods, and copy the images of the nodes that changed.

        The order is computed again only if the set of node names has changed.
        """
        longest = max((len(names) for names in self.zones.values()), default=0)
        in_turn = [names[turn] for turn in range(longest) for names in self.zones.values() if turn < len(names)]
        if sorted(in_turn) != sorted(self.listed):
            self.listed = in_turn
        for name in self.touched & self.nodes.keys():
            self.images_of[name] = {image: self._image(image) for image in self.nodes[name].images}
        self.touched.clear()
        return [(self.nodes[name], list(self.pods_on.get(name, ()))) for name in self.listed]

    def _image(self, image: str) -> tuple[int, int]:
        return self.image_sizes[image], sum(image in node.images for node in self.nodes.values())

    # Binding and eviction

    def bind(self, pod: Pod, node: str, now: float) -> None:
        """Bind the pod's claims, then the pod to the node; its start time is `now`, rounded down to a second."""
        self._bind_claims(pod, self.nodes[node])
        del self.pending[pod.key]
        self.nominated.pop(pod.key, None)
        bound = replace(pod, node_name=node, phase="Running", start_time=float(math.floor(now)))
        self._place(bound)
        self.own_events.append(Event("AssignedPod", "Add", None, bound))

    def evict(self, victim: Pod, now: float) -> None:
        """Evict a victim, unless it is already being deleted.

        With termination seconds, it is marked as terminating, and `gone_at` gets the time of its removal; without, it
        is removed at once. Each update of its status moves it to the end of the node's pods, as in the cache.
        """
        if victim.terminating:
            return
        if not victim.disruption_target:
            victim = self._update(victim, disruption_target=True)
        if victim.termination_seconds <= 0:
            self._remove(victim.key)
            self.own_events.append(Event("AssignedPod", "Delete", victim))
            return
        self._update(victim, terminating=True)
        self.gone_at[victim.key] = now + victim.termination_seconds

    def disruptions_allowed(self, budget: PodDisruptionBudget) -> int:
        """Return disruptionsAllowed of the budget's status; if it is not set, what the disruption controller sets."""
        if budget.disruptions_allowed is not None:
            return budget.disruptions_allowed
        if budget.max_unavailable is None and budget.min_available is None:
            return 0
        counted = [pod for pod in self.running() if _controlled(budget, pod)]
        expected = len(counted) + sum(_controlled(budget, pod) for pod in self.pending.values())
        healthy = sum(pod.ready and not pod.terminating for pod in counted)
        if budget.max_unavailable is not None:
            desired = max(0, expected - _scaled(budget.max_unavailable, expected))
        else:
            desired = _scaled(budget.min_available, expected)
        return max(0, healthy - desired) if expected else 0

    # Nodes

    def _apply_node(self, node: Node) -> None:
        old = self.nodes.get(node.name)
        if old is not None:
            self._forget_images(old)
        if old is None or zone_of(old) != zone_of(node):
            if old is not None:
                self._leave_zone(old)
            self.zones.setdefault(zone_of(node), []).append(node.name)
        self.nodes[node.name] = node
        for image, size in node.images.items():
            self.image_sizes.setdefault(image, size)
        self.touched.add(node.name)

    def _leave_zone(self, node: Node) -> None:
        names = self.zones[zone_of(node)]
        names.remove(node.name)
        if not names:
            del self.zones[zone_of(node)]

    def _forget_images(self, node: Node) -> None:
        """Forget the sizes of the images that only this node has.

        An image keeps the size from the first node that had it until no node has it.
        """
        for image in node.images:
            if not any(image in other.images for other in self.nodes.values() if other.name != node.name):
                self.image_sizes.pop(image, None)

    # Pods

    def _apply_pod(self, pod: Pod) -> None:
        if not pod.node_name:
            self.pending[pod.key] = pod
        else:
            self.pending.pop(pod.key, None)
            self.nominated.pop(pod.key, None)
            self._remove(pod.key)
            self._place(pod)

    def _place(self, pod: Pod) -> None:
        self.pods_on.setdefault(pod.node_name, []).append(pod)
        self.ports_on.setdefault(pod.node_name, set()).update(pod.host_ports)
        self.touched.add(pod.node_name)

    def _update(self, pod: Pod, **fields: bool) -> Pod:
        updated = replace(pod, **fields)
        self._remove(pod.key)
        self._place(updated)
        self.own_events.append(Event("AssignedPod", "Update", pod, updated))
        return updated

    def _remove(self, key: str) -> None:
        for node, pods in self.pods_on.items():
            for index, pod in enumerate(pods):
                if pod.key == key:
                    self.ports_on[node] -= set(pod.host_ports)
                    pods[index] = pods[-1]  # NodeInfo.RemovePod puts the last pod in its place
                    pods.pop()
                    self.touched.add(node)
                    return

    # Claims and volumes: the PV controller and the provisioner act at once

    def _claim_volume(self, claim: PersistentVolumeClaim) -> None:
        volume = self.others.get(("PersistentVolume", claim.volume_name))
        if isinstance(volume, PersistentVolume) and volume.claim_ref in ("", key_of(claim)) and not volume.claim_uid:
            self._bind_volume(volume, claim)

    def _bind_volume(self, volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
        bound = replace(volume, claim_ref=key_of(claim), claim_uid=claim.uid, phase="Bound")
        self.others["PersistentVolume", volume.name] = bound
        self.own_events.append(Event("PersistentVolume", "Update", volume, bound))

    def _bind_claims(self, pod: Pod, node: Node) -> None:
        storage = self.storage
        bindings, provisions = choose(pod, node, storage)
        for claim in provisions:
            keys = {key for term in storage.classes[class_of(claim)].allowed_topologies for key, _ in term}
            volume = provisioned(claim, storage.classes[class_of(claim)], {k: node.labels[k] for k in keys})
            selected = replace(claim, annotations={**claim.annotations, SELECTED_NODE: node.name})
            self.own_events.append(Event("PersistentVolumeClaim", "Update", claim, selected))
            self.own_events.append(Event("PersistentVolume", "Add", None, volume))
            claim = selected
            bindings.append((claim, volume))
        for claim, volume in bindings:
            self._bind_volume(volume, claim)
            bound = replace(claim, volume_name=volume.name, bound=True, phase="Bound")
            self.others["PersistentVolumeClaim", key_of(claim)] = bound
            self.own_events.append(Event("PersistentVolumeClaim", "Update", claim, bound))


def provisioned(
    claim: PersistentVolumeClaim, storage_class: StorageClass, labels: Mapping[str, str]
) -> PersistentVolume:
    """Return the volume that the class's provisioner creates for the claim.

    It is available on nodes with `labels`, or on all nodes if there are none.
    """
    name = f"pvc-{claim.uid}"
    return PersistentVolume(
        name=name,
        labels={},
        annotations={},
        capacity=claim.request,
        access_modes=claim.access_modes,
        storage_class=storage_class.name,
        volume_mode=claim.volume_mode,
        node_affinity=reachable_from(labels) if labels else None,
        claim_ref="",
        claim_uid="",
        source={"csi": {"driver": storage_class.provisioner, "volumeHandle": name}},
        attributes_class=claim.attributes_class,
    )


def reachable_from(labels: Mapping[str, str]) -> NodeSelector:
    """Return the node affinity of a volume that is available on nodes with these labels."""
    return NodeSelector(
        (NodeSelectorTerm(tuple(SelectorRequirement(k, "In", (v,)) for k, v in sorted(labels.items()))),)
    )


def kind_of(item: KubernetesObject) -> str:
    """Return the object's kind as in a manifest."""
    return item.kind if isinstance(item, Workload) else type(item).__name__


def key_of(item: KubernetesObject) -> str:
    """Return "namespace/name", or the name of an object without a namespace."""
    namespace = getattr(item, "namespace", "")
    return f"{namespace}/{item.name}" if namespace else item.name


def zone_of(node: Node) -> str:
    """Return the key of the node's region and zone (`GetZoneKey`), or "" if both are empty.

    Each is read from its beta label if that exists (even with an empty value), else from the stable label.
    """
    region = node.labels.get(BETA_REGION, node.labels.get(REGION, ""))
    zone = node.labels.get(BETA_ZONE, node.labels.get(ZONE, ""))
    return f"{region}:\0:{zone}" if region or zone else ""


def _controlled(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return pod.namespace == budget.namespace and budget.controller_selector.matches(pod.labels)


def _scaled(value: int | str, total: int) -> int:
    """Return an int as it is, and a percentage as that share of `total`, rounded up."""
    return value if isinstance(value, int) else -(-int(value.rstrip("%")) * total // 100)
