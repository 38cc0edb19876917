"""Hundreds of expressions, hostile ones among them: each ends within its limits and with a sentence."""

from __future__ import annotations

import os
from random import Random

import pytest

from scheduler_core.cel.plan import Variables
from scheduler_core.cel.syntax import descendants
from scheduler_core.cel.values import MAX_STEPS, Value
from scheduler_core.plugins.rules import plugin as rule_plugin
from scheduler_core.scenario.rules import expression
from scheduler_core.scenario.rules.expression import (
    FORM,
    MAX_COST,
    MAX_LENGTH,
    STEPS_PER_COST,
    Expression,
    RuleError,
    compile_expression,
)
from scheduler_core.trace.events import RunFinished, SchedulingFailed
from tests.builders import Manifest, configuration, node, pod
from tests.core.plugins.test_rules import rule
from tests.core.runs import bound, message, only, run

CASES = int(os.environ.get("KSCHEDUI_RULES", "250"))  # `make test-rules` tries 5,000
AT_ONCE = 16  # plugins of one scenario
MINOR = 36

_BOOL, _INT, _TEXT, _PODS, _NAMES = "bool", "int", "text", "pods", "names"
_LEAVES = {
    _BOOL: ("true", "false", "node.spec.unschedulable", "has(pod.spec.priority)", "'a' in node.metadata.labels"),
    _INT: ("0", "1", "-1", "100", "9223372036854775807", "requested.cpu", "allocatable.memory", "podRequests.cpu",
           "pod.spec.priority", "pods.size()", "cluster.nodes", "cluster.requested.cpu"),
    _TEXT: ("''", "'a'", "'🙂'", "node.metadata.name", "pod.metadata.name", "node.metadata.labels['zone']",
            "node.metadata.labels[?'zone'].orValue('')", "'a'.replace('', 'aaaaaaaaaa')"),
    _PODS: ("pods",),
    _NAMES: ("[]", "['a', 'b']", "pods.map(p, p.metadata.name)", "'a,b,c'.split(',')"),
}  # fmt: skip
_GROWING = {
    _BOOL: ("({bool} && {bool})", "({bool} || {bool})", "!{bool}", "({int} < {int})", "({text} == {text})",
            "{pods}.exists(p, {bool})", "{pods}.all(p, {bool})", "{text}.matches({text})", "({text} in {names})",
            "({bool} ? {bool} : {bool})", "{names}.exists_one(n, {bool})"),
    _INT: ("({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})",
           "({bool} ? {int} : {int})", "int({text})", "size({text})", "size({names})", "cel.bind(x, {int}, x + x)",
           "quantity({text}).asInteger()", "lists.range({int}).size()"),
    _TEXT: ("({text} + {text})", "string({int})", "{text}.upperAscii()", "{text}.replace('a', {text})",
            "{names}.join({text})", "{text}.substring({int})", "cel.bind(y, {text}, y + y + y)"),
    _PODS: ("{pods}.filter(p, {bool})", "({pods} + {pods})"),
    _NAMES: ("{pods}.map(p, {text})", "{names}.map(n, n + {text})", "({names} + {names})", "{names}.filter(n, {bool})",
             "{text}.split({text})"),
}  # fmt: skip
DOUBLING = "".join(f"cel.bind({chr(98 + i)}, {chr(97 + i)} + {chr(97 + i)}, " for i in range(20))
HOSTILE = (
    "(" * 900 + "true" + ")" * 900,
    "!" * 2000 + "true",
    "[" * 900 + "]" * 900,
    "{" * 900,
    "a" * MAX_LENGTH,
    "a" * (MAX_LENGTH + 1),
    "a." * 1000 + "b",
    "1+" * 900 + "1 == 1",
    "true || " * 250 + "true",
    "true ? " * 200 + "true" + " : true" * 200,
    "pods.map(a, pods.map(b, pods.map(c, pods.map(d, 1)))).size() > 0",
    "pods.map(a, pods.map(b, pods.map(c, a.metadata.name + b.metadata.name))).size() > 0",
    "lists.range(1000000).size() > 0",
    "lists.range(90000).all(x, x >= 0)",
    "lists.range(10000).map(x, x).map(x, x).map(x, x).size() > 0",
    "'a'.matches('" + "(a*)*" * 100 + "b')",
    "'a'.matches(pod.metadata.name + '((((a{100}){100}){100}){100})')",
    *("cel.bind(a, " + seed + ", " + DOUBLING + "u == u" + ")" * 21 for seed in ("[1, 1]", "'aa'")),
    "pod == pod && node == node && pods == pods",
    "dyn(1).foo.bar[0] == 1",
    "int('9' + '9') / 0 == 1",
    "\x00",
    "'\\ud800' == 'a'",
    "",
    "pods.map(p, pods.map(q, [p, q])) == pods.map(p, pods.map(q, [p, q]))",
)  # fmt: skip


