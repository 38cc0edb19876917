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
    """Yield (the engine's decision record, the reference's) for each attempt; {} if only the other made it."""
    of_engine = (record for record in decisions(simulate(scenario)) if "final" not in record)
    yield from zip_longest(of_engine, run(scenario), fillvalue={})


def difference(scenario: Scenario) -> str:
    """Return a description of the first field that differs in the first attempt that differs, or "" if all agree."""
    for number, (found, expected) in enumerate(attempts(scenario), 1):
        if not found or not expected:
            return f"attempt {number}: {'engine' if found else 'reference'} alone tries {(found or expected)['pod']}"
        for name, value in expected.items():
            if normalized(found[name], name) != normalized(value, name):
                where = f"attempt {number} of {found['pod']} at {found['time']}: {name}"
                return f"{where}\n  engine    {found[name]}\n  reference {value}"
    return ""


def normalized(value: Any, name: str) -> Any:
    """Return a record's field for comparison. Only `filter` is changed.

    Reasons are sorted, because Go iterates over scalar resources in any order. The status of an extender has no plugin
    and no code.
    """
    if name != "filter":
        return value
    return {
        node: ("", status["reasons"])
        if status["plugin"] == "" or status["plugin"].startswith("http")
        else (status["plugin"], status["code"], sorted(status["reasons"]))
        for node, status in value.items()
    }
