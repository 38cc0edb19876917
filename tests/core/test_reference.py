"""The columnar engine against the per-node reference: random clusters, attempt by attempt.

The reference follows the engine's order of attempts (which pod, when) and decides each on its own: codes, reasons,
feasible nodes, scores, candidates, victims, messages. `KSCHEDUI_FUZZ_EXAMPLES` sets the number of random scenarios
(`make fuzz`: 20,000, about seven attempts each).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler_core import parse_scenario
from tests.reference.replay import difference
from tests.reference.scenarios import scenario_text

EXAMPLES = int(os.environ.get("KSCHEDUI_FUZZ_EXAMPLES", "200"))
FUZZ = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, database=None
)


@FUZZ
@given(st.randoms(use_true_random=False).map(scenario_text))
def test_every_attempt_of_a_random_scenario_is_decided_as_the_reference_decides_it(text):
    found = difference(parse_scenario(text))
    assert not found, found
