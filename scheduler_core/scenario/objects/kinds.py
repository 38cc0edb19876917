"""The kinds that are read, in load order, and those of a real cluster that are left out with a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scheduler_core.apis.core import KubernetesObject
from scheduler_core.scenario.fields import cluster_fields, device_fields, pod_fields, volume_fields
from scheduler_core.scenario.fields.schema import Fields
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.cluster_objects import (
    build_budget,
    build_coscheduling_pod_group,
    build_namespace,
    build_priority_class,
    build_workload,
)
from scheduler_core.scenario.objects.devices import (
    build_claim_template,
    build_device_claim,
    build_device_class,
    build_resource_slice,
    claim_from_v1beta1,
    slice_from_v1beta1,
    template_from_v1beta1,
)
from scheduler_core.scenario.objects.nodes import build_node
from scheduler_core.scenario.objects.pod_groups import build_pod_group
from scheduler_core.scenario.objects.pods import build_pod
from scheduler_core.scenario.objects.volumes import (
    build_attachment,
    build_capacity,
    build_claim,
    build_csi_driver,
    build_csi_node,
    build_storage_class,
    build_volume,
)
from scheduler_core.scenario.reading.problems import Problems

Builder = Callable[[Mapping[str, Any], Problems, Admission], KubernetesObject]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of the Kubernetes API that the scheduler reads.

    `gate`: served only with this feature gate on, by releases that have the gate `came_with`. `convert`: from an older
    version of the API, to what `build` and the tables of gated fields read.
    """

    api_version: str
    name: str
    fields: Fields
    build: Builder
    namespaced: bool = True
    gate: str = ""
    came_with: str = ""
    convert: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """Two groups may have a kind of the same name."""
        return self.api_version, self.name


def _kind(api_version: str, fields: Fields, build: Builder, *, namespaced: bool = True) -> Kind:
    return Kind(api_version, fields.name, fields, build, namespaced)


POD_GROUP = Kind(
    "scheduling.k8s.io/v1alpha2",
    "PodGroup",
    cluster_fields.POD_GROUP,
    build_pod_group,
    gate="GenericWorkload",
    came_with="TopologyAwareWorkloadScheduling",
)
COSCHEDULING_POD_GROUP = Kind(
    "scheduling.x-k8s.io/v1alpha1", "PodGroup", cluster_fields.COSCHEDULING_POD_GROUP, build_coscheduling_pod_group
)

Identity = tuple[str, str, str]  # kind, namespace or "", name

DRA_GATE = "DynamicResourceAllocation"


def _device_kinds() -> Iterator[Kind]:
    """Yield the kinds of resource.k8s.io; of each name, the version that counts comes last."""
    for fields, beta, build, convert, namespaced in (
        (device_fields.DEVICE_CLASS, device_fields.DEVICE_CLASS, build_device_class, None, False),
        (
            device_fields.RESOURCE_CLAIM_TEMPLATE,
            device_fields.RESOURCE_CLAIM_TEMPLATE_V1BETA1,
            build_claim_template,
            template_from_v1beta1,
            True,
        ),
        (
            device_fields.RESOURCE_SLICE,
            device_fields.RESOURCE_SLICE_V1BETA1,
            build_resource_slice,
            slice_from_v1beta1,
            False,
        ),
        (
            device_fields.RESOURCE_CLAIM,
            device_fields.RESOURCE_CLAIM_V1BETA1,
            build_device_claim,
            claim_from_v1beta1,
            True,
        ),
    ):
        for version, table, conversion in (("v1beta1", beta, convert), ("v1beta2", fields, None), ("v1", fields, None)):
            yield Kind(
                f"resource.k8s.io/{version}",
                fields.name,
                table,
                build,
                namespaced,
                gate=DRA_GATE,
                convert=conversion,
            )


# Initial objects are loaded in this order, and in document order within a kind.
LOAD_ORDER: tuple[Kind, ...] = (
    _kind("v1", cluster_fields.NAMESPACE, build_namespace, namespaced=False),
    _kind("scheduling.k8s.io/v1", cluster_fields.PRIORITY_CLASS, build_priority_class, namespaced=False),
    _kind("storage.k8s.io/v1", volume_fields.STORAGE_CLASS, build_storage_class, namespaced=False),
    _kind("storage.k8s.io/v1", volume_fields.CSI_DRIVER, build_csi_driver, namespaced=False),
    _kind("storage.k8s.io/v1", volume_fields.CSI_NODE, build_csi_node, namespaced=False),
    _kind("storage.k8s.io/v1", volume_fields.CSI_STORAGE_CAPACITY, build_capacity),
    _kind("storage.k8s.io/v1", volume_fields.VOLUME_ATTACHMENT, build_attachment, namespaced=False),
    _kind("v1", volume_fields.PERSISTENT_VOLUME, build_volume, namespaced=False),
    _kind("v1", volume_fields.PERSISTENT_VOLUME_CLAIM, build_claim),
    _kind("v1", cluster_fields.SERVICE, build_workload),
    _kind("v1", cluster_fields.REPLICATION_CONTROLLER, build_workload),
    _kind("apps/v1", cluster_fields.REPLICA_SET, build_workload),
    _kind("apps/v1", cluster_fields.STATEFUL_SET, build_workload),
    _kind("policy/v1", cluster_fields.POD_DISRUPTION_BUDGET, build_budget),
    *_device_kinds(),
    COSCHEDULING_POD_GROUP,
    _kind("v1", cluster_fields.NODE, build_node, namespaced=False),
    POD_GROUP,
    _kind("v1", pod_fields.POD, build_pod),
)
KINDS = {kind.name: kind for kind in LOAD_ORDER}  # by name: of two with the same name, kube-scheduler's own
OF_VERSION = {kind.identity: kind for kind in LOAD_ORDER}

SCENARIO = ("kschedui.io/v1alpha1", "Scenario")
NODE_GROUP = ("kschedui.io/v1alpha1", "NodeGroup")
SCHEDULER_PLUGIN = ("kschedui.io/v1alpha1", "SchedulerPlugin")
CHALLENGE = ("kschedui.io/v1alpha1", "Challenge")
POLICY = ("v1", "Policy")  # before 1.19, in the place of a configuration
CONFIGURATION = ("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration")

# Controllers that make pods: their pods are what the scheduler sees.
POD_MAKERS = {
    "apps/v1": ("DaemonSet", "Deployment"),
    "batch/v1": ("CronJob", "Job"),
}

# Kinds of a real cluster that have no say in scheduling; anything else in these groups is a mistake.
_UNREAD = {
    "v1": (
        "Binding ComponentStatus ConfigMap Endpoints Event LimitRange PodTemplate ResourceQuota Secret ServiceAccount"
    ),
    "apps/v1": "ControllerRevision",
    "admissionregistration.k8s.io/v1": (
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "autoscaling/v1": "HorizontalPodAutoscaler",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "coordination.k8s.io/v1": "Lease",
    "discovery.k8s.io/v1": "EndpointSlice",
    "events.k8s.io/v1": "Event",
    "flowcontrol.apiserver.k8s.io/v1": "FlowSchema PriorityLevelConfiguration",
    "metrics.k8s.io/v1beta1": "NodeMetrics PodMetrics",
    "networking.k8s.io/v1": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "node.k8s.io/v1": "RuntimeClass",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "scheduling.k8s.io/v1alpha2": "Workload",
    "storage.k8s.io/v1": "VolumeAttributesClass",
}
UNREAD = {(version, name) for version, names in _UNREAD.items() for name in names.split()}
UNREAD |= {(version, name) for version, names in POD_MAKERS.items() for name in names}
