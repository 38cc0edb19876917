"""The measures of a run agree with its events."""

from __future__ import annotations

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.measures import measure_run
from scheduler_core.ask.prices import Prices
from tests.builders import budget, node, pod, scenario
from tests.core.autoscaling.builders import own

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


def test_nodes_cost_what_their_group_states_for_as_long_as_they_exist() -> None:
    text = scenario(
        *(pod(f"p{number}", cpu=2) for number in range(2)),
        own("NodeGroup", "g", size=1, maximum=5, price=3.6, template=node("of", cpu=2)),
        own("ClusterAutoscaler", bootSeconds=3),
        untilSeconds=100,
    )
    read = parse_scenario(text)
    measures = measure_run(simulate(read), Prices(read))
    assert (measures.nodes, measures.price) == (2, 7.2)
    assert measures.cost is not None
    assert 0.1 + 0.08 < measures.cost < 0.2  # one for 100 s, and one that came within some seconds


def test_nodes_of_a_scenario_without_prices_cost_nothing_that_is_known() -> None:
    read = parse_scenario(scenario(node("n1"), node("n2")))
    measures = measure_run(simulate(read), Prices(read))
    assert (measures.nodes, measures.price, measures.cost) == (2, None, None)


def test_a_node_without_a_price_costs_what_its_cpu_and_memory_would() -> None:
    priced = own("NodeGroup", "g", size=1, price=1, template=node("of"))
    other = node("other-1", cpu=4, memory="1G")
    read = parse_scenario(scenario(other, priced))
    assert measure_run(simulate(read), Prices(read)).price == pytest.approx(1 + 4 * 0.025 + 0.001)
