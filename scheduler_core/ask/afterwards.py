"""Preempted pods, pods that cannot terminate, and running pods that break their own rules at the end of a run.

Controllers (ReplicaSet, StatefulSet, DaemonSet) replace preempted pods; the cluster at the end of the run decides
where.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.ask.editing.edits import NotPossible, Remove
from scheduler_core.ask.editing.objects import build_object
from scheduler_core.ask.histories import Histories
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.world import World
from scheduler_core.ask.smallest.owners import WorkloadName, siblings, workload_of
from scheduler_core.controllers.absent_owner import replacement
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.records import NodeName

UNREACHABLE = "node.kubernetes.io/unreachable"
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
MAX_CHECKED = 300  # running pods whose own rules are checked
# The plugins whose rules are those of the pod itself, and can be broken while it runs.
LIFELONG = ("PodTopologySpread", "InterPodAffinity", "NodeAffinity", "TaintToleration")


class Evicted(msgspec.Struct, frozen=True):
    """A preempted pod. `owner`: the workload that replaces it, "" if there is none.

    `new_node`: the node of the replacement, "" if it has none; if there is an owner, `message` then says why.
    """

    pod: PodKey
    node: NodeName
    preemptor: PodKey
    owner: str = ""
    new_node: NodeName = ""
    message: str = ""


class Stuck(msgspec.Struct, frozen=True):
    """A Terminating pod that cannot end, because the kubelet of its node does not answer.

    `owner`: its workload. `waits`: the workload creates no replacement before the pod is gone (StatefulSet). `instead`:
    another pod of the workload that has a node, "" if there is none or the workload waits.
    """

    pod: PodKey
    node: NodeName
    owner: str = ""
    waits: bool = False
    instead: PodKey = ""


class Broken(msgspec.Struct, frozen=True):
    """A running pod that would not be scheduled to its node now: `plugin` rejects it for `reason`.

    `revisions`: the pod's spread constraint counts pods of all revisions of its Deployment. `others`: the number of
    pods of the same workload for which the same holds.
    """

    pod: PodKey
    node: NodeName
    plugin: str
    reason: str
    owner: str = ""
    revisions: bool = False
    others: int = 0


def evicted_pods(
    moment: Moment, evictions: Iterable[VictimEvicted], pods: Mapping[PodKey, Pod], histories: Histories
) -> list[Evicted]:
    """Return the preempted pods that do not exist any more, with the nodes of their replacements.

    For a pod that no controller of the run replaced, the cluster at the end of the run decides.
    """
    world = moment.world()
    victims = []
    for eviction in evictions:
        pod = pods.get(eviction.pod)
        made = histories.pods.get(histories.made.get(eviction.pod, ""))
        if made is not None:
            owner = owner_name(workload_of(pod)) if pod is not None else made.owner.replace("/", " ")
            new_node, message = made.node, made.message
        elif pod is None or world.cluster.pods.get(eviction.pod) is not None:
            continue
        else:
            owner = owner_name(workload_of(pod))
            new_node, message = _recreate(moment, world, pod) if owner else ("", "")
        victims.append(Evicted(eviction.pod, eviction.node, eviction.preemptor, owner, new_node, message))
    return victims


def _recreate(moment: Moment, world: World, pod: Pod) -> tuple[NodeName, str]:
    """Create a replacement of the pod in the world. Return its node and "", or "" and the reason why it has none."""
    try:
        made = build_object("Pod", replacement(pod), world.cluster, moment.scenario.release)
        assert isinstance(made, Pod)
        world.create(made)
        decision = world.decide(made.key)
        if decision.node:
            world.place(made.key, decision.node)
            return decision.node, ""
        world.go_on()
        return "", decision.message
    except NotPossible as error:
        return "", str(error)


def stuck_pods(moment: Moment) -> list[Stuck]:
    """Return the Terminating pods whose node does not answer."""
    cluster = moment.world().cluster
    silent = {node.name for node in cluster.all_nodes() if does_not_answer(node)}
    stuck = []
    for pod in cluster.pods.all():
        if pod.terminating and pod.node_name in silent:
            workload = workload_of(pod)
            others = [other for other in siblings(pod, cluster) if not other.terminating and other.node_name]
            waits = workload is not None and workload.kind == "StatefulSet"
            instead = others[0].key if others and not waits else ""
            stuck.append(Stuck(pod.key, pod.node_name, owner_name(workload), waits, instead))
    return stuck


def does_not_answer(node: Node) -> bool:
    """Return whether the node has the unreachable taint of the node lifecycle controller, but not `out-of-service`."""
    keys = {taint.key for taint in node.taints}
    return UNREACHABLE in keys and OUT_OF_SERVICE not in keys


def broken_rules(moment: Moment, only: PodKey = "") -> list[Broken]:
    """Return the running pods that their own rules would not allow on their node now, one for each workload and reason.

    `only`: check this pod, "" for all. At most MAX_CHECKED pods are checked.
    """
    world = moment.world()
    pods = [
        pod
        for pod in world.cluster.pods.all()
        if pod.node_name and not pod.terminating and has_rules(pod) and only in ("", pod.key)
    ]
    groups: dict[tuple[str, str, str], list[Broken]] = {}
    for pod in pods[:MAX_CHECKED]:
        for broken in _broken(moment, pod):
            groups.setdefault((broken.owner or broken.pod, broken.plugin, broken.reason), []).append(broken)
    return [replace(first, others=len(others)) for first, *others in groups.values()]


def has_rules(pod: Pod) -> bool:
    """Return whether the pod has rules of its own that other pods or labels of nodes can break later."""
    return bool(
        any(constraint.when_unsatisfiable == "DoNotSchedule" for constraint in pod.topology_spread_constraints)
        or pod.required_affinity
        or pod.required_anti_affinity
        or pod.required_node_affinity
        or pod.node_selector
    )


def _broken(moment: Moment, pod: Pod) -> Iterator[Broken]:
    """Yield the first of the pod's own rules that would reject it on its node if it were scheduled again, if any."""
    world = moment.world()
    try:
        made = build_object("Pod", replacement(pod), world.cluster, moment.scenario.release)
        assert isinstance(made, Pod)
        world.apply_edits([Remove("Pod", pod.name, pod.namespace)], {})
        world.create(made)
        objections = world.objections(made.key, [pod.node_name])
    except NotPossible:
        return
    for status in objections.of(0) if len(objections.rows) else ():
        if status.plugin in LIFELONG:
            keys = [key for constraint in pod.topology_spread_constraints for key in constraint.match_label_keys]
            of_deployment = (workload := workload_of(pod)) is not None and workload.kind == "Deployment"
            revisions = status.plugin == "PodTopologySpread" and of_deployment and not keys
            owner = owner_name(workload_of(pod))
            yield Broken(pod.key, pod.node_name, status.plugin, status.message, owner, revisions)
            return


def owner_name(workload: WorkloadName | None) -> str:
    """Return kind and name, such as "StatefulSet ci"; "" without a workload."""
    return f"{workload.kind} {workload.name}" if workload is not None else ""
