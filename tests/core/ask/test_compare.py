"""The comparison of two runs: where they diverge, why, and which pods moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.ask.compare import Comparison, attempts, compare
from scheduler_core.scenario.parse import Scenario, parse_scenario
from tests.builders import configuration, node, parse, pod

FILES = sorted((Path(__file__).parents[2] / "conformance").glob("classic/*.yaml"))
GANGS = sorted((Path(__file__).parents[2] / "conformance").glob("gang/*.yaml"))
MOST = configuration(
    profiles=[
        {
            "schedulerName": "default-scheduler",
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {
                        "scoringStrategy": {
                            "type": "MostAllocated",
                            "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
                        }
                    },
                }
            ],
        }
    ]
)
CLUSTER = (node("n1"), node("n2"), pod("old", cpu=1, memory="2Gi", node="n1"))


def between(before: Scenario, after: Scenario) -> Comparison:
    return compare(lambda: simulate(before), lambda: simulate(after))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_run_is_the_same_as_itself(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    found = between(scenario, scenario)
    assert found.same
    assert all(pair.same and pair.before == pair.after for pair in found.pairs)
    assert found.measures[0] == found.measures[1]


def test_another_strategy_parts_at_the_first_pod_with_the_score_as_cause() -> None:
    pods = [pod(name, cpu=1, memory="2Gi") for name in "ab"]
    found = between(parse(*CLUSTER, *pods), parse(*CLUSTER, *pods, MOST))
    assert found.first is not None
    assert (found.first.before.node, found.first.after.node) == ("n2", "n1")
    cause = found.first.cause
    assert (cause.kind, cause.plugin) == ("score", "NodeResourcesFit")
    assert cause.plugin_after - cause.plugin_before == cause.after - cause.before
    assert ("default/a", "n2", "n1") in [(one.pod, one.before, one.after) for one in found.moved]


def test_a_plugin_that_only_one_run_has_is_the_cause_without_a_score_in_the_other() -> None:
    avoided = node("n2", taints=["spot:PreferNoSchedule"])
    off = {"schedulerName": "default-scheduler", "plugins": {"multiPoint": {"disabled": [{"name": "TaintToleration"}]}}}
    cluster = (node("n1"), avoided, pod("old", cpu=1, node="n1"), pod("a", cpu=1))
    found = between(parse(*cluster), parse(*cluster, configuration(profiles=[off])))
    assert found.first is not None
    cause = found.first.cause
    assert (cause.kind, cause.plugin) == ("score", "TaintToleration")
    assert isinstance(cause.plugin_before, int)
    assert cause.plugin_after is None


def test_a_node_that_is_rejected_in_one_run_is_named_with_the_reason() -> None:
    found = between(parse(node("n1"), pod("a")), parse(node("n1", unschedulable=True), pod("a")))
    assert found.first.cause.kind == "filter"
    assert (found.first.cause.node, found.first.cause.before) == ("n1", "")
    assert found.first.cause.after == "NodeUnschedulable: node(s) were unschedulable"
    assert [(one.before, one.after) for one in found.moved] == [("n1", "")]


def test_other_seeds_part_at_a_tie() -> None:
    nodes = [node(f"n{number}") for number in range(9)]
    runs = [parse(*nodes, pod("a"), seed=seed, kubernetesVersion="1.34") for seed in range(4)]
    causes = [found.first.cause.kind for other in runs[1:] if (found := between(runs[0], other)).first]
    assert causes
    assert set(causes) == {"tie"}


def test_other_victims_are_named() -> None:
    low, other = (pod(name, cpu=4, node=where, priority=1) for name, where in (("low", "n1"), ("other", "n2")))
    high = pod("high", cpu=4, priority=9)
    first = parse(node("n1"), node("n2"), low, {**other, "spec": {**other["spec"], "priority": 2}}, high)
    second = parse(node("n1"), node("n2"), {**low, "spec": {**low["spec"], "priority": 2}}, other, high)
    cause = between(first, second).first.cause
    assert (cause.kind, cause.before, cause.after) == ("victims", "default/low", "default/other")


def test_a_pod_that_only_one_run_has_is_where_they_part() -> None:
    found = between(parse(node("n1"), pod("a")), parse(node("n1"), pod("a"), pod("b")))
    assert (found.first.before, found.first.after.pod, found.first.cause.kind) == (None, "default/b", "only")
    assert [(one.pod, one.before, one.after) for one in found.moved] == [("default/b", None, "n1")]


def test_runs_meet_again_after_one_decision_that_differs() -> None:
    before = parse(node("n1", cpu=2), node("n2", cpu=4), pod("a", cpu=5), pod("b", cpu=1))
    after = parse(node("n1", cpu=2), node("n2", cpu=4), pod("a", cpu=1, node="n9"), pod("b", cpu=1))
    pairs = between(before, after).pairs
    assert [pair.same for pair in pairs] == [False, True]


@pytest.mark.parametrize("path", GANGS[::4], ids=lambda path: path.stem)
def test_attempts_of_a_groups_members_are_distinguished(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    records = {one["attempt"]: one for one in decisions(simulate(scenario)) if "attempt" in one}
    for one in attempts(simulate(scenario)):
        record = records[one.attempt]
        assert (one.pod, one.message, one.node) == (record["pod"], record["message"] or "", record["node"] or "")


def test_measures_count_what_was_placed_evicted_and_used() -> None:
    low, high = pod("low", cpu=4, node="n1", priority=1), pod("high", cpu=3, priority=9)
    before = parse(node("n1", zone="a"), node("n2", cpu=1, zone="b"), low, high)
    measures = between(before, parse(node("n1"))).measures
    first = measures[0]
    assert (first.placed, first.evicted, first.preemptions, first.highest_victim) == (1, 1, 1, 1)
    assert (first.cpu, first.empty_nodes, first.skew) == (3 / 5, 1, 1)
    assert measures[1].skew is None
