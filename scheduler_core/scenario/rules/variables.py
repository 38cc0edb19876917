"""The variables of a rule's expressions: their types, the sizes assumed for estimates, and their values.

Pods and nodes have the fields of `scenario/fields`. An absent field has its zero value, as in a plugin written in Go;
`has()` returns whether it is set. Amounts are integers: cpu in millicores, memory and storage in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any

from scheduler_core.apis.core import Node, Pod
from scheduler_core.cel import types
from scheduler_core.cel.environment import Environment, make_environment
from scheduler_core.cel.estimate import Shape
from scheduler_core.cel.libraries.times import parse_timestamp
from scheduler_core.cel.reads import EACH, Tree
from scheduler_core.cel.values import Error, Map, Timestamp, Value
from scheduler_core.scenario.fields.cluster_fields import NODE
from scheduler_core.scenario.fields.pod_fields import POD
from scheduler_core.scenario.fields.schema import (
    Anything,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Quantity,
    Scalar,
    Time,
    Type,
)

Manifest = Mapping[str, Any]
Projection = tuple[Hashable, Value]  # a key that is equal for equal values, and the value

AMOUNTS = types.map_of(types.STRING, types.INT)
CLUSTER = Fields("Cluster", {})  # used for its name only; the types are in `_CLUSTER_FIELDS`
_CLUSTER_FIELDS = {"nodes": types.INT, "pods": types.INT, "requested": AMOUNTS, "allocatable": AMOUNTS}

# Assumed for estimates: pods on a node, entries of a map, elements of a list, characters of a text and of a name, and
# the levels of a value of any type.
_MAX_PODS, _MAX_ENTRIES, _MAX_ELEMENTS, _TEXT, _NAME, _DEPTH = 110, 32, 16, 128, 63, 4
_ZERO_TIME = -62_135_596_800  # 0001-01-01T00:00:00Z in seconds of Unix time


def variables(*, of_pod_alone: bool) -> dict[str, types.CelType]:
    """Return the type of each variable. `of_pod_alone`: only `pod` and `podRequests`, as in preEnqueue."""
    pod = {"pod": types.struct(POD.name), "podRequests": AMOUNTS}
    if of_pod_alone:
        return pod
    return pod | {
        "node": types.struct(NODE.name),
        "requested": AMOUNTS,
        "allocatable": AMOUNTS,
        "pods": types.list_of(types.struct(POD.name)),
        "cluster": types.struct(CLUSTER.name),
    }


@cache
def environment(minor: int, *, of_pod_alone: bool) -> Environment:
    """Return the CEL environment of Kubernetes 1.`minor` with these variables."""
    structs: dict[str, dict[str, types.CelType]] = {CLUSTER.name: dict(_CLUSTER_FIELDS)}
    for kind in (POD, NODE):
        _declare(kind, structs)
    return make_environment(minor, variables(of_pod_alone=of_pod_alone), structs)


@cache
def shapes() -> dict[str, Shape]:
    """Return the shape of each variable, with the sizes from which the cost of an expression is estimated."""
    amounts = Shape(_MAX_ENTRIES, key=Shape(_NAME), element=Shape())
    pod = _shape(POD)
    return {
        "pod": pod,
        "node": _shape(NODE),
        "podRequests": amounts,
        "requested": amounts,
        "allocatable": amounts,
        "pods": Shape(_MAX_PODS, element=pod),
        "cluster": Shape(fields={"nodes": Shape(), "pods": Shape(), "requested": amounts, "allocatable": amounts}),
    }


def amounts_value(amounts: Mapping[str, int]) -> Map:
    """Return the CEL value of amounts by resource; a resource that is missing has 0."""
    return Map(amounts, 0, named=True)


def cluster_value(nodes: int, pods: int, requested: Map, allocatable: Map) -> Map:
    """Return the CEL value of `cluster`: the numbers of nodes and pods, and the sums of amounts over all nodes."""
    return Map({"nodes": nodes, "pods": pods, "requested": requested, "allocatable": allocatable}, named=True)


def pod_manifest(pod: Pod, node_name: str) -> Manifest:
    """Return the pod's manifest with the values that Pod holds after defaulting and admission.

    `node_name`: the node that the pod is on, "" to leave `spec.nodeName` as written.
    """
    metadata, spec, status = (pod.manifest.get(part) or {} for part in ("metadata", "spec", "status"))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **metadata,
            "name": pod.name,
            "namespace": pod.namespace,
            "uid": pod.uid,
            "labels": pod.labels,
            "annotations": pod.annotations,
        },
        "spec": {
            **spec,
            "priority": pod.priority,
            "preemptionPolicy": pod.preemption_policy,
            "schedulerName": pod.scheduler_name,
            **({"nodeName": node_name} if node_name else {}),
            **({"priorityClassName": pod.priority_class_name} if pod.priority_class_name else {}),
        },
        "status": {**status, "phase": pod.phase},
    }


def node_manifest(node: Node) -> Manifest:
    """Return the node's manifest with the values that Node holds; allocatable defaults to the capacity."""
    metadata, spec, status = (node.manifest.get(part) or {} for part in ("metadata", "spec", "status"))
    capacity = status.get("capacity")
    allocatable = status["allocatable"] if status.get("allocatable") is not None else capacity
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            **metadata,
            "name": node.name,
            "uid": node.uid,
            "labels": node.labels,
            "annotations": node.annotations,
        },
        "spec": {**spec, "unschedulable": node.unschedulable},
        "status": {**status, "allocatable": allocatable},
    }


