"""The objects of a dump as a scenario needs them: without pods that ended, and without what does not change a decision.

`pruning` drops field by field; here is what can only be judged when all objects are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.reading.pruning import Manifest
from kschedui.scenarios.importers.reading.reading_table import reading_table

DONE = ("Succeeded", "Failed")
CONTROLLERS = {"ReplicaSet", "StatefulSet", "ReplicationController"}
OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")
TIMED = {"Pod", "Node", "PodGroup"}  # when they came counts


def part(found: Manifest, name: str) -> Manifest:
    """A mapping inside an object; empty when it is absent or something else."""
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def listed(found: Manifest, name: str) -> list[Manifest]:
    """The mappings of a list inside an object."""
    value = found.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def has_ended(found: Manifest) -> bool:
    """A pod that has ended takes no room."""
    return found.get("kind") == "Pod" and part(found, "status").get("phase") in DONE


def is_built_in(found: Manifest) -> bool:
    """The API server's own priority classes, which no file may define."""
    return found.get("kind") == "PriorityClass" and str(part(found, "metadata").get("name", "")).startswith("system-")


def in_version(found: Manifest) -> Manifest:
    """With the apiVersion that is read today."""
    known = reading_table()["kinds"].get(str(found.get("kind")))
    return {**found, "apiVersion": known["version"]} if known and found.get("apiVersion") else found


def tidied(objects: list[Manifest]) -> list[Manifest]:
    """All of them, shorter."""
    images = {name for found in objects for name in images_of(found)}
    uids = set(used_uids(objects))
    keep_priority = any(found.get("kind") == "PriorityClass" and found.get("globalDefault") for found in objects)
    return [tidy(found, images, uids, keep_priority=keep_priority) for found in objects]


def images_of(found: Manifest) -> Iterator[str]:
    """The images of a pod, as nodes may list them."""
    if found.get("kind") == "Pod":
        spec = part(found, "spec")
        for container in (*listed(spec, "containers"), *listed(spec, "initContainers")):
            if isinstance(name := container.get("image"), str):
                yield name
                yield name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def used_uids(objects: list[Manifest]) -> Iterator[str]:
    """Those by which claims know their pods, and volumes their claims."""
    for found in objects:
        if found.get("kind") == "PersistentVolumeClaim":
            yield from (str(one.get("uid")) for one in listed(part(found, "metadata"), "ownerReferences"))
        elif found.get("kind") == "PersistentVolume":
            yield str(part(part(found, "spec"), "claimRef").get("uid"))


def tidy(found: Manifest, images: set[str], uids: set[str], *, keep_priority: bool) -> Manifest:
    """One object. What is not understood stays, for the checker to judge."""
    kind, kept = found.get("kind"), dict(found)
    if isinstance(found.get("metadata"), dict):
        kept["metadata"] = metadata(found["metadata"], str(kind), uids)
    if kind == "Pod" and isinstance(found.get("spec"), dict):
        kept["spec"] = pod_spec(found["spec"], keep_priority=keep_priority)
        kept["status"] = pod_status(part(found, "status"), found["spec"])
    elif kind == "Node" and isinstance(found.get("status"), dict):
        kept["status"] = node_status(found["status"], images)
    elif kind in CONTROLLERS and isinstance(found.get("spec"), dict):
        wanted = ("replicas", "selector", "template") if kind == "ReplicationController" else ("replicas", "selector")
        kept["spec"] = {name: value for name, value in found["spec"].items() if name in wanted or not known(kind, name)}
    for name in ("spec", "status"):
        if kept.get(name) == {} and name in kept:
            del kept[name]
    return kept


def known(kind: str, name: str) -> bool:
    """Is that a field of the kind's spec? A slip stays."""
    return name in reading_table()["types"][f"{kind}Spec"]


