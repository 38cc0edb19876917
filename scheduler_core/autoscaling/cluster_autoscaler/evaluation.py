"""The events of the trace with the findings of a pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.cluster_autoscaler.scale_down import Planner
from scheduler_core.autoscaling.cluster_autoscaler.scale_up import Plan
from scheduler_core.trace.autoscaling_events import (
    MOST_NODES,
    MOST_OPTIONS,
    MOST_PODS,
    EvaluatedNode,
    EvaluatedOption,
    EvaluatedRefusal,
    ScaleDownEvaluated,
    ScaleUpEvaluated,
)

NAME = "cluster-autoscaler"
STRANDED = "NoPlaceToMovePods"


def evaluated_scale_up(pods: Sequence[Pod], plan: Plan, scores: Sequence[Mapping[str, float]]) -> ScaleUpEvaluated:
    """Return the event of a pass: its options, the chosen one first, and why groups do not help; long lists are cut."""
    options = [
        EvaluatedOption(
            option.group.name,
            option.nodes,
            [pod.key for pod in option.pods[:MOST_PODS]],
            len(option.pods),
            option is plan.option,
            dict(score),
            price=option.group.spec.price,
        )
        for option, score in zip(plan.options, scores, strict=True)
    ]
    options.sort(key=lambda option: not option.chosen)
    refused: dict[tuple[str, str], list[str]] = {}
    for key, reasons in plan.against.items():
        for group, reason in reasons.items():
            refused.setdefault((group, reason), []).append(key)
    refusals = [
        EvaluatedRefusal(group, reason, keys[:MOST_PODS], len(keys)) for (group, reason), keys in refused.items()
    ]
    return ScaleUpEvaluated(NAME, len(pods), options[:MOST_OPTIONS], refusals[:MOST_OPTIONS])


def evaluated_scale_down(planner: Planner) -> ScaleDownEvaluated | None:
    """Return the event of a pass: unneeded nodes, and why others stay, up to MOST_NODES; None if there are no nodes."""
    nodes = [
        EvaluatedNode(name, "unneeded", moves=[(pod.key, node) for pod, node in candidate.places[:MOST_PODS]])
        for name, candidate in planner.unneeded.items()
    ]
    for name, reason in planner.unremovable.items():
        if name not in planner.unneeded:
            kind, _, pod = reason.partition(" ")
            nodes.append(EvaluatedNode(name, "stays", reason, stranded=pod if kind == STRANDED else ""))
    if not nodes:
        return None
    return ScaleDownEvaluated(NAME, nodes[:MOST_NODES], max(0, len(nodes) - MOST_NODES))
