"""The autoscaler of a dump, as documents of a scenario: its groups or pools, their nodes, and its limits.

Node groups are recognised by the vendors' labels. Their sizes are in Cluster Autoscaler's status ConfigMap, if the dump
contains it. The instance types of Karpenter's cloud are those of the nodes, with prices estimated from cpu and memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from kschedui.scenarios.importers.cleaning import labels_of, mappings_in, name_of, part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.container_resources import Amounts, amounts
from scheduler_core.apis.karpenter import OVERHEAD
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import QuantityError
from scheduler_core.apis.requirements import (
    ARCH,
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    NODE_POOL,
    OS,
    ZONE,
)
from scheduler_core.apis.vendor_labels import GROUP_LABELS
from scheduler_core.scenario.settings.autoscaling import STATUS
from scheduler_core.scenario.settings.instance_types import SPOT_SHARE, estimated_price

OWN = "kschedui.io/v1alpha1"
STATUS_KEY = "status"
GROUP = "karpenter.sh"
INITIALIZED, REGISTERED = "karpenter.sh/initialized", "karpenter.sh/registered"
VANISHING = ("node.kubernetes.io/", "ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler")
OF_TEXT = re.compile(r"Name:[ \t]+(\S+)\n[ \t]+Health:[^\n]*minSize=(\d{1,9}), maxSize=(\d{1,9})\b")  # before 1.30
CONDITIONS = ("Launched", "Registered", "Initialized", "Ready", "Consolidatable")


def autoscaler_of(objects: Sequence[Manifest]) -> str:
    """Return the autoscaler of a cluster: karpenter if it has NodePools, otherwise cluster-autoscaler."""
    return "karpenter" if any(map(_is_pool, objects)) else "cluster-autoscaler"


def add_autoscaler(objects: Sequence[Manifest], autoscaler: str) -> tuple[list[Manifest], list[Message]]:
    """Return the objects with the documents of an autoscaler, and notes about values that the dump does not contain.

    Objects that have an autoscaler already are returned unchanged.
    """
    if any(manifest.get("kind") in ("ClusterAutoscaler", "Karpenter") for manifest in objects):
        return list(objects), []
    if autoscaler == "karpenter":
        return _with_karpenter(objects)
    return _with_cluster_autoscaler(objects)


# Cluster Autoscaler


def _with_cluster_autoscaler(objects: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the objects without those of Karpenter, with a NodeGroup for each group of nodes, and notes."""
    kept = [manifest for manifest in objects if str(manifest.get("apiVersion")).partition("/")[0] != GROUP]
    declared = {name_of(manifest) for manifest in kept if manifest.get("kind") == "NodeGroup"}
    sizes = dict(_sizes(objects))
    members: dict[str, list[Manifest]] = {}
    for node in (manifest for manifest in kept if manifest.get("kind") == "Node"):
        if (group := _group_of(node)) and group not in declared:
            members.setdefault(group, []).append(node)
    notes, groups, unknown = [], [], []
    for group, nodes in members.items():
        limits = next((limits for name, limits in sizes.items() if _is_name_of(name, group)), None)
        if limits is None:
            unknown.append(group)
        groups.append(_node_group(group, nodes, limits))
    if not groups and not declared:
        notes.append(Message("No label of the nodes names a node group, so Cluster Autoscaler has none."))
    elif unknown:
        sentence = Message(
            "No ConfigMap {name} states the sizes of {groups}: they have no minimum and no maximum.",
            name=STATUS,
            groups=", ".join(unknown),
        )
        notes.append(sentence)
    actor = {"apiVersion": OWN, "kind": "ClusterAutoscaler", "metadata": {"name": "cluster-autoscaler"}, "spec": {}}
    return [*(manifest for manifest in kept if not _is_status(manifest)), *groups, actor], notes


def _node_group(group: str, nodes: Sequence[Manifest], limits: tuple[int, int] | None) -> Manifest:
    spec: dict[str, Any] = {"nodes": list(map(name_of, nodes)), "template": template_of(nodes[0])}
    if limits is not None:
        spec |= {"minimum": limits[0], "maximum": max(limits[1], limits[0])}
    return {"apiVersion": OWN, "kind": "NodeGroup", "metadata": {"name": group}, "spec": spec}


def template_of(node: Manifest) -> Manifest:
    """Return a node as a template for others, without the fields that are specific to it."""
    labels = {key: value for key, value in labels_of(node).items() if key != HOSTNAME}
    taints = [
        taint for taint in mappings_in(part(node, "spec"), "taints") if not str(taint.get("key")).startswith(VANISHING)
    ]
    status = {key: value for key, value in part(node, "status").items() if key in ("capacity", "allocatable")}
    spec = {"taints": taints} if taints else {}
    return {"metadata": {"labels": labels}, **({"spec": spec} if spec else {}), "status": status}


def _group_of(node: Manifest) -> str:
    labels = labels_of(node)
    return next((labels[label] for label in GROUP_LABELS if labels.get(label)), "")


