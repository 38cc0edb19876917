"""A scenario with another autoscaler on the same machines: node groups as NodePools, and NodePools as node groups.

A scenario without either gets groups that match its nodes; without nodes, it gets Karpenter's generic instance types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers.autoscalers import (
    OWN,
    add_autoscaler,
    as_initialized,
    claim_of,
    template_of,
)
from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.container_resources import amounts
from scheduler_core.apis.karpenter import OVERHEAD, InstanceType, KWOKNodeClass, NodePool
from scheduler_core.apis.messages import Message
from scheduler_core.apis.requirements import ARCH, CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, NODE_POOL, OS, ZONE
from scheduler_core.ask.autoscale.comparison import Name
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.scenario.objects.karpenter import labels_of_pool, requirements_of_pool
from scheduler_core.scenario.parse import Limits, parse_scenario
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.autoscaling import PRIORITIES
from scheduler_core.scenario.settings.instance_types import estimated_price, generic_types

Manifest = dict[str, Any]
NAMES: tuple[Name, ...] = ("cluster-autoscaler", "karpenter")
MOST_GROUPS = 20  # made from NodePools, one for each size of instance and zone
BOOT_SECONDS, READY_SECONDS = 3.0, 2.0  # of the documents that are added
CLASS = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
OF_GROUPS = ("NodeGroup", "ClusterAutoscaler")
OF_POOLS = ("NodePool", "NodeClaim", "KWOKNodeClass", "Karpenter")
NOT_OF_TYPES = frozenset({HOSTNAME, ZONE, INSTANCE_TYPE, ARCH, OS, CAPACITY_TYPE, NODE_POOL})


class Converted(msgspec.Struct, frozen=True):
    """A scenario's text with an autoscaler. `notes`: settings that were lost."""

    text: str
    notes: list[Message] = []


def autoscaler_of(text: str) -> Name | None:
    """Return the autoscaler in a scenario's text, which node groups imply, too; None if it has none."""
    kinds = {data.get("kind") for data in _documents(text)}
    if "Karpenter" in kinds:
        return "karpenter"
    return "cluster-autoscaler" if kinds & set(OF_GROUPS) else None


def with_autoscaler(text: str, autoscaler: Name) -> Converted:
    """Return the scenario with this autoscaler only. Raises NotPossible or ScenarioErrors.

    A scenario that has it stays as it is; groups without an autoscaler get Cluster Autoscaler.
    """
    documents, has = _documents(text), autoscaler_of(text)
    if has == autoscaler:
        acts = autoscaler == "karpenter" or any(data.get("kind") == "ClusterAutoscaler" for data in documents)
        actor = compact_yaml.write_all([_actor("ClusterAutoscaler", "cluster-autoscaler")])
        return Converted(text if acts else f"{text.rstrip()}\n---\n{actor}")
    notes: list[Message] = []
    if has is None:
        documents = _with_groups(documents)
        has = "karpenter" if any(data.get("kind") == "Karpenter" for data in documents) else "cluster-autoscaler"
    if has != autoscaler:
        convert = _with_pools if autoscaler == "karpenter" else _with_groups_of_pools
        documents, notes = convert(documents)
    return Converted(compact_yaml.write_all(documents), notes)


def _documents(text: str) -> list[Manifest]:
    return [document.data for document in read_documents(text, Limits(), Problems())]


# A scenario without an autoscaler


def _with_groups(documents: Sequence[Manifest]) -> list[Manifest]:
    """Return the documents with Cluster Autoscaler and groups like the nodes; without nodes, with Karpenter."""
    nodes = [data for data in documents if data.get("kind") == "Node"]
    if not nodes:
        return [*documents, _node_class(BOOT_SECONDS), _pool("default", (), {}), _actor("Karpenter", "karpenter")]
    known, _ = add_autoscaler(documents, "cluster-autoscaler")
    grouped = {name for data in known if data.get("kind") == "NodeGroup" for name in data["spec"].get("nodes") or ()}
    left = [node for node in nodes if _name(node) not in grouped]
    actor, others = known[-1], known[:-1]
    return [*others, *_groups_like(left), actor]


