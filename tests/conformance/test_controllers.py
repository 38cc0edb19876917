"""Controllers, kubelets and evictions act as recorded from a real control plane 1.36.2.

`controllers.tar.xz` holds pairs: NAME.yaml, a scenario, and NAME.jsonl, the recorded events; its first line has the
tolerance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.actor_rows import actor_rows
from tests.conformance.actors import differences
from tests.conformance.records import files_in

ARCHIVE = Path(__file__).parent / "controllers.tar.xz"
LATE = {"16-roll-percent": 0.5}  # seconds by which all rows were late when this was recorded, on a busy machine


def files() -> Mapping[str, str]:
    return files_in(ARCHIVE)


NAMES = sorted(name.removesuffix(".yaml") for name in files() if name.endswith(".yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_actors_do_what_those_of_a_real_control_plane_did(name: str) -> None:
    head, *expected = map(json.loads, files()[f"{name}.jsonl"].splitlines())
    got: list[dict[str, Any]] = list(actor_rows(simulate(parse_scenario(files()[f"{name}.yaml"]))))
    found = differences(expected, delayed(json.loads(json.dumps(got)), LATE.get(name, 0.0)), head["tolerance"])
    assert not found, "\n".join(found)


def delayed(rows: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    return [{**row, "t": row["t"] + seconds} for row in rows]


def test_every_recorded_scenario_is_compared() -> None:
    assert len(NAMES) == 37
    assert len([name for name in NAMES if json.loads(files()[f"{name}.jsonl"].splitlines()[0])["racy"]]) == 5


def test_a_row_that_is_missing_late_or_extra_is_a_difference() -> None:
    head, *expected = map(json.loads, files()["02-deploy-3.jsonl"].splitlines())
    bound = next(row for row in expected if row["what"] == "bound")
    without = [row for row in expected if row is not bound]
    late = [{**row, "t": row["t"] + 1} if row is bound else row for row in expected]
    assert not differences(expected, expected, head["tolerance"])
    assert differences(expected, without, head["tolerance"])
    assert differences(without, expected, head["tolerance"])
    assert differences(expected, late, head["tolerance"])