def _sizes(objects: Sequence[Manifest]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield (name, (minimum, maximum)) of each group in the status ConfigMap, which is text or YAML."""
    for manifest in filter(_is_status, objects):
        text = str(part(manifest, "data").get(STATUS_KEY) or "")
        try:
            read = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):  # a date or number that is none, nested too deeply
            read = None
        for group in mappings_in(read, "nodeGroups") if isinstance(read, dict) else ():
            health = part(group, "health")
            least, most = health.get("minSize") or 0, health.get("maxSize")
            if isinstance(least, int) and isinstance(most, int):
                yield str(group.get("name")), (least, most)
        for name, least, most in OF_TEXT.findall(text):
            yield name, (int(least), int(most))


def _is_name_of(name: str, group: str) -> bool:
    """Return whether `name`, a cloud's name for a node group, contains the name of the group.

    Such as: eks-GROUP-ID, gke-CLUSTER-GROUP-ID-grp, aks-GROUP-ID-vmss.
    """
    return name == group or f"-{group}-" in f"-{name.rpartition('/')[2]}-"


def _is_status(manifest: Manifest) -> bool:
    return manifest.get("kind") == "ConfigMap" and name_of(manifest) == STATUS


# Karpenter


def _with_karpenter(objects: Sequence[Manifest]) -> tuple[list[Manifest], list[Message]]:
    nodes = [manifest for manifest in objects if manifest.get("kind") == "Node"]
    claims = {name_of(manifest): manifest for manifest in objects if manifest.get("kind") == "NodeClaim"}
    of_node = {str(part(claim, "status").get("nodeName")): claim for claim in claims.values()}
    made, missing = [], 0
    for node in nodes:
        pool = labels_of(node).get(NODE_POOL)
        if not pool or name_of(node) in of_node:
            continue
        missing += 1
        made.append(claim_of(node, pool))
    managed = [as_initialized(manifest) if labels_of(manifest).get(NODE_POOL) else manifest for manifest in objects]
    types = list(_instance_types(nodes))
    notes = [
        Message(
            "Karpenter's cloud offers the {count} instance types of the nodes, at prices estimated by cpu and memory: "
            "state others under instanceTypes.",
            count=len(types),
        )
    ]
    if missing:
        notes.append(Message("Nodes of NodePools that got a NodeClaim of their own: {number}.", number=missing))
    spec: dict[str, Any] = {"instanceTypes": types} if types else {}
    actor = {"apiVersion": OWN, "kind": "Karpenter", "metadata": {"name": "karpenter"}, "spec": spec}
    return [*(manifest for manifest in managed if not _is_status(manifest)), *made, actor], notes


def claim_of(node: Manifest, pool: str) -> Manifest:
    """Return a NodeClaim for a node of a pool, as if Karpenter had launched the node."""
    status = part(node, "status")
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "NodeClaim",
        "metadata": {"name": name_of(node), "labels": {**labels_of(node), NODE_POOL: pool}},
        "spec": {"expireAfter": "Never"},
        "status": {
            "nodeName": name_of(node),
            "capacity": part(status, "capacity"),
            "allocatable": part(status, "allocatable"),
            "conditions": [{"type": condition, "status": "True"} for condition in CONDITIONS],
        },
    }


def as_initialized(node: Manifest) -> Manifest:
    """Return a node with the labels that Karpenter sets once it is registered and initialized; other objects
    unchanged.
    """
    if node.get("kind") != "Node":
        return node
    metadata = part(node, "metadata")
    labels = {**labels_of(node), REGISTERED: "true", INITIALIZED: "true"}
    return {**node, "metadata": {**metadata, "labels": labels}}


def _instance_types(nodes: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield the instance types of the nodes of NodePools, each in all zones and with all capacity types that occur.

    On-demand is always among the capacity types.
    """
    zones = sorted({zone for node in nodes if (zone := labels_of(node).get(ZONE))}) or ["zone-a"]
    kinds = sorted({kind for node in nodes if (kind := labels_of(node).get(CAPACITY_TYPE))} | {"on-demand"})
    known: dict[str, Manifest] = {}
    for node in nodes:
        labels = labels_of(node)
        name = labels.get(INSTANCE_TYPE)
        if name and name not in known and labels.get(NODE_POOL):
            known[name] = node
    for name, node in known.items():
        labels = labels_of(node)
        capacity = {resource: amount + OVERHEAD.get(resource, 0) for resource, amount in _size_of(node).items()}
        price = round(estimated_price(capacity), 4)
        offerings = [
            {"zone": zone, "capacityType": kind, "price": price if kind != "spot" else round(price * SPOT_SHARE, 4)}
            for zone in zones
            for kind in kinds
        ]
        own = {key: value for key, value in labels.items() if key.startswith("karpenter.k8s.")}
        others = {
            resource: str(amount) for resource, amount in capacity.items() if resource not in ("cpu", "memory", "pods")
        }
        yield {
            "name": name,
            "cpu": f"{capacity.get('cpu', 0)}m",
            "memory": str(capacity.get("memory", 0)),
            "pods": str(capacity.get("pods", 110)),
            **({"resources": others} if others else {}),
            "arch": labels.get(ARCH, "amd64"),
            "os": [labels.get(OS, "linux")],
            **({"labels": own} if own else {}),
            "offerings": offerings,
        }


def _size_of(node: Manifest) -> Amounts:
    """Return the allocatable amounts of a node, or else its capacity; {} if a quantity is invalid, which the parser
    reports.
    """
    status = part(node, "status")
    try:
        return amounts(part(status, "allocatable") or part(status, "capacity"))
    except QuantityError:
        return {}


def _is_pool(manifest: Manifest) -> bool:
    return manifest.get("kind") == "NodePool" and str(manifest.get("apiVersion")).partition("/")[0] == GROUP
