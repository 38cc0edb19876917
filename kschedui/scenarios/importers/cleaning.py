"""Drop from an object what the scheduler never reads: managed fields, status noise, what the cluster filled in."""

from typing import Any

Manifest = dict[str, Any]

WANTED = {
    "Pod", "Node", "PodDisruptionBudget", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
    "CSIDriver", "CSIStorageCapacity", "VolumeAttachment", "Service", "ReplicationController", "ReplicaSet",
    "StatefulSet", "Namespace", "PriorityClass", "PodGroup", "Deployment", "DaemonSet", "Job", "CronJob",
    "KubeSchedulerConfiguration", "Scenario",
}  # fmt: skip
NOISE = {"managedFields", "resourceVersion", "generation", "selfLink", "finalizers", "generateName"}
NOISY_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision")
STATUS: dict[str, set[str]] = {
    "Node": {"capacity", "allocatable", "images"},
    "Pod": {"phase", "startTime", "nominatedNodeName"},
    "PersistentVolume": {"phase"},
    "PersistentVolumeClaim": {"phase"},
    "PodDisruptionBudget": set(),
    "VolumeAttachment": {"attached"},
}
POD_NOISE = {
    "serviceAccount", "serviceAccountName", "dnsPolicy", "enableServiceLinks", "terminationGracePeriodSeconds",
    "restartPolicy", "securityContext", "imagePullSecrets", "automountServiceAccountToken",
}  # fmt: skip
CONTAINER_KEPT = {"name", "image", "resources", "ports", "restartPolicy"}
CONTROLLERS = {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController"}
DONE = ("Succeeded", "Failed")
TOKEN_VOLUME = "kube-api-access-"  # noqa: S105 - the prefix of a volume's name


def is_wanted(found: Manifest) -> bool:
    """Kinds that the scheduler or an expansion reads; pods that have ended take no room."""
    if found.get("kind") == "Pod" and part(found, "status").get("phase") in DONE:
        return False
    if found.get("kind") == "PriorityClass" and str(part(found, "metadata").get("name", "")).startswith("system-"):
        return False  # the API server's own, which no file may define
    return isinstance(found.get("kind"), str) and found["kind"] in WANTED


def clean(found: Manifest) -> Manifest:
    """A copy without noise; what is not understood stays as it is."""
    kind = found.get("kind", "")
    if kind in ("KubeSchedulerConfiguration", "Scenario"):
        return found
    first: Manifest = {name: found[name] for name in ("apiVersion", "kind") if name in found}
    kept = {**first, "metadata": metadata(found)}
    kept |= {name: value for name, value in found.items() if name not in ("apiVersion", "kind", "metadata", "status")}
    if kind == "Pod" and isinstance(kept.get("spec"), dict):
        kept["spec"] = pod_spec(kept["spec"])
    elif kind in CONTROLLERS:
        kept["spec"] = controller_spec(part(found, "spec"))
    status = {name: value for name, value in part(found, "status").items() if name in STATUS.get(kind, ())}
    return {**kept, "status": status} if status else kept


def metadata(found: Manifest) -> Manifest:
    """Without bookkeeping. The uid stays: it breaks ties, and owner references name it."""
    kept = {name: value for name, value in part(found, "metadata").items() if name not in NOISE}
    notes = kept.get("annotations")
    if isinstance(notes, dict):
        kept["annotations"] = {name: value for name, value in notes.items() if name not in NOISY_ANNOTATIONS}
        if not kept["annotations"]:
            del kept["annotations"]
    return kept


def pod_spec(spec: Manifest) -> Manifest:
    """What decides where a pod goes."""
    kept = {name: value for name, value in spec.items() if name not in POD_NOISE}
    for name in ("containers", "initContainers"):
        if isinstance(kept.get(name), list):
            kept[name] = [container(one) for one in kept[name]]
    if isinstance(kept.get("volumes"), list):
        kept["volumes"] = [one for one in kept["volumes"] if not is_token(one)]
        if not kept["volumes"]:
            del kept["volumes"]
    return kept


def container(found: Any) -> Any:
    """Name, image, resources and ports."""
    return {name: found[name] for name in found if name in CONTAINER_KEPT} if isinstance(found, dict) else found


def is_token(volume: Any) -> bool:
    """The service account's token, which every pod has and no scheduler looks at."""
    return isinstance(volume, dict) and str(volume.get("name", "")).startswith(TOKEN_VOLUME)


def controller_spec(spec: Manifest) -> Manifest:
    """With the template's pod cleaned too."""
    template = part(spec, "template")
    if not template:
        return spec
    cleaned = {"metadata": metadata(template), "spec": pod_spec(part(template, "spec"))}
    return {**spec, "template": cleaned}


def part(found: Manifest, name: str) -> Manifest:
    """A mapping inside an object; empty when it is absent or something else."""
    value = found.get(name)
    return value if isinstance(value, dict) else {}
