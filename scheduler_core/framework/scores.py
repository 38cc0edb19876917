"""PreScore, Score, NormalizeScore and weights (RunPreScorePlugins, RunScorePlugins)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.filters import contiguous
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    SUCCESS,
    Code,
    CycleState,
    PreScoreResult,
    Scores,
    Status,
)
from scheduler_core.nodes import NodeTable


@dataclass(slots=True)  # not frozen: made for every plugin in every attempt
class PluginScore:
    """One plugin's scores over the feasible nodes; what counts is `normalized * weight`. An int: the same for all."""

    plugin: str
    weight: int
    raw: Scores | int
    normalized: Scores | int

    def columns(self, count: int) -> tuple[Scores, Scores]:
        """Raw and normalized scores of `count` nodes, written out."""
        raw = np.full(count, self.raw, np.int64) if isinstance(self.raw, int) else self.raw
        normalized = np.full(count, self.normalized, np.int64) if isinstance(self.normalized, int) else self.normalized
        return raw, normalized


def run_score_plugins(
    pre_score: Sequence[Any],
    score: Sequence[tuple[Any, int]],
    cycle: CycleState,
    nodes: NodeTable,
    rows: NDArray[np.intp],
) -> tuple[list[PluginScore], list[str], Status]:
    """(scores by plugin in order, plugins that PreScore let off, status)."""
    skipped: list[str] = []
    for plugin in pre_score:
        result: PreScoreResult = plugin.pre_score(cycle.pod, cycle.states.get(plugin.name), nodes, rows)
        cycle.score_states[plugin.name] = result.state
        if result.status.code == Code.SKIP:
            skipped.append(plugin.name)
        elif not result.status.is_success:
            return [], skipped, _failed(f'running PreScore plugin "{plugin.name}": {result.status.message}')
    found: list[PluginScore] = []
    columns, where = cycle.columns, contiguous(rows, nodes.all_rows)
    for plugin, weight in score:
        if plugin.name in skipped:
            continue
        constant = columns.constants.get(plugin.name) if columns is not None else None
        if constant is not None:
            found.append(PluginScore(plugin.name, weight, *constant))
            continue
        state = cycle.score_states.get(plugin.name, cycle.states.get(plugin.name))
        known = columns.scores.get(plugin.name) if columns is not None else None
        raw = plugin.score(cycle.pod, state, nodes, rows) if known is None else known[where]
        normalized = plugin.normalize(cycle.pod, state, nodes, rows, raw) if hasattr(plugin, "normalize") else raw
        if np.minimum.reduce(normalized) < 0 or np.maximum.reduce(normalized) > MAX_NODE_SCORE:
            wrong = normalized[(normalized < 0) | (normalized > MAX_NODE_SCORE)]
            return (
                [],
                skipped,
                _failed(
                    f'applying score defaultWeights on Score plugins: plugin "{plugin.name}" returns an invalid score '
                    f"{wrong[0]}, it should in the range of [0, {MAX_NODE_SCORE}] after normalizing"
                ),
            )
        found.append(PluginScore(plugin.name, weight, raw, normalized))
    return found, skipped, SUCCESS


def _failed(message: str) -> Status:
    return Status(Code.ERROR, (message,))


def default_normalize(scores: Scores, *, reverse: bool = False) -> Scores:
    """helper.DefaultNormalizeScore: scale so that the largest is 100; `reverse` turns the order round."""
    largest = int(scores.max(initial=0))
    if largest == 0:
        return np.full(len(scores), MAX_NODE_SCORE, np.int64) if reverse else scores
    scaled = MAX_NODE_SCORE * scores // largest
    return MAX_NODE_SCORE - scaled if reverse else scaled
