"""NodeAffinity on one node. Rules: kube-scheduler's nodeaffinity, and component-helpers' nodeaffinity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import Node, Pod, Workload
from tests.reference.framework.cluster_event import NODE_LABEL, Event
from tests.reference.framework.interface import (
    FITS,
    UNRESOLVABLE,
    Cycle,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Scores,
    Verdict,
    normalize,
)


class NodeAffinity(Plugin):
    events = {"Node": ("Add", NODE_LABEL)}

    def pre_filter(self, cycle: Cycle) -> Verdict:
        return (UNRESOLVABLE, ("pod affinity terms conflict",)) if self.pre_filter_nodes(cycle) == set() else FITS

    def pre_filter_nodes(self, cycle: Cycle) -> set[str] | None:
        """Return the node names that the terms select by matchFields, or None if a term names no nodes."""
        required = cycle.pod.required_node_affinity
        names: set[str] = set()
        for term in required.terms if required else ():
            named = [set(r.values) for r in term.match_fields if r.key == "metadata.name" and r.operator == "In"]
            if not named:
                return None
            names |= set.intersection(*named)
        return names if required and required.terms else None

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Check the profile's added affinity, then the pod's node selector and required affinity."""
        added = cycle.args[self.name].added_required
        if added is not None and not added.matches(on.node.labels, on.node.name):
            return UNRESOLVABLE, ("node(s) didn't match scheduler-enforced node affinity",)
        if not matches_required_node_affinity(cycle.pod, on.node):
            return UNRESOLVABLE, ("node(s) didn't match Pod's node affinity/selector",)
        return FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """Score each node by the weights of the matching preferred terms. Return None without preferred terms."""
        terms = (*cycle.args[self.name].added_preferred, *cycle.pod.preferred_node_affinity)
        if not terms:
            return None
        raw = {
            node.name: sum(t.weight for t in terms if t.weight and t.term.matches(node.labels, node.name))
            for node, _ in feasible
        }
        return normalize(raw, reverse=False)

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        added = args.added_required if args else None
        if added is not None and not added.matches(event.new.labels, event.new.name):
            return False
        was = event.old is not None and matches_required_node_affinity(pod, event.old)
        return matches_required_node_affinity(pod, event.new) and not was


def matches_required_node_affinity(pod: Pod, node: Node) -> bool:
    """Return whether nodeSelector and required affinity match (`nodeaffinity.GetRequiredNodeAffinity(pod).Match`)."""
    if any(node.labels.get(key) != value for key, value in pod.node_selector.items()):
        return False
    return pod.required_node_affinity is None or pod.required_node_affinity.matches(node.labels, node.name)
