"""The fields of a dump that are read, as a table of plain data for Python and for the browser, which prunes before
sending.

A rule is 0 (dropped), 1 (kept as it is), or a mapping with one of
    {"t": type}                     a mapping whose fields the table lists under that name
    {"l": rule, "where": [f, [v]]}  a list of such items; with "where" only those whose field `f` is one of the values
    {"m": rule}                     a mapping with free keys to such values
    {"k": [key]}                    a mapping of which only these keys are kept
    {"with": [text], "or": [key]}   a mapping of texts, of which those are kept that hold one of these texts, or
                                    whose key is one of these
The field "*" of a type is the rule for fields that it does not list; without it they are unknown.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from kschedui.scenarios.importers.reading import workload_fields
from scheduler_core.apis.vendor_labels import GROUP_OWNER
from scheduler_core.scenario.fields.config_fields import CONFIGURATION
from scheduler_core.scenario.fields.schema import Anything, Fields, ListOf, MapOf, Type
from scheduler_core.scenario.objects.kinds import LOAD_ORDER, POLICIES, versions_of

Rule = Any
DROP, KEEP = 0, 1

ANNOTATIONS = (
    GROUP_OWNER,
    "kschedui.io/binding",
    "kschedui.io/binding-device",
    "kschedui.io/termination-seconds",
    "deployment.kubernetes.io/revision",
    "batch.kubernetes.io/job-completion-index",
    "kubernetes.io/azure-file-resource-group",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "pv.kubernetes.io/provisioned-by",
    "resource.kubernetes.io/extended-resource-claim",
    "resource.kubernetes.io/pod-claim-name",
    "storage.alpha.kubernetes.io/migrated-plugins",
    "storageclass.beta.kubernetes.io/is-default-class",
    "storageclass.kubernetes.io/is-default-class",
    "volume.beta.kubernetes.io/storage-class",
    "volume.kubernetes.io/selected-node",
)
OLDER = "V1beta1"  # ends the name of a type whose fields are read, too: `cleaning` converts them
CONFIGURATION_VERSIONS = ("v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1")
CONDITIONS = ("PodScheduled", "DisruptionTarget", "PodResizePending", "Ready")

# Fields that the tables know and check, but that nothing in scheduling depends on.
_UNREAD = {
    "ObjectMeta": "generateName finalizers deletionGracePeriodSeconds",
    "OwnerReference": "blockOwnerDeletion",
    "NodeSpec": "podCIDR podCIDRs providerID externalID",
    "Taint": "timeAdded",
    "PriorityClass": "description",
    "Container": "workingDir terminationMessagePath terminationMessagePolicy imagePullPolicy command args",
    "PodSpec": (
        "ephemeralContainers serviceAccountName serviceAccount hostname subdomain dnsPolicy hostnameOverride "
        "terminationGracePeriodSeconds"
    ),
    "CSIVolumeSource": "volumeAttributes",
    "ISCSIVolumeSource": "initiatorName",
    "RBDVolumeSource": "user keyring",
    "StorageClass": "mountOptions",
    "CSINodeDriver": "nodeID",
    "PersistentVolumeSpec": "mountOptions",
    "ObjectReference": "resourceVersion fieldPath",
}
# Fields that the tables do not read, or read as they are, and the part of each that is kept.
_READ: dict[tuple[str, str], Rule] = {
    ("ObjectMeta", "annotations"): {"k": list(ANNOTATIONS)},
    ("TemplateMeta", "annotations"): {"k": list(ANNOTATIONS)},
    ("PodTemplateSpec", "spec"): {"t": "PodSpec"},
    ("StatefulSetSpec", "volumeClaimTemplates"): {"l": {"t": "PersistentVolumeClaim"}},
    ("PodStatus", "conditions"): {"l": {"t": "PodCondition"}, "where": ["type", list(CONDITIONS)]},
    ("NodeStatus", "nodeInfo"): {"k": ["kubeletVersion"]},
    ("Job", "status"): {"k": ["completionTime", "startTime", "succeeded", "failed", "completedIndexes", "conditions"]},
    ("StatefulSet", "status"): {"k": ["updateRevision"]},
    ("VolumeAttachment", "status"): {"k": ["attached"]},
    ("ConfigMap", "data"): {
        "with": ["KubeSchedulerConfiguration", '"Policy"', "kind: Policy"],
        "or": ["priorities", "status"],
    },
    ("KubeSchedulerConfiguration", "extenders"): {"l": {"t": "AnyExtender"}},
    ("KubeSchedulerConfiguration", "leaderElection"): DROP,
    ("KubeSchedulerConfiguration", "clientConnection"): DROP,
    **{
        ("PersistentVolumeSpec", source): {"k": keys.split()}
        for source, keys in {
            "local": "path",
            "hostPath": "path",
            "nfs": "server path",
            "iscsi": "targetPortal iqn lun",
            "rbd": "monitors image pool",
            "awsElasticBlockStore": "volumeID fsType partition readOnly",
            "gcePersistentDisk": "pdName fsType partition readOnly",
            "azureDisk": "diskName diskURI kind",
            "azureFile": "secretName secretNamespace shareName",
            "cinder": "volumeID",
            "portworxVolume": "volumeID",
            "vsphereVolume": "volumePath",
            **dict.fromkeys(["fc", "cephfs", "flexVolume", "flocker", "glusterfs", "photonPersistentDisk"], ""),
            **dict.fromkeys(["quobyte", "scaleIO", "storageos"], ""),
        }.items()
    },
}
_OPEN = {"*": KEEP}  # a type whose other fields are all kept; the code that reads them checks them

_EXPORT = {
    "namespaces": "Namespace",
    "priorityClasses": "PriorityClass",
    "storageClasses": "StorageClass",
    "pvs": "PersistentVolume",
    "pvcs": "PersistentVolumeClaim",
    "nodes": "Node",
    "pods": "Pod",
}


@cache
def reading_table() -> dict[str, Any]:
    """Return {"kinds": {kind: {"versions", "version", "type"}}, "types": {type: {field: rule}}, "export": type}.

    `versions` are the apiVersions that are supported for a kind, `version` the one to which it is converted.
    """
    types: dict[str, dict[str, Rule]] = {}
    kinds = {kind.name: _kind(versions_of(kind.name), kind.fields, types) for kind in LOAD_ORDER}
    for older in [name for name in types if name.endswith(OLDER)]:
        newer = older.removesuffix(OLDER)
        types[newer] = {**types.pop(older), **types.get(newer, {})}
    for more in workload_fields.MORE_KINDS:
        kinds[more.name] = _kind([more.api_version, *more.older], more.fields, types)
    versions = [f"kubescheduler.config.k8s.io/{version}" for version in CONFIGURATION_VERSIONS]
    kinds[CONFIGURATION.name] = {"versions": versions, "version": versions[0], "type": CONFIGURATION.name}
    types[CONFIGURATION.name] = {
        **_OPEN,
        **{field: rule for (name, field), rule in _READ.items() if name == CONFIGURATION.name},
    }
    types["AnyExtender"] = {**_OPEN, "tlsConfig": DROP}
    types["Policy"] = {**_OPEN, "extenders": {"l": {"t": "AnyExtender"}}}
    kinds["Policy"] = {"versions": [version for version, _ in POLICIES], "version": "v1", "type": "Policy"}
    for own in (
        "Scenario",
        "NodeGroup",
        "ClusterAutoscaler",
        "Karpenter",
        "Descheduler",
        "SchedulerPlugin",
        "Challenge",
    ):
        types[own] = dict(_OPEN)
        kinds[own] = {"versions": ["kschedui.io/v1alpha1"], "version": "kschedui.io/v1alpha1", "type": own}
    kinds["NodePool"] = _node_pool(types)
    types["Export"] = {field: {"l": {"t": name}} for field, name in _EXPORT.items()}
    types["Export"]["schedulerConfig"] = {"t": CONFIGURATION.name}
    return {"kinds": kinds, "types": types, "export": "Export"}


def _node_pool(types: dict[str, dict[str, Rule]]) -> dict[str, Any]:
    """Add the types of Karpenter's NodePool, and return the row of its kind."""
    types["NodePool"] = {
        "spec": {"t": "NodePoolSpec"},
        "metadata": {"t": "ObjectMeta"},
        "apiVersion": KEEP,
        "kind": KEEP,
    }
    types["NodePoolSpec"] = {
        "limits": KEEP,
        "template": {"t": "NodePoolTemplate"},
        "disruption": KEEP,
        "weight": KEEP,
    }
    of_template = ["requirements", "taints", "startupTaints", "nodeClassRef", "expireAfter", "terminationGracePeriod"]
    types["NodePoolTemplate"] = {"metadata": {"t": "ObjectMeta"}, "spec": {"k": of_template}}
    versions = ["karpenter.sh/v1", "karpenter.sh/v1beta1"]
    return {"versions": versions, "version": versions[0], "type": "NodePool"}


def _kind(versions: list[str], fields: Fields, types: dict[str, dict[str, Rule]]) -> dict[str, Any]:
    return {"versions": versions, "version": versions[0], "type": _rule(fields, types)["t"]}


def _rule(kind: Type, types: dict[str, dict[str, Rule]]) -> Rule:
    match kind:
        case Fields():
            if kind.name not in types:
                types[kind.name] = rules = {}
                unread = _UNREAD.get(kind.name, "").split()
                for field, below in kind.fields.items():
                    own = _rule(below, types)
                    rule = _READ.get((kind.name, field), own)
                    rules[field] = DROP if field in unread else rule
            return {"t": kind.name}
        case ListOf():
            item = _rule(kind.item, types)
            return item if item == KEEP else {"l": item}
        case MapOf():
            item = _rule(kind.item, types)
            return item if item == KEEP else {"m": item}
        case Anything():
            return DROP
        case _:
            return KEEP
