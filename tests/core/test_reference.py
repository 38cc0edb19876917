"""The columnar engine against the per-node reference: random clusters, attempt by attempt.

The reference runs the scenario on its own: order and moment of the attempts, codes, reasons, feasible nodes, scores,
candidates, victims, messages and queues must be the same. `KSCHEDUI_FUZZ_EXAMPLES` sets the number of random scenarios
(`make fuzz`: 20,000, about seven attempts each).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler_core import parse_scenario
from tests.reference.replay import difference, normalized
from tests.reference.scenarios import scenario_text
from tests.reference.simulation import run

CASES = Path(__file__).parents[1] / "conformance"
EXAMPLES = int(os.environ.get("KSCHEDUI_FUZZ_EXAMPLES", "200"))
FUZZ = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, database=None
)


@FUZZ
@given(st.randoms(use_true_random=False).map(scenario_text))
def test_every_attempt_of_a_random_scenario_is_decided_as_the_reference_decides_it(text):
    found = difference(parse_scenario(text))
    assert not found, found


RECORDED = sorted(path for path in CASES.glob("*/*.yaml") if not path.stem.endswith("large"))


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_the_reference_decides_recorded_runs_as_kube_scheduler_did(case):
    records = map(json.loads, case.with_suffix(".expected.jsonl").read_text(encoding="utf-8").splitlines())
    expected = [record for record in records if "final" not in record]
    found = list(run(parse_scenario(case.read_text(encoding="utf-8"))))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.pop("time") == pytest.approx(other["time"])
        for name, value in one.items():
            assert normalized(value, name) == normalized(other[name], name), f"attempt {other['attempt']}: {name}"
