"""Capacity: the number of copies of a pod that fit, found by placing one after another.

Only free resources are used: nothing is preempted. Each copy is scheduled as the scheduler would schedule it and counts
on its node before the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.devices import ResourceSlice
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import MAX_NODES_ADDED, AddNodes, NotPossible
from scheduler_core.ask.editing.objects import no_such
from scheduler_core.ask.moments.judge import rejection_of
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.world import World
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.trace.records import NodeName

MAX_REPLICAS = 10_000
MAX_NODES_REPORTED = 200  # the number of nodes whose resources are reported
FEW = 8  # an attribute with more values, all different, identifies the device


class NodesMore(msgspec.Struct, frozen=True):
    """The fewest nodes like `like` with which all requested copies fit; None if the largest number tried is too few."""

    like: NodeName
    count: int | None


class ResourceUse(msgspec.Struct, frozen=True):
    """A resource of a node: the amounts used `before` and by the `copies`, and the `further` copies that fit."""

    resource: str
    allocatable: int
    before: int
    copies: int
    further: int


class Capacity(msgspec.Struct, frozen=True):
    """The number of copies that `fit`; `message` says why the next one does not, "" if no more were requested.

    `by_node` and `by_zone` count the placed copies, the most first; `more` is the number of nodes that `wanted` copies
    would need, by kind of node. `rooms` are the requested resources of the nodes with the most copies; for each node,
    the one that is used up first comes first. `rejected` names the plugin and the reasons for which Filter rejects the
    next copy on those nodes.
    """

    pod: PodKey
    fit: int
    wanted: int | None
    message: str
    by_node: dict[NodeName, int]
    by_zone: dict[str, int]
    more: list[NodesMore]
    rooms: dict[NodeName, list[ResourceUse]] = {}
    rejected: dict[NodeName, str] = {}


def capacity(moment: Moment, key: PodKey, requested: int | None = None) -> Capacity:
    """Count the copies of a pod that fit and, if more are `requested`, the nodes to add. Raises NotPossible."""
    if requested is not None and not 1 <= requested <= MAX_REPLICAS:
        raise NotPossible(Message("replicas must be between 1 and {most:,}", most=MAX_REPLICAS))
    world = moment.world()
    pod = world.cluster.pods.get(key)
    if pod is None:
        raise no_such("Pod", key)
    places, message, reasons = place_copies(world, pod, requested or MAX_REPLICAS)
    more = [] if requested is None or len(places) >= requested else _nodes_more(moment, pod, requested, len(places))
    on = Counter(places)
    zones = Counter({_zone(world.cluster.node(name)): 0 for name in on})
    for name, count in on.items():
        zones[_zone(world.cluster.node(name))] += count
    by_zone = {} if set(zones) <= {""} else dict(zones)
    rooms = _resources_by_node(world, pod, on)
    rejected = {name: reason for name, reason in reasons.items() if name in rooms}
    return Capacity(key, len(places), requested, message, dict(on.most_common()), by_zone, more, rooms, rejected)


def place_copies(world: World, pod: Pod, most: int) -> tuple[list[NodeName], str, dict[NodeName, str]]:
    """Place copies of the pod. Return their nodes in order, and the message for the first copy that does not fit.

    Return also why Filter rejects that copy, by node.
    """
    places: list[NodeName] = []
    while len(places) < most:
        copy = _copy(pod, world, len(places) + 1)
        world.create(copy)
        decision = world.decide(copy.key)
        refused = world.place(copy.key, decision.node) if decision.node else decision.message
        if refused:
            return places, refused, {name: rejection_of(decision, name) for name in decision.record["filter"]}
        places.append(decision.node)
    return places, "", {}


def _resources_by_node(world: World, pod: Pod, on: Counter[NodeName]) -> dict[NodeName, list[ResourceUse]]:
    """Return the used and free resources of the nodes once the copies are placed, those with the most copies first.

    At most MAX_NODES_REPORTED nodes are included.
    """
    nodes = world.cluster.nodes
    rows = {name: row for row, name in enumerate(nodes.names)}
    shown = [*(name for name, _ in on.most_common(MAX_NODES_REPORTED)), *(name for name in rows if name not in on)][
        :MAX_NODES_REPORTED
    ]
    requests = {name: amount for name, amount in pod.requests.items() if amount > 0}
    rooms = {}
    for name in shown:
        row, count = rows[name], on[name]
        pods = int(nodes.pod_count[row])
        sums = [("pods", 1, int(nodes.allowed_pods[row]), pods)]
        for resource, amount in requests.items():
            index = nodes.resources.get(resource, len(nodes.allocatable))
            if index < len(nodes.allocatable):
                column = int(nodes.allocatable[index][row]), int(nodes.requested[index][row])
                sums.append((resource, amount, *column))
        entries = [
            ResourceUse(resource, whole, used - count * amount, count * amount, max(0, whole - used) // amount)
            for resource, amount, whole, used in sums
        ]
        rooms[name] = sorted(entries, key=lambda use: (use.further, use.resource == "pods"))
    return rooms


def _copy(pod: Pod, world: World, number: int) -> Pod:
    """Return a pending copy of the pod, as a controller would create it."""
    name = f"{pod.name}-{number}"
    while world.cluster.pods.get(f"{pod.namespace}/{name}") is not None:
        name += "-copy"
    return replace(
        pod,
        name=name,
        uid=f"{pod.uid}-{number}",
        node_name="",
        start_time=None,
        nominated_node_name="",
        phase="Pending",
        terminating=False,
        resource_claim_statuses=(),
        extended_resource_claim="",
    )


def _zone(node: Node | None) -> str:
    labels: Mapping[str, str] = node.labels if node else {}
    return next((labels[label] for label in ZONE_LABELS if label in labels), "")


def _nodes_more(moment: Moment, pod: Pod, requested: int, fit: int) -> list[NodesMore]:
    """Return the smallest sufficient number for each kind of node (by bisection), the smallest first."""
    results = [
        NodesMore(node.name, _fewest(moment, pod, node.name, requested, fit)) for node in node_of_each_kind(moment)
    ]
    return sorted(results, key=lambda result: (result.count is None, result.count or 0))


def node_of_each_kind(moment: Moment, most: int = 8) -> Sequence[Node]:
    """Return a schedulable node of each kind, at most `most`, the least cpu first; nodes of a kind differ in name."""
    seen: dict[object, Node] = {}
    cluster = moment.world().cluster
    devices = _devices_of_nodes(cluster)
    for node in cluster.all_nodes():
        labels = {key: value for key, value in node.labels.items() if value != node.name}
        shape = tuple(sorted(node.allocatable.items())), tuple(sorted(labels.items())), node.taints
        if not node.unschedulable:
            seen.setdefault((*shape, devices.get(node.name)), node)
    return sorted(seen.values(), key=lambda node: node.allocatable.get("cpu", 0))[:most]


def _devices_of_nodes(cluster: Cluster) -> dict[NodeName, tuple[Hashable, ...]]:
    """Return the devices of each node, without the attributes that identify a device."""
    slices = [piece for piece in cluster.objects("ResourceSlice") if isinstance(piece, ResourceSlice) and piece.reach]
    local = [piece for piece in slices if piece.reach is not None and piece.reach.node_name]
    values = Counter(
        (key, value) for piece in local for device in piece.devices for key, value in device.attributes.items()
    )
    several = {key for (key, _), count in values.items() if count > 1}
    number = Counter(key for key, _ in values)
    contents: dict[NodeName, tuple[Hashable, ...]] = {}
    for piece in local:
        assert piece.reach is not None
        described = tuple(
            (
                piece.driver,
                tuple((key, value) for key, value in device.attributes.items() if key in several or number[key] <= FEW),
                tuple(device.capacity.items()),
                device.taints,
                device.consumes_counters,
            )
            for device in piece.devices
        )
        contents[piece.reach.node_name] = (*contents.get(piece.reach.node_name, ()), described, piece.shared_counters)
    return contents


def _fewest(moment: Moment, pod: Pod, like: NodeName, requested: int, fit: int) -> int | None:
    """Return the smallest number of added nodes with which all requested copies fit.

    None: no number of at most MAX_NODES_ADDED is enough.
    """

    def enough(count: int) -> bool:
        world = moment.world()
        world.apply_edits([AddNodes(like, count)], {})
        return len(place_copies(world, pod, requested)[0]) >= requested

    most = min(requested - fit, MAX_NODES_ADDED)
    if not enough(most):
        return None
    low, high = 0, most  # `low` nodes are too few, `high` are enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
