"""The measures of a run are those of its events."""

from __future__ import annotations

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.measures import measure_run
from tests.builders import budget, node, pod, scenario

BUDGET = budget("guard", {"app": "db"}, maxUnavailable=0)


def test_evictions_that_a_budget_does_not_allow_are_counted() -> None:
    text = scenario(
        node("n1", cpu=2),
        BUDGET,
        *(pod(f"db-{i}", cpu=1, node="n1", labels={"app": "db"}) for i in range(2)),
        pod("high", cpu=2, priority=10),
    )
    measures = measure_run(simulate(parse_scenario(text)))
    assert (measures.preemptions, measures.evicted, measures.budget_violations) == (1, 2, 2)
    assert (measures.highest_victim, measures.mean_victim) == (0, 0.0)


def test_evictions_that_no_budget_covers_violate_none() -> None:
    text = scenario(node("n1", cpu=2), BUDGET, pod("web", cpu=1, node="n1"), pod("high", cpu=2, priority=10))
    measures = measure_run(simulate(parse_scenario(text)))
    assert (measures.preemptions, measures.evicted, measures.budget_violations) == (1, 1, 0)
