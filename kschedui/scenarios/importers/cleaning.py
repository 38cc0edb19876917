"""Prepares the objects of a dump for a scenario: removes ended pods, and everything that does not affect a decision.

`pruning` removes fields by a table; this module handles the cases that depend on other objects or fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.reading.pruning import Manifest
from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.scenario.objects.availability import without_fields
from scheduler_core.scenario.objects.kinds import LOAD_ORDER

DONE = ("Succeeded", "Failed")
WITH_TEMPLATE = {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"}
OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")
TIMED = {"Pod", "Node", "PodGroup"}  # their creation time matters


def part(manifest: Manifest, name: str) -> Manifest:
    """Return a mapping in a field of an object; {} if the field is absent or is not a mapping."""
    value = manifest.get(name)
    return value if isinstance(value, dict) else {}


def mappings_in(manifest: Manifest, name: str) -> list[Manifest]:
    """Return the mappings in a list of an object; [] if there is no list."""
    value = manifest.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def labels_of(manifest: Manifest) -> dict[str, str]:
    """Return the labels whose values are strings, as all values must be."""
    return {key: value for key, value in part(part(manifest, "metadata"), "labels").items() if isinstance(value, str)}


def name_of(manifest: Manifest) -> str:
    """Return an object's name as text; "None" without a name."""
    return str(part(manifest, "metadata").get("name"))


def has_ended(manifest: Manifest) -> bool:
    """Return whether the pod has ended, so that it uses no resources."""
    return manifest.get("kind") == "Pod" and part(manifest, "status").get("phase") in DONE


def is_built_in(manifest: Manifest) -> bool:
    """Return whether the object is a priority class that the API server creates, which no file can define."""
    return manifest.get("kind") == "PriorityClass" and str(part(manifest, "metadata").get("name", "")).startswith(
        "system-"
    )


def without_gates_of_bound_pods(objects: list[Manifest]) -> tuple[list[Manifest], list[str]]:
    """Return the objects, with scheduling gates removed from bound pods, and the keys of the changed pods.

    The API server does not allow gates on bound pods; dumps that combine several points in time contain them.
    """
    gated = []
    freed = []
    for manifest in objects:
        spec = part(manifest, "spec")
        if manifest.get("kind") == "Pod" and spec.get("nodeName") and spec.get("schedulingGates"):
            metadata = part(manifest, "metadata")
            gated.append(f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}")
            manifest = {**manifest, "spec": {name: value for name, value in spec.items() if name != "schedulingGates"}}
        freed.append(manifest)
    return freed, gated


def images_of_several_sizes(objects: list[Manifest]) -> list[str]:
    """Return the images of pods for which nodes report different sizes, such as images for several architectures."""
    used = {name for manifest in objects for name in images_of(manifest)}
    sizes: dict[str, set[str]] = {}
    for manifest in objects:
        if manifest.get("kind") == "Node":
            for image in mappings_in(part(manifest, "status"), "images"):
                for name in names_of(image):
                    if name in used:
                        sizes.setdefault(name, set()).add(str(image.get("sizeBytes")))
    return sorted(name for name, different in sizes.items() if len(different) > 1)


def in_version(manifest: Manifest) -> Manifest:
    """Return the object converted to the current apiVersion, unchanged if its kind or version is not read."""
    kind, version = str(manifest.get("kind")), manifest.get("apiVersion")
    table = reading_table()["kinds"].get(kind)
    if not table or version not in table["versions"]:
        return manifest
    convert = next((row.convert for row in LOAD_ORDER if (row.name, row.api_version) == (kind, version)), None)
    return {**(convert(manifest) if convert is not None else manifest), "apiVersion": table["version"]}


def tidy_all(objects: list[Manifest]) -> list[Manifest]:
    """Return all objects without fields that have no effect."""
    images = {name for manifest in objects for name in images_of(manifest)}
    uids = set(used_uids(objects))
    keep_priority = any(
        manifest.get("kind") == "PriorityClass" and manifest.get("globalDefault") for manifest in objects
    )
    return [tidy(manifest, images, uids, keep_priority=keep_priority) for manifest in objects]


