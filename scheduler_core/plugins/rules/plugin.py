"""The plugin of a rule. Each rule has its own class, with the extension points of its expressions.

The class is composed of the parts below, since the framework checks what the class implements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.apis.rules import Point, Rule
from scheduler_core.cel.plan import Variables
from scheduler_core.cel.values import Error, Value, type_of
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.cluster_event import registered_events
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    PASS,
    SUCCESS,
    Change,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PermitPlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    RegisteredEvent,
    Rows,
    ScoreError,
    ScoreExtensions,
    ScorePlugin,
    Scores,
    Status,
    Verdicts,
)
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.framework.runtime.scores import default_normalize
from scheduler_core.plugins.rules.about import make_about
from scheduler_core.plugins.rules.explain import explain_condition, explain_number
from scheduler_core.plugins.rules.results import ClusterSums, Results
from scheduler_core.scenario.rules.expression import MAX_COST_OF_RUN, Expression, compile_expression

MAX_MESSAGE = 256  # the number of characters of a reason
_SUBJECTS: dict[Point, str] = {"preEnqueue": "pod", "filter": "node(s)", "permit": "pod"}
Score = tuple[int, str]  # the score, and the error or ""
Slots = Sequence[int]


def with_rules(registry: Registry, rules: Sequence[Rule]) -> Registry:
    """Return the registry with a plugin for each rule."""
    return {**registry, **{rule.name: make_plugin(rule) for rule in rules}} if rules else registry


def make_plugin(rule: Rule) -> type[Plugin]:
    """Return the class of a rule's plugin."""
    bases: list[type] = [_PARTS[point] for point in rule.expressions]
    if rule.normalize != "None":
        bases.append(_Normalizes)
    condition = _results_of(rule, "filter", _nothing) if "filter" in rule.expressions else None
    if condition is not None and condition.depends_on_pods:
        bases.append(_ReadsPods)
    if rule.sums:
        bases.append(_ReadsSums)
    return type(rule.name, (*bases, _RulePlugin), {"name": rule.name, "rule": rule, "about": make_about(rule)})


def make_rule_plugin(rule: Rule, handle: Handle) -> _RulePlugin:
    """Return a new plugin of a single rule, to evaluate the rule."""
    rule_plugin = make_plugin(rule)(None, handle)
    assert isinstance(rule_plugin, _RulePlugin)
    return rule_plugin


class _RulePlugin(EnqueueExtensions):
    """The common part of the plugins of all rules."""

    rule: Rule

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._handle = handle
        self._cost = 0
        self._conditions: dict[Point, Results[Status]] = {
            point: _results_of(self.rule, point, self._judge(point))
            for point in self.rule.expressions
            if point in _SUBJECTS
        }
        self._numbers = (
            _results_of(self.rule, "score", self._compute_score) if "score" in self.rule.expressions else None
        )

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return registered_events(name.replace("/", " ") if "/" in name else f"{name} All" for name in self.rule.requeue)

    def values(self, pod: Pod, rows: NDArray[np.intp]) -> dict[Point, list[tuple[str, str]]]:
        """Return (value, message) by point, for each row; for preEnqueue, which reads no node, only once.

        The value is "true", "false", a number or "error"; the message is "" unless the value is "false" or "error".
        """
        cluster, values = self._handle.cluster, dict[Point, list[tuple[str, str]]]()
        sums = ClusterSums.of(cluster.nodes)
        for point, condition in self._conditions.items():
            if point == "preEnqueue":
                statuses = [condition.of_pod(pod)]
            else:
                numbers = condition.of_rows(pod, sums, cluster, cluster.nodes, rows)
                statuses = [condition.results[number] for number in numbers.tolist()]
            values[point] = [(_condition_value(status), status.message) for status in statuses]
        if self._numbers is not None:
            numbers = self._numbers.of_rows(pod, sums, cluster, cluster.nodes, rows)
            scores = [self._numbers.results[number] for number in numbers.tolist()]
            values["score"] = [("error" if error else str(value), error) for value, error in scores]
        return values

    def _judge(self, point: Point) -> Any:
        """Return a function that evaluates the expression for variables and returns its status."""
        expression = _compiled(self.rule, point)
        message = _compiled_message(self.rule)

        def judge(variables: Variables) -> Status:
            value, error = self._evaluate(point, expression, variables, bool)
            if error:
                return Status(Code.ERROR, (error,))
            if value:
                return SUCCESS
            reason = f"{_SUBJECTS[point]} didn't satisfy plugin {self.rule.name}"
            if message is not None:
                reason, error = self._evaluate("message", message, variables, str)
                if error:
                    return Status(Code.ERROR, (error,))
                reason = reason[:MAX_MESSAGE]
            code = Code.UNSCHEDULABLE if self.rule.resolvable else Code.UNSCHEDULABLE_AND_UNRESOLVABLE
            return Status(code, (reason,))

        return judge

    def _compute_score(self, variables: Variables) -> Score:
        value, error = self._evaluate("score", _compiled(self.rule, "score"), variables, int)
        return (0, error) if error else (value, "")

    def _evaluate(self, field: str, expression: Expression, variables: Variables, expected: type) -> tuple[Any, str]:
        """Return the value of an expression and "", or None and an error message with rule and position."""
        if self._cost > MAX_COST_OF_RUN:
            problem = f"stopped: its evaluations cost more than {MAX_COST_OF_RUN:,} in this run"
            return None, f"SchedulerPlugin {self.rule.name}, {field}, line 1, column 1: {problem}"
        value, cost = expression.evaluate(variables)
        self._cost += cost
        if type(value) is expected:
            return value, ""
        problem = value.message if type(value) is Error else _wrong_type(value, expected)
        position = expression.find_error(variables)
        location = f"SchedulerPlugin {self.rule.name}, {field}, line {position.line}, column {position.column}"
        return None, f"{location}: {problem}"


