"""A cache of verdicts and scores that depend only on the node, shared by pods that the plugins cannot distinguish.

A plugin declares in `reads` (`framework/reads.py`) which fields of the pod and of the node it reads; a plugin without
`reads` runs every time. Pods that are equal in all fields that a profile's plugins read have one *shape*: these plugins
return the same results for them on an unchanged node. From the second pod of a shape on, results are cached on two
levels: those that depend on the node's object alone (`ByObject`), and those that depend on its state, of which the
requests of its pods are a part (`ByState`, `NodeTable.states`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn, NodeTable
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    CycleState,
    FilterPlugin,
    Plugin,
    PreScorePlugin,
    ScoreExtensions,
    ScorePlugin,
)
from scheduler_core.framework.reads import ShapeKey, reads_of, shape_key
from scheduler_core.framework.status import Rows, Status, Verdicts

KEPT_SHAPES = 256
Numbers = NDArray[np.int16]


def is_cached(plugin: Plugin) -> bool:
    """Return whether the plugin's results are cached."""
    reads = reads_of(plugin)
    return reads is not None and reads.can_be_kept


def _object_only(plugin: Plugin) -> bool:
    reads = reads_of(plugin)
    return reads is not None and reads.object_only


class CachedStatuses:
    """The distinct statuses of cached rejections, in the order in which they first occurred."""

    def __init__(self) -> None:
        self.list: list[Status] = []
        self._number: dict[Status, int] = {}

    def first_rejections(
        self, plugins: Sequence[FilterPlugin], cycle: CycleState, nodes: NodeTable, rows: NDArray[np.intp]
    ) -> Numbers:
        """Return the number of the first rejection of each row by any of the plugins, 0 if it passes."""
        numbers = np.zeros(len(rows), np.int16)
        for plugin in plugins:
            verdicts = plugin.filter(cycle.pod, cycle.states.get(plugin.name), nodes, rows, None)
            if len(verdicts.numbers):
                cached = np.array([0, *(self._number_of(status.by(plugin.name)) for status in verdicts.statuses)])
                np.copyto(numbers, cached[verdicts.numbers], where=numbers == 0, casting="unsafe")
        return numbers

    def _number_of(self, status: Status) -> int:
        number = self._number.get(status)
        if number is None:
            self.list.append(status)
            number = self._number[status] = len(self.list)
        return number


class ByObject:
    """Results for each node object, computed for all nodes at once.

    `constants`: (raw, normalized) scores that are equal on all nodes.
    """

    def __init__(
        self,
        filters: Sequence[FilterPlugin],
        scorers: Sequence[ScorePlugin],
        statuses: CachedStatuses,
        cycle: CycleState,
        nodes: NodeTable,
    ) -> None:
        self._statuses = statuses
        self._numbers = statuses.first_rejections(filters, cycle, nodes, nodes.all_rows)
        self._rejected = self._numbers > 0
        self.rejects = bool(self._rejected.any())
        self._scores: dict[str, IntColumn] = {}
        self.constants: dict[str, tuple[int, int]] = {}
        for plugin in scorers:
            scores = plugin.score(cycle.pod, cycle.states.get(plugin.name), nodes, nodes.all_rows)
            if len(scores) and (scores == scores[0]).all():
                self.constants[plugin.name] = int(scores[0]), _normalized(plugin, cycle, nodes, scores[:1])
            else:
                self._scores[plugin.name] = scores

    def verdicts(self, rows: Rows) -> Verdicts:
        """Return the verdicts of the filters that ignore the node's pods. The caller may modify the array."""
        return Verdicts(self._numbers[rows].copy(), self._statuses.list)

    def override(self, numbers: Numbers, rows: Rows) -> None:
        """Set, in `numbers`, the numbers of the rows that these filters reject."""
        if self.rejects:
            np.copyto(numbers, self._numbers[rows], where=self._rejected[rows])

    def scores(self, rows: Rows) -> dict[str, IntColumn]:
        """Return the raw scores of the rows by plugin, without the plugins in `constants`."""
        return {name: scores[rows] for name, scores in self._scores.items()}


