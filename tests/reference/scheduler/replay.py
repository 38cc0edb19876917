"""The engine and the reference run the same scenario; their decision records are laid side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from scheduler_core import decisions, simulate
from scheduler_core.scenario.types import Scenario
from tests.reference.scheduler.simulation import run

Record = dict[str, Any]


def attempts(scenario: Scenario) -> Iterator[tuple[Record, Record]]:
    """(decision record of the engine, what the reference finds) per attempt; {} on a side that has no more."""
    found = (record for record in decisions(simulate(scenario)) if "final" not in record)
    yield from zip_longest(found, run(scenario), fillvalue={})


def difference(scenario: Scenario) -> str:
    """The first field of the first attempt that is decided otherwise; "" if there is none."""
    for number, (found, expected) in enumerate(attempts(scenario), 1):
        if not found or not expected:
            return f"attempt {number}: {'engine' if found else 'reference'} alone tries {(found or expected)['pod']}"
        for name, value in expected.items():
            if normalized(found[name], name) != normalized(value, name):
                where = f"attempt {number} of {found['pod']} at {found['time']}: {name}"
                return f"{where}\n  engine    {found[name]}\n  reference {value}"
    return ""


def normalized(value: Any, name: str) -> Any:
    """The order of scalar resources among the reasons is Go's map order; a record does not tell an extender's code."""
    if name != "filter":
        return value
    return {
        node: ("", status["reasons"])
        if status["plugin"] == "" or status["plugin"].startswith("http")
        else (status["plugin"], status["code"], sorted(status["reasons"]))
        for node, status in value.items()
    }
