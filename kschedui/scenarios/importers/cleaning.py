"""The objects of a dump as a scenario needs them: without pods that ended, and without what does not change a decision.

`pruning` drops field by field; here is what can only be judged when all objects are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.reading.pruning import Manifest
from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.scenario.objects.kinds import LOAD_ORDER

DONE = ("Succeeded", "Failed")
CONTROLLERS = {"ReplicaSet", "StatefulSet", "ReplicationController"}
OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")
TIMED = {"Pod", "Node", "PodGroup"}  # when they came counts


def part(found: Manifest, name: str) -> Manifest:
    """Return a mapping inside an object; empty when it is absent or something else."""
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def mappings_in(found: Manifest, name: str) -> list[Manifest]:
    """Return the mappings of a list inside an object."""
    value = found.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def has_ended(found: Manifest) -> bool:
    """A pod that has ended takes no room."""
    return found.get("kind") == "Pod" and part(found, "status").get("phase") in DONE


def is_built_in(found: Manifest) -> bool:
    """Return whether it is a priority class that the API server creates, which no file may define."""
    return found.get("kind") == "PriorityClass" and str(part(found, "metadata").get("name", "")).startswith("system-")


def without_gates_of_bound_pods(objects: list[Manifest]) -> tuple[list[Manifest], list[str]]:
    """Return the objects, pods with a node without their scheduling gates; and the keys of those that had any.

    The API server allows no such pod; dumps that were put together of several moments have them.
    """
    gated = []
    made = []
    for found in objects:
        spec = part(found, "spec")
        if found.get("kind") == "Pod" and spec.get("nodeName") and spec.get("schedulingGates"):
            metadata = part(found, "metadata")
            gated.append(f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}")
            found = {**found, "spec": {name: value for name, value in spec.items() if name != "schedulingGates"}}
        made.append(found)
    return made, gated


def images_of_several_sizes(objects: list[Manifest]) -> list[str]:
    """Images that pods use and that nodes give different sizes for, as those of several architectures have."""
    used = {name for found in objects for name in images_of(found)}
    sizes: dict[str, set[str]] = {}
    for found in objects:
        if found.get("kind") == "Node":
            for image in mappings_in(part(found, "status"), "images"):
                for name in names_of(image):
                    if name in used:
                        sizes.setdefault(name, set()).add(str(image.get("sizeBytes")))
    return sorted(name for name, found in sizes.items() if len(found) > 1)


def in_version(found: Manifest) -> Manifest:
    """Return the object with the current apiVersion."""
    kind, version = str(found.get("kind")), found.get("apiVersion")
    known = reading_table()["kinds"].get(kind)
    if not known or not version:
        return found
    convert = next((one.convert for one in LOAD_ORDER if (one.name, one.api_version) == (kind, version)), None)
    return {**(convert(found) if convert is not None else found), "apiVersion": known["version"]}


def tidy_all(objects: list[Manifest]) -> list[Manifest]:
    """Clean all objects."""
    images = {name for found in objects for name in images_of(found)}
    uids = set(used_uids(objects))
    keep_priority = any(found.get("kind") == "PriorityClass" and found.get("globalDefault") for found in objects)
    return [tidy(found, images, uids, keep_priority=keep_priority) for found in objects]


def images_of(found: Manifest) -> Iterator[str]:
    """Yield the images of a pod, as nodes may list them."""
    if found.get("kind") == "Pod":
        spec = part(found, "spec")
        for container in (*mappings_in(spec, "containers"), *mappings_in(spec, "initContainers")):
            if isinstance(name := container.get("image"), str):
                yield name
                yield name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def names_of(image: Manifest) -> list[str]:
    """Return the names of an image on a node."""
    names = image.get("names")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def used_uids(objects: list[Manifest]) -> Iterator[str]:
    """Return the uids that link claims to pods and volumes to claims."""
    for found in objects:
        if found.get("kind") in ("PersistentVolumeClaim", "ResourceClaim"):
            yield from (str(one.get("uid")) for one in mappings_in(part(found, "metadata"), "ownerReferences"))
            yield from (str(one.get("uid")) for one in mappings_in(part(found, "status"), "reservedFor"))
        elif found.get("kind") == "PersistentVolume":
            yield str(part(part(found, "spec"), "claimRef").get("uid"))


def tidy(found: Manifest, images: set[str], uids: set[str], *, keep_priority: bool) -> Manifest:
    """Clean one object. Unknown fields stay and are reported by the parser."""
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
    """Return whether the kind's spec has such a field. An unknown field stays."""
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
        for one in mappings_in(found, "ownerReferences")
        if one.get("controller")
    ]
    if isinstance(found.get("ownerReferences"), list):
        kept["ownerReferences"] = owners
        if not owners:
            del kept["ownerReferences"]
    return kept


def pod_spec(spec: Manifest, *, keep_priority: bool) -> Manifest:
    """Remove defaults, and volumes and ports that no plugin reads."""
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
    """Keep a limit only where no request is given, and where the two must be equal."""
    requests, limits = part(found, "requests"), part(found, "limits")
    needed = {name: value for name, value in limits.items() if name not in requests or name not in OVERCOMMITTED}
    kept = {**found, "limits": needed}
    return {name: value for name, value in kept.items() if value != {} and value is not None}


def pod_status(status: Manifest, spec: Manifest) -> Manifest:
    """Conditions that say something; of the containers' status what differs from the spec, as in a resize."""
    kept = {name: value for name, value in status.items() if value is not None and value != []}
    conditions = [
        one
        for one in mappings_in(status, "conditions")
        if not (one.get("type") == "PodScheduled" and one.get("status") == "True")
    ]
    kept["conditions"] = conditions
    for name, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        asked = {one.get("name"): part(part(one, "resources"), "requests") for one in mappings_in(spec, containers)}
        kept[name] = [one for one in mappings_in(status, name) if is_resized(one, asked.get(one.get("name"), {}))]
    return {name: value for name, value in kept.items() if value != []}


def is_resized(status: Manifest, asked: Manifest) -> bool:
    """Return whether the container's resources differ from those in its spec."""
    given = (part(part(status, "resources"), "requests"), part(status, "allocatedResources"))
    return any(one and one != asked for one in given)


def node_status(status: Manifest, images: set[str]) -> Manifest:
    """ImageLocality looks for the images of pods, and for no others; `cluster_release` has read the node's version."""
    kept: dict[str, Any] = {name: value for name, value in status.items() if value is not None and name != "nodeInfo"}
    if isinstance(status.get("images"), list):
        found = []
        for one in mappings_in(status, "images"):
            names = [name for name in names_of(one) if name in images]
            if names:
                found.append({**one, "names": names})
        kept["images"] = found
        if not found:
            del kept["images"]
    if kept.get("capacity") == kept.get("allocatable") and "allocatable" in kept:
        kept.pop("capacity", None)
    return kept