def metadata(found: Manifest, kind: str, uids: set[str]) -> Manifest:
    """A uid counts where something refers to it, a time where it orders."""
    kept = {name: value for name, value in found.items() if value != {} and value != [] and value is not None}
    if str(kept.get("uid")) not in uids:
        kept.pop("uid", None)
    if kind not in TIMED:
        kept.pop("creationTimestamp", None)
    owners = [
        {name: value for name, value in one.items() if name != "uid" or str(value) in uids}
        for one in listed(found, "ownerReferences")
        if one.get("controller")
    ]
    if isinstance(found.get("ownerReferences"), list):
        kept["ownerReferences"] = owners
        if not owners:
            del kept["ownerReferences"]
    return kept


def pod_spec(spec: Manifest, *, keep_priority: bool) -> Manifest:
    """Without defaults, without volumes and ports that no plugin looks at."""
    kept = {name: value for name, value in spec.items() if value != {} and value != [] and value is not None}
    if kept.get("schedulerName") == "default-scheduler":
        del kept["schedulerName"]
    if kept.get("preemptionPolicy") == "PreemptLowerPriority":
        del kept["preemptionPolicy"]
    if kept.get("priority") == 0 and not keep_priority and not kept.get("priorityClassName"):
        del kept["priority"]
    for name in ("containers", "initContainers"):
        if isinstance(kept.get(name), list):
            on_host = spec.get("hostNetwork") is True
            kept[name] = [container(one, on_host=on_host) if isinstance(one, dict) else one for one in kept[name]]
    if isinstance(kept.get("volumes"), list):
        kept["volumes"] = [one for one in kept["volumes"] if not isinstance(one, dict) or set(one) != {"name"}]
        if not kept["volumes"]:
            del kept["volumes"]
    return kept


def container(found: Manifest, *, on_host: bool) -> Manifest:
    """Name, image, resources, ports of the host."""
    kept = {name: value for name, value in found.items() if value != {} and value != [] and value is not None}
    if isinstance(kept.get("ports"), list) and not on_host:
        kept["ports"] = [one for one in kept["ports"] if not isinstance(one, dict) or one.get("hostPort")]
        if not kept["ports"]:
            del kept["ports"]
    if isinstance(kept.get("resources"), dict):
        kept["resources"] = resources(kept["resources"])
    return kept


def resources(found: Manifest) -> Manifest:
    """A limit counts where no request is given, and where the two must be equal."""
    requests, limits = part(found, "requests"), part(found, "limits")
    needed = {name: value for name, value in limits.items() if name not in requests or name not in OVERCOMMITTED}
    kept = {**found, "limits": needed}
    return {name: value for name, value in kept.items() if value != {} and value is not None}


def pod_status(status: Manifest, spec: Manifest) -> Manifest:
    """Conditions that say something; of the containers' status what differs from the spec, as in a resize."""
    kept = {name: value for name, value in status.items() if value is not None and value != []}
    conditions = [
        one
        for one in listed(status, "conditions")
        if not (one.get("type") == "PodScheduled" and one.get("status") == "True")
    ]
    kept["conditions"] = conditions
    for name, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        asked = {one.get("name"): part(part(one, "resources"), "requests") for one in listed(spec, containers)}
        kept[name] = [one for one in listed(status, name) if is_resized(one, asked.get(one.get("name"), {}))]
    return {name: value for name, value in kept.items() if value != []}


def is_resized(status: Manifest, asked: Manifest) -> bool:
    """Has the container other resources than its spec asks for?"""
    given = (part(part(status, "resources"), "requests"), part(status, "allocatedResources"))
    return any(one and one != asked for one in given)


def node_status(status: Manifest, images: set[str]) -> Manifest:
    """ImageLocality looks for the images of pods, and for no others."""
    kept: dict[str, Any] = {name: value for name, value in status.items() if value is not None}
    if isinstance(status.get("images"), list):
        found = []
        for one in listed(status, "images"):
            names = [name for name in one.get("names") or () if name in images]
            if names:
                found.append({**one, "names": names})
        kept["images"] = found
        if not found:
            del kept["images"]
    if kept.get("capacity") == kept.get("allocatable") and "allocatable" in kept:
        kept.pop("capacity", None)
    return kept
