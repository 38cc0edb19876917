"""The export file of kube-scheduler-simulator: lists of objects without kinds, and the scheduler's configuration."""

from kschedui.scenarios.importers.cleaning import listed
from kschedui.scenarios.importers.reading.pruning import Manifest

LISTS = {
    "namespaces": ("v1", "Namespace"),
    "priorityClasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "storageClasses": ("storage.k8s.io/v1", "StorageClass"),
    "pvs": ("v1", "PersistentVolume"),
    "pvcs": ("v1", "PersistentVolumeClaim"),
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
}
CONFIGURATION = "schedulerConfig"
CONFIGURATION_TYPE = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
KEPT = {"profiles", "percentageOfNodesToScore", "extenders", "podInitialBackoffSeconds", "podMaxBackoffSeconds"}


def objects_of(data: Manifest) -> list[Manifest] | None:
    """The export's objects with their kinds; None when this is not an export."""
    if "kind" in data or not any(isinstance(data.get(name), list) for name in LISTS):
        return None
    found: list[Manifest] = [
        {"apiVersion": version, "kind": kind, **item}
        for name, (version, kind) in LISTS.items()
        for item in listed(data, name)
    ]
    configuration = data.get(CONFIGURATION)
    if isinstance(configuration, dict):
        kept = {name: value for name, value in configuration.items() if name in KEPT and value is not None}
        version = {"apiVersion": configuration["apiVersion"]} if configuration.get("apiVersion") else {}
        found.insert(0, {**CONFIGURATION_TYPE, **version, **kept})
    return found
