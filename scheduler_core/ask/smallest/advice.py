"""Advice before a change: facts about the pod's workload, its nodes and its spec.

Each piece of advice is computed from the cluster at the moment, and where it names a change, that change is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal

import msgspec

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.core import Node, PersistentVolume, PersistentVolumeClaim, Pod, PodKey
from scheduler_core.ask.editing.edits import NotPossible, Remove
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.world import World
from scheduler_core.ask.smallest.owners import older_revisions, pinned_node, workload_of
from scheduler_core.ask.smallest.proposals.nodes import UNSCHEDULABLE_TAINT
from scheduler_core.ask.smallest.proposals.resources import amount, written
from scheduler_core.ask.smallest.proposals.truth import is_condition
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS
from scheduler_core.trace.summaries import taint_text

Kind = Literal["rollout", "pinned", "init", "condition", "toleration", "key", "domain", "offers", "released"]
MAX_NODES = 5  # names in a sentence
MAX_OLD = 8  # pods of older revisions whose deletion is tried


class Advice(msgspec.Struct, frozen=True):
    """The kind of a sentence of advice, and its values.

    rollout: the pod fits once the pod `old` of `workload` on `node` is deleted (`pods` of older revisions exist).
    pinned: the pod of the DaemonSet `daemon` can run on `node` only. init: the init container `container` requests
    more (`most`) of `resource` than all other containers (`together`). condition: `number` nodes of `all` have the
    taint `taint` of a condition. toleration: a toleration differs from the taint `taint` of `node` in `field`, where
    it `has` one value and the taint `wants` another. key: no node has the label `key`, but `nodes` have `similar`.
    domain: `key` = `domain` has the fewest matching pods (`count`), but the `plugins` reject its nodes; `taints`: 1
    if because of taints, too. offers: `number` nodes offer no `resource`. released: the volume `volume` still belongs
    to the earlier claim `claim`. `nodes` are names, at most MAX_NODES of them.
    """

    kind: Kind
    values: Mapping[str, str | int]


def advise(moment: Moment, key: PodKey) -> list[Advice]:
    """Return advice about a pending pod; [] if the pod does not exist, has a node, or no profile schedules it."""
    world = moment.world()
    pod = world.cluster.pods.get(key)
    if pod is None or pod.node_name:
        return []
    try:
        objections = world.objections(key)
    except NotPossible:
        return []
    plugins = [{status.plugin for status in objections.of(row)} for row in range(len(objections.rows))]
    by_node = dict(zip(objections.names, plugins, strict=True))
    nodes = [node for node in world.cluster.all_nodes() if node.name in by_node]
    return [
        *_rollout(moment, pod),
        *_pinned(pod),
        *_conditions(pod, nodes),
        *_tolerations(pod, nodes, by_node),
        *_keys(pod, nodes),
        *_domains(world, pod, nodes, by_node),
        *_offers(pod, nodes),
        *_released(world, pod),
        *_init_containers(pod, by_node),
    ]


def _rollout(moment: Moment, pod: Pod) -> Iterator[Advice]:
    """Yield advice if the pod fits once a pod of an older revision of its Deployment is deleted."""
    old = older_revisions(pod, moment.world().cluster)
    workload = workload_of(pod)
    for other in old[:MAX_OLD]:
        world = moment.world()
        world.apply_edits([Remove("Pod", other.name, other.namespace)], {})
        if world.decide(pod.key, all_nodes=True).node:
            assert workload is not None
            values: dict[str, str | int] = {
                "workload": workload.name,
                "pods": len(old),
                "old": other.name,
                "node": other.node_name,
            }
            yield Advice("rollout", values)
            return


def _pinned(pod: Pod) -> Iterator[Advice]:
    if node := pinned_node(pod):
        yield Advice("pinned", {"node": node, "daemon": pod.owner.name if pod.owner else ""})


def _init_containers(pod: Pod, by_node: Mapping[str, set[str]]) -> Iterator[Advice]:
    """Yield advice about init containers that determine the pod's request of a resource (resource.PodRequests)."""
    if not any("NodeResourcesFit" in plugins for plugins in by_node.values()):
        return
    spec = pod.manifest.get("spec") or {}
    for resource in pod.requests:
        together = sum(_request(item, resource) for item in spec.get("containers") or ())
        init = [(_request(item, resource), str(item.get("name"))) for item in spec.get("initContainers") or ()]
        most, name = max(init, default=(0, ""))
        if most > together:
            values = {"container": name, "resource": resource, "most": written(resource, most)}
            yield Advice("init", {**values, "together": written(resource, together)})


def _request(container: Mapping[str, Any], resource: str) -> int:
    resources = container.get("resources") or {}
    value = (resources.get("requests") or {}).get(resource, (resources.get("limits") or {}).get(resource, 0))
    return amount(resource, value or 0)


def _conditions(pod: Pod, nodes: list[Node]) -> Iterator[Advice]:
    """Yield advice about taints for node conditions, which a controller removes."""
    by_taint: dict[str, list[str]] = {}
    for node in nodes:
        for taint in node.taints:
            if taint.effect not in HARD_EFFECTS or taint.key == UNSCHEDULABLE_TAINT or _tolerated(taint, pod):
                continue
            if is_condition(taint.key):
                by_taint.setdefault(taint.key, []).append(node.name)
    for key, names in by_taint.items():
        names = list(dict.fromkeys(names))
        yield Advice("condition", {"taint": key, "nodes": _first_names(names), "number": len(names), "all": len(nodes)})