def project_pod(pod: Pod, node_name: str, tree: Tree | None) -> Projection:
    """Return (key, value) of the parts of a pod that the tree names; None: the whole pod."""
    return _project(pod_manifest(pod, node_name), tree, POD)


def project_node(node: Node, tree: Tree | None) -> Projection:
    """Return (key, value) of the parts of a node that the tree names; None: the whole node."""
    return _project(node_manifest(node), tree, NODE)


def _project(data: Any, tree: Tree | None, kind: Type) -> Projection:
    if tree is None:
        return _freeze(data), _convert(data, kind)
    if isinstance(kind, Fields) and isinstance(data, Mapping):
        entries, key = {}, []
        for name, below in tree.items():
            if data.get(name) is not None and name in kind.fields:
                frozen, entries[name] = _project(data[name], below, kind.fields[name])
                key.append((name, frozen))
        return tuple(key), Map(entries, named=True, zeros=_zeros(kind))
    if isinstance(kind, MapOf) and isinstance(data, Mapping) and EACH not in tree:
        parts = {name: _project(data[name], below, kind.item) for name, below in tree.items() if name in data}
        return tuple((name, part[0]) for name, part in parts.items()), Map(
            {name: part[1] for name, part in parts.items()}, named=True
        )
    if isinstance(kind, ListOf) and isinstance(data, list) and set(tree) == {EACH}:
        elements = [_project(element, tree[EACH], kind.item) for element in data]
        return tuple(element[0] for element in elements), [element[1] for element in elements]
    return _freeze(data), _convert(data, kind)


def _freeze(data: Any) -> Hashable:
    if isinstance(data, Mapping):
        return tuple((name, _freeze(value)) for name, value in data.items())
    if isinstance(data, list | tuple):
        return tuple(_freeze(element) for element in data)
    return type(data).__name__, data


def _convert(data: Any, kind: Type) -> Value:
    match kind:
        case Fields() if isinstance(data, Mapping):
            fields = {
                name: _convert(value, kind.fields[name])
                for name, value in data.items()
                if value is not None and name in kind.fields
            }
            return Map(fields, named=True, zeros=_zeros(kind))
        case MapOf() if isinstance(data, Mapping):
            return Map({name: _convert(value, kind.item) for name, value in data.items()}, named=True)
        case ListOf() if isinstance(data, list | tuple):
            return [_convert(element, kind.item) for element in data]
        case Time():
            moment = parse_timestamp(data) if isinstance(data, str) else None
            return Timestamp(0) if moment is None or type(moment) is Error else moment
        case Scalar() if float in kind.python and type(data) is int:
            return float(data)
        case Quantity():
            return str(data)
    if isinstance(data, Mapping):
        return Map({str(name): _convert(value, kind) for name, value in data.items()}, named=True)
    if isinstance(data, list | tuple):
        return [_convert(element, kind) for element in data]
    return data if data is None or type(data) in (bool, int, float, str) else str(data)


_known_zeros: dict[int, tuple[Fields, dict[Any, Callable[[], Value]]]] = {}


def _zeros(kind: Fields) -> Mapping[Any, Callable[[], Value]]:
    zeros = _known_zeros.get(id(kind))
    if zeros is None or zeros[0] is not kind:
        zeros = _known_zeros[id(kind)] = kind, {name: _zero(field) for name, field in kind.fields.items()}
    return zeros[1]


def _zero(kind: Type) -> Callable[[], Value]:
    match kind:
        case Fields():
            return lambda: Map(named=True, zeros=_zeros(kind))
        case MapOf():
            return lambda: Map(named=True)
        case ListOf():
            return list
        case Time():
            return lambda: Timestamp(_ZERO_TIME * 10**9)
        case Scalar():
            return {"string": str, "boolean": bool, "number": float}.get(kind.name, int)
        case Anything():
            return lambda: None
    return str


def _declare(kind: Type, structs: dict[str, dict[str, types.CelType]]) -> types.CelType:
    """Return the CEL type of a field, and add the structs in it to `structs`."""
    match kind:
        case Fields():
            if kind.name not in structs:
                fields = structs[kind.name] = {}
                fields |= {name: _declare(field, structs) for name, field in kind.fields.items()}
            return types.struct(kind.name)
        case MapOf():
            return types.map_of(types.STRING, _declare(kind.item, structs))
        case ListOf():
            return types.list_of(_declare(kind.item, structs))
        case Time():
            return types.TIMESTAMP
        case Scalar() if str in kind.python and int in kind.python:
            return types.DYN
        case Scalar():
            return {"string": types.STRING, "boolean": types.BOOL, "number": types.DOUBLE}.get(kind.name, types.INT)
        case Anything():
            return types.DYN
        case Enum():
            return types.STRING
    return types.STRING


def _shape(kind: Type, depth: int = 0) -> Shape:
    match kind:
        case Fields():
            return Shape(fields={name: _shape(field, depth) for name, field in kind.fields.items()})
        case MapOf():
            return Shape(_MAX_ENTRIES, key=Shape(_NAME), element=_shape(kind.item, depth))
        case ListOf():
            return Shape(_MAX_ELEMENTS, element=_shape(kind.item, depth))
        case Anything() if depth < _DEPTH:
            below = _shape(kind, depth + 1)
            return Shape(_MAX_ELEMENTS, key=Shape(_NAME), element=below, any_field=below)
        case Scalar() if str not in kind.python:
            return Shape()
    return Shape(_TEXT)
