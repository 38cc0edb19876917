"""An upgrade: each pod is decided again on two releases, with all other pods on their nodes.

    upgrade(parse_scenario(text, release=old), parse_scenario(text, release=new))

Each pod is decided alone: otherwise the first pod that moves would also move many pods that the releases treat alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Pod, PodKey
from scheduler_core.apis.devices import ResourceClaim
from scheduler_core.ask.compare import Cause, cause_of
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.objects import edit_object
from scheduler_core.ask.moments.judge import Side, side_of
from scheduler_core.ask.moments.moment import Moment, at_end
from scheduler_core.ask.moments.world import World
from scheduler_core.cluster.cluster import Cluster, key_of, kind_of
from scheduler_core.controllers.eviction import stays_in_drain
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.dynamic_resources.claims import claim_keys
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

    `before` and `after` are releases. `decided` pods were decided on both; daemon, terminating, gated and unreadable
    pods were not, nor were those of other schedulers.

    `changes`: the pods with different decisions. `pending`: all pods that one of the releases does not schedule.
    """

    before: str
    after: str
    decided: int
    changes: list[Decided]
    pending: list[Decided]
    unreadable: list[Unreadable]


# By kind and key: an object as the older release reads it (None: not at all), and as the newer one does.
ReadOtherwise = dict[tuple[str, str], tuple[KubernetesObject | None, KubernetesObject]]


class _LoadedSimulation(Simulation):
    """A simulation whose cluster is loaded but not run, so that each pod can be decided on its own."""

    def __init__(self, scenario: Scenario, registry: Registry) -> None:
        super().__init__(replace(scenario, events=(), observed=()), registry)
        self._load()


def upgrade(before: Scenario, after: Scenario, registry: Registry = REGISTRY) -> Upgrade:
    """Return the pods whose decisions differ between the releases, and the pending and unreadable ones.

    `before` and `after` are the same text parsed for the older and the newer release. Raises RunEnded.
    """
    cluster = at_end(before, registry).world().cluster
    unreadable: dict[PodKey, str] = {}
    read_otherwise = _read_otherwise(before, after)
    worlds = [
        _world(before, cluster, {}, unreadable, registry),
        _world(after, cluster, read_otherwise, unreadable, registry),
    ]
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


def _read_otherwise(before: Scenario, after: Scenario) -> ReadOtherwise:
    """Return the objects of the file that only the newer release reads, or reads with more fields.

    Those with a uid (volumes, claims, workloads) are the same objects in both releases, with the state that they got.
    """
    known = {(kind_of(item), key_of(item)): item for item in before.objects}
    changed: ReadOtherwise = {}
    for item in after.objects:
        key = kind_of(item), key_of(item)
        if not hasattr(item, "uid") and known.get(key) != item:
            changed[key] = known.get(key), item
    return changed


def _world(
    scenario: Scenario,
    cluster: Cluster,
    read_otherwise: ReadOtherwise,
    unreadable: dict[PodKey, str],
    registry: Registry,
) -> World:
    """Return a world with the cluster as the scenario's release parses it."""
    objects = tuple(_objects(scenario, cluster, read_otherwise, unreadable))
    simulation = _LoadedSimulation(replace(scenario, objects=objects), registry)
    return Moment(scenario, registry, simulation, None).world()


def _objects(
    scenario: Scenario, cluster: Cluster, read_otherwise: ReadOtherwise, unreadable: dict[PodKey, str]
) -> Iterator[KubernetesObject]:
    for kind in KINDS:
        if kind in ("Node", "Pod"):
            continue
        for item in cluster.objects(kind):
            old, new = read_otherwise.get((kind, key_of(item)), (None, None))
            yield item if new is None or old != item else new
        yield from (new for (name, _), (old, new) in read_otherwise.items() if name == kind and old is None)
    yield from cluster.all_nodes()
    for pod in sorted(cluster.pods.all(), key=lambda pod: not pod.node_name):
        try:
            yield edit_object(pod, [], cluster, scenario.release)
        except NotPossible as error:
            unreadable[pod.key] = str(error.sentence)
            yield pod


def _decided_alone(world: World, key: PodKey) -> Decision:
    """Return the decision about a recreated pod, with new claims of its templates, in the unchanged cluster."""
    pod = world.cluster.pods.get(key)
    assert pod is not None
    if not pod.node_name:
        return world.decide(key)
    named = (world.cluster.get("ResourceClaim", claim_key) for claim_key in claim_keys(pod))
    claims = [claim for claim in named if isinstance(claim, ResourceClaim) and claim.owner_uid == pod.uid]
    world.cluster.delete("Pod", key)
    for claim in claims:
        world.cluster.apply(replace(claim, allocation=None, reserved_for=(), devices=()))
    world.cluster.apply(replace(pod, node_name="", start_time=None, phase="Pending"))
    try:
        return world.decide(key)
    finally:
        for claim in claims:
            world.revert("ResourceClaim", claim.key, claim)
        world.revert("Pod", key, pod)


def _compared(pod: Pod, before: Decision, after: Decision) -> Decided:
    sides = side_of(before), side_of(after)
    came_to = [(side.node, side.nominated, sorted(side.victims)) for side in sides]
    other_message = not sides[0].node and not sides[1].node and sides[0].message != sides[1].message
    if came_to[0] == came_to[1] and not other_message:
        return Decided(pod.key, pod.node_name, *sides, None)
    old, new = ({"node": decision.node, "message": decision.message, **decision.record} for decision in (before, after))
    return Decided(pod.key, pod.node_name, *sides, cause_of(old, new))
