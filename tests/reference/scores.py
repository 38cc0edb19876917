"""The Score plugins of a profile over the feasible nodes."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import (
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    Profile,
)
from scheduler_core.apis.core import Node, Pod
from tests.reference import inter_pod_affinity, node_plugins, pod_topology_spread, resources
from tests.reference.state import ReferenceCluster


class ScoreFailed(Exception):
    """A Score plugin did not find what its PreScore should have left."""


Snapshot = Sequence[tuple[Node, Sequence[Pod]]]
RawAndNormalized = tuple[dict[str, int], dict[str, int]]


def prioritize(
    pod: Pod, feasible: Sequence[str], profile: Profile, cluster: ReferenceCluster, snapshot: Snapshot, *, bare: bool
) -> dict[str, dict[str, list[int]]]:
    """plugin -> node -> [raw, normalized, weighted]; plugins that PreScore skipped are absent.

    `bare`: an extender handed the feasible nodes over without their pods and images.
    """
    result = {}
    for ref in profile.plugins["score"]:
        scores = _scores(ref.name, pod, feasible, profile, cluster, snapshot, bare=bare)
        if scores is not None:
            raw, normalized = scores
            result[ref.name] = {n: [raw[n], normalized[n], normalized[n] * ref.weight] for n in feasible}
    return result


def _scores(
    plugin: str,
    pod: Pod,
    feasible: Sequence[str],
    profile: Profile,
    cluster: ReferenceCluster,
    snapshot: Snapshot,
    *,
    bare: bool,
) -> RawAndNormalized | None:
    args = profile.plugin_args.get(plugin)
    standing = {node.name: (node, () if bare else pods) for node, pods in snapshot}
    places = [standing[name] for name in feasible]
    match plugin:
        case "TaintToleration":
            raw = {node.name: node_plugins.score_taints(pod, node) for node, _ in places}
            return raw, node_plugins.normalize(raw, reverse=True)
        case "NodeAffinity":
            assert isinstance(args, NodeAffinityArgs)
            terms = (*args.added_preferred, *pod.preferred_node_affinity)
            if not terms:
                return None
            raw = {node.name: node_plugins.score_node_affinity(node, terms) for node, _ in places}
            return raw, node_plugins.normalize(raw, reverse=False)
        case "NodeResourcesFit":
            assert isinstance(args, NodeResourcesFitArgs)
            raw = {node.name: resources.score_fit(pod, node, pods, args) for node, pods in places}
            return raw, raw
        case "NodeResourcesBalancedAllocation":
            assert isinstance(args, NodeResourcesBalancedAllocationArgs)
            if resources.balanced_allocation_skipped(pod, args):
                return None
            raw = {node.name: resources.score_balanced_allocation(pod, node, pods, args) for node, pods in places}
            return raw, raw
        case "ImageLocality":
            copies = {} if bare else cluster.images_of
            raw = {
                node.name: node_plugins.score_images(pod, copies.get(node.name, {}), len(snapshot))
                for node, _ in places
            }
            return raw, raw
        case "PodTopologySpread":
            assert isinstance(args, PodTopologySpreadArgs)
            spread = pod_topology_spread.score(pod, places, snapshot, args, cluster.workloads)
            return (spread.raw, spread.normalized) if spread else None
        case "InterPodAffinity":
            assert isinstance(args, InterPodAffinityArgs)
            affinity = inter_pod_affinity.score(pod, feasible, snapshot, args, cluster.namespaces)
            return (affinity.raw, affinity.normalized) if affinity else None
    return None  # VolumeBinding scores only behind a feature gate that is off
