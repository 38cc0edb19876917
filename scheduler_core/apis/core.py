"""The Kubernetes objects that the scheduler and the controllers read, frozen, with defaults and admission applied.

Quantities are integers in base units from the parser on: cpu in millicores, everything else in bytes or counts. Times
are seconds of virtual time (0 is the start of the run; earlier times are negative). The parser (`scenario/parse.py`)
validates the fields that are read; code that receives one of these objects trusts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import force_setattr

from scheduler_core.apis.constraints import (
    HostPort,
    PodAffinityTerm,
    PreferredNodeTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from scheduler_core.apis.devices import (
    DeviceClass,
    DeviceTaintRule,
    PodClaim,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_core.apis.karpenter import KWOKNodeClass, NodeClaim, NodePool
from scheduler_core.apis.selectors import LabelSelector, NodeSelector
from scheduler_core.apis.tagged import Tagged
from scheduler_core.apis.workloads import WorkloadSpec

PodKey = str  # "namespace/name"
PodGroupKey = str  # "namespace/name"
Resources = Mapping[str, int]  # cpu in millicores; memory, ephemeral-storage in bytes; the rest counts
Manifest = Mapping[str, Any]  # an object, or part of one, as plain data: as written in its document, or as updated

SELECTED_NODE = "volume.kubernetes.io/selected-node"  # annotation of a claim: the node for its new volume


class OwnerReference(msgspec.Struct, frozen=True):
    """The controller that owns an object (the owner reference with `controller: true`)."""

    kind: str
    name: str
    api_version: str = ""
    uid: str = ""


class Volume(msgspec.Struct, frozen=True):
    """A volume of a pod (`pod.spec.volumes[]`), with the fields that the volume plugins read.

    `claim` is the name of the PersistentVolumeClaim; for an ephemeral volume, that of the claim which its controller
    creates, <pod>-<volume>; None for other volumes. `source_type` is the field of the source, such as "csi"; `source`
    has its fields as written if it is one of `pod_fields.READ_VOLUME_SOURCES`, otherwise it is None.
    """

    name: str
    claim: str | None = None
    ephemeral: bool = False
    read_only: bool = False
    source_type: str = ""
    source: Manifest | None = None


class Pod(Tagged, frozen=True):
    """A pod after API defaulting and admission (priority class, requests from limits, pod-level resources)."""

    name: str
    namespace: str
    uid: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    priority: int
    preemption_policy: Literal["PreemptLowerPriority", "Never"]
    scheduler_name: str
    requests: Resources  # component-helpers' PodRequests: containers, init containers, sidecars, pod level, overhead
    non_zero_cpu: int  # the cpu of `requests`, with 100m for each container without a cpu request
    non_zero_memory: int  # the memory of `requests`, with 200 MiB for each container without a memory request
    images: tuple[str, ...]  # of init containers (in releases that count them) and containers, as written
    creation_timestamp: float
    standing_requests: Resources | None = None  # before 1.19: those counted on its node, without init containers
    # The requests that scorers with defaults count instead: with pod-level resources, and in releases before 1.32.
    scoring_requests: Resources | None = None
    # The requests that NodeResourcesBalancedAllocation counts instead: with cpu overhead before 1.27.
    balance_requests: Resources | None = None
    num_containers: int = 0  # the images for which ImageLocality allows 1000 MiB each
    image_volumes: tuple[str, ...] = ()  # images of volumes, as written, where ImageLocality counts them
    start_time: float | None = None  # None: not started
    node_name: str = ""
    nominated_node_name: str = ""  # status.nominatedNodeName of the document
    phase: str = "Pending"
    terminating: bool = False  # metadata.deletionTimestamp is set
    ready: bool = True  # False: a pod on a node with a condition Ready that is not True
    disruption_target: bool = False  # condition DisruptionTarget with reason PreemptionByScheduler
    priority_class_name: str = ""
    termination_seconds: float = 0.0  # from the request of its deletion until it has stopped
    node_selector: Mapping[str, str] = {}
    required_node_affinity: NodeSelector | None = None
    preferred_node_affinity: tuple[PreferredNodeTerm, ...] = ()
    required_affinity: tuple[PodAffinityTerm, ...] = ()
    preferred_affinity: tuple[WeightedPodAffinityTerm, ...] = ()
    required_anti_affinity: tuple[PodAffinityTerm, ...] = ()
    preferred_anti_affinity: tuple[WeightedPodAffinityTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    host_ports: tuple[HostPort, ...] = ()
    scheduling_gates: tuple[str, ...] = ()
    volumes: tuple[Volume, ...] = ()
    owner: OwnerReference | None = None
    has_resource_claims: bool = False
    resource_claims: tuple[PodClaim, ...] = ()
    # Pairs of a name in spec.resourceClaims and the generated claim, "" if none.
    resource_claim_statuses: tuple[tuple[str, str], ...] = ()
    extended_resource_claim: str = ""  # the claim that the scheduler created for extended resources
    has_sidecars: bool = False  # restartable init containers
    required_features: tuple[str, ...] = ()  # its node must declare these
    pod_group: str = ""  # spec.schedulingGroup.podGroupName
    manifest: Manifest = {}

    key: PodKey = ""  # always "namespace/name"

    def __post_init__(self) -> None:
        force_setattr(self, "key", f"{self.namespace}/{self.name}")

    @property
    def pod_group_key(self) -> PodGroupKey:
        """Return "namespace/name" of the pod's group, "" if it has none. The group need not exist."""
        return f"{self.namespace}/{self.pod_group}" if self.pod_group else ""


