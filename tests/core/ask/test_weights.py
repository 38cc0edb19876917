"""The smallest change of a weight makes the node win; one less does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.ask.editing.edits import MAX_WEIGHT, NotPossible, SetWeight
from scheduler_core.ask.moments.moment import Moment, before_attempt
from scheduler_core.ask.smallest.weights import TotalByWeight, interval, weight_changes
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import node, parse, pod
from tests.sampling import rest_slow

FILES = sorted(
    path
    for path in (Path(__file__).parents[2] / "conformance").glob("*/*.yaml")
    if path.parent.name not in ("gang", "older")
)


def winner(moment: Moment, plugin: str, weight: int) -> str:
    world = moment.world()
    assert moment.pod is not None
    world.apply_edits([SetWeight(plugin, weight, moment.pod.scheduler_name)], {})
    return world.decide(moment.pod.key).node


@pytest.mark.parametrize("path", rest_slow(6, FILES[2::4]), ids=lambda path: path.stem)
def test_one_unit_less_does_not_do(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    moment = before_attempt(scenario, 1)
    assert moment.pod is not None
    totals = moment.world().decide(moment.pod.key).record["totals"]
    for name in list(totals)[:3]:
        for change in weight_changes(moment, name):
            if change.after is None:
                for weight in (1, 2, 3, 5, 10, 30, 100, 1000):
                    assert winner(moment, change.plugin, weight) != name
            elif change.after != change.before:
                step = 1 if change.after > change.before else -1
                assert winner(moment, change.plugin, change.after) == name
                assert winner(moment, change.plugin, change.after - step) != name


def test_the_weight_that_decides_is_found() -> None:
    scenario = parse(
        node("packed", labels={"disk": "ssd"}),
        node("empty"),
        pod("old", cpu=2, memory="4Gi", node="packed"),
        pod(
            "new",
            cpu=1,
            memory="2Gi",
            affinity={
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 1,
                            "preference": {"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]},
                        }
                    ]
                }
            },
        ),
    )
    moment = before_attempt(scenario, 1)
    assert [one.after for one in weight_changes(moment, "packed")] == [None] * len(weight_changes(moment, "packed"))
    assert all(one.after == one.before for one in weight_changes(moment, "empty"))


def test_no_line_is_above_another_within_an_interval() -> None:
    lines = {"a": TotalByWeight(0, 10), "b": TotalByWeight(50, 0), "c": TotalByWeight(-100, 20)}
    assert interval(lines, "a") == (5, 10)
    assert interval(lines, "b") == (1, 5)
    assert interval({"a": TotalByWeight(0, 1), "b": TotalByWeight(0, 1)}, "a") == (1, MAX_WEIGHT)
    assert interval({"a": TotalByWeight(0, 1), "b": TotalByWeight(1, 1)}, "a") == (1, 0)


def test_a_node_that_was_not_scored_cannot_win_by_weight() -> None:
    with pytest.raises(NotPossible, match="n1 was not scored"):
        weight_changes(before_attempt(parse(node("n1"), pod("a", cpu=99)), 1), "n1")