def _tolerated(taint: Taint, pod: Pod) -> bool:
    return any(_difference(toleration, taint) is None for toleration in pod.tolerations)


def _difference(toleration: Toleration, taint: Taint) -> tuple[str, str, str] | None:
    """Return the first field in which a toleration differs from a taint, with both values; None if it tolerates it."""
    if toleration.key not in ("", taint.key):
        return "key", toleration.key, taint.key
    if toleration.effect not in ("", taint.effect):
        return "effect", toleration.effect, taint.effect
    if toleration.operator != "Exists" and toleration.value != taint.value:
        return "value", toleration.value or '""', taint.value or '""'
    return None


def _tolerations(pod: Pod, nodes: list[Node], by_node: Mapping[str, set[str]]) -> Iterator[Advice]:
    """Yield advice about tolerations that differ from a taint in one field; nodes with few objections come first."""
    seen = set()
    for node in sorted(nodes, key=lambda node: len(by_node[node.name])):
        for taint in node.taints:
            if taint.effect not in HARD_EFFECTS or _tolerated(taint, pod) or is_condition(taint.key):
                continue
            for toleration in pod.tolerations:
                difference = _difference(toleration, taint)
                close = difference is not None and (
                    difference[0] != "key" or get_close_matches(difference[1], [difference[2]], 1, 0.8)
                )
                if difference is not None and close and difference not in seen:
                    seen.add(difference)
                    field, has, wants = difference
                    values = {"node": node.name, "taint": taint_text(taint), "field": field, "has": has}
                    yield Advice("toleration", {**values, "wants": wants})


def _keys(pod: Pod, nodes: list[Node]) -> Iterator[Advice]:
    """Yield advice about labels that the pod selects and no node has, though nodes have a similar one."""
    there = {key for node in nodes for key in node.labels}
    for key in pod.node_selector:
        if key not in there and (similar := get_close_matches(key, sorted(there), 1, 0.8)):
            names = [node.name for node in nodes if similar[0] in node.labels]
            yield Advice("key", {"key": key, "similar": similar[0], "nodes": _first_names(names)})


def _domains(world: World, pod: Pod, nodes: list[Node], by_node: Mapping[str, set[str]]) -> Iterator[Advice]:
    """Yield advice about the domains with the fewest matching pods if other plugins reject all their nodes."""
    for constraint in pod.topology_spread_constraints:
        if constraint.when_unsatisfiable != "DoNotSchedule":
            continue
        key = constraint.topology_key
        if not any("PodTopologySpread" in plugins for plugins in by_node.values()):
            return
        counts: dict[str, int] = {}
        nodes_in: dict[str, list[Node]] = {}
        for node in nodes:
            if key not in node.labels:
                continue
            domain = node.labels[key]
            counts.setdefault(domain, 0)
            nodes_in.setdefault(domain, []).append(node)
        for other in world.cluster.pods.all():
            there = world.cluster.node(other.node_name) if other.node_name else None
            matching = other.namespace == pod.namespace and constraint.selector.matches(other.labels)
            if there is not None and key in there.labels and matching and not other.terminating:
                counts[there.labels[key]] = counts.get(there.labels[key], 0) + 1
        least = min(counts.values(), default=0)
        for domain in [domain for domain, count in counts.items() if count == least and domain in nodes_in]:
            why = {plugin for node in nodes_in[domain] for plugin in by_node[node.name]}
            if all(by_node[node.name] - {"PodTopologySpread"} for node in nodes_in[domain]):
                taints = "TaintToleration" in why or "NodeUnschedulable" in why
                values: dict[str, str | int] = {
                    "key": key,
                    "domain": domain,
                    "count": least,
                    "plugins": ", ".join(sorted(why)),
                }
                yield Advice("domain", {**values, "taints": int(taints)})


def _offers(pod: Pod, nodes: list[Node]) -> Iterator[Advice]:
    """Yield advice about extended resources that nodes lack, though their labels or taints mention them."""
    for resource, requested in pod.requests.items():
        if "/" not in resource or not requested:
            continue
        without = [node.name for node in nodes if not node.allocatable.get(resource) and _is_meant_for(node, resource)]
        if without:
            yield Advice("offers", {"resource": resource, "nodes": _first_names(without), "number": len(without)})


def _is_meant_for(node: Node, resource: str) -> bool:
    words = (resource.partition("/")[0], "gpu", "accelerator")
    keys = [*node.labels, *(taint.key for taint in node.taints)]
    return any(word in key.lower() for key in keys for word in words)


def _released(world: World, pod: Pod) -> Iterator[Advice]:
    """Yield advice about volumes that still name an earlier claim and so cannot be bound (pv_controller.go)."""
    volumes = [item for item in world.cluster.objects("PersistentVolume") if isinstance(item, PersistentVolume)]
    for name in dict.fromkeys(volume.claim for volume in pod.volumes if volume.claim is not None):
        claim = world.cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{name}")
        if not isinstance(claim, PersistentVolumeClaim) or claim.bound:
            continue
        for volume in volumes:
            same = volume.claim_ref == f"{claim.namespace}/{claim.name}" or volume.name == claim.volume_name
            if volume.claim_ref and same and (volume.phase == "Released" or volume.claim_uid not in ("", claim.uid)):
                yield Advice("released", {"volume": volume.name, "claim": volume.claim_ref})


def _first_names(names: list[str]) -> str:
    """Return the first MAX_NODES names, and the number of the others."""
    more = len(names) - MAX_NODES
    return ", ".join([*names[:MAX_NODES], *([f"+{more}"] if more > 0 else [])])
