"""Search for the node groups that would help pending pods, and for the number of nodes.

    helping(scenario)

A group is tried by adding its nodes and their DaemonSet pods to the cluster at the end of the run and continuing the
scheduler. All plugins evaluate one new node first, so that only groups that can help are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Node, PodKey
from scheduler_core.ask.editing.edits import MAX_NODES_ADDED
from scheduler_core.ask.editing.objects import build_object, slices_of
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.ask.moments.moment import Moment, at_end
from scheduler_core.ask.operations.node_groups import Group, Template, groups_of, manifests_of
from scheduler_core.ask.operations.questions import Add, answer
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.records import NodeName

FULL = "full"
MAX_KINDS = 40  # the number of kinds of nodes that are tried


class Help(msgspec.Struct, frozen=True):
    """The effect on the pending pods of adding nodes of one kind from a group.

    `pods` can be scheduled with `nodes` more nodes, but not all of them with one fewer; `price` is that of all these
    nodes, None if unknown. `short`: more pods could be scheduled if the group's maximum allowed more nodes. Without
    `pods`, `why` is the plugins' reason against such a node for the next pod, or "full".
    """

    group: str
    zone: str
    like: NodeName
    nodes: int
    pods: list[PodKey]
    price: float | None
    why: str = ""
    short: bool = False


class Helping(msgspec.Struct, frozen=True):
    """The result of the search.

    `pending`: the pods that wait at the end of the run, the next one first, without gated pods and pods of other
    schedulers. `helps`: the kinds of nodes; those that help most pods come first, then the cheapest or fewest.
    """

    release: str
    pending: list[PodKey]
    groups: list[Group]
    helps: list[Help]


def helping(scenario: Scenario, registry: Registry = REGISTRY) -> Helping:
    """Return, for each kind of node of the groups (up to MAX_KINDS), the pending pods that such nodes would schedule.

    Raises RunEnded, and NotPossible for a recording.
    """
    moment = at_end(scenario, registry)
    world = moment.world()
    pending = [
        pod.key
        for pod in sorted(world.cluster.pods.all(), key=lambda pod: (-pod.priority, pod.creation_timestamp, pod.key))
        if not pod.node_name and not pod.scheduling_gates and pod.scheduler_name in world.frameworks
    ]
    groups = groups_of(scenario, world.cluster.all_nodes())
    kinds = [(group, template) for group in groups for template in group.templates][:MAX_KINDS]
    helps = [_help(moment, group, template, pending) for group, template in kinds] if pending else []
    helps.sort(key=_rank)
    return Helping(scenario.release.version, pending, groups, helps)


def _rank(result: Help) -> tuple[Any, ...]:
    """Return the sort key: most pods first, then the cheapest, then the fewest nodes."""
    return -len(result.pods), result.price is None, result.price or 0, result.nodes, result.group, result.zone


def _help(moment: Moment, group: Group, template: Template, pending: Sequence[PodKey]) -> Help:
    none = Help(group.name, template.zone, template.like, 0, [], None)
    allowed = MAX_NODES_ADDED if group.maximum is None else group.maximum - len(group.nodes)
    if allowed < 1:
        return replace(none, why=FULL)
    why = dict(_objections(moment, group, template, pending))
    if all(why.values()):
        return replace(none, why=why[pending[0]])

    @lru_cache
    def scheduled(count: int) -> frozenset[PodKey]:
        question = Add(group=group.name, zone=template.zone, like=template.like, count=count)
        result = answer(moment.scenario, question, moment.registry)
        return frozenset(move.pod for move in result.moved if not move.before)

    count = min(len(pending), MAX_NODES_ADDED)
    most = min(allowed, count)
    if not scheduled(most):
        return replace(none, why=why[pending[0]])
    low, high = 0, most  # `low` nodes are too few, `high` are enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if len(scheduled(middle)) >= len(scheduled(most)) else (middle, high)
    return replace(
        none,
        nodes=high,
        pods=[key for key in pending if key in scheduled(high)],
        price=None if group.price is None else round(group.price * high, 6),
        short=most < count and len(scheduled(count)) > len(scheduled(most)),
    )


def _objections(
    moment: Moment, group: Group, template: Template, keys: Sequence[PodKey]
) -> Iterator[tuple[PodKey, str]]:
    """Yield the plugins' objections to each pod on a new, empty node of this kind; "" if there is none."""
    world = moment.world()
    [manifest] = manifests_of(group.name, template, 1, {node.name for node in world.cluster.all_nodes()})
    node = build_object("Node", manifest, world.cluster, moment.scenario.release)
    assert isinstance(node, Node)
    world.cluster.apply(replace(node, uid=f"node-{node.name}"))
    for piece in slices_like(template.like or next(iter(group.nodes), ""), node.name, slices_of(world.cluster)):
        world.cluster.apply(build_object("ResourceSlice", piece, world.cluster, moment.scenario.release))
    for key in keys:
        objections = world.objections(key, [node.name])
        reasons = objections.of(0) if len(objections.rows) else []
        yield key, "; ".join(f"{objection.plugin}: {objection.message}" for objection in reasons)