def _groups_like(nodes: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield a group for each set of nodes with equal amounts, taints, zone and type, with their shared labels."""
    alike: dict[str, list[Manifest]] = {}
    for node in nodes:
        template = template_of(node)
        labels = template["metadata"]["labels"]
        own = {key: labels.get(key) for key in (ZONE, INSTANCE_TYPE, CAPACITY_TYPE, ARCH, OS)}
        key = msgspec.json.encode([template["status"], template.get("spec"), own], order="sorted").decode()
        alike.setdefault(key, []).append(node)
    taken: set[str] = set()
    for members in alike.values():
        template = template_of(members[0])
        shared = set.intersection(*({*_labels(node).items()} for node in members))
        labels = {
            key: value for key, value in _labels(members[0]).items() if (key, value) in shared and key != HOSTNAME
        }
        template["metadata"]["labels"] = labels
        named = "-".join(filter(None, (_labels(members[0]).get(key) for key in (INSTANCE_TYPE, ZONE))))
        name = _unused(named or f"like-{_name(members[0])}", taken)
        spec = {"nodes": [_name(node) for node in members], "template": template}
        yield {"apiVersion": OWN, "kind": "NodeGroup", "metadata": {"name": name}, "spec": spec}


# From node groups to NodePools


def _with_pools(documents: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the documents with Karpenter, and notes: a NodePool for the groups with the same taints, and their types.

    Groups with neither a template nor a node are left out.
    """
    nodes = {_name(data): data for data in documents if data.get("kind") == "Node"}
    actor = next((data for data in documents if data.get("kind") == "ClusterAutoscaler"), {})
    types: dict[str, Manifest] = {}
    pools: dict[str, list[tuple[Manifest, Manifest, str]]] = {}
    existing: list[tuple[Manifest, str]] = []
    for group in (data for data in documents if data.get("kind") == "NodeGroup"):
        spec = group.get("spec") or {}
        members = [nodes[name] for name in spec.get("nodes") or () if name in nodes]
        template = spec.get("template") or (template_of(members[0]) if members else None)
        if template is None:
            continue
        taints = [*((template.get("spec") or {}).get("taints") or ())]
        instance_type = _add_type(types, _name(group), template, spec.get("price"))
        key = msgspec.json.encode([taints, spec.get("startupTaints") or []]).decode()
        pools.setdefault(key, []).append((group, template, instance_type))
        sized = [_made_node(group, template, number) for number in range(1, int(spec.get("size") or 0) + 1)]
        existing += [(node, instance_type) for node in (*members, *sized)]
    pool_of, made_pools = _pools_of(pools)
    replaced = {
        _name(node): _of_pool(node, pool_of[_group_of(node, documents)], instance_type)
        for node, instance_type in existing
    }
    kept = [replaced.get(_name(data), data) if data.get("kind") == "Node" else data for data in documents]
    made = [node for name, node in replaced.items() if name not in nodes]
    claims = [claim_of(data, _labels(data)[NODE_POOL]) for data in (*kept, *made) if _is_of_pool(data)]
    boot = float((actor.get("spec") or {}).get("bootSeconds", BOOT_SECONDS))
    ready = float((actor.get("spec") or {}).get("readySeconds", READY_SECONDS))
    settings = {"readySeconds": ready, "instanceTypes": list(types.values())}
    others = [data for data in kept if data.get("kind") not in OF_GROUPS and _name(data) != PRIORITIES]
    notes = []
    if (actor.get("spec") or {}).get("flags"):
        notes.append(Message("Flags of Cluster Autoscaler are not carried over."))
    return [
        *others,
        *made,
        *claims,
        _node_class(boot),
        *made_pools,
        _actor("Karpenter", "karpenter", **settings),
    ], notes


def _pools_of(pools: Mapping[str, list[tuple[Manifest, Manifest, str]]]) -> tuple[dict[str, str], list[Manifest]]:
    """Return the pool of each group, and the NodePools: one for each set of taints and startup taints.

    Its limit is the sum of the groups' maxima; it has none if a group has no maximum.
    """
    pool_of: dict[str, str] = {}
    made: list[Manifest] = []
    taken: set[str] = set()
    for groups in pools.values():
        group, template, _ = groups[0]
        instance_types = sorted({instance_type for _, _, instance_type in groups})
        taints = (template.get("spec") or {}).get("taints") or ()
        name = _unused(_name(group) if taints or len(groups) == 1 else "default", taken)
        maxima: list[Any] = [(group.get("spec") or {}).get("maximum") for group, _, _ in groups]
        limits = {} if None in maxima else {"nodes": str(sum(maxima))}
        startup_taints = (group.get("spec") or {}).get("startupTaints") or ()
        made.append(_pool(name, taints, limits, startup_taints, instance_types))
        pool_of |= {_name(group): name for group, _, _ in groups}
    return pool_of, made


def _add_type(types: dict[str, Manifest], group: str, template: Manifest, price: float | None) -> str:
    """Add the instance type of a group, or an offering to an equal type if there is one. Return the type's name."""
    labels, status = _labels(template), template.get("status") or {}
    size = amounts(status.get("allocatable") or status.get("capacity"))
    capacity = {resource: amount + OVERHEAD.get(resource, 0) for resource, amount in size.items()}
    others = {name: str(amount) for name, amount in capacity.items() if name not in ("cpu", "memory", "pods")}
    own = {key: value for key, value in labels.items() if key not in NOT_OF_TYPES}
    offering = {
        "zone": labels.get(ZONE, "zone-a"),
        "capacityType": labels.get(CAPACITY_TYPE, "on-demand"),
        "price": estimated_price(amounts(status.get("capacity") or status.get("allocatable")))
        if price is None
        else price,
    }
    kind = {
        "cpu": f"{capacity.get('cpu', 0)}m",
        "memory": str(capacity.get("memory", 0)),
        "pods": str(capacity.get("pods", 110)),
        **({"resources": others} if others else {}),
        "arch": labels.get(ARCH, "amd64"),
        "os": [labels.get(OS, "linux")],
        **({"labels": own} if own else {}),
    }
    name = labels.get(INSTANCE_TYPE, group)
    known = types.get(name)
    places = [(entry["zone"], entry["capacityType"]) for entry in known["offerings"]] if known else []
    alike = known is not None and {**known, **kind, "name": name} == known
    if known is not None and alike and (offering["zone"], offering["capacityType"]) not in places:
        known["offerings"].append(offering)
        return name
    name = name if known is None else group
    types[name] = {"name": name, **kind, "offerings": [offering]}
    return name


def _made_node(group: Manifest, template: Manifest, number: int) -> Manifest:
    """Return a node of the group that exists from the start, with the name that the group gives it."""
    name, metadata = f"{_name(group)}-{number}", template.get("metadata") or {}
    labels = {**_labels(template), HOSTNAME: name}
    return {"apiVersion": "v1", "kind": "Node", **template, "metadata": {**metadata, "name": name, "labels": labels}}


def _group_of(node: Manifest, documents: Iterable[Manifest]) -> str:
    for data in documents:
        if data.get("kind") == "NodeGroup":
            spec = data.get("spec") or {}
            names = {f"{_name(data)}-{number}" for number in range(1, int(spec.get("size") or 0) + 1)}
            if _name(node) in names or _name(node) in (spec.get("nodes") or ()):
                return _name(data)
    raise AssertionError("the node is of a group")


def _of_pool(node: Manifest, pool: str, instance_type: str) -> Manifest:
    """Return the node as if Karpenter had launched it."""
    labels = {CAPACITY_TYPE: "on-demand", ZONE: "zone-a", ARCH: "amd64", OS: "linux", **_labels(node)}
    labels |= {NODE_POOL: pool, INSTANCE_TYPE: instance_type}
    return as_initialized({**node, "metadata": {**(node.get("metadata") or {}), "labels": labels}})


# From NodePools to node groups


def _with_groups_of_pools(documents: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the documents with Cluster Autoscaler, and notes: a group for each size of machine and zone of a NodePool.

    Raises NotPossible without Karpenter or a NodePool, and ScenarioErrors.
    """
    scenario = parse_scenario(compact_yaml.write_all(documents))
    actor = next((actor for actor in scenario.actors if isinstance(actor, KarpenterSettings)), None)
    pools = [item for item in scenario.objects if isinstance(item, NodePool)]
    if actor is None or not pools:
        raise NotPossible(Message("the scenario has no NodePool whose machines node groups could have"))
    catalogue = Catalogue(actor.instance_types or generic_types())
    nodes = list(filter(_is_of_pool, documents))
    groups: dict[str, Manifest] = {}
    left_out = 0
    for pool in pools:
        machines, more = _machines(catalogue, pool, max(1, MOST_GROUPS // len(pools)))
        left_out += more
        for machine in machines:
            group = _node_group(pool, *machine)
            groups[_name(group)] = group
    for node in nodes:
        labels = _labels(node)
        name = _group_name(labels[NODE_POOL], labels.get(INSTANCE_TYPE, "node"), labels.get(ZONE, ""))
        if name not in groups:
            spec: Manifest = {"template": template_of(node)}
            known = catalogue.price_of(labels, labels.get(INSTANCE_TYPE, ""))
            spec |= {} if known is None else {"price": known}
            groups[name] = {"apiVersion": OWN, "kind": "NodeGroup", "metadata": {"name": name}, "spec": spec}
        groups[name]["spec"].setdefault("nodes", []).append(_name(node))
    delays = [item.registration_delay for item in scenario.objects if isinstance(item, KWOKNodeClass)]
    settings = {"bootSeconds": delays[0] if delays else BOOT_SECONDS, "readySeconds": actor.ready_seconds}
    kept = [data for data in documents if data.get("kind") not in OF_POOLS]
    notes = []
    if left_out:
        notes.append(Message("A node group has one instance type: {number} others are left out.", number=left_out))
    return [*kept, *groups.values(), _actor("ClusterAutoscaler", "cluster-autoscaler", **settings)], notes


def _machines(
    catalogue: Catalogue, pool: NodePool, most: int
) -> tuple[list[tuple[InstanceType, str, str, float]], int]:
    """Return about `most` machines of a pool as (type, zone, capacity type, price), evenly spread over the sizes, and
    the number of instance types left out.
    """
    requirements = requirements_of_pool(pool)
    allowed = catalogue.meeting(requirements) & catalogue.offered(requirements)
    by_size: dict[tuple[int, int, int], int] = {}
    prices = catalogue.prices(requirements)
    for number in catalogue.by_price(allowed, requirements):
        capacity = catalogue.types[number].capacity
        others = sum(amount for name, amount in capacity.items() if name not in ("cpu", "memory", "pods"))
        by_size.setdefault((capacity.get("cpu", 0), capacity.get("memory", 0), others), number)
    numbers = [number for _, number in sorted(by_size.items())]
    zones = sorted({offering.zone for number in numbers for offering in catalogue.compatible(number, requirements)})
    count = max(1, most // max(1, len(zones)))
    chosen = numbers
    if len(numbers) > count:
        steps = max(1, count - 1)
        spread = {numbers[round(step * (len(numbers) - 1) / steps)] for step in range(count)}
        chosen = sorted(spread, key=prices.__getitem__)
    machines = []
    for number in chosen:
        for zone in zones:
            offered = [offering for offering in catalogue.compatible(number, requirements) if offering.zone == zone]
            if offered:
                best = min(offered, key=lambda offering: offering.price)
                machines.append((catalogue.types[number], zone, best.capacity_type, best.price))
    return machines, allowed.bit_count() - len(chosen)


def _node_group(pool: NodePool, instance_type: InstanceType, zone: str, capacity_type: str, price: float) -> Manifest:
    """Return the NodeGroup of an instance type of the pool in a zone."""
    labels = {**labels_of_pool(pool), **instance_type.all_labels}
    labels |= {NODE_POOL: pool.name, INSTANCE_TYPE: instance_type.name, ZONE: zone, CAPACITY_TYPE: capacity_type}
    labels |= {ARCH: instance_type.arch, OS: instance_type.os[0]}
    taints, startup_taints = list(map(_taint, pool.taints)), list(map(_taint, pool.startup_taints))
    capacity = instance_type.capacity
    status = {"capacity": _written(capacity), "allocatable": _written(instance_type.allocatable)}
    template = {"metadata": {"labels": labels}, **({"spec": {"taints": taints}} if taints else {}), "status": status}
    maxima = [
        limit // capacity[name] if name != "nodes" else limit
        for name, limit in (pool.limits or {}).items()
        if name == "nodes" or capacity.get(name)
    ]
    spec = {
        "price": price,
        **({"maximum": min(maxima)} if maxima else {}),
        **({"startupTaints": startup_taints} if startup_taints else {}),
        "template": template,
    }
    name = _group_name(pool.name, instance_type.name, zone)
    return {"apiVersion": OWN, "kind": "NodeGroup", "metadata": {"name": name}, "spec": spec}


def _taint(taint: Taint) -> Manifest:
    return {"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": taint.effect}


def _group_name(pool: str, instance_type: str, zone: str) -> str:
    return "-".join(filter(None, (pool, instance_type.removesuffix("-linux"), zone)))


# Documents


def _pool(
    name: str,
    taints: Sequence[Manifest],
    limits: Manifest,
    startup: Sequence[Manifest] = (),
    instance_types: Sequence[str] = (),
) -> Manifest:
    spec: Manifest = {"nodeClassRef": dict(CLASS), "expireAfter": "Never"}
    spec |= {"taints": list(taints)} if taints else {}
    spec |= {"startupTaints": list(startup)} if startup else {}
    key, values = (INSTANCE_TYPE, list(instance_types)) if instance_types else (OS, ["linux"])
    spec["requirements"] = [{"key": key, "operator": "In", "values": values}]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"template": {"spec": spec}, **({"limits": limits} if limits else {})},
    }


def _node_class(boot: float) -> Manifest:
    seconds = f"{boot:.3f}".rstrip("0").rstrip(".")
    return {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": "default"},
        "spec": {"nodeRegistrationDelay": f"{seconds}s"},
    }


def _actor(kind: str, name: str, **spec: Any) -> Manifest:
    return {"apiVersion": OWN, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _written(resources: Mapping[str, int]) -> dict[str, str]:
    return {name: f"{amount}m" if name == "cpu" else str(amount) for name, amount in resources.items()}


def _unused(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _is_of_pool(data: Manifest) -> bool:
    return data.get("kind") == "Node" and NODE_POOL in _labels(data)


def _labels(manifest: Mapping[str, Any]) -> dict[str, str]:
    return dict((manifest.get("metadata") or {}).get("labels") or {})


def _name(manifest: Mapping[str, Any]) -> str:
    return str((manifest.get("metadata") or {}).get("name"))
