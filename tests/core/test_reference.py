"""The columnar engine agrees with the per-node reference on random clusters, attempt by attempt.

The reference runs the scenario independently: the order and times of attempts, codes, reasons, feasible nodes, scores,
candidates, victims, messages and queues must be equal. `KSCHEDUI_FUZZ_EXAMPLES` sets the number of random scenarios
(`make fuzz`: 20,000, about seven attempts each).
"""

from __future__ import annotations

import json
import os
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scheduler_core import parse_scenario
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import DEFAULT_RELEASE
from scheduler_core.scenario.types import Scenario
from tests.conformance.records import records_of, scenario_of
from tests.reference.plugins import PLUGINS
from tests.reference.scenarios.scenario import scenario_text
from tests.reference.scenarios.shrink import smallest
from tests.reference.scheduler.replay import difference, normalized
from tests.reference.scheduler.simulation import run
from tests.sampling import rest_slow

EXAMPLES = int(os.environ.get("KSCHEDUI_FUZZ_EXAMPLES", "200"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate])


def without_controllers(text: str) -> Scenario:
    """Return the scenario as the reference knows it: it has no controllers."""
    return replace(parse_scenario(text), controllers=())


@FUZZ
@given(st.integers(0, 2**64))
def test_every_attempt_of_a_random_scenario_is_decided_as_the_reference_decides_it(seed):
    text = scenario_text(Random(seed))
    found = difference(without_controllers(text))
    if found:
        text = smallest(text, differs)
        pytest.fail(f"seed {seed}: {difference(without_controllers(text))}\n{text}")


def differs(text: str) -> bool:
    """Return whether engine and reference differ; False if one of them raises, as for an invalid scenario."""
    try:
        return bool(difference(without_controllers(text)))
    except Exception:
        return False


def test_a_scenario_that_shows_a_difference_is_made_as_small_as_it_can_be():
    text = "\n---\n".join(json.dumps(one) for one in ({"a": 1}, {"b": [{"c": 2}, {"d": 3, "e": 4}]}, {"f": 5}))
    assert smallest(text, lambda one: '"d": 3' in one) == '{"b": [{"d": 3}]}'


JUDGES = [  # the reference follows the default release
    REGISTRY[name] for name, points in DEFAULT_RELEASE.plugin_points.items() if {"filter", "score"} & {*points}
]


@pytest.mark.parametrize("plugin", JUDGES, ids=lambda plugin: plugin.name)
def test_a_plugin_and_its_reference_stand_under_the_same_name(plugin):
    path = plugin.__module__.replace("scheduler_core.", "tests/reference/", 1).replace(".", "/")
    assert plugin.name in PLUGINS, f"write the class {plugin.name} in {path}.py: its rule, plainly, to compare with"
    engine, reference = plugin.__module__, type(PLUGINS[plugin.name]).__module__
    twin = reference.replace("tests.reference.", "scheduler_core.")
    assert f"{engine}.".startswith(f"{twin}.")


RECORDED = sorted(
    case
    for case in records_of(DEFAULT_RELEASE.version)
    if not case.endswith("large") and not case.startswith(("batching", "gang/", "dra/", "capacity/"))
)


@pytest.mark.parametrize("case", rest_slow(3, RECORDED))
def test_the_reference_decides_recorded_runs_as_kube_scheduler_did(case):
    records = map(json.loads, records_of(DEFAULT_RELEASE.version)[case].splitlines())
    expected = [record for record in records if "final" not in record]
    found = list(run(without_controllers(scenario_of(case))))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.pop("time") == pytest.approx(other["time"])
        for name, value in one.items():
            assert normalized(value, name) == normalized(other[name], name), f"attempt {other['attempt']}: {name}"
