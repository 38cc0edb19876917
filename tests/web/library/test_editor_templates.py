"""The newest release accepts everything that the editor inserts."""

from __future__ import annotations

import pytest

from kschedui.scenarios.editor_templates import DEVICES, NAMES, STARTER, TEMPLATES
from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.challenge import answer_in, judge, split_challenge
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace.events import AttemptFinished
from tests.builders import node, scenario

GANGS = {"GenericWorkload": True, "GangScheduling": True}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "PodGroup"])
def test_a_piece_is_read_without_a_warning(name: str) -> None:
    assert not parse_scenario(dict(TEMPLATES)[name]).warnings


def test_the_text_that_a_new_scenario_begins_with_is_read_without_a_warning() -> None:
    assert not parse_scenario(STARTER).warnings


@pytest.mark.parametrize("name", DEVICES)
def test_the_pods_of_an_example_of_devices_get_them(name: str) -> None:
    outcomes = [
        event for event in simulate(parse_scenario(dict(TEMPLATES)[name])) if isinstance(event, AttemptFinished)
    ]
    assert outcomes
    assert {event.outcome for event in outcomes} == {"Scheduled"}


def test_the_example_of_a_challenge_is_solved_by_its_solution_alone() -> None:
    scenario = parse_scenario(dict(TEMPLATES)["Challenge"])
    assert scenario.challenge is not None
    text, _ = split_challenge(scenario)
    for answer, held in ((answer_in(text, scenario.challenge.asks), False), (scenario.challenge.solution, True)):
        verdicts = judge(text, scenario.challenge, answer, parse_scenario, simulate)
        assert [verdict.holds for verdict in verdicts] == [held, held]


def test_the_pod_group_is_that_of_kubernetes_and_its_pod_a_member_with_the_gates_that_it_names() -> None:
    piece = dict(TEMPLATES)["PodGroup"]
    assert all(f"{gate}: true" in piece for gate in GANGS)
    gang = piece.replace("minCount: 3", "minCount: 1")
    found = parse_scenario(gang + "---\n" + scenario(node("n1"), featureGates=GANGS))
    assert not found.warnings
    decided = [event for event in simulate(found) if isinstance(event, groups.PodGroupDecided)]
    assert [(one.pod_group, one.outcome) for one in decided] == [("default/gang", "Scheduled")]