class Node(Tagged, frozen=True):
    """A node. `allocatable` defaults to the capacity; `images` maps each image name to its size in bytes."""

    name: str
    uid: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    taints: tuple[Taint, ...]
    unschedulable: bool
    allocatable: Resources  # includes "pods"
    capacity: Resources
    images: Mapping[str, int]
    creation_timestamp: float = 0.0
    declared_features: tuple[str, ...] = ()
    manifest: Manifest = {}


class PodDisruptionBudget(Tagged, frozen=True):
    """A PodDisruptionBudget.

    `disruptions_allowed` None: computed by the simulated disruption controller; a number, also 0: fixed by the
    document, whose `current_healthy` and `desired_healthy` are None if it does not state them. `evicts_unhealthy`: the
    eviction of a pod that is not ready never violates the budget (unhealthyPodEvictionPolicy: AlwaysAllow).

    `selector` is the scheduler's interpretation (empty matches nothing), `controller_selector` that of the disruption
    controller (empty matches all). `min_available` and `max_unavailable` are an int or a percentage such as "50%"; at
    most one of them is set.
    """

    name: str
    namespace: str
    selector: LabelSelector
    controller_selector: LabelSelector
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    disruptions_allowed: int | None = None
    disrupted_pods: frozenset[str] = frozenset()
    current_healthy: int | None = None
    desired_healthy: int | None = None
    evicts_unhealthy: bool = False
    manifest: Manifest = {}

    @property
    def has_rule(self) -> bool:
        """Return whether the budget has minAvailable or maxUnavailable. The API server admits one without."""
        return self.min_available is not None or self.max_unavailable is not None


class PersistentVolume(Tagged, frozen=True):
    """A PersistentVolume.

    `capacity` is in bytes. `node_affinity` None: all nodes can use it. `source` is as in the manifest: {"csi": {...}}.
    """

    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    capacity: int
    access_modes: tuple[str, ...]
    storage_class: str
    volume_mode: str
    node_affinity: NodeSelector | None
    claim_ref: str  # "namespace/name" or ""
    claim_uid: str
    source: Manifest
    phase: str = "Available"
    attributes_class: str = ""
    terminating: bool = False
    manifest: Manifest = {}


class PersistentVolumeClaim(Tagged, frozen=True):
    """A PersistentVolumeClaim.

    `request` is in bytes. `storage_class` None: no class is stated, and there is no default; "": no class.
    """

    name: str
    namespace: str
    uid: str
    annotations: Mapping[str, str]
    labels: Mapping[str, str]
    request: int
    access_modes: tuple[str, ...]
    storage_class: str | None
    volume_mode: str
    selector: LabelSelector | None
    volume_name: str = ""
    bound: bool = False  # to the volume `volume_name`
    phase: str = "Pending"
    owner: OwnerReference | None = None
    attributes_class: str = ""
    terminating: bool = False
    manifest: Manifest = {}


class StorageClass(Tagged, frozen=True):
    """A StorageClass.

    `allowed_topologies` are terms of (key, values) pairs; a node is allowed if all pairs of a term match, or if
    there are no terms.
    """

    name: str
    provisioner: str
    volume_binding_mode: Literal["Immediate", "WaitForFirstConsumer"] = "Immediate"
    allowed_topologies: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = ()
    is_default: bool = False
    creation_timestamp: float = 0.0
    manifest: Manifest = {}