def generate(random: Random, kind: str, depth: int) -> str:
    """Return an expression of a kind; one part in thirty is of another kind."""
    if random.random() < 0.03:
        kind = random.choice(tuple(_LEAVES))
    if depth == 0 or random.random() < 0.2:
        return random.choice(_LEAVES[kind])
    text = random.choice(_GROWING[kind])
    for each in _LEAVES:
        while f"{{{each}}}" in text:
            text = text.replace(f"{{{each}}}", generate(random, each, depth - 1), 1)
    return text


def expressions() -> list[str]:
    random = Random(27)
    made = [generate(random, _BOOL, random.randint(1, 7)) for _ in range(CASES - len(HOSTILE))]
    return [*HOSTILE, *made]


def compiles(text: str) -> bool:
    """Return whether the expression compiles. A text that does not is refused in a sentence with its position."""
    try:
        compiled = compile_expression(text, "filter", MINOR)
    except RuleError as error:
        for position, sentence in error.problems:
            assert position.line >= 1
            assert position.column >= 1
            assert sentence
            assert "\n" not in sentence
        return False
    assert len(text) <= MAX_LENGTH
    assert compiled.max_cost <= MAX_COST
    assert len(descendants(compiled.checked.tree.root)) <= FORM.parts
    return True


def test_each_expression_ends_within_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    usable = [text for text in expressions() if text and compiles(text)]
    assert len(usable) > CASES // 4  # most others have a type or a cost that is refused
    most = 1 + 2 * MAX_COST + MAX_STEPS // STEPS_PER_COST
    costs = []
    evaluate = rule_plugin.Expression.evaluate

    def measured(self, variables):  # type: ignore[no-untyped-def]
        value, cost = evaluate(self, variables)
        costs.append(cost)
        return value, cost

    monkeypatch.setattr(rule_plugin.Expression, "evaluate", measured)
    cluster = [
        *(node(f"n{i}", zone=f"z{i % 2}", labels={"zone": "a"} if i else {}) for i in range(3)),
        *(pod(f"r{i}", cpu=1, node=f"n{i % 2}") for i in range(6)),
        pod("p", cpu=1, labels={"app": "a"}),
    ]
    for start in range(0, len(usable), AT_ONCE):
        for number, text in enumerate(usable[start : start + AT_ONCE]):
            events = run(rule(f"R{number}", filter=text), *cluster, untilSeconds=1)
            assert isinstance(events[-1], RunFinished)
            for failed in only(SchedulingFailed, events, "p"):
                is_named = "SchedulerPlugin" in failed.message or f"plugin R{number}" in failed.message
                assert is_named, text
                if "SchedulerPlugin" in failed.message:
                    assert f"SchedulerPlugin R{number}, filter, line 1, column " in failed.message
    assert max(costs) <= most


def test_an_evaluation_that_costs_more_than_estimated_is_stopped_with_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expression, "MAX_COST", 100)
    costly = "pods.all(p, pods.all(q, p.metadata.name != '' || q.metadata.name != ''))"
    monkeypatch.setattr(expression, "estimate_cost", lambda checked, shapes, most: 1)
    compile_expression.cache_clear()
    events = run(rule(filter=costly), node("a"), *(pod(f"r{i}", node="a") for i in range(20)), pod("p"))
    compile_expression.cache_clear()
    found = message(events, "p")
    assert "SchedulerPlugin Mine, filter, line 1, column " in found
    assert found.endswith("operation cancelled: actual cost limit exceeded")