class _PreEnqueues(PreEnqueuePlugin):
    _conditions: Mapping[Point, Results[Status]]

    def pre_enqueue(self, pod: Pod) -> Status:
        return self._conditions["preEnqueue"].of_pod(pod)


class _Filters(FilterPlugin, ExplainsFilter):
    rule: Rule
    _conditions: Mapping[Point, Results[Status]]
    _handle: Handle

    def filter(
        self, pod: Pod, state: ClusterSums | None, nodes: NodeTable, rows: Rows, change: Change | None
    ) -> Verdicts:
        evaluated, condition = nodes.all_rows[rows], self._conditions["filter"]
        if not len(evaluated):
            return PASS
        changes = None if change is None else list(zip(change.removed, change.added, strict=True))
        numbers = condition.of_rows(pod, state, self._handle.cluster, nodes, evaluated, changes)
        return Verdicts.by_code(numbers, condition.results)

    def explain_filter(
        self, pod: Pod, state: ClusterSums | None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        removed, added = (change.removed[0], change.added[0]) if change is not None else ((), ())
        condition = self._conditions["filter"]
        variables = condition.variables(pod, state, cluster, cluster.nodes, row, removed, added)
        return explain_condition(self.rule, _compiled(self.rule, "filter"), variables)


class _ReadsPods(PreFilterExtensions):
    """A filter that reads the node's pods, so it runs again when pods are removed or added."""


class _ReadsSums(PreFilterPlugin):
    """A rule that reads sums over the nodes of the cluster."""

    without_pre_filter = "the plugin needs its PreFilter, which this profile has disabled"
    without_pre_score = without_pre_filter

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        return PreFilterResult(ClusterSums.of(cluster.nodes))


class _Scores(ScorePlugin, ExplainsScore):
    rule: Rule
    _handle: Handle
    _numbers: Results[Score]

    def score(self, pod: Pod, state: ClusterSums | None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        numbers = self._numbers.of_rows(pod, state, self._handle.cluster, nodes, rows)
        results = self._numbers.results
        for number in dict.fromkeys(numbers.tolist()):
            if error := results[number][1]:
                raise ScoreError(error)
        return np.array([value for value, _ in results], np.int64)[numbers]

    def explain_score(
        self,
        pod: Pod,
        state: ClusterSums | None,
        cluster: Cluster,
        rows: NDArray[np.intp],
        raw: Scores,
        index: int,
    ) -> ScoreExplanation:
        variables = self._numbers.variables(pod, state, cluster, cluster.nodes, int(rows[index]))
        lines = explain_number(_compiled(self.rule, "score"), variables)
        largest = int(raw.max(initial=0))
        if self.rule.normalize != "None" and largest > 0:
            scaled = MAX_NODE_SCORE * int(raw[index]) // largest
            line = f"{MAX_NODE_SCORE} × {raw[index]} ÷ {largest} (largest) = {scaled}"
            lines.append(line)
            if self.rule.normalize == "Reversed":
                lines.append(f"{MAX_NODE_SCORE} - {scaled} = {MAX_NODE_SCORE - scaled}")
        return ScoreExplanation(lines)


class _Normalizes(ScoreExtensions):
    rule: Rule

    def normalize(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        return default_normalize(scores, reverse=self.rule.normalize == "Reversed")


class _Permits(PermitPlugin):
    _conditions: Mapping[Point, Results[Status]]
    _handle: Handle

    def permit(self, pod: Pod, state: ClusterSums | None, node_name: str) -> tuple[Status, float]:
        """Evaluate the node without the pod, which is already assumed there."""
        cluster, condition = self._handle.cluster, self._conditions["permit"]
        nodes = cluster.nodes
        row, slot = nodes.row_of.get(node_name), cluster.pods.slot_of[pod.key]
        if row is None:
            return Status(Code.ERROR, (f'nodeinfo not found for node name "{node_name}"',)), 0.0
        change: tuple[Slots, Slots] = [slot] if slot in cluster.pods.on_node(node_name) else [], []
        number = condition.of_rows(pod, state, cluster, nodes, np.array([row], np.intp), [change])
        return condition.results[int(number[0])], 0.0


_PARTS: dict[Point, type] = {"preEnqueue": _PreEnqueues, "filter": _Filters, "score": _Scores, "permit": _Permits}


def _compiled(rule: Rule, point: Point) -> Expression:
    return compile_expression(rule.expressions[point], point, rule.minor)


def _compiled_message(rule: Rule) -> Expression | None:
    if not rule.message:
        return None
    return compile_expression(
        rule.message, "messageOfPod" if "preEnqueue" in rule.expressions else "message", rule.minor
    )


def _paths(rule: Rule, point: Point) -> tuple[tuple[str, ...], ...]:
    message = _compiled_message(rule) if point in _SUBJECTS else None
    return _compiled(rule, point).paths + (message.paths if message is not None else ())


def _results_of(rule: Rule, point: Point, decide: Any) -> Results[Any]:
    return Results(_paths(rule, point), decide)


def _condition_value(status: Status) -> str:
    if status.is_error:
        return "error"
    return "true" if status.is_success else "false"


def _nothing(variables: Variables) -> None:
    return None


def _wrong_type(value: Value, expected: type) -> str:
    return f"the result is {type_of(value).name}; expected {'string' if expected is str else expected.__name__}"