def without_fields_of_others(objects: list[Manifest], release: Release) -> tuple[list[Manifest], list[Message]]:
    """Return the objects without the fields that the release does not have, such as those of a newer API server, and a
    note about these fields.
    """
    counts: Counter[str] = Counter()
    kept = []
    for manifest in objects:
        data, names = without_fields(str(manifest.get("kind")), manifest, release)
        counts.update(names)
        kept.append(dict(data))
    if not counts:
        return objects, []
    fields = ", ".join(f"{name} ({count})" for name, count in counts.most_common())
    return kept, [
        Message(
            "Removed fields that Kubernetes {release} does not have: {fields}.",
            release=release.version,
            fields=fields,
        )
    ]


def images_of(manifest: Manifest) -> Iterator[str]:
    """Yield the images of a pod or of a workload's pods, by the names under which nodes may list them."""
    spec = part(manifest, "spec")
    if manifest.get("kind") in WITH_TEMPLATE:
        spec = part(part(spec, "template"), "spec")
    elif manifest.get("kind") != "Pod":
        return
    containers = (*mappings_in(spec, "containers"), *mappings_in(spec, "initContainers"))
    of_volumes = (part(volume, "image").get("reference") for volume in mappings_in(spec, "volumes"))
    for name in (*(container.get("image") for container in containers), *of_volumes):
        if isinstance(name, str):
            yield name
            yield name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def names_of(image: Manifest) -> list[str]:
    """Return the names of an image on a node."""
    names = image.get("names")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def used_uids(objects: list[Manifest]) -> Iterator[str]:
    """Yield the uids in owner references and reservations of claims, and in claim references of volumes."""
    for manifest in objects:
        if manifest.get("kind") in ("PersistentVolumeClaim", "ResourceClaim"):
            yield from (
                str(reference.get("uid")) for reference in mappings_in(part(manifest, "metadata"), "ownerReferences")
            )
            yield from (str(reference.get("uid")) for reference in mappings_in(part(manifest, "status"), "reservedFor"))
        elif manifest.get("kind") == "PersistentVolume":
            yield str(part(part(manifest, "spec"), "claimRef").get("uid"))


def tidy(manifest: Manifest, images: set[str], uids: set[str], *, keep_priority: bool) -> Manifest:
    """Return an object without fields that have no effect. Unknown fields stay, and are reported by the parser."""
    kind, cleaned = manifest.get("kind"), dict(manifest)
    if isinstance(manifest.get("metadata"), dict):
        cleaned["metadata"] = metadata(manifest["metadata"], str(kind), uids)
    if kind == "Pod" and isinstance(manifest.get("spec"), dict):
        cleaned["spec"] = pod_spec(manifest["spec"], keep_priority=keep_priority)
        cleaned["status"] = pod_status(part(manifest, "status"), manifest["spec"])
    elif kind == "Node" and isinstance(manifest.get("status"), dict):
        cleaned["status"] = node_status(manifest["status"], images)
    elif kind in WITH_TEMPLATE and isinstance(manifest.get("spec"), dict):
        cleaned["spec"] = workload_spec(manifest["spec"], uids, keep_priority=keep_priority)
    for name in ("spec", "status"):
        if cleaned.get(name) == {} and name in cleaned:
            del cleaned[name]
    return cleaned


def workload_spec(spec: Manifest, uids: set[str], *, keep_priority: bool) -> Manifest:
    """Return the spec of a workload without fields that are null; its pod template is cleaned as a pod is."""
    cleaned = {name: value for name, value in spec.items() if value is not None}
    template = part(spec, "template")
    if isinstance(template.get("spec"), dict):
        pod = {**template, "spec": pod_spec(template["spec"], keep_priority=keep_priority)}
        if isinstance(template.get("metadata"), dict):
            pod["metadata"] = metadata(template["metadata"], "PodTemplateSpec", uids)
        cleaned["template"] = pod
    return cleaned


def metadata(data: Manifest, kind: str, uids: set[str]) -> Manifest:
    """Return the metadata without unused fields: a uid is kept if it is referred to, a time if the order depends on it,
    and of the owner references those of controllers.
    """
    cleaned = {name: value for name, value in data.items() if value != {} and value != [] and value is not None}
    if str(cleaned.get("uid")) not in uids:
        cleaned.pop("uid", None)
    if kind not in TIMED:
        cleaned.pop("creationTimestamp", None)
    owners = [
        {name: value for name, value in owner.items() if name != "uid" or str(value) in uids}
        for owner in mappings_in(data, "ownerReferences")
        if owner.get("controller")
    ]
    if isinstance(data.get("ownerReferences"), list):
        cleaned["ownerReferences"] = owners
        if not owners:
            del cleaned["ownerReferences"]
    return cleaned


