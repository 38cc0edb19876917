"""A rule's expressions with their values filled in, part by part."""

from __future__ import annotations

from scheduler_core.apis.rules import Rule
from scheduler_core.cel.decisive import arithmetic, conditions
from scheduler_core.cel.plan import Variables
from scheduler_core.framework.facts import Fact
from scheduler_core.scenario.rules.expression import Expression


def explain_condition(rule: Rule, expression: Expression, variables: Variables) -> list[Fact]:
    """Return a fact for each decisive part; if the expression is false, at least one fact does not hold."""
    facts = []
    for condition in conditions(expression.environment, expression.checked, variables):
        left, sign, right = condition.reason
        facts.append(Fact(f"{rule.name}.filter", left=left, op=sign, right=right, holds=condition.holds))
    return facts


def explain_number(expression: Expression, variables: Variables) -> list[str]:
    """Return the steps to a number: the branches taken, the values read, and finally the arithmetic."""
    return arithmetic(expression.environment, expression.checked, variables)
