"""Short ways to write scenario files in tests.

    text = scenario(node("n1", cpu=4), pod("a", cpu="500m", node="n1"), pod("b"), seed=7)
    found = parse(node("n1"), pod("a"), events=[{"at": 3, "delete": {"kind": "Pod", "name": "a"}}])

A builder of an object returns its manifest as a plain mapping, which a test may change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.scenario.parse import Scenario, parse_scenario

Manifest = dict[str, Any]

PAUSE = "registry.k8s.io/pause:3.9"
RESOURCE = "resource.k8s.io/v1"


def node(
    name: str,
    *,
    cpu: str | int = "4",
    memory: str = "8Gi",
    pods: int = 110,
    zone: str | None = None,
    labels: Mapping[str, str] | None = None,
    taints: Sequence[str] = (),
    unschedulable: bool = False,
    images: Mapping[str, int] | None = None,
    resources: Mapping[str, Any] | None = None,
) -> Manifest:
    """Return a Node with a hostname label; `taints` are written as for kubectl ("gpu=yes:NoSchedule")."""
    all_labels = {"kubernetes.io/hostname": name, **(labels or {})}
    if zone:
        all_labels["topology.kubernetes.io/zone"] = zone
    spec: Manifest = {"taints": [taint(text) for text in taints]} if taints else {}
    if unschedulable:
        spec["unschedulable"] = True
    capacity = {"cpu": str(cpu), "memory": memory, "pods": str(pods), **(resources or {})}
    status: Manifest = {"capacity": capacity, "allocatable": capacity}
    if images:
        status["images"] = [{"names": [image], "sizeBytes": size} for image, size in images.items()]
    metadata = {"name": name, "labels": all_labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def taint(text: str) -> Manifest:
    """Return the taint that is written as "key=value:Effect" or "key:Effect"."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, "value": value, "effect": effect}


def pod(
    name: str,
    *,
    cpu: str | int | None = None,
    memory: str | None = None,
    requests: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    node: str | None = None,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    priority: int | None = None,
    priority_class: str | None = None,
    gates: Sequence[str] = (),
    image: str = PAUSE,
    host_port: int | None = None,
    start_time: str | None = None,
    **spec: Any,
) -> Manifest:
    """Return a Pod with one container.

    With `node`, it is already bound to it; `spec` has further fields of the pod's spec.
    """
    asked = {**({"cpu": str(cpu)} if cpu is not None else {}), **({"memory": memory} if memory else {})}
    asked |= requests or {}
    container: Manifest = {"name": "main", "image": image}
    if asked or limits:
        container["resources"] = {"requests": asked, "limits": dict(limits or {})}
    if host_port:
        container["ports"] = [{"containerPort": host_port, "hostPort": host_port}]
    given = {
        "nodeName": node,
        "priority": priority,
        "priorityClassName": priority_class,
        "schedulingGates": [{"name": gate} for gate in gates] or None,
        **spec,
    }
    metadata = {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
    found: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {key: value for key, value in metadata.items() if value},
        "spec": {"containers": [container], **{key: value for key, value in given.items() if value is not None}},
    }
    if start_time:
        found["status"] = {"startTime": start_time}
    return found


def priority_class(name: str, value: int, **fields: Any) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Manifest:
    """Return a DeviceClass; without `expressions`, it selects the devices of its driver, "gpu.example.com"."""
    selectors = [{"cel": {"expression": one}} for one in expressions or (f'device.driver == "{name}.example.com"',)]
    metadata = {"name": name}
    return {
        "apiVersion": RESOURCE,
        "kind": "DeviceClass",
        "metadata": metadata,
        "spec": {"selectors": selectors, **spec},
    }


def resource_slice(
    name: str,
    devices: Sequence[str | Manifest],
    *,
    driver: str = "gpu",
    pool: str | None = None,
    node: str | None = "n1",
    slices: int = 1,
    generation: int = 1,
    **spec: Any,
) -> Manifest:
    """Return a ResourceSlice. `devices`: names, or manifests. `pool`: by default, one with the slice's name.

    `node`: None if `spec` selects nodes.
    """
    listed = [{"name": one} if isinstance(one, str) else one for one in devices]
    whole = {"name": pool or name, "generation": generation, "resourceSliceCount": slices}
    where = {"nodeName": node} if node else {}
    spec = {"driver": f"{driver}.example.com", "pool": whole, "devices": listed, **where, **spec}
    return {"apiVersion": RESOURCE, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def device(name: str, *, memory: str | None = None, **attributes: str | int | bool) -> Manifest:
    """Return a device of a ResourceSlice with string, integer and boolean attributes."""
    kinds: dict[type, str] = {bool: "bool", int: "int", str: "string"}
    found: Manifest = {"name": name, "attributes": {key: {kinds[type(one)]: one} for key, one in attributes.items()}}
    return found | ({"capacity": {"memory": {"value": memory}}} if memory else {})


def device_request(name: str = "gpu", device_class: str = "gpu", *expressions: str, **exactly: Any) -> Manifest:
    """Return a claim's request for one device; `exactly` has further fields."""
    selectors = {"selectors": [{"cel": {"expression": one}} for one in expressions]} if expressions else {}
    return {"name": name, "exactly": {"deviceClassName": device_class, **selectors, **exactly}}


def device_claim(name: str, *requests: Manifest, constraints: Sequence[Manifest] = (), **other: Any) -> Manifest:
    """Return a ResourceClaim, for one GPU unless `requests` are given; `other` has further fields, such as `status`."""
    devices: Manifest = {"requests": list(requests or (device_request(),))}
    devices |= {"constraints": list(constraints)} if constraints else {}
    metadata = {"name": name}
    return {
        "apiVersion": RESOURCE,
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": {"devices": devices},
        **other,
    }


def claims(*names: str, template: bool = False) -> list[Manifest]:
    """Return a pod's `resourceClaims` for the claims, or templates, with these names."""
    field = "resourceClaimTemplateName" if template else "resourceClaimName"
    return [{"name": name, field: name} for name in names]


def budget(name: str, match: Mapping[str, str], *, namespace: str = "default", **spec: Any) -> Manifest:
    """Return a PodDisruptionBudget for pods with the labels `match`; `spec` has `minAvailable` or `maxUnavailable`."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": dict(match)}, **spec},
    }


def required_affinity(match: Mapping[str, str], key: str = "kubernetes.io/hostname", *, anti: bool = False) -> Manifest:
    """Return a `spec.affinity` with one required term of pod affinity, or of anti-affinity."""
    term = {"labelSelector": {"matchLabels": dict(match)}, "topologyKey": key}
    return {"podAntiAffinity" if anti else "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def spread(match: Mapping[str, str], key: str = "topology.kubernetes.io/zone", **fields: Any) -> Manifest:
    """Return a topology spread constraint: maxSkew 1, DoNotSchedule, unless `fields` override them."""
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": dict(match)},
        **fields,
    }


def configuration(**fields: Any) -> Manifest:
    """Return a KubeSchedulerConfiguration document."""
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **fields}


def scenario(*objects: Manifest, **spec: Any) -> str:
    """Return a scenario file: the objects, then a Scenario document if `spec` (seed, events...) is given."""
    documents = list(objects)
    if spec:
        documents.append({"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "spec": spec})
    return "\n---\n".join(json.dumps(document) for document in documents)


def parse(*objects: Manifest, **spec: Any) -> Scenario:
    """Return the parsed scenario with these objects."""
    return parse_scenario(scenario(*objects, **spec))