def pod_spec(spec: Manifest, *, keep_priority: bool) -> Manifest:
    """Return the spec without default values, and without volumes and ports that no plugin reads."""
    cleaned = {name: value for name, value in spec.items() if value != {} and value != [] and value is not None}
    if cleaned.get("schedulerName") == "default-scheduler":
        del cleaned["schedulerName"]
    if cleaned.get("restartPolicy") == "Always":
        del cleaned["restartPolicy"]
    if cleaned.get("preemptionPolicy") == "PreemptLowerPriority":
        del cleaned["preemptionPolicy"]
    if cleaned.get("priority") == 0 and not keep_priority and not cleaned.get("priorityClassName"):
        del cleaned["priority"]
    for name in ("containers", "initContainers"):
        if isinstance(cleaned.get(name), list):
            on_host = spec.get("hostNetwork") is True
            cleaned[name] = [
                container(item, on_host=on_host) if isinstance(item, dict) else item for item in cleaned[name]
            ]
    if isinstance(cleaned.get("volumes"), list):
        cleaned["volumes"] = [
            volume for volume in cleaned["volumes"] if not isinstance(volume, dict) or set(volume) != {"name"}
        ]
        if not cleaned["volumes"]:
            del cleaned["volumes"]
    return cleaned


def container(data: Manifest, *, on_host: bool) -> Manifest:
    """Return the container without empty fields, limits that requests imply, and ports that are not on the host."""
    cleaned = {name: value for name, value in data.items() if value != {} and value != [] and value is not None}
    if isinstance(cleaned.get("ports"), list) and not on_host:
        cleaned["ports"] = [port for port in cleaned["ports"] if not isinstance(port, dict) or port.get("hostPort")]
        if not cleaned["ports"]:
            del cleaned["ports"]
    if isinstance(cleaned.get("resources"), dict):
        cleaned["resources"] = resources(cleaned["resources"])
    return cleaned


def resources(data: Manifest) -> Manifest:
    """Return the resources without limits that no plugin reads: only limits that stand for requests, or must equal
    them, stay.
    """
    requests, limits = part(data, "requests"), part(data, "limits")
    needed = {name: value for name, value in limits.items() if name not in requests or name not in OVERCOMMITTED}
    cleaned = {**data, "limits": needed}
    return {name: value for name, value in cleaned.items() if value != {} and value is not None}


def pod_status(status: Manifest, spec: Manifest) -> Manifest:
    """Return the status with the relevant conditions, and the container statuses that differ from the spec (during a
    resize).
    """
    cleaned = {name: value for name, value in status.items() if value is not None and value != []}
    conditions = [
        condition
        for condition in mappings_in(status, "conditions")
        if not (condition.get("type") in ("PodScheduled", "Ready") and condition.get("status") == "True")
    ]
    cleaned["conditions"] = conditions
    for name, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        in_spec = {
            str(item.get("name")): part(part(item, "resources"), "requests") for item in mappings_in(spec, containers)
        }
        cleaned[name] = [
            item for item in mappings_in(status, name) if is_resized(item, in_spec.get(str(item.get("name")), {}))
        ]
    return {name: value for name, value in cleaned.items() if value != []}


def is_resized(status: Manifest, in_spec: Manifest) -> bool:
    """Return whether the container's resources differ from those in its spec."""
    reported = (part(part(status, "resources"), "requests"), part(status, "allocatedResources"))
    return any(requests and requests != in_spec for requests in reported)


def node_status(status: Manifest, images: set[str]) -> Manifest:
    """Return the status without nodeInfo, which `cluster_release` has read, without images that no pod uses, and
    without a capacity that equals the allocatable amounts.
    """
    cleaned: dict[str, Any] = {
        name: value for name, value in status.items() if value is not None and name != "nodeInfo"
    }
    if isinstance(status.get("images"), list):
        images_left = []
        for image in mappings_in(status, "images"):
            names = [name for name in names_of(image) if name in images]
            if names:
                images_left.append({**image, "names": names})
        cleaned["images"] = images_left
        if not images_left:
            del cleaned["images"]
    if cleaned.get("capacity") == cleaned.get("allocatable") and "allocatable" in cleaned:
        cleaned.pop("capacity", None)
    return cleaned