def test_a_run_that_costs_too_much_is_stopped_with_the_rule_and_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_plugin, "MAX_COST_OF_RUN", 100)
    mine = rule(filter="node.metadata.labels['kubernetes.io/hostname'] != pod.metadata.name")
    events = run(mine, *(node(f"n{i}") for i in range(50)), pod("p"))
    assert message(events, "p").endswith(
        "SchedulerPlugin Mine, filter, line 1, column 1: stopped: its evaluations cost more than 100 in this run"
    )


def test_each_rule_has_a_budget_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = rule("Mine", filter=LABEL)
    nodes = [node(f"n{i}") for i in range(10)]
    monkeypatch.setattr(rule_plugin, "MAX_COST_OF_RUN", cost_of_run(monkeypatch, mine, *nodes, pod("p")))
    assert bound(run(mine, rule("Other", filter=LABEL), *nodes, pod("p")))  # twice the cost of one
    assert "stopped" in message(run(mine, *nodes, node("one-more"), pod("p")), "p")


def test_a_rule_has_a_budget_in_each_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = configuration(profiles=[{"schedulerName": "one"}, {"schedulerName": "two"}])
    mine, nodes = rule(filter=LABEL), [node(f"n{i}") for i in range(10)]
    first, second, third = (pod(f"p{i}", schedulerName=name) for i, name in enumerate(("one", "two", "two")))
    monkeypatch.setattr(rule_plugin, "MAX_COST_OF_RUN", cost_of_run(monkeypatch, mine, profiles, *nodes, first))
    assert set(bound(run(mine, profiles, *nodes, first, second))) == {"p0", "p1"}
    events = run(mine, profiles, *nodes, first, second, third, untilSeconds=1)
    assert set(bound(events)) == {"p0", "p1"}
    assert "SchedulerPlugin Mine" in message(events, "p2")


def test_a_rule_that_a_profile_disables_costs_nothing_there(monkeypatch: pytest.MonkeyPatch) -> None:
    disabled = {"multiPoint": {"disabled": [{"name": "Mine"}]}}
    profiles = configuration(profiles=[{"schedulerName": "one"}, {"schedulerName": "two", "plugins": disabled}])
    monkeypatch.setattr(rule_plugin, "MAX_COST_OF_RUN", 0)
    mine = rule(filter="node.metadata.name == 'nowhere'")
    events = run(
        mine, profiles, node("a"), pod("p", schedulerName="two"), pod("q", schedulerName="one"), untilSeconds=1
    )
    assert bound(events) == {"p": "a"}


LABEL = "node.metadata.labels['kubernetes.io/hostname'] != pod.metadata.name"


def cost_of_run(monkeypatch: pytest.MonkeyPatch, *objects: Manifest) -> int:
    """Return the smallest cost limit with which no evaluation of the run is stopped."""
    costs: list[int] = []
    with monkeypatch.context() as patch:
        evaluate = rule_plugin.Expression.evaluate

        def counted(self: Expression, variables: Variables) -> tuple[Value, int]:
            found = evaluate(self, variables)
            costs.append(found[1])
            return found

        patch.setattr(rule_plugin.Expression, "evaluate", counted)
        run(*objects)
    assert costs
    return sum(costs[:-1])


def test_what_is_equal_in_what_is_read_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    evaluate = rule_plugin.Expression.evaluate
    monkeypatch.setattr(
        rule_plugin.Expression, "evaluate", lambda self, variables: asked.append(1) or evaluate(self, variables)
    )
    mine = rule(filter="node.metadata.labels['zone'] == 'a' && podRequests.cpu <= 1000")
    nodes = [node(f"n{i}", labels={"zone": "ab"[i % 2]}) for i in range(40)]
    run(mine, *nodes, *(pod(f"p{i}", cpu=(1, 2)[i % 2]) for i in range(30)), untilSeconds=1)
    assert len(asked) == 4
