"""Capacity: copies of a pod are placed one by one until no node has room.

Room is what is free: nobody is preempted. Each copy is decided as the scheduler would and counted on its node before
the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import MOST_NODES_ADDED, AddNodes, NotPossible
from scheduler_core.ask.editing.objects import no_such
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.world import World
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.trace.records import NodeName

MOST_REPLICAS = 10_000
MOST_ROOMS = 200  # nodes whose room is told


class NodesMore(msgspec.Struct, frozen=True):
    """The number of nodes like one that must be added until all wanted copies fit; None if no number is enough."""

    like: NodeName
    count: int | None


class Room(msgspec.Struct, frozen=True):
    """A resource of a node: used `before` and by the `copies`; for `further` ones there is enough of it."""

    resource: str
    allocatable: int
    before: int
    copies: int
    further: int


class Capacity(msgspec.Struct, frozen=True):
    """The number of copies that `fit`; `message` is the reason for the next one, "" if no more were wanted.

    `by_node` and `by_zone` are what they stand on, the most first; `more` what `wanted` would take, by kind of node.
    `rooms` are the resources that the pod requests, on nodes with most copies first; of a node the one that fills up
    first comes first.
    """

    pod: PodKey
    fit: int
    wanted: int | None
    message: str
    by_node: dict[NodeName, int]
    by_zone: dict[str, int]
    more: list[NodesMore]
    rooms: dict[NodeName, list[Room]] = {}


def capacity(moment: Moment, key: PodKey, wanted: int | None = None) -> Capacity:
    """Count the copies of a pod that fit; with `wanted`, also what is missing for so many. Raises NotPossible."""
    if wanted is not None and not 1 <= wanted <= MOST_REPLICAS:
        raise NotPossible(Message("must be 1 to {most:,} replicas", most=MOST_REPLICAS))
    world = moment.world()
    pod = world.cluster.pods.get(key)
    if pod is None:
        raise no_such("Pod", key)
    places, message = placed(world, pod, wanted or MOST_REPLICAS)
    more = [] if wanted is None or len(places) >= wanted else _nodes_more(moment, pod, wanted, len(places))
    on = Counter(places)
    zones = Counter({_zone(world.cluster.node(name)): 0 for name in on})
    for name, count in on.items():
        zones[_zone(world.cluster.node(name))] += count
    by_zone = {} if set(zones) <= {""} else dict(zones)
    return Capacity(key, len(places), wanted, message, dict(on.most_common()), by_zone, more, _rooms(world, pod, on))


def placed(world: World, pod: Pod, most: int) -> tuple[list[NodeName], str]:
    """Place copies of the pod. Return their nodes in order, and the message of the first copy that does not fit."""
    places: list[NodeName] = []
    while len(places) < most:
        copy = _copy(pod, world, len(places) + 1)
        world.create(copy)
        decision = world.decide(copy.key)
        refused = world.place(copy.key, decision.node) if decision.node else decision.message
        if refused:
            return places, refused
        places.append(decision.node)
    return places, ""


def _rooms(world: World, pod: Pod, on: Counter[NodeName]) -> dict[NodeName, list[Room]]:
    """Return the room of each node once the copies are there."""
    nodes = world.cluster.nodes
    rows = {name: row for row, name in enumerate(nodes.names)}
    shown = [*(name for name, _ in on.most_common(MOST_ROOMS)), *(name for name in rows if name not in on)][:MOST_ROOMS]
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
        found = [
            Room(resource, whole, used - count * amount, count * amount, max(0, whole - used) // amount)
            for resource, amount, whole, used in sums
        ]
        rooms[name] = sorted(found, key=lambda one: (one.further, one.resource == "pods"))
    return rooms


def _copy(pod: Pod, world: World, number: int) -> Pod:
    """Return a pending copy of the pod, as a controller would create it."""
    name = f"{pod.name}-{number}"
    while world.cluster.pods.get(f"{pod.namespace}/{name}") is not None:
        name += "-copy"
    fresh = pod.changed(name=name, key=f"{pod.namespace}/{name}", uid=f"{pod.uid}-{number}", node_name="")
    fresh = fresh.changed(start_time=None, nominated_node_name="", phase="Pending", terminating=False)
    return fresh.changed(resource_claim_statuses=(), extended_resource_claim="")


def _zone(node: Node | None) -> str:
    labels: Mapping[str, str] = node.labels if node else {}
    return next((labels[label] for label in ZONE_LABELS if label in labels), "")


def _nodes_more(moment: Moment, pod: Pod, wanted: int, fit: int) -> list[NodesMore]:
    """Return, for each kind of node, the smallest sufficient number (by bisection); the smallest first."""
    found = [NodesMore(node.name, _fewest(moment, pod, node.name, wanted, fit)) for node in kinds(moment)]
    return sorted(found, key=lambda one: (one.count is None, one.count or 0))


def kinds(moment: Moment, most: int = 8) -> Sequence[Node]:
    """Return a node of each kind (nodes that differ in more than their name), the smallest first."""
    seen: dict[object, Node] = {}
    for node in moment.world().cluster.all_nodes():
        labels = {key: value for key, value in node.labels.items() if value != node.name}
        shape = (tuple(sorted(node.allocatable.items())), tuple(sorted(labels.items())), node.taints)
        if not node.unschedulable:
            seen.setdefault(shape, node)
    return sorted(seen.values(), key=lambda one: one.allocatable.get("cpu", 0))[:most]


def _fewest(moment: Moment, pod: Pod, like: NodeName, wanted: int, fit: int) -> int | None:
    def enough(count: int) -> bool:
        world = moment.world()
        world.edited([AddNodes(like, count)], {})
        return len(placed(world, pod, wanted)[0]) >= wanted

    most = min(wanted - fit, MOST_NODES_ADDED)
    if not enough(most):
        return None
    low, high = 0, most  # `low` is too few, `high` is enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
