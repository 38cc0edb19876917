"""The field table of Pod (core/v1): the types of the fields that are read, and the names of the others."""

from __future__ import annotations

from scheduler_core.scenario.fields.common_fields import (
    LABEL_SELECTOR,
    NODE_SELECTOR,
    NODE_SELECTOR_TERM,
    PREEMPTION_POLICY,
    RESOURCE_LIST,
    TAINT_EFFECT,
    top_level,
)
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    INT64,
    STRING,
    TIME,
    Enum,
    Fields,
    ListOf,
    MapOf,
    strings,
    unread,
)
from scheduler_core.scenario.fields.volume_fields import CLAIM_SPEC

RESOURCE_REQUIREMENTS = Fields(
    "ResourceRequirements",
    {
        "requests": RESOURCE_LIST,
        "limits": RESOURCE_LIST,
        "claims": ListOf(Fields("ContainerResourceClaim", strings("name request"))),
    },
    {"requests": "what the scheduler counts; defaults to limits"},
)

_PORT = Fields(
    "ContainerPort",
    {
        "name": STRING,
        "containerPort": INT32,
        "hostPort": INT32,
        "hostIP": STRING,
        "protocol": Enum(("SCTP", "TCP", "UDP"), "protocol"),
    },
)

_RESTART_RULE = Fields(
    "ContainerRestartRule",
    {
        "action": STRING,
        "exitCodes": Fields("ContainerRestartRuleOnExitCodes", {"operator": STRING, "values": ListOf(INT32)}),
    },
    {"action": "RestartAllContainers needs a node that declares it"},
)

CONTAINER = Fields(
    "Container",
    {
        **strings("name image workingDir terminationMessagePath terminationMessagePolicy imagePullPolicy"),
        "command": ListOf(STRING),
        "args": ListOf(STRING),
        "ports": ListOf(_PORT),
        "resources": RESOURCE_REQUIREMENTS,
        "restartPolicy": Enum(("Always", "OnFailure", "Never"), "restart policy"),
        "restartPolicyRules": ListOf(_RESTART_RULE),
        "resizePolicy": ListOf(
            Fields(
                "ContainerResizePolicy",
                {
                    "resourceName": Enum(("cpu", "memory"), "resource that can be resized"),
                    "restartPolicy": Enum(("NotRequired", "RestartContainer"), "restart policy of a resize"),
                },
            )
        ),
        **unread(
            "envFrom env volumeMounts volumeDevices livenessProbe readinessProbe "
            "startupProbe lifecycle securityContext stdin stdinOnce tty targetContainerName"
        ),
    },
    {"restartPolicy": "Always makes an init container a sidecar"},
)

_POD_AFFINITY_TERM = Fields(
    "PodAffinityTerm",
    {
        "labelSelector": LABEL_SELECTOR,
        "namespaceSelector": LABEL_SELECTOR,
        "namespaces": ListOf(STRING),
        "topologyKey": STRING,
        "matchLabelKeys": ListOf(STRING),
        "mismatchLabelKeys": ListOf(STRING),
    },
)

_POD_AFFINITY = Fields(
    "PodAffinity",
    {
        "requiredDuringSchedulingIgnoredDuringExecution": ListOf(_POD_AFFINITY_TERM),
        "preferredDuringSchedulingIgnoredDuringExecution": ListOf(
            Fields("WeightedPodAffinityTerm", {"weight": INT32, "podAffinityTerm": _POD_AFFINITY_TERM})
        ),
    },
)

NODE_AFFINITY = Fields(
    "NodeAffinity",
    {
        "requiredDuringSchedulingIgnoredDuringExecution": NODE_SELECTOR,
        "preferredDuringSchedulingIgnoredDuringExecution": ListOf(
            Fields("PreferredSchedulingTerm", {"weight": INT32, "preference": NODE_SELECTOR_TERM})
        ),
    },
)

