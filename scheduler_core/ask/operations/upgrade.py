"""An upgrade: each pod is decided again on two releases, with all other pods on their nodes.

    upgrade(parse_scenario(text, release=old), parse_scenario(text, release=new))

Each pod is decided alone: otherwise the first pod that moves would also move many pods that the releases treat alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Pod, PodKey
from scheduler_core.ask.compare import Cause, cause_of
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.objects import edit_object
from scheduler_core.ask.moments.judge import Side, side_of
from scheduler_core.ask.moments.moment import Moment, at_end
from scheduler_core.ask.moments.world import World
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.controllers.eviction import stays_in_drain
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.decide import Decision
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.records import NodeName


class Decided(msgspec.Struct, frozen=True):
    """The decisions of both releases about a pod.

    `node` "" means pending. `cause`: why they differ, None if they do not.
    """

    pod: PodKey
    node: NodeName
    before: Side
    after: Side
    cause: Cause | None


class Unreadable(msgspec.Struct, frozen=True):
    """A pod that the newer release rejects, and its message."""

    pod: PodKey
    message: str


class Upgrade(msgspec.Struct, frozen=True):
    """The result of an upgrade.

    `before` and `after` are releases. `decided` pods were decided on both; daemon pods and terminating pods were not.

    `changes`: the pods with different decisions. `pending`: all pods that one of the releases does not schedule.
    """

    before: str
    after: str
    decided: int
    changes: list[Decided]
    pending: list[Decided]
    unreadable: list[Unreadable]


class _Standing(Simulation):
    """A cluster in which each pod is decided on its own."""

    def __init__(self, scenario: Scenario, registry: Registry) -> None:
        super().__init__(replace(scenario, events=(), observed=()), registry)
        self._load()


def upgrade(before: Scenario, after: Scenario, registry: Registry = REGISTRY) -> Upgrade:
    """Return the decisions that differ between the releases; `after` is the text parsed for the newer one.

    Raises RunEnded.
    """
    cluster = at_end(before, registry).world().cluster
    unreadable: dict[PodKey, str] = {}
    worlds = [_world(release_scenario, cluster, unreadable, registry) for release_scenario in (before, after)]
    all_decided, total = [], 0
    for pod in sorted(cluster.pods.all(), key=lambda pod: pod.key):
        ends = pod.terminating and not (pod.owner and pod.owner.kind == "StatefulSet")
        tried = not ends and not stays_in_drain(pod) and pod.key not in unreadable
        if not tried or any(pod.scheduler_name not in world.frameworks for world in worlds) or pod.scheduling_gates:
            continue
        total += 1
        decisions = [_decided_alone(world, pod.key) for world in worlds]
        all_decided.append(_compared(pod, *decisions))
    return Upgrade(
        before.release.version,
        after.release.version,
        total,
        [entry for entry in all_decided if entry.cause is not None],
        [entry for entry in all_decided if not (entry.before.node and entry.after.node)],
        [Unreadable(*pair) for pair in sorted(unreadable.items())],
    )


def _world(scenario: Scenario, cluster: Cluster, unreadable: dict[PodKey, str], registry: Registry) -> World:
    """Return a world with the cluster as a release parses it."""
    objects = tuple(_objects(scenario, cluster, unreadable))
    simulation = _Standing(replace(scenario, objects=objects), registry)
    return Moment(scenario, registry, simulation, None).world()


def _objects(scenario: Scenario, cluster: Cluster, unreadable: dict[PodKey, str]) -> Iterator[KubernetesObject]:
    for kind in KINDS:
        if kind not in ("Node", "Pod"):
            yield from cluster.objects(kind)
    yield from cluster.all_nodes()
    for pod in sorted(cluster.pods.all(), key=lambda pod: not pod.node_name):
        try:
            yield edit_object(pod, [], cluster, scenario.release)
        except NotPossible as error:
            unreadable[pod.key] = str(error.sentence)
            yield pod


def _decided_alone(world: World, key: PodKey) -> Decision:
    """Return the decision about a recreated pod in the unchanged cluster."""
    pod = world.cluster.pods.get(key)
    assert pod is not None
    if not pod.node_name:
        return world.decide(key)
    world.cluster.delete("Pod", key)
    world.cluster.apply(replace(pod, node_name="", start_time=None, phase="Pending"))
    try:
        return world.decide(key)
    finally:
        world.revert("Pod", key, pod)


def _compared(pod: Pod, before: Decision, after: Decision) -> Decided:
    sides = side_of(before), side_of(after)
    came_to = [(side.node, side.nominated, sorted(side.victims)) for side in sides]
    told_otherwise = not sides[0].node and not sides[1].node and sides[0].message != sides[1].message
    if came_to[0] == came_to[1] and not told_otherwise:
        return Decided(pod.key, pod.node_name, *sides, None)
    old, new = ({"node": decision.node, "message": decision.message, **decision.record} for decision in (before, after))
    return Decided(pod.key, pod.node_name, *sides, cause_of(old, new))
