"""Every recorded run of every release, attempt by attempt: decision records must be equal in every field, also those of
pod group cycles.

`pytest tests/conformance -k 1.36` runs one release, `-k "1.36 and taints"` one family of it. In `make test`, each
scenario runs on every third of its releases.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.types import Scenario
from tests.conformance.compare import FIELDS, OLD_FIELDS, field, firstdiff, parse, same
from tests.conformance.records import ARCHIVES, HERE, records_of, scenario_of
from tests.sampling import rest_slow

CASES = [(release, case) for release in sorted(ARCHIVES) for case in sorted(records_of(release))]


def by_case(recorded: tuple[str, str]) -> tuple[str, str]:
    """Return a sort key that groups the recorded runs by scenario."""
    release, case = recorded
    return case, release


def differences(expected: list[dict[str, Any]], got: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each field of an attempt that differs, and for missing or additional attempts."""
    attempts = count(1)
    for number, (want, have) in enumerate(zip(expected, got, strict=False), 1):
        if "pods" in want or "pods" in have:
            if not same(want, have):
                yield f"record {number}, group {want.get('podGroup')}: {firstdiff(want, have, 'record')}"
            continue
        assert have["attempt"] == next(attempts)
        for name in (*(FIELDS if "preFilter" in want else OLD_FIELDS), "podGroup", "podGroupCycle"):
            if not same(field(want, name), field(have, name)):
                yield f"attempt {number} ({want['pod']}) {firstdiff(field(want, name), field(have, name), name)}"
        if extra := set(have) - set(want):
            yield f"attempt {number}: unknown fields {sorted(extra)}"
    if len(expected) != len(got):
        yield f"expected {len(expected)} attempts, got {len(got)}"


def all_differences(scenario: Scenario, recorded: str) -> Iterator[str]:
    """Yield the differences between a recorded and a simulated run without controllers: attempts, then final state."""
    expected, expected_final = parse(recorded)
    records = decisions(simulate(replace(scenario, controllers=())), as_recorded=True)
    got, final = parse("\n".join(map(json.dumps, records)))
    yield from differences(expected, got)
    if not same(expected_final, final):
        yield firstdiff(expected_final, final)


@pytest.mark.parametrize(
    ("release", "case"), rest_slow(3, [pytest.param(*one, id="/".join(one)) for one in sorted(CASES, key=by_case)])
)
def test_decisions_equal_those_of_kube_scheduler(release: str, case: str) -> None:
    scenario = parse_scenario(scenario_of(case), release=RELEASES[release])
    assert not list(all_differences(scenario, records_of(release)[case]))


def test_every_release_that_can_be_chosen_has_its_recorded_runs() -> None:
    for release in RELEASES.values():
        assert bool(release.recorded) == (release.version in ARCHIVES), f"{release.version}: see README.md"
    assert set(ARCHIVES) <= set(RELEASES)


def test_no_recorded_run_is_missing() -> None:
    for release, own in RELEASES.items():
        assert Counter(case.partition("/")[0] for case in records_of(release)) == own.recorded, release


def test_every_scenario_here_was_recorded_by_some_release() -> None:
    scenarios = {f"{path.parent.name}/{path.stem}" for path in HERE.glob("*/*.yaml")}
    assert scenarios == {case for _, case in CASES}
