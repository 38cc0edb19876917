"""Random gangs, scheduled by kube-scheduler 1.36.2: attempts, feasible nodes, scores, messages, victims and queues are
equal.

`groups-at-random.tar.xz` holds pairs NNN.yaml and NNN.expected.jsonl; its records have fewer fields than the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from tests.conformance.compare import firstdiff, same
from tests.conformance.records import files_in

ARCHIVE = Path(__file__).parent / "groups-at-random.tar.xz"
CASES = 130


def files() -> Mapping[str, str]:
    return files_in(ARCHIVE)


def recorded_fields(record: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a decision record that the recorded one has."""
    found = {name: record.get(name) for name in expected}
    if "victims" in expected:
        preemption = record.get("preemption") or {}
        found["victims"] = {"node": preemption.get("nominatedNode"), "victims": preemption.get("victims")}
    if "feasible" in expected:
        found["feasible"] = sorted(record["feasible"])
    return found


@pytest.mark.parametrize("number", range(1, CASES + 1))
def test_groups_are_scheduled_as_kube_scheduler_does(number: int) -> None:
    expected = [json.loads(line) for line in files()[f"{number:03}.expected.jsonl"].splitlines()]
    run = simulate(parse_scenario(files()[f"{number:03}.yaml"], release=RELEASES["1.36"]))
    got = json.loads(json.dumps(list(decisions(run))))
    for want, record in zip(expected, got, strict=False):
        have = recorded_fields(record, want)
        assert same(want, have), firstdiff(want, have, f"{want.get('podGroup')} {want.get('pod')}")
    assert len(got) == len(expected)


def test_every_recorded_scenario_is_compared() -> None:
    assert len(files()) == 2 * CASES
