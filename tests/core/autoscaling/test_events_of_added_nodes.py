"""Events of nodes that an autoscaler adds: their names are not known before the run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scheduler_core import ScenarioErrors, simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.controller_events import RequestMade
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import own

ACTORS = own("NodeGroup", "g", size=0, maximum=2, template=node("of", cpu=2)), own("ClusterAutoscaler")
TAINT = {"node": "g-1", "key": "maintenance", "effect": "NoSchedule"}


def run(*events: Manifest, actors: Sequence[Manifest] = ACTORS) -> list[RequestMade]:
    made = simulate(parse_scenario(scenario(*actors, pod("p", cpu=1), untilSeconds=90, events=list(events))))
    return [event for event in made if isinstance(event, RequestMade)]


def test_a_node_that_was_added_is_tainted_and_patched() -> None:
    patch = {"kind": "Node", "name": "g-1", "patch": {"metadata": {"labels": {"a": "b"}}}}
    requests = run({"at": 80, "taint": TAINT}, {"at": 81, "patch": patch}, {"at": 82, "cordon": "g-1"})
    assert [(request.verb, request.error) for request in requests] == [("taint", ""), ("patch", ""), ("cordon", "")]


def test_a_node_that_is_not_there_yet_is_told() -> None:
    patch = {"kind": "Node", "name": "g-1", "patch": {"metadata": {"labels": {"a": "b"}}}}
    delete = {"at": 3, "delete": {"kind": "Node", "name": "g-9"}}
    requests = run({"at": 1, "taint": TAINT}, {"at": 2, "patch": patch}, delete)
    assert [request.error for request in requests] == ['nodes "g-1" not found', "Node g-1 was not found"]


def test_without_an_autoscaler_the_node_must_exist() -> None:
    with pytest.raises(ScenarioErrors, match='no Node "g-1" exists at this time'):
        run({"at": 80, "taint": TAINT}, actors=())
