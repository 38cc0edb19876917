"""Every recorded run of kube-scheduler 1.34.1, attempt by attempt: decision records must be equal in every field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from tests.conformance.compare import FIELDS, field, firstdiff, parse, same

HERE = Path(__file__).parent
CASES = sorted((*HERE.glob("classic/*.yaml"), *HERE.glob("public/*.yaml")))


def differences(expected: list[dict[str, Any]], got: list[dict[str, Any]]) -> Iterator[str]:
    """One line for each field of each attempt that differs, and for attempts that are missing or too many."""
    for number, (want, have) in enumerate(zip(expected, got, strict=False), 1):
        assert have["attempt"] == number
        for name in FIELDS:
            if not same(field(want, name), field(have, name)):
                yield f"attempt {number} ({want['pod']}) {firstdiff(field(want, name), field(have, name), name)}"
        if extra := set(have) - set(want):
            yield f"attempt {number}: unknown fields {sorted(extra)}"
    if len(expected) != len(got):
        yield f"expected {len(expected)} attempts, got {len(got)}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_decisions_equal_those_of_kube_scheduler(case: Path) -> None:
    expected, expected_final = parse(case.with_suffix(".expected.jsonl").read_text(encoding="utf-8"))
    records = decisions(simulate(parse_scenario(case.read_text(encoding="utf-8"))))
    got, final = parse("\n".join(json.dumps(record) for record in records))
    assert not list(differences(expected, got))
    assert same(expected_final, final), firstdiff(expected_final, final)


def test_all_recorded_cases_are_here() -> None:
    assert len(CASES) == 378
