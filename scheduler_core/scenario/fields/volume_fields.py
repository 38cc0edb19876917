"""Field tables of the storage kinds (core/v1 and storage.k8s.io/v1)."""

from __future__ import annotations

from scheduler_core.scenario.fields.common_fields import (
    ACCESS_MODE,
    LABEL_SELECTOR,
    NODE_SELECTOR,
    OBJECT_REFERENCE,
    RESOURCE_LIST,
    VOLUME_MODE,
    top_level,
)
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    QUANTITY,
    STRING,
    Enum,
    Fields,
    ListOf,
    strings,
    unread,
)

# The sources of a PersistentVolumeSource; of some, the plugins read the fields that identify the volume, as written.
_SOURCE_NAMES = (
    "csi local hostPath nfs iscsi rbd fc awsElasticBlockStore gcePersistentDisk azureDisk azureFile cinder cephfs "
    "flexVolume flocker glusterfs photonPersistentDisk portworxVolume quobyte scaleIO storageos vsphereVolume"
)
PERSISTENT_VOLUME_SOURCES = tuple(_SOURCE_NAMES.split())

_CSI_SOURCE = Fields(
    "CSIPersistentVolumeSource",
    {
        **strings("driver volumeHandle fsType"),
        "readOnly": BOOLEAN,
        **unread(
            "volumeAttributes controllerPublishSecretRef nodeStageSecretRef nodePublishSecretRef "
            "controllerExpandSecretRef nodeExpandSecretRef"
        ),
    },
)

PERSISTENT_VOLUME_SPEC = Fields(
    "PersistentVolumeSpec",
    {
        "capacity": RESOURCE_LIST,
        "accessModes": ListOf(ACCESS_MODE),
        "storageClassName": STRING,
        "volumeMode": VOLUME_MODE,
        "nodeAffinity": Fields("VolumeNodeAffinity", {"required": NODE_SELECTOR}),
        "claimRef": OBJECT_REFERENCE,
        "persistentVolumeReclaimPolicy": Enum(("Delete", "Recycle", "Retain"), "reclaim policy"),
        "volumeAttributesClassName": STRING,
        "mountOptions": ListOf(STRING),
        **unread(_SOURCE_NAMES),
        "csi": _CSI_SOURCE,
    },
)

PERSISTENT_VOLUME = top_level(
    "PersistentVolume",
    spec=PERSISTENT_VOLUME_SPEC,
    status=Fields(
        "PersistentVolumeStatus",
        {
            "phase": Enum(("Pending", "Available", "Bound", "Released", "Failed"), "volume phase"),
            **unread("message reason lastPhaseTransitionTime"),
        },
    ),
)

CLAIM_SPEC = Fields(
    "PersistentVolumeClaimSpec",
    {
        "accessModes": ListOf(ACCESS_MODE),
        "selector": LABEL_SELECTOR,
        "resources": Fields("VolumeResourceRequirements", {"requests": RESOURCE_LIST, "limits": RESOURCE_LIST}),
        "storageClassName": STRING,
        "volumeMode": VOLUME_MODE,
        "volumeName": STRING,
        "volumeAttributesClassName": STRING,
        **unread("dataSource dataSourceRef"),
    },
    {"storageClassName": 'absent: the default class, if there is one; "": no class'},
)

PERSISTENT_VOLUME_CLAIM = top_level(
    "PersistentVolumeClaim",
    spec=CLAIM_SPEC,
    status=Fields(
        "PersistentVolumeClaimStatus",
        {
            "phase": Enum(("Pending", "Bound", "Lost"), "claim phase"),
            **unread(
                "accessModes capacity conditions allocatedResources allocatedResourceStatuses "
                "currentVolumeAttributesClassName modifyVolumeStatus"
            ),
        },
    ),
)

STORAGE_CLASS = top_level(
    "StorageClass",
    provisioner=STRING,
    parameters=ANY,
    reclaimPolicy=Enum(("Delete", "Retain"), "reclaim policy"),
    mountOptions=ListOf(STRING),
    allowVolumeExpansion=BOOLEAN,
    volumeBindingMode=Enum(("Immediate", "WaitForFirstConsumer"), "volume binding mode"),
    allowedTopologies=ListOf(
        Fields(
            "TopologySelectorTerm",
            {
                "matchLabelExpressions": ListOf(
                    Fields("TopologySelectorLabelRequirement", {"key": STRING, "values": ListOf(STRING)})
                )
            },
        )
    ),
)

CSI_NODE = top_level(
    "CSINode",
    spec=Fields(
        "CSINodeSpec",
        {
            "drivers": ListOf(
                Fields(
                    "CSINodeDriver",
                    {
                        **strings("name nodeID"),
                        "topologyKeys": ListOf(STRING),
                        "allocatable": Fields("VolumeNodeResources", {"count": INT32}),
                    },
                )
            )
        },
    ),
)

CSI_DRIVER = top_level(
    "CSIDriver",
    spec=Fields(
        "CSIDriverSpec",
        {
            "storageCapacity": BOOLEAN,
            "preventPodSchedulingIfMissing": BOOLEAN,
            "attachRequired": BOOLEAN,
            **unread(
                "podInfoOnMount volumeLifecycleModes fsGroupPolicy tokenRequests requiresRepublish seLinuxMount "
                "nodeAllocatableUpdatePeriodSeconds"
            ),
        },
    ),
)

CSI_STORAGE_CAPACITY = top_level(
    "CSIStorageCapacity",
    nodeTopology=LABEL_SELECTOR,
    storageClassName=STRING,
    capacity=QUANTITY,
    maximumVolumeSize=QUANTITY,
)

VOLUME_ATTACHMENT = top_level(
    "VolumeAttachment",
    spec=Fields(
        "VolumeAttachmentSpec",
        {
            **strings("attacher nodeName"),
            "source": Fields(
                "VolumeAttachmentSource", {"persistentVolumeName": STRING, "inlineVolumeSpec": PERSISTENT_VOLUME_SPEC}
            ),
        },
    ),
    status=ANY,
)
