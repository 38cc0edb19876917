"""Run the engine and the reference on the same scenario, and compare their decision records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from scheduler_core import decisions, simulate
from scheduler_core.scenario.types import Scenario
from tests.reference.scheduler.simulation import run

Record = dict[str, Any]


def attempts(scenario: Scenario) -> Iterator[tuple[Record, Record]]:
    """Yield (decision record of the engine, decision record of the reference) for each attempt; {} for a missing
    one."""
    found = (record for record in decisions(simulate(scenario)) if "final" not in record)
    yield from zip_longest(found, run(scenario), fillvalue={})


def difference(scenario: Scenario) -> str:
    """Return the first different field of the first different attempt; "" if there is none."""
    for number, (found, expected) in enumerate(attempts(scenario), 1):
        if not found or not expected:
            return f"attempt {number}: {'engine' if found else 'reference'} alone tries {(found or expected)['pod']}"
        for name, value in expected.items():
            if normalized(found[name], name) != normalized(value, name):
                where = f"attempt {number} of {found['pod']} at {found['time']}: {name}"
                return f"{where}\n  engine    {found[name]}\n  reference {value}"
    return ""


def normalized(value: Any, name: str) -> Any:
    """Return the value without accidental order: that of scalar resources in Go maps, and without extenders' codes."""
    if name != "filter":
        return value
    return {
        node: ("", status["reasons"])
        if status["plugin"] == "" or status["plugin"].startswith("http")
        else (status["plugin"], status["code"], sorted(status["reasons"]))
        for node, status in value.items()
    }
