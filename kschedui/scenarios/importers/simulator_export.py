"""The export file of kube-scheduler-simulator: lists of objects without kinds, and the scheduler's configuration."""

from kschedui.scenarios.importers.cleaning import mappings_in
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits, ScenarioError, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems

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
FIELDS = {"profiles", "percentageOfNodesToScore", "extenders", "podInitialBackoffSeconds", "podMaxBackoffSeconds"}

NOT_YET = Message(
    "this is an export of kube-scheduler-simulator, not a scenario; import it with “Paste from "
    "kubectl”, POST /api/v1/import or kschedui import"
)


def objects_of(data: Manifest) -> list[Manifest] | None:
    """Return the export's objects with their kinds; None if this is not an export."""
    if "kind" in data or not any(isinstance(data.get(name), list) for name in LISTS):
        return None
    objects: list[Manifest] = [
        {"apiVersion": version, "kind": kind, **item}
        for name, (version, kind) in LISTS.items()
        for item in mappings_in(data, name)
    ]
    configuration = data.get(CONFIGURATION)
    if isinstance(configuration, dict):
        fields = {name: value for name, value in configuration.items() if name in FIELDS and value is not None}
        version = {"apiVersion": configuration["apiVersion"]} if configuration.get("apiVersion") else {}
        objects.insert(0, {**CONFIGURATION_TYPE, **version, **fields})
    return objects


def name_format(errors: ScenarioErrors, text: str, limits: Limits) -> list[ScenarioError]:
    """Return the errors of a text; those about a missing apiVersion in an export name its format instead."""
    if not any(error.path == "apiVersion" for error in errors.errors):
        return list(errors.errors)
    documents = read_documents(text, limits, Problems())
    exports = {number for number, document in enumerate(documents, 1) if objects_of(document.data) is not None}
    return [
        ScenarioError("", error.line, NOT_YET, error.document, error.column)
        if error.path == "apiVersion" and error.document in exports
        else error
        for error in errors.errors
    ]
