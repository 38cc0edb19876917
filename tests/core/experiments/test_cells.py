"""A cell is a run of its own scenario, with its edits, seed and release; so is a run of its text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import yaml

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.editing.edits import SetField
from scheduler_core.ask.measures import measure_run
from scheduler_core.experiments.cells import BaseText, Cells, Row, find_invalid_level, text_of
from scheduler_core.experiments.design import Cell
from scheduler_core.experiments.reading import read_factors
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Limits
from scheduler_core.trace.events import AnyEvent
from tests.builders import node, pod, priority_class, scenario
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own

DUMP = partial(yaml.safe_dump, sort_keys=False)
TEXT = scenario(
    *(node(f"n{i}", cpu=2, zone=f"z{i % 2}") for i in range(4)),
    priority_class("high", 1000),
    *(pod(f"low-{i}", cpu=1, node=f"n{i % 4}", priority=10 * i) for i in range(8)),
    *(pod(f"high-{i}", cpu=2, priority_class="high") for i in range(2)),
    *(pod(f"p{i}", cpu=1) for i in range(3)),
)


def cells(text: str = TEXT) -> Cells:
    return Cells(BaseText(text, DUMP, Limits(), {}), simulate)


FACTORS = [
    {"seeds": [1, 2]},
    {"releases": ["1.31", "1.36"]},
    {"strategy": ["LeastAllocated", "MostAllocated"]},
    {"nodes": {"like": "n1", "add": [0, 2]}},
    {"field": {"kind": "PriorityClass", "name": "high", "path": "value", "values": [0, 45, 1000]}},
]


def test_a_cells_measures_are_those_of_the_run_of_its_text() -> None:
    design, runner = read_factors(FACTORS), cells()
    for number in range(1, design.size + 1, 5):
        cell = design.cell(number)
        opened = parse_scenario(text_of(TEXT, cell, DUMP), release=RELEASES[cell.release])
        assert opened.seed == cell.seed
        assert runner.row(cell) == Row(measure_run(simulate(opened)))


def test_the_weight_of_a_rule_is_a_factor_and_0_turns_it_off() -> None:
    rule = {
        "apiVersion": "kschedui.io/v1alpha1",
        "kind": "SchedulerPlugin",
        "metadata": {"name": "Mine"},
        "spec": {"score": "node.metadata.name == 'full' ? 10 : 0", "weight": 50},
    }
    text = scenario(rule, node("full", cpu=8), pod("r", cpu=6, node="full"), node("empty", cpu=8), pod("p", cpu=1))
    design = read_factors([{"weight": {"plugin": "Mine", "values": [0, 1, 50]}}])
    runner = cells(text)
    assert find_invalid_level(runner, design) is None
    rows = [runner.row(design.cell(number)).measures for number in (1, 2, 3)]
    assert [row.empty_nodes for row in rows if row] == [0, 0, 1]
    misspelt = read_factors([{"weight": {"plugin": "Mime", "values": [0, 1]}}])
    found = find_invalid_level(runner, misspelt)
    assert found is not None
    assert "Mime" in found[2]


def test_priority_decides_who_is_evicted_and_measures_tell_so() -> None:
    design, runner = read_factors(FACTORS[4:]), cells()
    rows = [runner.row(design.cell(number)).measures for number in (1, 2, 3)]
    assert [row.evicted > 0 for row in rows if row] == [False, True, True]
    low, high = rows[1], rows[2]
    assert low is not None
    assert high is not None
    assert low.highest_victim is not None
    assert low.highest_victim < 45
    assert low.mean_victim is not None
    assert low.mean_victim <= low.highest_victim
    assert high.evicted >= low.evicted


def test_what_cannot_be_made_or_read_is_a_row_with_a_sentence() -> None:
    gone = Cell((SetField("Pod", "ghost", ("spec", "priority"), 1, "default"),))
    assert cells().row(gone) == Row(None, row_error(gone))
    assert "there is no Pod default/ghost" in str(cells().row(gone).error)
    bad = Cell((SetField("PriorityClass", "high", ("value",), "many"),))
    assert 'value: "many" is a string' in str(cells().row(bad).error)


def row_error(cell: Cell) -> Any:
    return cells().row(cell).error


def test_neighbours_that_differ_in_their_seed_share_what_was_read() -> None:
    runner = cells()
    first = runner.scenario(Cell(seed=1))
    second = runner.scenario(Cell(seed=2))
    assert first.objects is second.objects  # type: ignore[union-attr]
    assert runner.scenario(Cell(release="1.31", seed=2)).objects is not first.objects  # type: ignore[union-attr]


def test_whoever_watches_may_stop_a_cell() -> None:
    class Enough(Exception):
        pass

    def stop(events: Iterator[AnyEvent]) -> Iterator[AnyEvent]:
        yield next(events)
        raise Enough

    with pytest.raises(Enough):
        cells().row(Cell(), stop)


@pytest.mark.parametrize("text", [scenario(node("n1"), seed=3), scenario(node("n1")), scenario(node("n1"), title="x")])
def test_a_seed_is_written_where_the_scenario_says_it(text: str) -> None:
    assert parse_scenario(text_of(text, Cell(seed=77), DUMP)).seed == 77


GROUP = own("NodeGroup", "big", size=0, maximum=5, price=1, template=node("of", cpu=4))
AUTOSCALED = scenario(
    *(pod(f"w{i}", cpu=3) for i in range(4)),
    GROUP,
    own("ClusterAutoscaler", "ca", flags=["--max-nodes-total=1", "--scan-interval=5s"]),
    untilSeconds=60,
)


def placed(runner: Cells, factors: list[dict[str, Any]]) -> list[int | None]:
    design = read_factors(factors)
    rows = [runner.row(design.cell(number)).measures for number in range(1, design.size + 1)]
    return [row and row.placed for row in rows]


def test_the_flags_of_an_autoscaler_and_the_size_of_a_group_are_factors() -> None:
    runner = cells(AUTOSCALED)
    assert placed(runner, [{"flag": {"name": "max-nodes-total", "values": ["1", "3", 0]}}]) == [1, 3, 4]
    maximum = {"kind": "NodeGroup", "name": "big", "path": "spec.maximum", "values": [0, 2]}
    flag = {"actor": "ClusterAutoscaler", "name": "--max-nodes-total", "values": [0]}
    assert placed(runner, [{"field": maximum}, {"flag": flag}]) == [0, 2]


def test_a_pool_is_a_factor() -> None:
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}}, limits={"cpu": "8"})
    types = [instance_type("four", 4, 0.2)]
    pods = [pod(f"w{i}", cpu=3) for i in range(4)]
    text = scenario(*pods, node_class(), pool, karpenter(instanceTypes=types), untilSeconds=60)
    limit = {"kind": "NodePool", "name": "p", "path": "spec.limits.cpu", "values": ["4", "8", "99"]}
    assert placed(cells(text), [{"field": limit}]) == [1, 2, 4]


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ({"name": "max-node-total", "values": ["1"]}, "has no flag --max-node-total"),
        ({"name": "batch-idle-duration", "actor": "Karpenter", "values": ["1s"]}, "the scenario has no Karpenter"),
    ],
)
def test_a_flag_that_cannot_be_set_is_reported_before_the_first_run(flag: dict[str, Any], words: str) -> None:
    found = find_invalid_level(cells(AUTOSCALED), read_factors([{"flag": flag}]))
    assert found is not None
    assert words in found[2]
