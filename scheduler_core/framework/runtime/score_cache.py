"""A cache of verdicts and scores that depend only on the node, for pods that are alike.

A plugin declares in `reads` (`framework/reads.py`) which fields of the pod and of the node it reads; a plugin without
`reads` runs every time. Pods that are equal in all fields that a profile's plugins read have one *shape*: these plugins
return the same results for them on an unchanged node. From the second pod of a shape on, every node object is evaluated
once, and every state (`NodeTable.states`) when it first occurs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    CycleState,
    FilterPlugin,
    Plugin,
    PreScorePlugin,
    ScoreExtensions,
    ScorePlugin,
)
from scheduler_core.framework.reads import ShapeKey, reads_of, shape_key
from scheduler_core.framework.status import Rows, Status
from scheduler_core.trace.columns import highest

KEPT_SHAPES = 256
Which = NDArray[np.int16]


def is_cached(plugin: Plugin) -> bool:
    """Return whether the plugin's results are cached."""
    reads = reads_of(plugin)
    return reads is not None and reads.can_be_kept


def _object_only(plugin: Plugin) -> bool:
    reads = reads_of(plugin)
    return reads is not None and reads.object_only


class ShapeAnswers:
    """The cached results of a shape: the first rejection of the leading filters, and raw scores by plugin.

    By plugin: `pre_scores` are the results of PreScore, and `constants` the (raw, normalized) scores that are equal on
    all nodes. `statuses` are those of the rejections so far; `settled` are the plugins whose known scores are from 0 to
    100 and need not be normalized.
    """

    def __init__(
        self, filters: Sequence[FilterPlugin], scorers: Sequence[ScorePlugin], cycle: CycleState, cluster: Cluster
    ) -> None:
        self._nodes = cluster.nodes
        self._filters = [plugin for plugin in filters if not _object_only(plugin)]
        self._scorers = [plugin for plugin in scorers if not _object_only(plugin)]
        self.statuses: list[Status] = []
        self._number: dict[Status, int] = {}
        rows = self._nodes.all_rows
        which = self._judge([plugin for plugin in filters if _object_only(plugin)], cycle, rows)
        self._by_node = which if which.any() else None
        self._rejected_by_node = which > 0
        self._scores_by_node = {
            plugin.name: plugin.score(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows)
            for plugin in scorers
            if _object_only(plugin)
        }
        self.pre_scores = {
            plugin.name: plugin.pre_score(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows)
            for plugin in scorers
            if implements(plugin, PreScorePlugin)
        }
        self.constants: dict[str, tuple[int, int]] = {}
        for plugin in scorers:
            self._note_constant(plugin, cycle)
        self.settled = {plugin.name for plugin in self._scorers if not implements(plugin, ScoreExtensions)}
        self.generation = self._nodes.generation
        self._forget_states()

    def which_by_node(self, rows: Rows) -> Which:
        """Return the verdicts of the filters that ignore the node's pods."""
        if self._by_node is None:
            return np.zeros(len(self._nodes.all_rows[rows]), np.int16)
        which: Which = self._by_node[rows].copy()
        return which

    def which(self, cycle: CycleState, rows: Rows) -> Which:
        """Return 0 for rows that pass, otherwise 1 + the index into `statuses`. The caller may modify the array."""
        states = self._states(cycle, rows)
        if not self.statuses:
            return np.zeros(len(states), np.int16)
        if not self._rejects_states:
            return self.which_by_node(rows)
        which: Which = self._by_state.take(states)
        if self._by_node is not None:
            np.copyto(which, self._by_node[rows], where=self._rejected_by_node[rows])
        return which

    def scores(self, cycle: CycleState, rows: Rows) -> Mapping[str, IntColumn]:
        """Return raw scores by plugin, without the plugins in `constants`."""
        scores_by_plugin = {name: scores[rows] for name, scores in self._scores_by_node.items()}
        if self._scorers:
            states = self._states(cycle, rows)
            scores_by_plugin |= {name: scores.take(states) for name, scores in self._scores_by_state.items()}
        return scores_by_plugin

    def _forget_states(self) -> None:
        self._numbering = self._nodes.numbering
        self._learned = 0
        self._unknown = np.ones(0, np.bool_)
        self._rejects_states = False
        self._by_state: Which = np.zeros(0, np.int16)
        self._scores_by_state: dict[str, IntColumn] = {plugin.name: np.zeros(0, np.int64) for plugin in self._scorers}

    def _states(self, cycle: CycleState, rows: Rows) -> NDArray[np.intp]:
        """Return the states of the rows after evaluating new states."""
        states = self._nodes.states()[rows]
        if self._numbering != self._nodes.numbering:
            self._forget_states()
        if self._learned < self._nodes.states_known:
            if len(self._unknown) < self._nodes.states_known:
                self._widen(self._nodes.states_known)
            if np.count_nonzero(self._unknown.take(states)):
                self._learn_the_passing(cycle)
                self._learn_the_rejected(cycle, states, self._nodes.all_rows[rows])
        return states

    def _learn_the_passing(self, cycle: CycleState) -> None:
        """Evaluate all new states that pass at once, since the other ones will soon be needed too."""
        states = self._nodes.states()
        new = self._unknown.take(states).nonzero()[0]
        example = np.full(len(self._unknown), -1, np.intp)
        example[states[new]] = new
        rows = example[example >= 0]
        for plugin in self._filters:
            which = plugin.filter(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows, None).which
            rows = rows[which == 0] if len(which) else rows
        if len(rows):
            self._learn(cycle, states[rows], rows)

    def _learn_the_rejected(self, cycle: CycleState, states: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Evaluate what is still new in `states`; no others, so that `statuses` stay in the order of the requests."""
        new = self._unknown.take(states).nonzero()[0]
        if len(new):
            example = dict(zip(states[new].tolist(), rows[new].tolist(), strict=True))
            states, rows = np.fromiter(example, np.intp), np.fromiter(example.values(), np.intp)
            self._by_state[states] = self._judge(self._filters, cycle, rows)
            self._rejects_states = True
            self._learn(cycle, states, rows)

    def _learn(self, cycle: CycleState, states: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Add the scores of new states, each with one of its rows."""
        self._unknown[states] = False
        self._learned += len(states)
        for plugin in self._scorers:
            scores = plugin.score(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows)
            self._scores_by_state[plugin.name][states] = scores
            if highest(scores.view(np.uint64)) > MAX_NODE_SCORE:  # negative ones are large there
                self.settled.discard(plugin.name)

    def _widen(self, states: int) -> None:
        more = states + states // 2 - len(self._unknown)
        self._unknown = np.append(self._unknown, np.ones(more, np.bool_))
        self._by_state = np.append(self._by_state, np.zeros(more, np.int16))
        for name, scores in self._scores_by_state.items():
            self._scores_by_state[name] = np.append(scores, np.zeros(more, np.int64))

    def _note_constant(self, plugin: ScorePlugin, cycle: CycleState) -> None:
        """Store a score that reads only nodes and is the same on all; it is also constant after normalizing."""
        scores = self._scores_by_node.get(plugin.name)
        if scores is None or not len(scores) or (scores != scores[0]).any():
            return
        first_score, row = scores[:1], np.zeros(1, np.intp)
        state, normalized = cycle.states.get(plugin.name), scores[:1]
        if implements(plugin, ScoreExtensions):
            normalized = plugin.normalize(cycle.pod, state, self._nodes, row, first_score)
        self.constants[plugin.name] = int(first_score[0]), int(normalized[0])
        del self._scores_by_node[plugin.name]

    def _judge(self, plugins: Sequence[FilterPlugin], cycle: CycleState, rows: NDArray[np.intp]) -> Which:
        """Return the first rejection of each row by any of the plugins."""
        which = np.zeros(len(rows), np.int16)
        for plugin in plugins:
            verdicts = plugin.filter(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows, None)
            if len(verdicts.which):
                numbers = np.array([0, *(self._status(status, plugin.name) for status in verdicts.statuses)], np.int16)
                np.copyto(which, numbers[verdicts.which], where=which == 0)
        return which

    def _status(self, status: Status, plugin: str) -> int:
        blamed = status.by(plugin)
        number = self._number.get(blamed)
        if number is None:
            self.statuses.append(blamed)
            number = self._number[blamed] = len(self.statuses)
        return number


class NodeLocalCache:
    """The cache of a profile, for shapes that occurred at least twice, least recently used first."""

    def __init__(self, cluster: Cluster, filters: Sequence[FilterPlugin], scorers: Sequence[ScorePlugin]) -> None:
        self._cluster = cluster
        self._scorers = [plugin for plugin in scorers if is_cached(plugin)]
        declared = map(reads_of, (*filters, *scorers))
        self._key = shape_key(reads for reads in declared if reads is not None and reads.can_be_kept)
        self._number: dict[ShapeKey, int] = {}
        self._seen: set[int] = set()
        self._shapes: dict[tuple[int, int], ShapeAnswers] = {}

    def shape(self, pod: Pod) -> int:
        """Return a number that is equal for pods that the cached plugins cannot distinguish."""
        return self._number.setdefault(self._key(pod), len(self._number))

    def answers(self, cycle: CycleState, leading: Sequence[FilterPlugin]) -> ShapeAnswers | None:
        """Return the cached results for the pod; None for the first pod of a shape."""
        shape = cycle.shape
        if shape not in self._seen:
            self._seen.add(shape)
            return None
        key = (shape, len(leading))
        answers = self._shapes.pop(key, None)
        if answers is None or answers.generation != self._cluster.nodes.generation:
            answers = ShapeAnswers(leading, self._scorers, cycle, self._cluster)
        self._shapes[key] = answers
        if len(self._shapes) > KEPT_SHAPES:
            del self._shapes[next(iter(self._shapes))]
        return answers
