"""Plugins that a scenario declares as CEL expressions."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.ask.editing.edits import DisablePlugin, SetField, SetWeight
from scheduler_core.ask.moments.judge import judge
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.ask.rule_values import evaluate_rules
from scheduler_core.explain.attempt import explain
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from scheduler_core.trace.events import RunStarted, ScoresComputed
from tests.builders import Manifest, configuration, node, parse, pod, scenario
from tests.core.runs import attempts, bound, message, only, run

REQUEST = "podRequests.cpu <= allocatable.cpu - requested.cpu"
ROOM = f"{REQUEST} && podRequests.memory <= allocatable.memory - requested.memory && requested.pods < allocatable.pods"


def rule(name: str = "Mine", **spec: Any) -> Manifest:
    return {
        "apiVersion": "kschedui.io/v1alpha1",
        "kind": "SchedulerPlugin",
        "metadata": {"name": name},
        "spec": spec,
    }


def without(*plugins: str) -> Manifest:
    disabled = [{"name": plugin} for plugin in plugins]
    return configuration(
        profiles=[{"schedulerName": "default-scheduler", "plugins": {"multiPoint": {"disabled": disabled}}}]
    )


def refused(*objects: Manifest) -> list[str]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*objects))
    return [f"{error.path}: {error.message}" for error in caught.value.errors]


# What the points do


def test_a_filter_rejects_nodes_with_its_message() -> None:
    events = run(
        rule(filter="'gpu' in node.metadata.labels", message="'no GPU on ' + node.metadata.name"), node("a"), pod("p")
    )
    assert message(events, "p").startswith("0/1 nodes are available: 1 no GPU on a.")


def test_a_filter_without_a_message_names_its_plugin() -> None:
    assert "1 node(s) didn't satisfy plugin Mine." in message(run(rule(filter="false"), node("a"), pod("p")), "p")


def test_a_score_decides_between_nodes() -> None:
    mine = rule(score="node.metadata.name == 'b' ? 100 : 0", weight=100)
    assert bound(run(mine, node("a"), node("b"), node("c"), pod("p"))) == {"p": "b"}


@pytest.mark.parametrize(("normalize", "expected"), [("Maximum", [25, 50, 100]), ("Reversed", [75, 50, 0])])
def test_scores_are_normalized_by_the_largest(normalize: str, expected: list[int]) -> None:
    mine = rule(score="int(node.metadata.labels['rank'])", normalize=normalize)
    nodes = [node(f"n{rank}", labels={"rank": str(rank)}) for rank in (100, 200, 400)]
    (scores,) = only(ScoresComputed, run(mine, *nodes, pod("p")))
    explanation = explain(parse(mine, *nodes, pod("p")), 1)
    assert [
        next(score.normalized for score in one.scores if score.plugin == "Mine") for one in explanation.nodes
    ] == expected
    assert scores.plugins[-1].plugin == "Mine"


@pytest.mark.parametrize("score", ["101", "-1"])
def test_a_score_out_of_range_fails_the_attempt_as_in_kube_scheduler(score: str) -> None:
    found = message(run(rule(score=score), node("a"), node("b"), pod("p")), "p")
    assert found == (
        'applying score defaultWeights on Score plugins: plugin "Mine" returns an invalid score '
        f"{score}, it should in the range of [0, 100] after normalizing"
    )


def test_pre_enqueue_keeps_a_pod_out_of_the_queue_until_its_labels_change() -> None:
    mine = rule(preEnqueue="pod.metadata.labels[?'ready'].orValue('') == 'yes'")
    later = [{"at": 5, "update": pod("p", labels={"ready": "yes"})}]
    assert bound(run(mine, node("a"), pod("p"))) == {}
    events = run(mine, node("a"), pod("p"), events=later)
    assert attempts(events) == [(5.0, "p", "Scheduled")]


def test_permit_judges_the_node_without_the_pod() -> None:
    mine = rule(permit="pods.size() == 0", message="'one pod for each node'")
    events = run(mine, node("a"), pod("p"), pod("q"))
    assert bound(events) == {"p": "a"}
    assert "one pod for each node" in message(events, "q")


def test_a_rejected_pod_is_tried_again_after_the_events_of_what_is_read() -> None:
    mine = rule(filter="node.metadata.labels[?'open'].orValue('') == 'yes'")
    later = [
        {"at": 10, "update": node("a", cpu=8)},
        {"at": 20, "update": node("a", labels={"open": "yes"})},
    ]
    events = run(mine, node("a"), pod("p"), events=later)
    assert [(time, outcome) for time, _, outcome in attempts(events)] == [(0.0, "Unschedulable"), (20.0, "Scheduled")]


@pytest.mark.parametrize(
    ("expression", "events"),
    [
        ("node.metadata.labels['a'] == 'b'", ["Node/Add", "Node/UpdateNodeLabel"]),
        ("!node.spec.unschedulable", ["Node/Add", "Node/UpdateNodeTaint"]),
        ("requested.cpu < 5", ["AssignedPod/Add", "AssignedPod/Delete", "AssignedPod/UpdatePodScaleDown"]),
        ("pods.size() < 3", ["AssignedPod/Add", "AssignedPod/Delete"]),
        (
            "pods.all(p, p.metadata.labels[?'a'].orValue('') == pod.metadata.labels['a'])",
            ["Pod/UpdatePodLabel", "AssignedPod/Add", "AssignedPod/Delete", "AssignedPod/UpdatePodLabel"],
        ),
        ("pod.spec.priority > 5", []),
    ],
)
def test_the_events_come_from_the_fields_that_are_read(expression: str, events: list[str]) -> None:
    (mine,) = parse(rule(filter=expression)).rules
    assert list(mine.requeue) == events


def test_a_message_that_reads_more_waits_for_more() -> None:
    (mine,) = parse(rule(filter="'a' in node.metadata.labels", message="string(requested.cpu)")).rules
    assert "AssignedPod/Delete" in mine.requeue


# A rule that says what a built-in plugin says decides what it decides


def _cluster(random: Random) -> list[Manifest]:
    nodes = [node(f"n{i}", cpu=random.choice((2, 4)), memory="8Gi", pods=random.choice((3, 10))) for i in range(5)]
    running = [
        pod(f"r{i}", cpu=random.choice((1, 2)), memory="1Gi", node=f"n{i % 5}", priority=random.choice((0, 5)))
        for i in range(6)
    ]
    waiting = [
        pod(
            f"w{i}", cpu=random.choice((1, 2, 3)), memory=random.choice(("1Gi", "3Gi")), priority=random.choice((0, 10))
        )
        for i in range(8)
    ]
    return [*nodes, *running, *waiting]


def _outcome(*objects: Manifest) -> list[Any]:
    records = list(decisions(simulate(parse(*objects, seed=3, untilSeconds=60))))
    return [
        {name: record.get(name) for name in ("time", "pod", "node", "victims", "nominated", "final")}
        for record in records
    ]


@pytest.mark.parametrize("seed", range(25))
def test_room_as_a_rule_schedules_preempts_and_waits_as_node_resources_fit(seed: int) -> None:
    """Preemption removes victims and adds nominated pods in a dry run; the rule must be evaluated in each of these
    states."""
    objects = _cluster(Random(seed))
    fit = rule("Room", filter=ROOM, requeueOn=["Node/Add", "Node/UpdateNodeAllocatable", "Pod/Delete"])
    scoring = without("NodeResourcesBalancedAllocation")
    only_scores = without("NodeResourcesBalancedAllocation", "NodeResourcesFit")
    score = {"enabled": [{"name": "NodeResourcesFit"}]}
    only_scores["profiles"][0]["plugins"]["score"] = score
    assert _outcome(fit, only_scores, *objects) == _outcome(scoring, *objects)


@pytest.mark.parametrize("seed", range(10))
def test_a_count_of_pods_as_a_rule_equals_the_nodes_limit(seed: int) -> None:
    objects = _cluster(Random(seed))
    counted = [*objects]
    wide = [{**one, "status": {"allocatable": {**one["status"]["allocatable"], "pods": "100"}}} for one in counted[:5]]
    limits = " || ".join(
        f"node.metadata.name == '{one['metadata']['name']}' && pods.size() < {one['status']['allocatable']['pods']}"
        for one in counted[:5]
    )
    mine = rule("Count", filter=limits, requeueOn=["Pod/Delete", "Node/Add", "Node/UpdateNodeAllocatable"])
    pairs = [(left["pod"], left["node"]) for left in _outcome(mine, *wide, *objects[5:]) if left["node"]]
    assert pairs == [(right["pod"], right["node"]) for right in _outcome(*objects) if right["node"]]


def test_sums_over_the_cluster_are_those_of_the_attempt() -> None:
    mine = rule(filter="cluster.requested.cpu + podRequests.cpu <= cluster.allocatable.cpu / 2 && cluster.nodes == 2")
    events = run(mine, node("a", cpu=4), node("b", cpu=4), *(pod(f"p{i}", cpu=1) for i in range(6)))
    assert sorted(bound(events)) == ["p0", "p1", "p2", "p3"]


def test_preemption_imagines_pods_away_from_the_sums_too() -> None:
    mine = rule(filter="cluster.requested.cpu + podRequests.cpu <= 4000")
    low = pod("low", cpu=4, node="a", priority=0)
    events = run(mine, node("a", cpu=8), low, pod("high", cpu=2, priority=10))
    assert bound(events) == {"high": "a"}


# Where plugins work


def test_a_run_without_rules_has_no_trace_of_them() -> None:
    (started,) = only(RunStarted, run(node("a"), pod("p")))
    assert all("Mine" not in str(points) for points in started.plugins.values())


def test_a_rule_is_enabled_in_every_profile_as_a_default_plugin_is() -> None:
    profiles = [
        {"schedulerName": "one"},
        {"schedulerName": "two", "plugins": {"multiPoint": {"disabled": [{"name": "Mine"}]}}},
        {"schedulerName": "three", "plugins": {"score": {"enabled": [{"name": "Mine", "weight": 7}]}}},
    ]
    parsed = parse(rule(filter="true", score="1", weight=3), configuration(profiles=profiles))
    at = [
        {point: ref.weight for point, refs in profile.plugins.items() for ref in refs if ref.name == "Mine"}
        for profile in parsed.config.profiles
    ]
    assert at == [{"filter": 0, "score": 3}, {}, {"filter": 0, "score": 7}]


def test_what_if_takes_the_rule_away_and_changes_its_weight() -> None:
    mine = rule(filter="node.metadata.name == 'b'", score="0")
    moment = before_attempt(parse(mine, node("a"), node("b"), pod("p")), 1)
    assert judge(moment, [], {}).after.node == "b"
    assert judge(moment, [DisablePlugin("Mine")], {}).after.node == "a"
    assert judge(moment, [SetWeight("Mine", 5)], {}).after.node == "b"
    label = SetField("Node", "a", ("metadata", "labels", "x"), "y")
    labelled = rule(filter="'x' in node.metadata.labels")
    moment = before_attempt(parse(labelled, node("a"), pod("p")), 1)
    assert judge(moment, [], {}).after.node == ""
    assert judge(moment, [label], {}).after.node == "a"


def test_traces_are_deterministic() -> None:
    objects = [rule(filter=ROOM, score="100 - pods.size()"), *_cluster(Random(1))]
    assert run(*objects, seed=5) == run(*objects, seed=5)


# Explanations


def _facts(filter_: str, **labels: str) -> list[tuple[str, bool]]:
    explanation = explain(parse(rule(filter=filter_), node("a", labels=labels), pod("p", cpu="500m")), 1)
    facts = next(one.facts for one in explanation.nodes[0].filters if one.plugin == "Mine")
    return [(" ".join(part for part in (fact.left, fact.op, fact.right) if part), fact.holds) for fact in facts]


def test_facts_have_the_values_filled_in() -> None:
    assert _facts("node.metadata.labels['price'] == 'spot'", price="spot") == [('price "spot" = "spot"', True)]
    assert _facts("node.metadata.labels['price'] == 'spot'", price="dear") == [('price "dear" ≠ "spot"', False)]
    assert _facts("podRequests.cpu > 700 || 'x' in node.metadata.labels") == [
        ("cpu 500 ≤ 700", False),
        ('"x" not in node.metadata.labels', False),
    ]
    assert _facts("podRequests.cpu > 100 && !('x' in node.metadata.labels)") == [
        ("cpu 500 > 100", True),
        ('"x" not in node.metadata.labels', True),
    ]


def test_the_arithmetic_of_a_score_goes_part_by_part() -> None:
    mine = rule(
        score="node.metadata.labels[?'price'].orValue('') == 'spot' ? 10 : "
        "100 * (allocatable.cpu - requested.cpu) / allocatable.cpu"
    )
    objects = [mine, node("a", labels={"price": "spot"}), node("b", cpu=4), pod("r", cpu=1, node="b"), pod("p")]
    lines = {
        one.node: next(score.arithmetic for score in one.scores if score.plugin == "Mine")
        for one in explain(parse(*objects), 1).nodes
    }
    assert lines["a"] == ['price "spot" = "spot" → 10']
    assert lines["b"] == [
        'price "" ≠ "spot" → 100 * (allocatable.cpu - requested.cpu) / allocatable.cpu',
        "allocatable.cpu = 4000",
        "requested.cpu = 1000",
        "100 * (4000 - 1000) / 4000 = 75",
    ]


# Errors


def test_errors_of_types_have_their_place() -> None:
    assert refused(rule(filter="1 + 1")) == ["spec.filter: line 1, column 3: the result is int; expected bool"]
    assert refused(rule(score="true &&\n  1 > 'a'")) == [
        "spec.score: line 2, column 5: found no matching overload for '_>_' applied to '(int, string)'"
    ]
    assert refused(rule(filter="node.metadata.labels["))[0].startswith("spec.filter: line 1, column 22: ")


def test_unknown_names_have_a_hint() -> None:
    assert refused(rule(filter="node.metadata.labls['a'] == 'b'")) == [
        "spec.filter: line 1, column 14: undefined field 'labls'; did you mean \"labels\"?"
    ]
    assert refused(rule(filter="nod.spec.unschedulable")) == [
        "spec.filter: line 1, column 1: undeclared reference to 'nod' (in container ''); did you mean \"node\"?"
    ]
    assert refused(rule(filtr="true"))[0] == 'spec.filtr: unknown field "filtr"; did you mean "filter"?'
    assert refused(rule(filter="true", requeueOn=["Node/Ad"])) == [
        'spec.requeueOn[0]: no event "Node/Ad"; did you mean "Node/Add"?'
    ]


def test_before_the_queue_there_is_no_node() -> None:
    assert "undeclared reference to 'node'" in refused(rule(preEnqueue="node.spec.unschedulable"))[0]
    assert "undeclared reference to 'node'" in refused(rule(preEnqueue="true", message="node.metadata.name"))[0]


def test_names_of_plugins_and_names_that_come_twice_are_refused() -> None:
    assert refused(rule("NodeName", filter="true")) == [
        'metadata.name: Invalid value: "NodeName": a plugin has this name'
    ]
    assert refused(rule(filter="true"), rule(filter="true")) == ['metadata.name: Duplicate value: "Mine"']
    assert "expected letters, digits and hyphens" in refused(rule("a.b", filter="true"))[0]
    assert refused(rule()) == ["spec: Required value: preEnqueue, filter, score or permit"]


@pytest.mark.parametrize(
    ("point", "where"),
    [
        ("filter", 'running "Mine" filter plugin: '),
        ("score", 'running Score plugins: plugin "Mine" failed with: '),
        ("permit", 'running Permit plugin "Mine": '),
    ],
)
def test_an_error_at_run_time_fails_the_attempt(point: str, where: str) -> None:
    expression = "int(node.metadata.labels['rank'])"
    mine = rule(**{point: expression if point == "score" else f"{expression} > 0"})
    found = message(run(mine, node("a"), node("b"), pod("p")), "p")
    assert found == f"{where}SchedulerPlugin Mine, {point}, line 1, column 25: no such key: rank"


def test_an_error_of_the_message_is_an_error_too() -> None:
    mine = rule(filter="false", message="string(1 / int(requested.cpu))")
    assert "SchedulerPlugin Mine, message, line 1, column 10: division by zero" in message(
        run(mine, node("a"), pod("p")), "p"
    )


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("spec:\n  filter: |\n    true &&\n      node.metadata.labls == 1\n", (7, 20)),
        ('spec: {filter: "1 + 1"}\n', (4, 19)),
        ("spec:\n  filter: 1 + 1\n", (5, 13)),
        ("spec:\n  filter: >-\n    1 + 1\n", (6, 7)),
    ],
)
def test_the_place_of_an_error_is_in_the_expression(written: str, place: tuple[int, int]) -> None:
    head = "apiVersion: kschedui.io/v1alpha1\nkind: SchedulerPlugin\nmetadata: {name: Mine}\n"
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(head + written)
    assert [(error.line, error.column) for error in caught.value.errors] == [place]


def test_the_values_of_rules_are_known_before_a_run() -> None:
    mine = rule(
        preEnqueue="pod.metadata.name != 'q'",
        filter="node.metadata.labels['rank'] != '1'",
        score="int(node.metadata.labels['rank'])",
        permit="pods.size() == 0",
    )
    nodes = [node("a", labels={"rank": "1"}), node("b", labels={"rank": "7"}), node("c")]
    scenario_ = parse(mine, *nodes, pod("r", node="b"), pod("p"), pod("q"))
    found = evaluate_rules(scenario_)
    assert found is not None
    assert (found.pod, found.pods, found.nodes) == ("default/p", ["default/p", "default/q"], ["a", "b", "c"])
    values = {point.point: [value for value, _ in point.values] for point in found.rules[0].points}
    assert values == {
        "preEnqueue": ["true"],
        "filter": ["false", "true", "error"],
        "permit": ["true", "false", "true"],
        "score": ["1", "7", "error"],
    }
    other = evaluate_rules(scenario_, "default/q")
    assert other is not None
    assert other.rules[0].points[0].values[0][0] == "false"
    assert evaluate_rules(parse(node("a"), pod("p"))) is None