AFFINITY = Fields(
    "Affinity", {"nodeAffinity": NODE_AFFINITY, "podAffinity": _POD_AFFINITY, "podAntiAffinity": _POD_AFFINITY}
)

TOLERATION = Fields(
    "Toleration",
    {
        "key": STRING,
        "operator": Enum(("Equal", "Exists"), "toleration operator"),
        "value": STRING,
        "effect": TAINT_EFFECT,
        "tolerationSeconds": INT64,
    },
)

_NODE_POLICY = Enum(("Honor", "Ignore"), "node inclusion policy")

TOPOLOGY_SPREAD_CONSTRAINT = Fields(
    "TopologySpreadConstraint",
    {
        "maxSkew": INT32,
        "topologyKey": STRING,
        "whenUnsatisfiable": Enum(("DoNotSchedule", "ScheduleAnyway"), "unsatisfiable constraint action"),
        "labelSelector": LABEL_SELECTOR,
        "minDomains": INT32,
        "nodeAffinityPolicy": _NODE_POLICY,
        "nodeTaintsPolicy": _NODE_POLICY,
        "matchLabelKeys": ListOf(STRING),
    },
)

_PERSISTENT_VOLUME_CLAIM_SOURCE = Fields(
    "PersistentVolumeClaimVolumeSource", {"claimName": STRING, "readOnly": BOOLEAN}
)
_EPHEMERAL_SOURCE = Fields(
    "EphemeralVolumeSource",
    {"volumeClaimTemplate": Fields("PersistentVolumeClaimTemplate", {"metadata": ANY, "spec": CLAIM_SPEC})},
)

# Inline volumes that VolumeRestrictions, NodeVolumeLimits or VolumeZone read; their content stays as written.
READ_VOLUME_SOURCES: dict[str, Fields] = {
    "awsElasticBlockStore": Fields(
        "AWSElasticBlockStoreVolumeSource",
        {**strings("volumeID fsType"), "partition": INT32, "readOnly": BOOLEAN},
    ),
    "gcePersistentDisk": Fields(
        "GCEPersistentDiskVolumeSource", {**strings("pdName fsType"), "partition": INT32, "readOnly": BOOLEAN}
    ),
    "iscsi": Fields(
        "ISCSIVolumeSource",
        {
            **strings("targetPortal iqn iscsiInterface fsType initiatorName"),
            "lun": INT32,
            "readOnly": BOOLEAN,
            "portals": ListOf(STRING),
            **unread("chapAuthDiscovery chapAuthSession secretRef"),
        },
    ),
    "rbd": Fields(
        "RBDVolumeSource",
        {
            "monitors": ListOf(STRING),
            **strings("image fsType pool user keyring"),
            "readOnly": BOOLEAN,
            "secretRef": ANY,
        },
    ),
    "azureDisk": Fields(
        "AzureDiskVolumeSource", {**strings("diskName diskURI cachingMode fsType kind"), "readOnly": BOOLEAN}
    ),
    "cinder": Fields("CinderVolumeSource", {**strings("volumeID fsType"), "readOnly": BOOLEAN, "secretRef": ANY}),
    "portworxVolume": Fields("PortworxVolumeSource", {**strings("volumeID fsType"), "readOnly": BOOLEAN}),
    "csi": Fields(
        "CSIVolumeSource",
        {
            **strings("driver fsType"),
            "readOnly": BOOLEAN,
            "volumeAttributes": MapOf(STRING),
            "nodePublishSecretRef": ANY,
        },
    ),
}

_UNREAD_SOURCES = unread(
    "hostPath emptyDir gitRepo secret nfs glusterfs flexVolume cephfs flocker downwardAPI fc azureFile "
    "configMap vsphereVolume quobyte photonPersistentDisk projected scaleIO storageos"
)

VOLUME = Fields(
    "Volume",
    {
        "name": STRING,
        "persistentVolumeClaim": _PERSISTENT_VOLUME_CLAIM_SOURCE,
        "ephemeral": _EPHEMERAL_SOURCE,
        "image": Fields("ImageVolumeSource", strings("reference pullPolicy")),
        **READ_VOLUME_SOURCES,
        **_UNREAD_SOURCES,
    },
)

