"""An attempt judged again: unchanged without an edit; with one, as if the scenario had contained it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.ask.editing.edits import AddNodes, SetField, SetStrategy, SetWeight, cordon
from scheduler_core.ask.moments.judge import judge
from scheduler_core.ask.moments.moment import at_end, before_attempt
from scheduler_core.scenario.parse import Scenario, parse_scenario
from tests.builders import node, parse, pod

FOLDER = Path(__file__).parents[2] / "conformance"
FILES = sorted(path for path in FOLDER.glob("*/*.yaml") if path.parent.name not in ("gang", "older"))  # tried together
GANGS = sorted(FOLDER.glob("gang/*.yaml"))
ATTEMPTS = 4  # of a run, from its first to its last
CPU = ("spec", "containers", 0, "resources", "requests", "cpu")


@pytest.mark.parametrize("path", FILES[::20], ids=lambda path: path.stem)
def test_without_an_edit_the_decision_is_the_one_of_the_run(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    records = [record for record in decisions(simulate(scenario)) if "final" not in record]
    for record in records[:: max(1, len(records) // ATTEMPTS)]:
        moment = before_attempt(scenario, record["attempt"])
        decision = moment.world().decide(record["pod"])
        if record["outcome"] == "Error":
            continue
        assert decision.record == {name: record[name] for name in decision.record}
        assert decision.message == (record["message"] or "")
        assert (decision.node or None) == (record["node"] if record["outcome"] == "Scheduled" else None)


def two_nodes(**more: object) -> Scenario:
    return parse(node("n1", cpu=4), node("n2", cpu=8), pod("web", cpu=9), **more)


def test_a_smaller_request_finds_the_node_that_has_the_room() -> None:
    found = judge(before_attempt(two_nodes(), 1), [SetField("Pod", "web", CPU, "6", "default")])
    assert (found.before.node, found.after.node) == ("", "n2")
    assert [(one.node, one.before) for one in found.gained] == [("n2", "NodeResourcesFit: Insufficient cpu")]


def test_a_moment_can_be_asked_again_and_is_as_it_was() -> None:
    moment = before_attempt(parse(node("n1"), node("n2"), pod("a", cpu=1), pod("b", cpu=1)), 2)
    first = judge(moment, [])
    judge(moment, [cordon("n1"), AddNodes("n2", 3), SetField("Pod", "b", CPU, "2", "default")])
    judge(moment, [SetStrategy("MostAllocated")])
    assert judge(moment, []) == first
    assert first.same


def test_most_allocated_moves_scores_and_the_winner() -> None:
    scenario = parse(node("n1"), node("n2"), pod("old", cpu=1, node="n1"), pod("new", cpu=1))
    found = judge(before_attempt(scenario, 1), [SetStrategy("MostAllocated")])
    assert (found.before.node, found.after.node) == ("n2", "n1")
    assert {change[0] for one in found.moved for change in one.scores} == {"NodeResourcesFit"}


def test_a_cordoned_node_is_lost() -> None:
    found = judge(before_attempt(parse(node("n1"), node("n2"), pod("a")), 1), [cordon("n1")])
    assert [(one.node, one.after) for one in found.lost] == [("n1", "NodeUnschedulable: node(s) were unschedulable")]


def test_a_higher_priority_names_its_victims() -> None:
    scenario = parse(node("n1", cpu=1), pod("low", cpu=1, node="n1", priority=5), pod("high", cpu=1, priority=5))
    found = judge(before_attempt(scenario, 1), [SetField("Pod", "high", ("spec", "priority"), 6, "default")])
    assert (found.before.victims, found.after.victims, found.after.nominated) == ([], ["default/low"], "n1")


def test_a_weight_that_is_the_same_changes_nothing() -> None:
    scenario = parse(node("n1"), node("n2"), pod("a", cpu=1))
    assert judge(before_attempt(scenario, 1), [SetWeight("NodeResourcesFit", 1)]).same


def test_an_attempt_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotAnswerable, match="no attempt 9"):
        before_attempt(two_nodes(), 9)


def test_at_the_end_of_a_run_no_attempt_comes() -> None:
    assert at_end(two_nodes()).pod is None


@pytest.mark.parametrize("path", GANGS[::4], ids=lambda path: path.stem)
def test_a_member_of_a_group_is_judged_in_its_placement_beside_those_before_it(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    records = [record for record in decisions(simulate(scenario)) if "attempt" in record]
    for record in records[:: max(1, len(records) // ATTEMPTS)]:
        decision = before_attempt(scenario, record["attempt"]).decision
        assert decision.record == {name: record[name] for name in decision.record}


@pytest.mark.parametrize("name", ["038-gang-two-schedulers", "056-tas-no-label-anywhere"])
def test_a_member_that_its_group_never_tried_is_told_what_the_group_was(name: str) -> None:
    scenario = parse_scenario((FOLDER / f"gang/{name}.yaml").read_text())
    message = next(record["message"] for record in decisions(simulate(scenario)) if "attempt" in record)
    with pytest.raises(NotAnswerable, match="tried default/train-1 on no node") as refused:
        before_attempt(scenario, 2)
    assert message in refused.value.sentence


def test_a_node_like_one_of_the_placement_is_in_it() -> None:
    scenario = parse_scenario((FOLDER / "gang/049-tas-one-rack.yaml").read_text())
    moment = before_attempt(scenario, 1)
    assert moment.domain is not None
    key, value = moment.domain
    inside = {node.name: node.labels.get(key) == value for node in moment.world().cluster.all_nodes()}
    assert set(inside.values()) == {True, False}
    for name, expected in inside.items():
        gained = [one.node for one in judge(moment, [AddNodes(name, 1)]).gained]
        assert gained == [f"{name}-like-1"] * expected
