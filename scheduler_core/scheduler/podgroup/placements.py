"""The placements of a group, and the best one (RunPlacementGeneratePlugins, findBestPlacement)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    Placement,
    PlacementGeneratePlugin,
    PlacementScoreExtensions,
    PlacementScorePlugin,
)
from scheduler_core.scheduler.podgroup.group import QueuedPodGroup
from scheduler_core.scheduler.podgroup.results import GroupResult
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.trace.pod_group_events import PlacementsScored
from scheduler_core.trace.records import GroupOutcome, PlacementScore

NO_PLACEMENT = "no feasible placements found"


def generate_placements(scheduler: Scheduler, group: QueuedPodGroup) -> tuple[Sequence[Placement], GroupResult | None]:
    """Return (placements, None): those of the first plugin, or without a plugin one of all nodes.

    If the plugin fails or returns none, return no placements and the result of the group.
    """
    nodes = scheduler.cluster.nodes
    plugins = group.framework.at(PlacementGeneratePlugin)
    if not plugins:
        return (Placement("", nodes.all_rows),), None
    placements, status = plugins[0].generate_placements(group.key, nodes)
    if not status.is_success:
        outcome: GroupOutcome = "Error" if status.is_error else "Unschedulable"
        return (), GroupResult(outcome, status.message, status.message)
    if not placements:
        return (), GroupResult("Unschedulable", NO_PLACEMENT, NO_PLACEMENT)
    return placements, None


def best_placement(scheduler: Scheduler, group: QueuedPodGroup, results: Sequence[GroupResult]) -> GroupResult:
    """Return the result with the highest total, the first of equals (random in kube-scheduler), and emit the scores."""
    framework, nodes = group.framework, scheduler.cluster.nodes
    weights = {plugin.name: weight for plugin, weight in framework.points.get("placement_score", ())}
    by_plugin: dict[str, list[int]] = {}
    for plugin in framework.at(PlacementScorePlugin):
        scores = [
            plugin.score_placement(
                group.key, placement, [member.attempt.pod for member in result.members if member.node_name], nodes
            )
            for result in results
            if (placement := result.placement) is not None
        ]
        if implements(plugin, PlacementScoreExtensions):
            scores = plugin.normalize_placement_scores(scores)
        by_plugin[plugin.name] = [score * weights[plugin.name] for score in scores]
    totals = [sum(scores[index] for scores in by_plugin.values()) for index in range(len(results))]
    best = totals.index(max(totals))
    placement_scores = [
        PlacementScore(result.placement_name or "", total, {name: scores[index] for name, scores in by_plugin.items()})
        for index, (result, total) in enumerate(zip(results, totals, strict=True))
    ]
    scheduler.emit(PlacementsScored(group.key, placement_scores, placement_scores[best].placement))
    return results[best]
