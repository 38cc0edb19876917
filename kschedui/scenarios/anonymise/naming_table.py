"""What names what, as one table of plain data: for Python here, and for the browser, which renames before it sends."""

from __future__ import annotations

from functools import cache
from typing import Any

# Keys of labels and taints, resources, classes and schedulers that Kubernetes gives a meaning.
PUBLIC = r"^([a-z0-9.-]*\.)?(kubernetes|k8s|kschedui)\.io/|^(nvidia|amd|intel|google)\.com/|^system-"
NUMBER = r"^[-+]?[0-9]+(\.[0-9]+)?$"
KEPT = (
    "", "default", "default-scheduler", "true", "false", "kube-system", "kube-public", "kube-node-lease", "cluster",
    "metadata.name", "pod-template-hash", "pod-template-generation", "controller-revision-hash", "controller-uid",
    "job-name",
)  # fmt: skip
# By what it names: how a made-up name begins. A name that names several things is of the first of them.
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
    "PriorityClass": "priority",
    "scheduler": "scheduler",
    "url": "http://extender",
    "container": "container",
    "gate": "example.com/gate",
}
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
    "urlPrefix": "url",
    "runtimeClassName": "value",
    **dict.fromkeys(("volumeHandle", "server", "path", "targetPortal", "iqn", "pdName", "volumeID"), "value"),
    **dict.fromkeys(("diskName", "diskURI", "shareName", "secretName", "volumePath", "pool"), "value"),
    "secretNamespace": "Namespace",
    "namespace": "Namespace",
}
NAMED = {  # what `name` is, by the key above
    "containers": "container",
    "initContainers": "container",
    "volumes": "container",
    "containerStatuses": "container",
    "schedulingGates": "gate",
    "ownerReferences": "value",
    "claimRef": "PersistentVolumeClaim",
}
KEYS = ("key", "topologyKey", "matchLabelKeys", "mismatchLabelKeys", "topologyKeys")
PODS = ("pod", "pods", "victims", "names")  # where a pod is called namespace/name
SPOKEN = ("title", "description")  # of the Scenario document
# Fields whose values are words of Kubernetes, and amounts.
WORDS = (
    "kind", "apiVersion", "operator", "effect", "type", "phase", "protocol", "reason", "plugin", "point", "verb",
    "preemptionPolicy", "whenUnsatisfiable", "volumeBindingMode", "volumeMode", "accessModes", "nodeAffinityPolicy",
    "nodeTaintsPolicy", "fsType", "restartPolicy", "unhealthyPodEvictionPolicy", "status", "kubernetesVersion",
    "disruptionMode",
)  # fmt: skip
AMOUNTS = (
    "requests", "limits", "allocatable", "capacity", "podFixed", "overhead", "allocatedResources", "default",
    "defaultRequest", "min", "max", "minAvailable", "maxUnavailable",
)  # fmt: skip


@cache
def naming_table() -> dict[str, Any]:
    """All of it, for the browser."""
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
        "spoken": SPOKEN,
        "words": WORDS,
        "amounts": AMOUNTS,
    }
