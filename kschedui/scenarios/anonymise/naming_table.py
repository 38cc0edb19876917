"""A table of the fields that contain names, for Python and for the browser, which renames before sending."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from kschedui.scenarios.imported import IMPORTED
from kschedui.scenarios.importers.reading.reading_table import ANNOTATIONS
from scheduler_core.apis.vendor_labels import GROUP_LABELS, GROUP_OWNER, OF_THE_CLOUD
from scheduler_core.releases import names_in_policies

# Keys of labels and taints, resources, classes and schedulers that Kubernetes and its vendors give a meaning: node
# groups are found by them, and advice depends on who sets them.
_VENDORS = {*OF_THE_CLOUD, *(key.rpartition("/")[0] for key in GROUP_LABELS if "/" in key), "kschedui.io"}
_DOMAINS = "|".join(re.escape(domain).replace(r"\-", "-") for domain in sorted(_VENDORS))
PUBLIC = rf"^([a-z0-9.-]*\.)?({_DOMAINS})/|^(nvidia|amd|intel)\.com/|^system-"
NUMBER = r"^[-+]?[0-9]+(\.[0-9]+)?$"
_PREDICATES, _PRIORITIES = names_in_policies()
KEPT = (
    "", "default", "default-scheduler", "true", "false", "kube-system", "kube-public", "kube-node-lease", "cluster",
    "metadata.name", "pod-template-hash", "pod-template-generation", "controller-revision-hash", "controller-uid",
    "job-name", *(key for key in GROUP_LABELS if "/" not in key), *_PREDICATES, *_PRIORITIES,
)  # fmt: skip
# The beginning of generated names, by the kind of object. A name of several kinds belongs to the first of them.
PATTERNS = {
    "Node": "node",
    "Namespace": "team",
    "Pod": "pod",
    "PodGroup": "group",
    "key": "example.com/label",
    "value": "value",
    "image": "registry.example.com/image",
    "PersistentVolume": "volume",
    "PersistentVolumeClaim": "claim",
    "StorageClass": "storage",
    "ResourceClaim": "device-claim",
    "ResourceClaimTemplate": "device-template",
    "ResourceSlice": "slice",
    "DeviceClass": "device-class",
    "PriorityClass": "priority",
    "scheduler": "scheduler",
    "url": "http://extender",
    "container": "container",
    "gate": "example.com/gate",
    "rule": "rule",
}
DRIVERS = ("ResourceSlice", "driver")  # the names of drivers are kept, since selectors contain them
LABEL_MAPS = ("labels", "matchLabels", "nodeSelector")
REFERENCES = {
    "nodeName": "Node",
    "nominatedNodeName": "Node",
    "claimName": "PersistentVolumeClaim",
    "volumeName": "PersistentVolume",
    "persistentVolumeName": "PersistentVolume",
    "storageClassName": "StorageClass",
    "priorityClassName": "PriorityClass",
    "schedulerName": "scheduler",
    "podGroupName": "PodGroup",
    "resourceClaimName": "ResourceClaim",
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "deviceClassName": "DeviceClass",
    "urlPrefix": "url",
    "runtimeClassName": "value",
    GROUP_OWNER: "value",
    **dict.fromkeys(("volumeHandle", "server", "path", "targetPortal", "iqn", "pdName", "volumeID"), "value"),
    **dict.fromkeys(("diskName", "diskURI", "shareName", "secretName", "volumePath"), "value"),
    "pool": "Node",
    "secretNamespace": "Namespace",
    "namespace": "Namespace",
}
NAMED = {  # what `name` is, by the key above
    "containers": "container",
    "initContainers": "container",
    "volumes": "container",
    "containerStatuses": "container",
    "schedulingGates": "gate",
    "predicates": "rule",  # of a Policy
    "priorities": "rule",  # of a Policy
    "ownerReferences": "value",
    "claimRef": "PersistentVolumeClaim",
    "pool": "Node",  # of a ResourceSlice: nearly always its node's name, and pools are searched in order of their names
}
KEYS = (
    "key",
    "topologyKey",
    "matchLabelKeys",
    "mismatchLabelKeys",
    "topologyKeys",
    "label",
    "labels",
)  # of a Policy
PODS = ("pod", "pods", "victims", "names")  # where a pod is called namespace/name
ANNOTATIONS_KEPT = (*ANNOTATIONS, IMPORTED)
SPOKEN = ("title", "description", "lesson")  # of the Scenario document
# What CEL selectors compare: the driver's names, as its maker gave them; and the names of requests.
DEVICE_WORDS = (
    "expression",
    "matchAttribute",
    "distinctAttribute",
    "string",
    "version",
    "device",
    "request",
    "extendedResourceName",
)
# Fields whose values are words of Kubernetes, and amounts.
WORDS = (
    "kind", "apiVersion", "operator", "effect", "type", "phase", "protocol", "reason", "plugin", "point", "verb",
    "preemptionPolicy", "whenUnsatisfiable", "volumeBindingMode", "volumeMode", "accessModes", "nodeAffinityPolicy",
    "nodeTaintsPolicy", "fsType", "restartPolicy", "unhealthyPodEvictionPolicy", "status", "kubernetesVersion",
    "kubeletVersion", "disruptionMode", *DEVICE_WORDS,
)  # fmt: skip
AMOUNTS = (
    "requests", "limits", "allocatable", "capacity", "podFixed", "overhead", "allocatedResources", "default",
    "defaultRequest", "min", "max", "minAvailable", "maxUnavailable",
)  # fmt: skip


@cache
def naming_table() -> dict[str, Any]:
    """Return the whole table, for the browser."""
    return {
        "public": PUBLIC,
        "number": NUMBER,
        "kept": KEPT,
        "patterns": PATTERNS,
        "labelMaps": LABEL_MAPS,
        "references": REFERENCES,
        "named": NAMED,
        "keys": KEYS,
        "pods": PODS,
        "annotations": ANNOTATIONS_KEPT,
        "spoken": SPOKEN,
        "words": WORDS,
        "amounts": AMOUNTS,
        "drivers": DRIVERS,
    }
