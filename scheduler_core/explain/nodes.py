"""Explanations of nodes in the state of an attempt, by plugin in the order of the framework."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node
from scheduler_core.apis.messages import Message, NotAnswerable
from scheduler_core.explain.records import AttemptExplanation, FilterExplanation, NodeExplanation, ScoreOnNode
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    SUCCESS,
    Change,
    CycleState,
    ExplainsFilter,
    ExplainsScore,
    ExtenderError,
    FilterPlugin,
    PreFilterExtensions,
    PreFilterPlugin,
    RunsPreFilter,
    ScorePlugin,
    Status,
    Verdicts,
    WhatIf,
)
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.framework.runtime.scores import PluginScore
from scheduler_core.scheduler.search.extenders import SCALE
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.events import CycleStarted, NodesFiltered, PreFilterFinished, ScoresComputed
from scheduler_core.trace.records import NodeName, PluginScores, StatusCode


class Course(msgspec.Struct):
    """The events of the attempt so far."""

    started: CycleStarted
    pre_filter: PreFilterFinished | None = None
    filtered: NodesFiltered | None = None
    scores: ScoresComputed | None = None


class Explainer:
    """Explains nodes. It runs PreFilter with its own cycle state; the cluster must be in the state of the attempt.

    The status of a plugin that rejected the pod at PreFilter applies to every node; later plugins are still evaluated.
    """

    def __init__(self, framework: Framework, course: Course) -> None:
        cluster = self._cluster = framework.cluster
        cluster.snapshot()
        pod = cluster.pods.get(course.started.pod)
        assert pod is not None
        self._framework, self._course, self._pod = framework, course, pod
        self._cycle = CycleState(pod, cluster.pods.slot_of[pod.key])
        filters, scorers = framework.at(FilterPlugin), framework.at(ScorePlugin)
        self._explains_filter = {plugin.name: plugin for plugin in filters if isinstance(plugin, ExplainsFilter)}
        self._explains_score = {plugin.name: plugin for plugin in scorers if isinstance(plugin, ExplainsScore)}
        self._rejected: dict[str, Status] = {}
        pre_filters = dict(framework.pre_filters)
        for plugin in filters:  # without their PreFilter, some plugins run it in their Filter
            if plugin.name in pre_filters or not implements(plugin, RunsPreFilter):
                continue
            if implements(plugin, PreFilterPlugin):
                pre_filters[plugin.name] = plugin.pre_filter
        for name, pre_filter in pre_filters.items():
            result = pre_filter(pod, cluster)
            self._cycle.states[name] = result.state
            if result.status.is_skip:
                self._cycle.skip_filter.add(name)
            elif not result.status.is_success:
                self._rejected[name] = result.status
        self._evaluated = _set_of_evaluated_rows(course.filtered, len(cluster.nodes))
        self._scored = _scored_rows(course.scores)
        self._plugin_scores = self._run_scores()

    def explain(self, nodes: Sequence[NodeName] | None) -> AttemptExplanation:
        """Return the explanations of these nodes (None: all). Raises NotAnswerable for an unknown node."""
        table = self._cluster.nodes
        for name in nodes or ():
            if name not in table.row_of:
                raise NotAnswerable(Message("There is no node {name} at this attempt.", name=name))
        rows = range(len(table)) if nodes is None else [table.row_of[name] for name in nodes]
        started, pre_filter = self._course.started, self._course.pre_filter
        return AttemptExplanation(
            started.attempt,
            started.pod,
            [NodeExplanation(table.names[row], self._filters(row), self._scores(row)) for row in rows],
            pre_filter.results if pre_filter is not None else [],
        )

    # Filter

    def _filters(self, row: int) -> list[FilterExplanation]:
        """Return explanations of the filters; on nodes with nominated pods, a failure with them takes precedence."""
        evaluated = row in self._evaluated
        nominated = self._nominated(row)
        filter_explanations = self._pass(row, nominated, evaluated=evaluated) if nominated is not None else []
        if not any(_rejects(filter_explanation) for filter_explanation in filter_explanations):
            filter_explanations = self._pass(row, None, evaluated=evaluated)
        return filter_explanations + self._extender_rejections(row)

    def _pass(self, row: int, what_if: WhatIf | None, *, evaluated: bool) -> list[FilterExplanation]:
        filter_explanations = []
        for plugin in self._framework.at(FilterPlugin):
            explanation = self._filter(plugin, row, what_if, evaluated=evaluated)
            evaluated = evaluated and not _rejects(explanation)
            filter_explanations.append(explanation)
        return filter_explanations

    def _filter(self, plugin: FilterPlugin, row: int, what_if: WhatIf | None, *, evaluated: bool) -> FilterExplanation:
        name: str = plugin.name
        if name in self._cycle.skip_filter:
            return FilterExplanation(name, "Skip", [], evaluated, [_skip_fact(name)])
        if name in self._rejected:
            status = self._rejected[name]
            fact = _pre_filter_fact(name, status)
            return FilterExplanation(name, status.code.label, list(status.reasons), evaluated, [fact])
        change = self._change(plugin, what_if)
        state = self._cycle.states.get(name)
        rows = np.array([row], np.intp)
        verdicts: Verdicts = plugin.filter(self._pod, state, self._cluster.nodes, rows, change)
        status = verdicts.status(0) or SUCCESS
        explains = self._explains_filter.get(name)
        facts = explains.explain_filter(self._pod, state, self._cluster, row, change) if explains else []
        return FilterExplanation(name, status.code.label, list(status.reasons), evaluated, facts)

    def _nominated(self, row: int) -> WhatIf | None:
        """Return the nominated pods that take precedence over the pod on the node, None if there are none."""
        nothing = WhatIf.nothing(np.array([row], np.intp))
        index, slots = self._framework.filters.nominated(self._cycle, nothing.rows, self._framework.nominator)
        return nothing.with_added(index, slots) if len(slots) else None

    def _change(self, plugin: FilterPlugin, what_if: WhatIf | None) -> Change | None:
        if what_if is None or not isinstance(plugin, PreFilterExtensions):
            return None
        state = self._cycle.states.get(plugin.name)
        delta = what_if.delta(
            plugin.name, lambda slots, rows: plugin.add_pod_delta(self._pod, state, self._cluster, slots, rows)
        )
        return Change(delta, what_if, np.zeros(1, np.intp))

    def _extender_rejections(self, row: int) -> list[FilterExplanation]:
        if self._course.filtered is None:
            return []
        node = self._cluster.nodes.nodes[row]
        return [
            FilterExplanation(name, self._extender_code(name, node), [message], evaluated=True)
            for name, rejected, message in self._course.filtered.extenders
            if rejected == node.name
        ]

    def _extender_code(self, name: str, node: Node) -> StatusCode:
        """Return the code of a rejection by the extender, according to its script."""
        extender = next(extender for extender in self._framework.extenders if extender.name == name)
        try:
            unresolvable = node.name in extender.filter(self._pod, [node]).failed_unresolvable
        except ExtenderError:
            unresolvable = False
        return "UnschedulableAndUnresolvable" if unresolvable else "Unschedulable"

    # Score

    def _run_scores(self) -> list[tuple[Any, PluginScore]]:
        if self._course.scores is None:
            return []
        interested = (extender for extender in self._framework.extenders if extender.is_interested(self._pod))
        self._cycle.bare_nodes = any(extender.returns_bare_nodes for extender in interested)
        scores, _, _ = self._framework.run_scores(self._cycle, self._scored)
        plugins = {plugin.name: plugin for plugin in self._framework.at(ScorePlugin)}
        return [(plugins[score.plugin], score) for score in scores]

    def _scores(self, row: int) -> list[ScoreOnNode]:
        position = np.flatnonzero(self._scored == row)
        if not len(position):
            return []
        index = int(position[0])
        assert self._course.scores is not None
        return [
            *(self._score(plugin, score, index) for plugin, score in self._plugin_scores),
            *(
                _extender_score(extender, self._course.scores.count, index)
                for extender in self._course.scores.extenders
            ),
        ]

    def _score(self, plugin: ScorePlugin, score: PluginScore, index: int) -> ScoreOnNode:
        explanation = ScoreExplanation()
        raw, column = score.columns(len(self._scored))
        if (explains := self._explains_score.get(plugin.name)) is not None:
            state = self._cycle.score_states.get(plugin.name, self._cycle.states.get(plugin.name))
            cluster = self._cluster
            if self._cycle.bare_nodes:
                cluster = copy(cluster)
                cluster.nodes = cluster.nodes.without_pods()
            explanation = explains.explain_score(self._pod, state, cluster, self._scored, raw, index)
        normalized = int(column[index])
        return ScoreOnNode(
            score.plugin,
            int(raw[index]),
            normalized,
            score.weight,
            normalized * score.weight,
            explanation.arithmetic,
            explanation.facts,
        )


def _rejects(filter_explanation: FilterExplanation) -> bool:
    return filter_explanation.code not in ("Success", "Skip")


def _skip_fact(plugin: str) -> Fact:
    return Fact(
        f"{plugin}.skip",
        left=f"what {plugin} checks",
        op="=",
        right="nothing",
        holds=True,
        text=f"The pod asks for nothing that {plugin} would have to check.",
    )


def _pre_filter_fact(plugin: str, status: Status) -> Fact:
    return Fact(
        f"{plugin}.preFilter",
        left="the pod",
        op="is",
        right="rejected on every node",
        holds=False,
        text=f"{plugin} rejects the pod before it looks at any node: {status.message}.",
    )


def _set_of_evaluated_rows(filtered: NodesFiltered | None, nodes: int) -> set[int]:
    """Return the rows that Filter evaluated, without extenders."""
    return set() if filtered is None else set(evaluated_rows(filtered, nodes).tolist())


def evaluated_rows(filtered: NodesFiltered, nodes: int) -> NDArray[np.int64]:
    """Return the rows that were evaluated according to the event, in order."""
    if filtered.rows is not None:
        return decode_column(filtered.rows, filtered.evaluated)
    return (filtered.start + np.arange(filtered.evaluated)) % max(nodes, 1)


def _scored_rows(scores: ScoresComputed | None) -> NDArray[np.intp]:
    if scores is None:
        return np.empty(0, np.intp)
    return decode_column(scores.rows, scores.count).astype(np.intp)


def _extender_score(plugin_scores: PluginScores, count: int, index: int) -> ScoreOnNode:
    """Return the score of an extender, which is multiplied by ten."""
    score = int(decode_column(plugin_scores.normalized, count)[index])
    raw = score if plugin_scores.raw is None else int(decode_column(plugin_scores.raw, count)[index])
    return ScoreOnNode(
        plugin_scores.plugin,
        raw,
        score,
        plugin_scores.weight,
        score * plugin_scores.weight,
        [f"{raw} of 10: {raw} * {SCALE} = {score}"],
    )