class ByState:
    """Results for each state of a node, computed when it first occurs."""

    def __init__(
        self,
        filters: Sequence[FilterPlugin],
        scorers: Sequence[ScorePlugin],
        statuses: CachedStatuses,
        nodes: NodeTable,
    ) -> None:
        self._nodes = nodes
        self._filters = filters
        self._scorers = scorers
        self._statuses = statuses
        self._forget()

    def verdicts(self, cycle: CycleState, rows: Rows) -> Verdicts:
        """Return the verdicts of the filters that depend on the node's pods. The caller may modify the array."""
        states = self._evaluated_states(cycle, rows)
        return Verdicts(self._numbers.take(states), self._statuses.list)

    def scores(self, cycle: CycleState, rows: Rows) -> dict[str, IntColumn]:
        """Return the raw scores of the rows by plugin; empty if no scorer depends on the node's pods."""
        if not self._scorers:
            return {}
        states = self._evaluated_states(cycle, rows)
        return {name: scores.take(states) for name, scores in self._scores.items()}

    def _forget(self) -> None:
        self._numbering = self._nodes.numbering
        self._count = 0
        self._unknown = np.ones(0, np.bool_)
        self._numbers: Numbers = np.zeros(0, np.int16)
        self._scores: dict[str, IntColumn] = {plugin.name: np.zeros(0, np.int64) for plugin in self._scorers}

    def _evaluated_states(self, cycle: CycleState, rows: Rows) -> NDArray[np.intp]:
        """Return the states of the rows after evaluating new states."""
        states = self._nodes.states()[rows]
        if self._numbering != self._nodes.numbering:
            self._forget()
        if self._count < self._nodes.states_known:
            if len(self._unknown) < self._nodes.states_known:
                self._widen(self._nodes.states_known)
            if np.count_nonzero(self._unknown.take(states)):
                self._learn_the_passing(cycle)
                self._learn_the_rejected(cycle, states, self._nodes.all_rows[rows])
        return states

    def _learn_the_passing(self, cycle: CycleState) -> None:
        """Store the results of all new states in which no filter rejects, since they will soon be needed."""
        states = self._nodes.states()
        new = self._unknown.take(states).nonzero()[0]
        example = np.full(len(self._unknown), -1, np.intp)
        example[states[new]] = new
        rows = example[example >= 0]
        for plugin in self._filters:
            numbers = plugin.filter(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows, None).numbers
            rows = rows[numbers == 0] if len(numbers) else rows
        if len(rows):
            self._learn(cycle, states[rows], rows)

    def _learn_the_rejected(self, cycle: CycleState, states: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Evaluate only the new states among `states`, so that statuses keep the order in which they were needed."""
        new = self._unknown.take(states).nonzero()[0]
        if len(new):
            example = dict(zip(states[new].tolist(), rows[new].tolist(), strict=True))
            states, rows = np.fromiter(example, np.intp), np.fromiter(example.values(), np.intp)
            self._numbers[states] = self._statuses.first_rejections(self._filters, cycle, self._nodes, rows)
            self._learn(cycle, states, rows)

    def _learn(self, cycle: CycleState, states: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Add the scores of new states, each with one of its rows."""
        self._unknown[states] = False
        self._count += len(states)
        for plugin in self._scorers:
            scores = plugin.score(cycle.pod, cycle.states.get(plugin.name), self._nodes, rows)
            self._scores[plugin.name][states] = scores

    def _widen(self, states: int) -> None:
        more = states + states // 2 - len(self._unknown)
        self._unknown = np.append(self._unknown, np.ones(more, np.bool_))
        self._numbers = np.append(self._numbers, np.zeros(more, np.int16))
        for name, scores in self._scores.items():
            self._scores[name] = np.append(scores, np.zeros(more, np.int64))


class CachedResults:
    """The cached results for pods of one shape: by node object, by state of a node, and PreScore's by plugin."""

    def __init__(
        self, filters: Sequence[FilterPlugin], scorers: Sequence[ScorePlugin], cycle: CycleState, nodes: NodeTable
    ) -> None:
        statuses = CachedStatuses()
        self.generation = nodes.generation
        self.by_object = ByObject(
            [plugin for plugin in filters if _object_only(plugin)],
            [plugin for plugin in scorers if _object_only(plugin)],
            statuses,
            cycle,
            nodes,
        )
        self.by_state = ByState(
            [plugin for plugin in filters if not _object_only(plugin)],
            [plugin for plugin in scorers if not _object_only(plugin)],
            statuses,
            nodes,
        )
        self.pre_scores = {
            plugin.name: plugin.pre_score(cycle.pod, cycle.states.get(plugin.name), nodes, nodes.all_rows)
            for plugin in scorers
            if implements(plugin, PreScorePlugin)
        }

    def verdicts(self, cycle: CycleState, rows: Rows) -> Verdicts:
        """Return the first rejections by the leading filters. The caller may modify the array."""
        verdicts = self.by_state.verdicts(cycle, rows)
        self.by_object.override(verdicts.numbers, rows)
        return verdicts

    def scores(self, cycle: CycleState, rows: Rows) -> dict[str, IntColumn]:
        """Return the raw scores of the rows by plugin, without the plugins in `by_object.constants`."""
        return self.by_object.scores(rows) | self.by_state.scores(cycle, rows)


class VerdictCache:
    """The cache of a profile, for shapes that occurred at least twice, least recently used first."""

    def __init__(self, cluster: Cluster, filters: Sequence[FilterPlugin], scorers: Sequence[ScorePlugin]) -> None:
        self._cluster = cluster
        self._scorers = [plugin for plugin in scorers if is_cached(plugin)]
        declared = map(reads_of, (*filters, *scorers))
        self._key = shape_key(reads for reads in declared if reads is not None and reads.can_be_kept)
        self._number: dict[ShapeKey, int] = {}
        self._seen: set[int] = set()
        self._shapes: dict[tuple[int, int], CachedResults] = {}

    def shape(self, pod: Pod) -> int:
        """Return a number that is equal for pods that the cached plugins cannot distinguish."""
        return self._number.setdefault(self._key(pod), len(self._number))

    def results(self, cycle: CycleState, leading: Sequence[FilterPlugin]) -> CachedResults | None:
        """Return the cached results for the pod; None for the first pod of a shape."""
        shape, nodes = cycle.shape, self._cluster.nodes
        if shape not in self._seen:
            self._seen.add(shape)
            return None
        key = (shape, len(leading))
        results = self._shapes.pop(key, None)
        if results is None or results.generation != nodes.generation:
            results = CachedResults(leading, self._scorers, cycle, nodes)
        self._shapes[key] = results
        if len(self._shapes) > KEPT_SHAPES:
            del self._shapes[next(iter(self._shapes))]
        return results


def _normalized(plugin: ScorePlugin, cycle: CycleState, nodes: NodeTable, score: IntColumn) -> int:
    """Return the normalized score of all nodes, which have the same raw score."""
    if not implements(plugin, ScoreExtensions):
        return int(score[0])
    state = cycle.states.get(plugin.name)
    return int(plugin.normalize(cycle.pod, state, nodes, np.zeros(1, np.intp), score)[0])
