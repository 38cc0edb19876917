"""The supported kinds in load order, the kinds of documents with settings, and kinds that are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from scheduler_core.apis.core import KubernetesObject
from scheduler_core.scenario.fields import (
    cluster_fields,
    device_fields,
    karpenter_fields,
    pod_fields,
    volume_fields,
    workload_fields,
)
from scheduler_core.scenario.fields.schema import Fields
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.cluster_objects import (
    budget_from_v1beta1,
    build_budget,
    build_coscheduling_pod_group,
    build_namespace,
    build_priority_class,
    selector_from_template,
)
from scheduler_core.scenario.objects.devices import (
    build_claim_template,
    build_device_claim,
    build_device_class,
    build_resource_slice,
    build_taint_rule,
    claim_from_v1beta1,
    slice_from_v1beta1,
    template_from_v1beta1,
)
from scheduler_core.scenario.objects.karpenter import build_node_claim, build_node_class, build_node_pool
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
from scheduler_core.scenario.objects.workloads import build_workload
from scheduler_core.scenario.reading.problems import Problems

Builder = Callable[[Mapping[str, Any], Problems, Admission], KubernetesObject]


class Kind(msgspec.Struct, frozen=True, eq=False):
    """A version of a kind of object that is read.

    `gate`: it is served only if this feature gate is on, and only by releases that have the gate `came_with`; "" for no
    condition. `convert`: converts an older version to the form that `build` and `availability.FIELDS` expect.
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
    def group(self) -> str:
        """Return the group of the apiVersion, "" for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def identity(self) -> tuple[str, str]:
        """Return (apiVersion, kind): two groups can have a kind with the same name."""
        return self.api_version, self.name


Conversion = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _kind(api_version: str, fields: Fields, build: Builder, *, namespaced: bool = True) -> Kind:
    return Kind(api_version, fields.name, fields, build, namespaced)


def _versions(
    fields: Fields, build: Builder, versions: Mapping[str, Conversion | None], *, namespaced: bool = True
) -> Iterator[Kind]:
    """Yield a Kind for each version, in the order given: the oldest first, each with its conversion or None."""
    for version, convert in versions.items():
        yield Kind(version, fields.name, fields, build, namespaced, convert=convert)


def _storage(fields: Fields, build: Builder, versions: str, *, namespaced: bool = False) -> Iterator[Kind]:
    """Yield a Kind for each of the versions, separated by spaces, of storage.k8s.io; all have the same fields."""
    return _versions(
        fields, build, {f"storage.k8s.io/{version}": None for version in versions.split()}, namespaced=namespaced
    )


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


TAINT_RULES_GATE = "DRADeviceTaintRules"


def _device_kinds() -> Iterator[Kind]:
    """Yield the kinds of resource.k8s.io; for each name, the newest version comes last, so that KINDS has it."""
    for version in ("v1alpha3", "v1beta2", "v1"):
        yield Kind(
            f"resource.k8s.io/{version}",
            device_fields.DEVICE_TAINT_RULE.name,
            device_fields.DEVICE_TAINT_RULE,
            build_taint_rule,
            namespaced=False,
            gate=TAINT_RULES_GATE,
        )
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


# Initial objects are loaded in this order, and in document order within a version of a kind; bound pods come before
# the others (`InitialObjects.build`).
LOAD_ORDER: tuple[Kind, ...] = (
    _kind("v1", cluster_fields.NAMESPACE, build_namespace, namespaced=False),
    *_versions(
        cluster_fields.PRIORITY_CLASS,
        build_priority_class,
        dict.fromkeys(["scheduling.k8s.io/v1alpha1", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1"]),
        namespaced=False,
    ),
    *_storage(volume_fields.STORAGE_CLASS, build_storage_class, "v1beta1 v1"),
    *_storage(volume_fields.CSI_DRIVER, build_csi_driver, "v1beta1 v1"),
    *_storage(volume_fields.CSI_NODE, build_csi_node, "v1beta1 v1"),
    *_storage(volume_fields.CSI_STORAGE_CAPACITY, build_capacity, "v1alpha1 v1beta1 v1", namespaced=True),
    *_storage(volume_fields.VOLUME_ATTACHMENT, build_attachment, "v1alpha1 v1beta1 v1"),
    _kind("v1", volume_fields.PERSISTENT_VOLUME, build_volume, namespaced=False),
    _kind("v1", volume_fields.PERSISTENT_VOLUME_CLAIM, build_claim),
    _kind("v1", cluster_fields.SERVICE, build_workload),
    _kind("node.k8s.io/v1", workload_fields.RUNTIME_CLASS, build_workload, namespaced=False),
    _kind("v1", workload_fields.LIMIT_RANGE, build_workload),
    _kind("v1", workload_fields.RESOURCE_QUOTA, build_workload),
    _kind("v1", workload_fields.REPLICATION_CONTROLLER, build_workload),
    *_versions(
        workload_fields.DEPLOYMENT,
        build_workload,
        {
            "extensions/v1beta1": selector_from_template,
            "apps/v1beta1": selector_from_template,
            "apps/v1beta2": None,
            "apps/v1": None,
        },
    ),
    *_versions(
        workload_fields.REPLICA_SET,
        build_workload,
        {"extensions/v1beta1": selector_from_template, "apps/v1beta2": None, "apps/v1": None},
    ),
    *_versions(
        workload_fields.STATEFUL_SET,
        build_workload,
        {"apps/v1beta1": selector_from_template, "apps/v1beta2": None, "apps/v1": None},
    ),
    *_versions(
        workload_fields.DAEMON_SET,
        build_workload,
        {"extensions/v1beta1": selector_from_template, "apps/v1beta2": None, "apps/v1": None},
    ),
    _kind("batch/v1", workload_fields.JOB, build_workload),
    *_versions(
        workload_fields.CRON_JOB,
        build_workload,
        dict.fromkeys(["batch/v2alpha1", "batch/v1beta1", "batch/v1"]),
    ),
    *_versions(
        workload_fields.HORIZONTAL_POD_AUTOSCALER,
        build_workload,
        dict.fromkeys(["autoscaling/v1", "autoscaling/v2"]),
    ),
    *_versions(
        cluster_fields.POD_DISRUPTION_BUDGET,
        build_budget,
        {"policy/v1beta1": budget_from_v1beta1, "policy/v1": None},
    ),
    *_device_kinds(),
    COSCHEDULING_POD_GROUP,
    _kind("karpenter.kwok.sh/v1alpha1", karpenter_fields.NODE_CLASS, build_node_class, namespaced=False),
    _kind("karpenter.sh/v1", karpenter_fields.NODE_POOL, build_node_pool, namespaced=False),
    _kind("karpenter.sh/v1", karpenter_fields.NODE_CLAIM, build_node_claim, namespaced=False),
    _kind("v1", cluster_fields.NODE, build_node, namespaced=False),
    POD_GROUP,
    _kind("v1", pod_fields.POD, build_pod),
)
# By name, in the newest version; of two kinds with the same name, that of Kubernetes.
KINDS = {kind.name: kind for kind in LOAD_ORDER}
OF_VERSION = {kind.identity: kind for kind in LOAD_ORDER}
MOVED_GROUPS = ("extensions",)  # groups whose kinds have moved to another group


def versions_of(name: str) -> list[str]:
    """Return the apiVersions in which the kind is read, the newest first. Raises KeyError for an unknown kind."""
    group = KINDS[name].group
    read = [kind for kind in LOAD_ORDER if kind.name == name and kind.group in (group, *MOVED_GROUPS)]
    return [kind.api_version for kind in reversed(read)]


SCENARIO = ("kschedui.io/v1alpha1", "Scenario")
NODE_GROUP = ("kschedui.io/v1alpha1", "NodeGroup")
CLUSTER_AUTOSCALER = ("kschedui.io/v1alpha1", "ClusterAutoscaler")
KARPENTER = ("kschedui.io/v1alpha1", "Karpenter")
DESCHEDULER = ("kschedui.io/v1alpha1", "Descheduler")
OF_AUTOSCALING = tuple(kind for _, kind in (NODE_GROUP, CLUSTER_AUTOSCALER, KARPENTER, DESCHEDULER))
SCHEDULER_PLUGIN = ("kschedui.io/v1alpha1", "SchedulerPlugin")
CHALLENGE = ("kschedui.io/v1alpha1", "Challenge")
# In releases before 1.19, a Policy replaces the profiles and extenders of the configuration. A ConfigMap can contain it
# as text under POLICY_KEY.
POLICIES = (("v1", "Policy"), ("kubescheduler.config.k8s.io/v1", "Policy"))
CONFIG_MAP, POLICY_KEY = ("v1", "ConfigMap"), "policy.cfg"
CONFIGURATION = ("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration")

# Kinds of real clusters that do not affect scheduling: they are left out with a warning.
_UNREAD = {
    "v1": ("Binding ComponentStatus ConfigMap Endpoints Event PodTemplate Secret ServiceAccount"),
    **dict.fromkeys(["apps/v1", "apps/v1beta1", "apps/v1beta2"], "ControllerRevision"),
    "extensions/v1beta1": "Ingress NetworkPolicy PodSecurityPolicy",
    "policy/v1beta1": "PodSecurityPolicy",
    "admissionregistration.k8s.io/v1": (
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "coordination.k8s.io/v1": "Lease",
    "discovery.k8s.io/v1": "EndpointSlice",
    "events.k8s.io/v1": "Event",
    "flowcontrol.apiserver.k8s.io/v1": "FlowSchema PriorityLevelConfiguration",
    "metrics.k8s.io/v1beta1": "NodeMetrics PodMetrics",
    "networking.k8s.io/v1": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "scheduling.k8s.io/v1alpha2": "Workload",
    **dict.fromkeys(
        ["storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1", "storage.k8s.io/v1"], "VolumeAttributesClass"
    ),
}
UNREAD = {(version, name) for version, names in _UNREAD.items() for name in names.split()}