POD_SPEC = Fields(
    "PodSpec",
    {
        "containers": ListOf(CONTAINER),
        "initContainers": ListOf(CONTAINER),
        "ephemeralContainers": ListOf(CONTAINER),
        "volumes": ListOf(VOLUME),
        "nodeName": STRING,
        "nodeSelector": MapOf(STRING),
        "affinity": AFFINITY,
        "tolerations": ListOf(TOLERATION),
        "topologySpreadConstraints": ListOf(TOPOLOGY_SPREAD_CONSTRAINT),
        "schedulingGates": ListOf(Fields("PodSchedulingGate", {"name": STRING})),
        "schedulingGroup": Fields("PodSchedulingGroup", {"podGroupName": STRING}),
        "schedulerName": STRING,
        "priorityClassName": STRING,
        "priority": INT32,
        "preemptionPolicy": PREEMPTION_POLICY,
        "resources": RESOURCE_REQUIREMENTS,
        "overhead": RESOURCE_LIST,
        "hostNetwork": BOOLEAN,
        "hostUsers": BOOLEAN,
        "resourceClaims": ListOf(
            Fields("PodResourceClaim", strings("name resourceClaimName resourceClaimTemplateName"))
        ),
        "restartPolicy": Enum(("Always", "OnFailure", "Never"), "restart policy"),
        "terminationGracePeriodSeconds": INT64,
        "runtimeClassName": STRING,
        **strings("serviceAccountName serviceAccount hostname subdomain dnsPolicy hostnameOverride"),
        **unread(
            "activeDeadlineSeconds automountServiceAccountToken hostPID hostIPC shareProcessNamespace securityContext "
            "imagePullSecrets hostAliases dnsConfig readinessGates enableServiceLinks setHostnameAsFQDN os"
        ),
    },
    {
        "nodeName": "given: the pod already runs there; absent: it is pending and enters the scheduling queue",
        "schedulerName": "the profile that schedules it; default-scheduler when absent",
        "schedulingGates": "the pod stays out of the queue until every gate is removed",
        "schedulingGroup": "the PodGroup that it is scheduled with",
        "overhead": "added to the requests",
    },
)

_CONTAINER_STATUS = Fields(
    "ContainerStatus",
    {
        "name": STRING,
        "resources": RESOURCE_REQUIREMENTS,
        "allocatedResources": RESOURCE_LIST,
        **unread(
            "state lastState ready restartCount image imageID containerID started volumeMounts user "
            "allocatedResourcesStatus stopSignal"
        ),
    },
)

POD_STATUS = Fields(
    "PodStatus",
    {
        "phase": Enum(("Pending", "Running", "Succeeded", "Failed", "Unknown"), "pod phase"),
        "nominatedNodeName": STRING,
        "startTime": TIME,
        "conditions": ListOf(
            Fields(
                "PodCondition",
                {
                    **strings("type status reason message"),
                    **unread("observedGeneration lastProbeTime lastTransitionTime"),
                },
            )
        ),
        "containerStatuses": ListOf(_CONTAINER_STATUS),
        "initContainerStatuses": ListOf(_CONTAINER_STATUS),
        "resources": RESOURCE_REQUIREMENTS,
        "allocatedResources": RESOURCE_LIST,
        "resourceClaimStatuses": ListOf(Fields("PodResourceClaimStatus", strings("name resourceClaimName"))),
        "extendedResourceClaimStatus": Fields(
            "PodExtendedResourceClaimStatus", {"resourceClaimName": STRING, **unread("requestMappings")}
        ),
        **unread(
            "observedGeneration message reason hostIP hostIPs podIP podIPs qosClass ephemeralContainerStatuses resize"
        ),
    },
    {"startTime": "older pods of equal priority are less likely to be victims"},
)

POD = top_level("Pod", spec=POD_SPEC, status=POD_STATUS)
