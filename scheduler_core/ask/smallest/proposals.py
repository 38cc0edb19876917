"""What would answer one plugin's objection to a pod on one node: edits, not tried yet.

Each answers the objection exactly, as far as it can be read from the pod and the node: a request that just fits, the
toleration of that taint, the label that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.quantity import format_bytes, format_cpu, milli_value, parse_nano, value
from scheduler_core.ask.editing.edits import Path, SetField
from scheduler_core.ask.moments.world import World

Kind = Literal["request", "toleration", "label", "uncordon", "pods", "affinity", "port", "spread", "priority", "nodes"]
EFFECTS = ("NoSchedule", "NoExecute")
MOST_SKEW = 8  # more than a constraint asks for; beyond that it is a preference
CONTAINERS = ("containers", "initContainers")


class Proposal(msgspec.Struct, frozen=True):
    """An edit and what it is about: `name` is the resource, the taint, the label, the term; values as in a manifest.

    `size` tells how much it changes: of a request the share that goes, of others about as much as an operator minds.
    """

    kind: Kind
    edit: SetField
    name: str
    before: str | int | None
    after: str | int | None
    size: float


def proposals(world: World, pod: Pod, node: Node, plugin: str) -> list[list[Proposal]]:
    """Ways to answer the plugin's objection, each a list of edits that belong together."""
    match plugin:
        case "NodeResourcesFit":
            found = _requests(world, pod, node)
            return [found] if found else []
        case "TaintToleration":
            return [_tolerations(pod, node)]
        case "NodeUnschedulable":
            return [[Proposal("uncordon", _node(node, ("spec", "unschedulable")), node.name, "true", None, 0.5)]]
        case "NodeAffinity":
            return list(_labels(pod, node))
        case "NodePorts":
            return [_ports(pod)]
        case "PodTopologySpread":
            return list(_spread(world, pod))
        case "InterPodAffinity":
            return list(_affinity(pod))
    return []


def _pod(pod: Pod, path: Path, value: Any = None, *, add: bool = False) -> SetField:
    return SetField("Pod", pod.name, path, value, pod.namespace, add)


def _node(node: Node, path: Path, value: Any = None) -> SetField:
    return SetField("Node", node.name, path, value)


def _requests(world: World, pod: Pod, node: Node) -> list[Proposal]:
    """For each resource that is short, the request that fits; [] if no request that small answers it."""
    nodes = world.cluster.nodes
    row = nodes.row_of[node.name]
    found: list[Proposal] = []
    for name, asked in pod.requests.items():
        number = nodes.resources.get(name)
        free = int(nodes.allocatable[number, row] - nodes.requested[number, row]) if number is not None else 0
        if asked > free and name != "pods":
            one = _request(pod, name, asked - max(free, 0), asked)
            if one is None or free < 0:
                return []
            found.append(one)
    if int(nodes.pod_count[row]) + 1 > int(nodes.allowed_pods[row]):
        more = int(nodes.pod_count[row]) + 1
        edit = _node(node, ("status", "allocatable", "pods"), str(more))
        found.append(Proposal("pods", edit, node.name, int(nodes.allowed_pods[row]), more, 0.5))
    return found


def _request(pod: Pod, resource: str, less: int, asked: int) -> Proposal | None:
    """The container that asks for most gives way; None if it cannot give so much."""
    largest: tuple[int, Path] = (0, ())
    spec = pod.manifest.get("spec") or {}
    own = spec.get("resources") or {}
    places: list[tuple[Path, Any]] = [(("spec",), spec)] if own.get("requests") or own.get("limits") else []
    for field in CONTAINERS if not places else ():
        places += [(("spec", field, index), one) for index, one in enumerate(spec.get(field) or ())]
    for path, one in places:
        resources = one.get("resources") or {}
        given = (resources.get("requests") or {}).get(resource, (resources.get("limits") or {}).get(resource))
        if given is not None:
            largest = max(largest, (amount(resource, given), (*path, "resources", "requests", resource)))
    now, path = largest
    if not path or now < less:
        return None
    after = written(resource, now - less)
    return Proposal("request", _pod(pod, path, after), resource, written(resource, now), after, less / asked)


def amount(resource: str, quantity: object) -> int:
    """In the engine's units: cpu in millicores."""
    return milli_value(parse_nano(str(quantity))) if resource == "cpu" else value(parse_nano(str(quantity)))


def written(resource: str, units: int) -> str:
    """As a manifest writes it."""
    return format_cpu(units) if resource == "cpu" else format_bytes(units)


def _tolerations(pod: Pod, node: Node) -> list[Proposal]:
    """One for each taint that keeps the pod away and is not tolerated."""
    return [
        Proposal(
            "toleration",
            _pod(pod, ("spec", "tolerations"), _toleration(taint), add=True),
            f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}",
            None,
            taint.effect,
            0.5,
        )
        for taint in node.taints
        if taint.effect in EFFECTS and not any(_tolerates(one, taint) for one in pod.tolerations)
    ]