class CSINode(Tagged, frozen=True):
    """A CSINode.

    `limits` maps each driver to its volume limit, None for no limit; `migrated` are migrated in-tree plugins.
    """

    name: str
    limits: Mapping[str, int | None]
    migrated: frozenset[str] = frozenset()
    manifest: Manifest = {}


class CSIDriver(Tagged, frozen=True):
    """A CSI driver.

    `storage_capacity`: VolumeBinding checks CSIStorageCapacity objects before provisioning. `must_be_installed`
    (preventPodSchedulingIfMissing): a node whose CSINode does not have the driver takes no pod with its volumes.
    """

    name: str
    storage_capacity: bool = False
    must_be_installed: bool = False
    manifest: Manifest = {}


class CSIStorageCapacity(Tagged, frozen=True):
    """A CSIStorageCapacity. Capacities are in bytes, None if absent; `node_topology` None matches no node."""

    name: str
    namespace: str
    storage_class: str
    node_topology: LabelSelector | None
    capacity: int | None
    maximum_volume_size: int | None
    manifest: Manifest = {}


class VolumeAttachment(Tagged, frozen=True):
    """A VolumeAttachment, which NodeVolumeLimits counts on its node."""

    name: str
    attacher: str
    node_name: str
    volume_name: str  # PersistentVolume name, "" for an inline spec
    manifest: Manifest = {}


class Workload(Tagged, frozen=True):
    """A Service, workload, autoscaler, quota, LimitRange or RuntimeClass.

    Default topology spreading uses the selectors of some kinds. `spec` None: a Service, or a workload whose pod
    template has no containers, so that it is only a selector.
    """

    kind: str
    name: str
    namespace: str
    selector: LabelSelector
    uid: str = ""
    manifest: Manifest = {}
    spec: WorkloadSpec | None = None
    owner: OwnerReference | None = None
    creation_timestamp: float = 0.0

    @property
    def key(self) -> str:
        """Return "namespace/name", or "name" for a kind without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Namespace(Tagged, frozen=True):
    """A Namespace. Its labels include `kubernetes.io/metadata.name`."""

    name: str
    labels: Mapping[str, str]
    manifest: Manifest = {}


class PriorityClass(Tagged, frozen=True):
    """A scheduling.k8s.io/v1 PriorityClass."""

    name: str
    value: int
    preemption_policy: Literal["PreemptLowerPriority", "Never"] = "PreemptLowerPriority"
    global_default: bool = False
    manifest: Manifest = {}


class PodGroupCondition(msgspec.Struct, frozen=True):
    """The condition PodGroupScheduled of a PodGroup."""

    status: Literal["True", "False"]
    reason: str
    message: str


class PodGroup(Tagged, frozen=True):
    """A scheduling.k8s.io/v1alpha2 PodGroup. `min_count` None: the policy is basic, not gang.

    `topology_key` "": no topology constraint, though there may be (empty) `constraints`. `priority` and the disruption
    mode take effect with WorkloadAwarePreemption; the mode "PodGroup" evicts all members together.
    """

    name: str
    namespace: str
    uid: str
    min_count: int | None = None
    constraints: bool = False
    topology_key: str = ""
    priority: int = 0
    disruption_mode: Literal["Pod", "PodGroup"] = "Pod"
    condition: PodGroupCondition | None = None
    manifest: Manifest = {}

    @property
    def key(self) -> PodGroupKey:
        """Return "namespace/name"."""
        return f"{self.namespace}/{self.name}"


class CoschedulingPodGroup(Tagged, frozen=True):
    """A scheduling.x-k8s.io/v1alpha1 PodGroup, which Coscheduling reads."""

    kind: ClassVar[str] = "PodGroup"

    name: str
    namespace: str
    min_member: int
    schedule_timeout_seconds: int | None = None
    creation_timestamp: float = 0.0
    manifest: Manifest = {}


KubernetesObject = (
    Pod
    | Node
    | PodDisruptionBudget
    | PersistentVolume
    | PersistentVolumeClaim
    | StorageClass
    | CSINode
    | CSIDriver
    | CSIStorageCapacity
    | VolumeAttachment
    | Workload
    | Namespace
    | PriorityClass
    | PodGroup
    | CoschedulingPodGroup
    | DeviceClass
    | ResourceSlice
    | DeviceTaintRule
    | ResourceClaim
    | ResourceClaimTemplate
    | NodePool
    | KWOKNodeClass
    | NodeClaim
)
