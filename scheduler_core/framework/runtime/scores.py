"""PreScore, Score, NormalizeScore and weights (RunPreScorePlugins, RunScorePlugins)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    SUCCESS,
    Code,
    CycleState,
    PreScorePlugin,
    PreScoreResult,
    ScoreError,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    ScoresZeroWithoutState,
    Status,
)
from scheduler_core.framework.reads import ReadsError
from scheduler_core.framework.runtime.filters import contiguous
from scheduler_core.framework.runtime.missing_state import score_error
from scheduler_core.framework.runtime.verdict_cache import is_cached
from scheduler_core.trace.columns import highest


class PluginScore(msgspec.Struct, frozen=True):
    """The scores of a plugin for the feasible nodes. An int applies to all nodes."""

    plugin: str
    weight: int
    raw: Scores | int
    normalized: Scores | int

    def columns(self, count: int) -> tuple[Scores, Scores]:
        """Return raw and normalized scores as arrays of length `count`."""
        raw = np.full(count, self.raw, np.int64) if isinstance(self.raw, int) else self.raw
        normalized = np.full(count, self.normalized, np.int64) if isinstance(self.normalized, int) else self.normalized
        return raw, normalized


class Scorers:
    """The PreScore plugins of a profile, and its Score plugins with their weights."""

    def __init__(self, pre_score: Sequence[PreScorePlugin], score: Sequence[tuple[ScorePlugin, int]]) -> None:
        self._error = score_error(score, pre_score)
        self._kept = {plugin.name for plugin, _ in score if is_cached(plugin)}
        self._zero_without_state = {plugin.name for plugin, _ in score if isinstance(plugin, ScoresZeroWithoutState)}
        self._pre_score = [(plugin.name, plugin.pre_score) for plugin in pre_score]
        self._score = [
            (plugin.name, weight, plugin.score, plugin.normalize if implements(plugin, ScoreExtensions) else None)
            for plugin, weight in score
        ]

    def run(
        self, cycle: CycleState, nodes: NodeTable, rows: NDArray[np.intp]
    ) -> tuple[list[PluginScore], list[str], Status]:
        """Return (scores by plugin in order, plugins that PreScore skipped, status); an error comes without scores.

        Raises ReadsError if PreScore of a plugin with `reads` returns a state.
        """
        pod, states, score_states = cycle.pod, cycle.states, cycle.score_states
        skipped: list[str] = []
        if cycle.bare_nodes:
            nodes = nodes.without_pods()
        answered: Mapping[str, PreScoreResult] = {} if cycle.cached is None else cycle.cached.pre_scores
        for name, pre_score in self._pre_score:
            result = answered.get(name) or pre_score(pod, states.get(name), nodes, rows)
            score_states[name] = result.state
            if result.state is not None and name in self._kept:
                raise ReadsError(f'plugin "{name}" has `reads`, so its PreScore must not leave a state')
            if result.status.is_skip:
                skipped.append(name)
            elif not result.status.is_success:
                return [], skipped, _fail(f'running PreScore plugin "{name}": {result.status.message}')
        if self._error:
            return [], skipped, _fail(self._error)
        plugin_scores: list[PluginScore] = []
        constants: Mapping[str, tuple[int, int]] = {}
        cached_scores: Mapping[str, Scores] = {}
        if cycle.cached is not None and not cycle.bare_nodes:
            constants = cycle.cached.by_object.constants
            cached_scores = cycle.cached.scores(cycle, contiguous(rows, nodes.all_rows))
        for name, weight, score, normalize in self._score:
            if name in skipped:
                continue
            if name in constants:
                plugin_scores.append(PluginScore(name, weight, *constants[name]))
                continue
            state = score_states[name] if name in score_states else states.get(name)
            if state is None and name in self._zero_without_state:
                plugin_scores.append(PluginScore(name, weight, 0, 0))
                continue
            try:
                raw = cached_scores[name] if name in cached_scores else score(pod, state, nodes, rows)
            except ScoreError as error:
                return [], skipped, _fail(f'running Score plugins: plugin "{name}" failed with: {error}')
            normalized = raw if normalize is None else normalize(pod, state, nodes, rows, raw)
            if highest(normalized.view(np.uint64)) > MAX_NODE_SCORE:  # negative ones are large
                invalid = normalized[(normalized < 0) | (normalized > MAX_NODE_SCORE)]
                message = (
                    f'applying score defaultWeights on Score plugins: plugin "{name}" returns an invalid score '
                    f"{invalid[0]}, it should in the range of [0, {MAX_NODE_SCORE}] after normalizing"
                )
                return [], skipped, _fail(message)
            plugin_scores.append(PluginScore(name, weight, raw, normalized))
        return plugin_scores, skipped, SUCCESS

    def total(
        self, cycle: CycleState, nodes: NodeTable, rows: NDArray[np.intp], raw: Mapping[str, Scores]
    ) -> NDArray[np.int64]:
        """Return the total scores for raw scores by plugin (NormalizeScores). `run` has run before, for any node."""
        scores = []
        for name, weight, _, normalize in self._score:
            if name in raw:
                state = cycle.score_states[name] if name in cycle.score_states else cycle.states.get(name)
                normalized = raw[name]
                if normalize is not None:
                    normalized = normalize(cycle.pod, state, nodes, rows, normalized)
                scores.append(PluginScore(name, weight, raw[name], normalized))
        return total_scores(scores, len(rows))


def total_scores(scores: Iterable[PluginScore], count: int) -> NDArray[np.int64]:
    """Return the sum of the weighted scores of each node."""
    everywhere, totals = 0, None
    for score in scores:
        weighted = score.normalized if score.weight == 1 else score.normalized * score.weight
        if isinstance(weighted, int):
            everywhere += weighted
        else:
            totals = weighted if totals is None else totals + weighted
    return np.full(count, everywhere, np.int64) if totals is None else totals + everywhere


def _fail(message: str) -> Status:
    return Status(Code.ERROR, (message,))


def default_normalize(scores: Scores, *, reverse: bool = False) -> Scores:
    """Return the scores scaled so that the largest is 100, unless all are 0 (DefaultNormalizeScore).

    `reverse` subtracts them from 100.
    """
    largest = int(scores.max(initial=0))
    if largest == 0:
        return np.full(len(scores), MAX_NODE_SCORE, np.int64) if reverse else scores
    scaled = MAX_NODE_SCORE * scores // largest
    return MAX_NODE_SCORE - scaled if reverse else scaled