def _toleration(taint: Taint) -> dict[str, str]:
    """The narrowest one."""
    found = {"key": taint.key, "operator": "Equal" if taint.value else "Exists", "effect": taint.effect}
    return {**found, "value": taint.value} if taint.value else found


def _tolerates(toleration: Any, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return bool(toleration.operator == "Exists" or toleration.value == taint.value)


def _labels(pod: Pod, node: Node) -> Iterator[list[Proposal]]:
    """The node gets what the pod selects by; or the pod stops selecting by required terms."""
    spec = pod.manifest.get("spec") or {}
    selected = [
        _label(node, key, wanted) for key, wanted in pod.node_selector.items() if node.labels.get(key) != wanted
    ]
    affinity = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    if not affinity:
        yield selected
        return
    for term in affinity.get("nodeSelectorTerms") or ():
        wanted = _wanted_labels(term, node)
        if wanted is not None:
            yield selected + [_label(node, key, text) for key, text in wanted.items()]
    path = ("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    yield [*selected, Proposal("affinity", _pod(pod, path), "nodeAffinity", "required", None, 1.0)]


def _label(node: Node, key: str, text: str) -> Proposal:
    return Proposal("label", _node(node, ("metadata", "labels", key), text), key, node.labels.get(key), text, 0.5)


def _wanted_labels(term: Mapping[str, Any], node: Node) -> dict[str, str] | None:
    """Labels that make the node match one term; None where no label does (matchFields), or one would have to go."""
    if term.get("matchFields"):
        return None
    wanted: dict[str, str] = {}
    for one in term.get("matchExpressions") or ():
        key, operator, values = str(one.get("key")), one.get("operator"), one.get("values") or []
        has = node.labels.get(key)
        if operator == "In" and has not in values:
            wanted[key] = str(values[0])
        elif operator == "Exists" and has is None:
            wanted[key] = "true"
        elif operator in ("Gt", "Lt"):
            wanted[key] = str(int(values[0]) + (1 if operator == "Gt" else -1))
        elif (operator == "NotIn" and has in values) or (operator == "DoesNotExist" and has is not None):
            return None
    return wanted


def _ports(pod: Pod) -> list[Proposal]:
    """The pod asks for no port of the host."""
    found = []
    for field in CONTAINERS:
        for index, one in enumerate((pod.manifest.get("spec") or {}).get(field) or ()):
            for number, port in enumerate(one.get("ports") or ()):
                if port.get("hostPort"):
                    path = ("spec", field, index, "ports", number, "hostPort")
                    found.append(Proposal("port", _pod(pod, path), str(port["hostPort"]), port["hostPort"], None, 1.0))
    return found


def _spread(world: World, pod: Pod) -> Iterator[list[Proposal]]:
    """A larger maxSkew, each that may be the smallest; or the constraint is a preference."""
    given: Sequence[Mapping[str, Any]] = (pod.manifest.get("spec") or {}).get("topologySpreadConstraints") or ()
    hard = [index for index, one in enumerate(given) if one.get("whenUnsatisfiable") != "ScheduleAnyway"]
    most = len(world.cluster.pods.slot_of) + 1
    for index in hard:
        path: Path = ("spec", "topologySpreadConstraints", index)
        key, skew = str(given[index].get("topologyKey")), int(given[index].get("maxSkew") or 1)
        for larger in range(skew + 1, min(skew + MOST_SKEW, most + 1)):
            edit = _pod(pod, (*path, "maxSkew"), larger)
            yield [Proposal("spread", edit, key, skew, larger, 0.25 * (larger - skew))]
        edit = _pod(pod, (*path, "whenUnsatisfiable"), "ScheduleAnyway")
        yield [Proposal("spread", edit, key, "DoNotSchedule", "ScheduleAnyway", 1.0)]


def _affinity(pod: Pod) -> Iterator[list[Proposal]]:
    """One required term less; or without the label by which a pod that runs keeps it away."""
    affinity = (pod.manifest.get("spec") or {}).get("affinity") or {}
    field = "requiredDuringSchedulingIgnoredDuringExecution"
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = (affinity.get(kind) or {}).get(field) or []
        for index, term in enumerate(terms):
            left = [one for number, one in enumerate(terms) if number != index] or None
            edit = _pod(pod, ("spec", "affinity", kind, field), left)
            yield [Proposal("affinity", edit, kind, str(term.get("topologyKey")), None, 1.0)]
    for key, text in pod.labels.items():
        yield [Proposal("label", _pod(pod, ("metadata", "labels", key)), key, text, None, 0.75)]
