"""An experiment's document: its factors, its number of runs, and a sentence for each mistake."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.ask.editing.edits import AddNodes, DisablePlugin, SetField, SetStrategy, SetWeight
from scheduler_core.experiments.reading import read_factors, read_file
from scheduler_core.experiments.table import header
from scheduler_core.scenario.parse import ScenarioErrors

FILE = """\
apiVersion: kschedui.io/v1alpha1
kind: Experiment
spec:
  scenario: flash-sale.yaml
  factors:
  - seeds: {from: 5, count: 3}
  - strategy: [LeastAllocated, MostAllocated]
  - releases: ["1.35", "1.36"]
"""


def test_cells_are_all_combinations_with_the_seed_differing_first() -> None:
    name, design = read_file(FILE)
    assert (name, design.size) == ("flash-sale.yaml", 12)
    assert [factor.name for factor in design.factors] == ["Kubernetes", "strategy", "seed"]
    labels = [tuple(level.label for level in design.levels(number)) for number in range(1, design.size + 1)]
    assert labels[:4] == [
        ("1.35", "LeastAllocated", "5"),
        ("1.35", "LeastAllocated", "6"),
        ("1.35", "LeastAllocated", "7"),
        ("1.35", "MostAllocated", "5"),
    ]
    assert len(set(labels)) == 12
    last = design.cell(12)
    assert (last.release, last.seed, last.edits) == ("1.36", 7, (SetStrategy("MostAllocated"),))


def test_each_kind_of_factor_becomes_edits() -> None:
    factors = [
        {"weight": {"plugin": "ImageLocality", "values": [0, 5]}},
        {"disable": ["NodeAffinity"]},
        {"nodes": {"like": "n1", "add": [0, 2]}},
        {"field": {"kind": "PriorityClass", "name": "high", "path": "value", "values": [0, 10]}},
        {"name": "asks", "field": {"kind": "Pod", "name": "a", "path": "spec.containers[0].resources.requests.cpu",
                                  "values": ["1", "2"]}},
        {"variants": [{"edits": []}, {"label": "gone", "edits": [{"type": "remove", "kind": "Node", "name": "n1"}]}]},
    ]  # fmt: skip
    design = read_factors(factors)
    assert design.size == 2**6
    assert design.cell(1).edits == (
        DisablePlugin("ImageLocality"),
        SetField("PriorityClass", "high", ("value",), 0),
        SetField("Pod", "a", ("spec", "containers", 0, "resources", "requests", "cpu"), "1", "default"),
    )
    assert design.cell(64).edits[:3] == (
        SetWeight("ImageLocality", 5), DisablePlugin("NodeAffinity"), AddNodes("n1", 2)
    )  # fmt: skip
    assert [factor.name for factor in design.factors] == [
        "weight of ImageLocality", "plugin off", "nodes added", "high value", "asks", "variant",
    ]  # fmt: skip
    assert [level.label for level in design.factors[-1].levels] == ["unchanged", "gone"]


BAD: list[tuple[Any, str]] = [
    (None, "factors: Required value: at least one factor"),
    ([], "factors: Required value: at least one factor"),
    ("x", 'factors: "x" is a string; expected a list'),
    ([{}], "factors[0]: Required value: one of seeds, releases, strategy"),
    ([{"seeds": [1], "strategy": ["LeastAllocated"]}], "factors[0]: Required value: one of"),
    ([{"sedes": [1]}], 'factors[0].sedes: unknown field "sedes"; did you mean "seeds"?'),
    ([{"seeds": {"count": 0}}], "factors[0].seeds.count: Invalid value: 0: from 1 to 20,000"),
    ([{"seeds": {"from": "a", "count": 2}}], 'factors[0].seeds.from: "a" is a string'),
    ([{"seeds": [1.5]}], "factors[0].seeds: Invalid value: 1.5: a seed is a number"),
    ([{"seeds": [1, 1]}], 'factors[0].seeds: Duplicate value: "1"'),
    ([{"seeds": "7"}], "expected a list of seeds, or from and count"),
    ([{"releases": ["1.2"]}], 'factors[0].releases[0]: Unsupported value: "1.2"'),
    ([{"releases": []}], "factors[0].releases: Required value: at least one value"),
    ([{"weight": {"values": [1]}}], "factors[0].weight.plugin: Required value"),
    ([{"weight": {"plugin": "ImageLocality", "values": [-1]}}], "a weight is a number from 1 to"),
    ([{"nodes": {"like": "n1", "add": [5000]}}], "factors[0].nodes.add[0]: Invalid value: 5000"),
    ([{"field": {"kind": "Podd", "name": "a", "path": "x", "values": [1]}}], 'kind: Unsupported value: "Podd"'),
    ([{"field": {"kind": "Pod", "name": "a", "path": "a..b", "values": [1]}}], "path: Required value: as in"),
    ([{"field": {"kind": "Pod", "name": "a", "path": f"a[{'9' * 5000}]", "values": [1]}}], "path: Required value"),
    ([{"field": {"kind": "Pod", "name": "a", "path": "b", "values": 1}}], "values: Required value: a list"),
    ([{"variants": [{"edits": [{"type": "nonsense"}]}]}], "factors[0].variants[0].edits: this is not an edit"),
    ([{"seeds": {"count": 200}}, {"nodes": {"like": "a", "add": list(range(101))}}], "at most 20,000 runs"),
    ([{"seeds": [1]}, {"seeds": [2]}], "two factors vary the seed; at most one is allowed"),
    ([{"disable": ["A"]}] * 9, "factors: Invalid value: 9: at most 8 factors"),
]


@pytest.mark.parametrize(("factors", "sentence"), BAD, ids=lambda one: json.dumps(one)[:40])
def test_bad_factors_get_a_sentence_with_their_place(factors: Any, sentence: str) -> None:
    with pytest.raises(ScenarioErrors) as refused:
        read_factors(factors)
    assert sentence in str(refused.value)


def test_a_file_names_the_line() -> None:
    with pytest.raises(ScenarioErrors) as refused:
        read_file(FILE.replace("MostAllocated", "MostAlocated"))
    assert 'document 1, line 7, spec.factors[1].strategy[1]: Unsupported value: "MostAlocated"' in str(refused.value)


@pytest.mark.parametrize(
    "text", ["", "a: [", "kind: Pod\n", FILE + "---\n" + FILE, "[1]", FILE.replace("scenario", "x")]
)
def test_a_file_that_is_no_experiment_is_refused(text: str) -> None:
    with pytest.raises(ScenarioErrors):
        read_file(text)


def test_two_factors_of_one_name_are_distinguished() -> None:
    design = read_factors([{"disable": ["A"]}, {"disable": ["B"]}])
    assert [factor.name for factor in design.factors] == ["plugin off", "plugin off 2"]


def test_no_column_of_the_table_has_two_meanings() -> None:
    design = read_factors([{"name": "placed", "seeds": [1]}])
    assert design.factors[0].name == "placed 2"
    assert len(set(header(design))) == len(header(design))
