"""Verdicts and scores that depend on the node alone, kept from one attempt to the next for pods that are alike.

A plugin says what it reads of a node: `reads = "node"` (the node object) or `reads = "resources"` (also what the pods
on it request, `NodeTable.requested`, `non_zero`, `pod_count`). Pods of one *shape* (`PodTable.shape`) get the same
answers from such plugins on a node in the same state. So for a shape that comes a second time all rows are judged once,
and then only the rows that have changed since (`NodeTable.log`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.cluster import Cluster
from scheduler_core.framework.interface import CycleState, Verdicts
from scheduler_core.framework.status import Status
from scheduler_core.nodes import IntColumn

KEPT_SHAPES = 256
KEPT_ANSWERS = 1000
Which = NDArray[np.int16]


class ShapeColumns:
    """One shape's answers on every row: the first rejection of the leading filters, and raw scores by plugin."""

    def __init__(self, filters: Sequence[Any], scorers: Sequence[Any], cycle: CycleState, cluster: Cluster) -> None:
        self._static = [plugin for plugin in filters if plugin.reads == "node"]
        self._moving = [plugin for plugin in filters if plugin.reads != "node"]
        self._moving_scores = [plugin for plugin in scorers if plugin.reads != "node"]
        self.filters = filters
        self.scorers = scorers
        self.statuses: list[Status] = []
        self._number: dict[Status, int] = {}
        nodes = cluster.nodes
        rows = np.arange(len(nodes), dtype=np.intp)
        self._static_which = self._judge(self._static, cycle, cluster, rows, None)
        self._static_rejects = bool(self._static_which.any())
        self.which = self._judge(self._moving, cycle, cluster, rows, self._static_which)
        self.scores: dict[str, IntColumn] = {
            plugin.name: plugin.score(cycle.pod, cycle.states.get(plugin.name), nodes, rows) for plugin in scorers
        }
        self.constants: dict[str, tuple[int, int]] = {}  # (raw, normalized) of scores that are the same everywhere
        for plugin in scorers:
            self._note_constant(plugin, cycle, cluster)
        self.generation = nodes.generation
        self._seen = len(nodes.log)
        self._answers: dict[int, tuple[int, ...]] = {}  # by the node's state: verdict and moving scores

    def refresh(self, cycle: CycleState, cluster: Cluster) -> None:
        """Judge the rows again that have changed since the last time.

        A node in a state that another one was in gets its answers (but for what the node objects decide).
        """
        log = cluster.nodes.log
        changed, self._seen = list(dict.fromkeys(log[self._seen :])), len(log)
        if not changed or not (self._moving or self._moving_scores):
            return
        states = cluster.nodes.states(changed)
        answers = [self._answers.get(state) for state in states]
        if None in answers:
            unknown = {row: state for row, state, answer in zip(changed, states, answers, strict=True) if not answer}
            self._recompute(cycle, cluster, np.fromiter(unknown, np.intp, len(unknown)))
            self._remember(unknown)
            changed = [row for row in changed if row not in unknown]
            answers = [answer for answer in answers if answer]
        if changed:
            rows, known = np.array(changed, np.intp), np.array(answers)
            self.which[rows] = known[:, 0]
            if self._static_rejects:
                static = self._static_which[rows]
                self.which[rows[static > 0]] = static[static > 0]
            for number, plugin in enumerate(self._moving_scores, 1):
                self.scores[plugin.name][rows] = known[:, number]

    def _remember(self, states: dict[int, int]) -> None:
        """Keep the answers of these rows for others in the same states."""
        columns = [self.scores[plugin.name] for plugin in self._moving_scores]
        if len(self._answers) > KEPT_ANSWERS:
            self._answers.clear()
        for row, state in states.items():
            if not self._static_which[row]:
                self._answers[state] = (int(self.which[row]), *(int(column[row]) for column in columns))

    def _recompute(self, cycle: CycleState, cluster: Cluster, rows: NDArray[np.intp]) -> None:
        self.which[rows] = self._judge(self._moving, cycle, cluster, rows, self._static_which[rows])
        for plugin in self._moving_scores:
            state = cycle.states.get(plugin.name)
            self.scores[plugin.name][rows] = plugin.score(cycle.pod, state, cluster.nodes, rows)

    def _note_constant(self, plugin: Any, cycle: CycleState, cluster: Cluster) -> None:
        """A score that reads nodes only and is the same on all of them is so after normalizing, too."""
        scores = self.scores[plugin.name]
        if plugin.reads != "node" or not len(scores) or (scores != scores[0]).any():
            return
        one, row = scores[:1], np.zeros(1, np.intp)
        state, normalized = cycle.states.get(plugin.name), scores[:1]
        if hasattr(plugin, "normalize"):
            normalized = plugin.normalize(cycle.pod, state, cluster.nodes, row, one)
        self.constants[plugin.name] = int(one[0]), int(normalized[0])

    def _judge(
        self, plugins: Sequence[Any], cycle: CycleState, cluster: Cluster, rows: NDArray[np.intp], before: Which | None
    ) -> Which:
        """The first rejection by any of the plugins, where `before` is none."""
        which = np.zeros(len(rows), np.int16) if before is None else before.copy()
        for plugin in plugins:
            verdicts: Verdicts = plugin.filter(cycle.pod, cycle.states.get(plugin.name), cluster.nodes, rows, None)
            if verdicts.which is None:
                continue
            numbers = np.array([0, *(self._status(status, plugin.name) for status in verdicts.statuses)], np.int16)
            which = np.where(which > 0, which, numbers[verdicts.which]).astype(np.int16)
        return which

    def _status(self, status: Status, plugin: str) -> int:
        named = status.by(plugin)
        number = self._number.get(named)
        if number is None:
            self.statuses.append(named)
            number = self._number[named] = len(self.statuses)
        return number


class NodeLocalCache:
    """The shapes that came at least twice, the most recently used last. One for each profile."""

    def __init__(self, cluster: Cluster, scorers: Sequence[Any]) -> None:
        self._cluster = cluster
        self._scorers = [plugin for plugin in scorers if hasattr(plugin, "reads")]
        self._seen: set[int] = set()
        self._shapes: dict[tuple[int, int], ShapeColumns] = {}

    def columns(self, cycle: CycleState, leading: Sequence[Any]) -> ShapeColumns | None:
        """The pod's columns, up to date; None if a pod like it comes for the first time. `leading` filters are kept."""
        shape = int(self._cluster.pods.shape[cycle.slot])
        if shape not in self._seen:
            self._seen.add(shape)
            return None
        key = (shape, len(leading))
        found = self._shapes.pop(key, None)
        if found is None or found.generation != self._cluster.nodes.generation:
            found = ShapeColumns(leading, self._scorers, cycle, self._cluster)
        else:
            found.refresh(cycle, self._cluster)
        self._shapes[key] = found
        if len(self._shapes) > KEPT_SHAPES:
            del self._shapes[next(iter(self._shapes))]
        return found
