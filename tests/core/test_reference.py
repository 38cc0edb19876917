"""The columnar engine against the per-node reference: random clusters, attempt by attempt.

The reference follows the engine's order of attempts (which pod, when) and decides each on its own: codes, reasons,
feasible nodes, scores, candidates, victims, messages. `KSCHEDUI_FUZZ_EXAMPLES` sets the number of random scenarios
(`make fuzz`: 20,000).
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.scenario_types import Scenario
from tests.reference.cycle import schedule_one
from tests.reference.scenarios import scenario_text
from tests.reference.state import ReferenceCluster

EXAMPLES = int(os.environ.get("KSCHEDUI_FUZZ_EXAMPLES", "200"))
FUZZ = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, database=None
)


@FUZZ
@given(st.randoms(use_true_random=False).map(scenario_text))
def test_every_attempt_of_a_random_scenario_is_decided_as_the_reference_decides_it(text):
    scenario = parse_scenario(text)
    for found, expected in attempts(scenario):
        compared = {field: found[field] for field in expected}
        assert normalized(compared) == normalized(expected), f"attempt {found['attempt']} of {found['pod']}"


def attempts(scenario: Scenario):
    """(decision record of the engine, what the reference finds) per attempt."""
    cluster = ReferenceCluster()
    for item in scenario.objects:
        cluster.create(item)
    timeline = list(scenario.events)
    for record in decisions(simulate(scenario)):
        if "final" in record:
            return
        now = record["time"]
        catch_up(cluster, timeline, now)
        pod = cluster.pending[record["pod"]]
        profile = scenario.config.profile_for(pod.scheduler_name)
        assert profile is not None
        yield record, schedule_one(cluster, pod.key, profile, now).record()


def catch_up(cluster: ReferenceCluster, timeline: list[Any], now: float) -> None:
    """What has happened to the cluster since the last attempt: at one moment terminations come before events."""
    while timeline and timeline[0].at <= now:
        event = timeline.pop(0)
        cluster.finish_terminations(event.at)
        if event.action == "create":
            cluster.create(event.object)
        else:
            cluster.delete_pod(f"{event.namespace}/{event.name}")
    cluster.finish_terminations(now)


def normalized(record: dict[str, Any]) -> dict[str, Any]:
    """The order of scalar resources among the reasons is Go's map order: any will do."""
    for status in record["filter"].values():
        status["reasons"] = sorted(status["reasons"])
    return record
