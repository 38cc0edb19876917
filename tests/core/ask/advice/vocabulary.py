"""All edits of a small cluster, derived from its manifests alone: nothing here depends on why the pod is pending.

Edits of the same thing with increasing strength (a request that decreases, a maxSkew that increases) form a `Family`:
if the largest does not help, none does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.devices import DeviceClass, ResourceClaim
from scheduler_core.ask.editing.edits import AddNodes, Edit, Remove, SetField
from scheduler_core.ask.moments.world import World
from tests.core.ask.advice.clusters import REQUIRED

CPU, MEMORY = [500 * n for n in range(9)], [n * 2**29 for n in range(9)]  # every amount that the clusters have
MAX_SKEW = 8


class Family(NamedTuple):
    """A family of edits. `steps`: lists of edits, the smallest change first.

    `node`: the node that is edited, "" for other objects.
    """

    kind: str
    name: str
    node: str
    steps: Sequence[list[Edit]]


def families(world: World, pod: Pod) -> list[Family]:
    """Return all families of edits."""
    nodes = world.cluster.all_nodes()
    found = [*_of_pod(world, pod, nodes), *_of_claims(world, pod), *_of_devices(world, pod)]
    for one in nodes:
        found += _of_node(world, pod, one, nodes)
    found += [Family("nodes", one.name, "", [[AddNodes(one.name, 1)]]) for one in nodes if not one.unschedulable]
    return found


def _pod(pod: Pod, *path: str | int, value: Any = None, add: bool = False) -> SetField:
    return SetField("Pod", pod.name, path, value, pod.namespace, add)


def _one(kind: str, name: str, *edits: Edit, node: str = "") -> Family:
    return Family(kind, name, node, [list(edits)])


def _of_pod(world: World, pod: Pod, nodes: Sequence[Node]) -> Iterator[Family]:
    spec = pod.manifest["spec"]
    for key in spec.get("nodeSelector") or {}:
        yield _one("selector", key, _pod(pod, "spec", "nodeSelector", key))
        for value in sorted({one.labels[key] for one in nodes if key in one.labels}):
            yield _one("selector", f"{key}={value}", _pod(pod, "spec", "nodeSelector", key, value=value))
    affinity = spec.get("affinity") or {}
    yield from _of_node_affinity(pod, affinity.get("nodeAffinity"), nodes)
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = (affinity.get(kind) or {}).get(REQUIRED) or []
        for index in range(len(terms)):
            left = [one for number, one in enumerate(terms) if number != index] or None
            yield _one("affinity", f"{kind} {index}", _pod(pod, "spec", "affinity", kind, REQUIRED, value=left))
    for key in pod.labels:
        yield _one("pod-label", key, _pod(pod, "metadata", "labels", key))
    yield from _of_spread(pod, spec)
    for taint in {taint for one in nodes for taint in one.taints}:
        toleration = {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
        name = f"{taint.key}:{taint.effect}"
        yield _one("toleration", name, _pod(pod, "spec", "tolerations", value=toleration, add=True))
    yield from _of_requests(pod, spec)
    for index, one in enumerate(spec["containers"]):
        for number, port in enumerate(one.get("ports") or ()):
            if port.get("hostPort"):
                edit = _pod(pod, "spec", "containers", index, "ports", number, "hostPort")
                yield _one("port", str(port["hostPort"]), edit)
    pods = world.cluster.pods
    running = sorted({one.priority for one in pods.all() if pods.node_name[pods.slot_of[one.key]]})
    policy = [_pod(pod, "spec", "preemptionPolicy")]
    steps = [[*policy, _pod(pod, "spec", "priority", value=p + 1)] for p in running if p >= pod.priority]
    yield Family("priority", "", "", [list(policy), *steps])


def _of_node_affinity(pod: Pod, affinity: Mapping[str, Any] | None, nodes: Sequence[Node]) -> Iterator[Family]:
    required = (affinity or {}).get(REQUIRED)
    if not required:
        return
    path = ("spec", "affinity", "nodeAffinity", REQUIRED)
    yield _one("affinity", "nodeAffinity", _pod(pod, *path))
    for at, term in enumerate(required["nodeSelectorTerms"]):
        expressions = term["matchExpressions"]
        here = (*path, "nodeSelectorTerms", at, "matchExpressions")
        for index, one in enumerate(expressions):
            name = f"{at}.{index}"
            if len(expressions) > 1:
                left = [other for number, other in enumerate(expressions) if number != index]
                yield _one("affinity", f"without {name}", _pod(pod, *here, value=left))
            values = one.get("values") or []
            seen = sorted({node.labels[one["key"]] for node in nodes if one["key"] in node.labels})
            changed: list[list[str]] = []
            if one["operator"] == "In":
                changed = [[*values, value] for value in seen if value not in values]
            elif one["operator"] == "NotIn" and len(values) > 1:
                changed = [[other for other in values if other != value] for value in values]
            elif one["operator"] in ("Gt", "Lt"):
                by = -1 if one["operator"] == "Gt" else 1
                changed = [[str(int(value) + by)] for value in seen]
            for new in changed:
                edit = _pod(pod, *here, index, "values", value=new)
                yield _one("affinity", f"{name} {new}", edit)


def _of_spread(pod: Pod, spec: Mapping[str, Any]) -> Iterator[Family]:
    for index, one in enumerate(spec.get("topologySpreadConstraints") or ()):
        if one["whenUnsatisfiable"] != "DoNotSchedule":
            continue
        path = ("spec", "topologySpreadConstraints", index)
        others = [
            other["topologyKey"]
            for other in spec["topologySpreadConstraints"]
            if other["whenUnsatisfiable"] == "ScheduleAnyway"
        ]
        larger = range(one["maxSkew"] + 1, MAX_SKEW + 1)
        yield Family("spread", f"{index}", "", [[_pod(pod, *path, "maxSkew", value=skew)] for skew in larger])
        if one["topologyKey"] not in others:
            soft = [_pod(pod, *path, "minDomains"), _pod(pod, *path, "whenUnsatisfiable", value="ScheduleAnyway")]
            yield _one("spread", f"{index} soft", *soft)
        if one.get("minDomains", 1) > 1:
            fewer = range(one["minDomains"] - 1, 0, -1)
            steps = [[_pod(pod, *path, "minDomains", value=number)] for number in fewer]
            yield Family("spread", f"{index} minDomains", "", steps)


def _of_requests(pod: Pod, spec: Mapping[str, Any]) -> Iterator[Family]:
    """Yield families that lower a resource to smaller amounts; the largest container is lowered first."""
    for resource, asked in pod.requests.items():
        amounts = {"cpu": CPU, "memory": MEMORY}.get(resource, range(4))
        steps = [_lowered(pod, spec, resource, amount) for amount in reversed(amounts) if amount < asked]
        yield Family("request", resource, "", steps)


def _lowered(pod: Pod, spec: Mapping[str, Any], resource: str, most: int) -> list[Edit]:
    containers = [
        (field, index, one)
        for field in ("containers", "initContainers")
        for index, one in enumerate(spec.get(field) or ())
    ]
    now = {(field, index): _amount(resource, one) for field, index, one in containers}
    new = dict(now)
    while sum(amount for (field, _), amount in new.items() if field == "containers") > most:
        place = max((place for place in new if place[0] == "containers"), key=lambda one: new[one])
        rest = sum(amount for (field, _), amount in new.items() if field == "containers") - new[place]
        new[place] = max(most - rest, 0)
    new = {place: min(amount, most) for place, amount in new.items()}
    edits: list[Edit] = []
    for field, index, _ in containers:
        if new[field, index] != now[field, index]:
            written = f"{new[field, index]}m" if resource == "cpu" else str(new[field, index])
            where = "requests" if resource in ("cpu", "memory") else "limits"  # of which the request then follows
            edits.append(_pod(pod, "spec", field, index, "resources", where, resource, value=written))
    return edits


def _amount(resource: str, container: Mapping[str, Any]) -> int:
    resources = container.get("resources") or {}
    given = (resources.get("requests") or {}).get(resource) or (resources.get("limits") or {}).get(resource) or "0"
    if resource == "cpu":
        return int(given[:-1]) if given.endswith("m") else int(given) * 1000
    return int(given[:-2]) * 2**30 if given.endswith("Gi") else int(given)


def _of_claims(world: World, pod: Pod) -> Iterator[Family]:
    claim: Any = world.cluster.get("PersistentVolumeClaim", f"{pod.namespace}/data")
    if claim is None or not pod.volumes:
        return

    def edit(*path: str | int, value: Any = None) -> SetField:
        return SetField("PersistentVolumeClaim", "data", path, value, pod.namespace)

    volumes: Iterable[Any] = world.cluster.objects("PersistentVolume")
    sizes = sorted({one.capacity for one in volumes if one.capacity < claim.request}, reverse=True)
    where = ("spec", "resources", "requests", "storage")
    for size in sizes:  # a smaller one may have a volume elsewhere
        yield _one("claim", f"storage {size}", edit(*where, value=str(size)))
    classes: Iterable[Any] = world.cluster.objects("StorageClass")
    if not claim.volume_name:
        for one in classes:
            if one.name != claim.storage_class:
                yield _one("claim", f"class {one.name}", edit("spec", "storageClassName", value=one.name))
    if "ReadWriteOncePod" in claim.access_modes:
        yield _one("claim", "mode", edit("spec", "accessModes", value=["ReadWriteOnce"]))


def _of_devices(world: World, pod: Pod) -> Iterator[Family]:
    """Yield families that reduce each part of the device requests, or release a device in use."""
    names = [entry.claim for entry in pod.resource_claims]
    taints = {
        (taint["key"], taint.get("value") or "")
        for piece in world.cluster.objects("ResourceSlice")
        for one in piece.manifest["spec"].get("devices") or ()  # type: ignore[union-attr]
        for taint in one.get("taints") or ()
    }
    for name in names:
        found: Any = world.cluster.get("ResourceClaim", f"{pod.namespace}/{name}")
        devices = found.manifest["spec"]["devices"]

        def edit(*path: str | int, value: Any = None, add: bool = False, name: str = name) -> SetField:
            return SetField("ResourceClaim", name, ("spec", "devices", *path), value, pod.namespace, add)

        for at, request in enumerate(devices["requests"]):
            places = [("requests", at, "exactly")] if "exactly" in request else []
            places += [
                ("requests", at, "firstAvailable", index) for index in range(len(request.get("firstAvailable", [])))
            ]
            for place in places:
                exact = request
                for part in place[2:]:
                    exact = exact[part]
                yield from _of_device_request(world, f"{name} {place[1:]}", exact, place, edit, sorted(taints))
        constraints = devices.get("constraints") or []
        for index in range(len(constraints)):
            left = [one for number, one in enumerate(constraints) if number != index] or None
            yield _one("device-constraint", f"{name} {index}", edit("constraints", value=left))
    for claim in world.cluster.objects("ResourceClaim"):
        assert isinstance(claim, ResourceClaim)
        if claim.allocation is not None:
            users = [Remove("Pod", one.name, claim.namespace) for one in claim.reserved_for]
            released = SetField("ResourceClaim", claim.name, ("status",), None, claim.namespace)
            yield _one("device-holder", claim.name, *users, released)


def _of_device_request(
    world: World,
    name: str,
    exact: Mapping[str, Any],
    place: tuple[str | int, ...],
    edit: Callable[..., SetField],
    taints: Sequence[tuple[str, str]],
) -> Iterator[Family]:
    if exact.get("allocationMode") == "All":
        yield _one("device-count", name, edit(*place, "allocationMode", value="ExactCount"))
    if exact.get("count", 1) > 1:
        counts = range(exact["count"] - 1, 0, -1)
        yield Family("device-count", name, "", [[edit(*place, "count", value=count)] for count in counts])
    selectors = exact.get("selectors") or []
    for index in range(len(selectors)):
        left = [one for number, one in enumerate(selectors) if number != index] or None
        yield _one("device-selector", f"{name} {index}", edit(*place, "selectors", value=left))
    for key, value in taints:
        how = {"operator": "Equal", "value": value} if value else {"operator": "Exists"}
        toleration = {"key": key, **how, "effect": "NoSchedule"}
        yield _one(
            "device-toleration", f"{name} {key}={value}", edit(*place, "tolerations", value=toleration, add=True)
        )
    if world.cluster.get("DeviceClass", exact["deviceClassName"]) is None:
        for one in world.cluster.objects("DeviceClass"):
            assert isinstance(one, DeviceClass)
            yield _one("device-class", f"{name} {one.name}", edit(*place, "deviceClassName", value=one.name))


def _of_node(world: World, pod: Pod, one: Node, nodes: Sequence[Node]) -> Iterator[Family]:
    def edit(*path: str | int, value: Any = None) -> SetField:
        return SetField("Node", one.name, path, value)

    if one.unschedulable:
        yield _one("uncordon", one.name, edit("spec", "unschedulable"), node=one.name)
    taints = one.manifest["spec"].get("taints") or []
    for index, taint in enumerate(taints):
        left = [other for number, other in enumerate(taints) if number != index] or None
        yield _one("taint", f"{taint['key']}:{taint['effect']}", edit("spec", "taints", value=left), node=one.name)
    for key, values in sorted(_label_values(world, pod, nodes).items()):
        for value in sorted(values - {one.labels.get(key, "")}):
            yield _one("label", f"{key}={value}", edit("metadata", "labels", key, value=value), node=one.name)
        if key in one.labels:
            yield _one("label", f"{key} off", edit("metadata", "labels", key), node=one.name)
    row = world.cluster.nodes.row_of[one.name]
    for resource, asked in pod.requests.items():
        number = world.cluster.nodes.resources.get(resource)
        has = one.allocatable.get(resource, 0)
        used = 0 if number is None else int(world.cluster.nodes.requested[number, row])
        if used + asked > has:
            written = f"{used + asked}m" if resource == "cpu" else str(used + asked)
            yield _one("room", resource, edit("status", "allocatable", resource, value=written), node=one.name)
    more = str(int(world.cluster.nodes.pod_count[row]) + 1)
    yield _one("room", "pods", edit("status", "allocatable", "pods", value=more), node=one.name)


def _label_values(world: World, pod: Pod, nodes: Sequence[Node]) -> dict[str, set[str]]:
    """Return the keys and values of labels that objects of the cluster refer to, and for each key a new value."""
    found: dict[str, set[str]] = {}

    def walk(data: Any) -> None:
        if isinstance(data, Mapping):
            if "operator" in data and "key" in data and data.get("operator") != "Equal":
                numbers = [int(one) for one in data.get("values") or () if one.lstrip("-").isdigit()]
                more = {str(n + by) for n in numbers for by in (1, -1)} if data["operator"] in ("Gt", "Lt") else set()
                found.setdefault(data["key"], set()).update(data.get("values") or (), more)
            if "topologyKey" in data:
                found.setdefault(data["topologyKey"], set())
            for value in data.values():
                walk(value)
        elif isinstance(data, list):
            for value in data:
                walk(value)

    spec = pod.manifest["spec"]
    for key, value in (spec.get("nodeSelector") or {}).items():
        found.setdefault(key, set()).add(value)
    walk({name: value for name, value in spec.items() if name != "tolerations"})
    for kind in ("PersistentVolume", "StorageClass"):
        for item in world.cluster.objects(kind):
            walk(item.manifest.get("spec", item.manifest))
    for other in world.cluster.pods.all():
        walk((other.manifest.get("spec") or {}).get("affinity"))
    for key, values in found.items():
        values |= {one.labels[key] for one in nodes if key in one.labels} | {"new"}
    return found
