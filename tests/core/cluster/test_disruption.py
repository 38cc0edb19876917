"""The disruptions that budgets allow, as the disruption controller counts them."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from tests.builders import budget, node, parse, pod


@pytest.mark.parametrize("controllers", [{}, {"controllers": ["disruption-controller"]}])
@pytest.mark.parametrize(("rule", "allowed"), [({"minAvailable": 1}, 1), ({"maxUnavailable": 2}, 2), ({}, 0)])
def test_a_budget_without_a_rule_allows_no_disruption(
    rule: dict[str, Any], allowed: int, controllers: dict[str, Any]
) -> None:
    """getExpectedPodCount expects no pod if neither minAvailable nor maxUnavailable is set."""
    pods = [pod(f"p{number}", cpu=1, node="n1", labels={"app": "web"}) for number in range(2)]
    high = [{"at": 5, "create": pod("high", cpu=1, priority=9)}]
    found = parse(node("n1", cpu=2), *pods, budget("b", {"app": "web"}, **rule), events=high, **controllers)
    evaluated = next(event for event in simulate(found) if isinstance(event, PreemptionEvaluated))
    assert [(one.allowed, bool(one.rule)) for one in evaluated.budgets] == [(allowed, bool(rule))]
