"""Rules of 1.37 that 1.36.3 has, too: decisions of random scenarios equal its records in every field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec
import pytest

from scheduler_core import parse_scenario
from scheduler_core.releases import RELEASES, Release
from scheduler_core.scheduler.search import opportunistic_batch
from tests.conformance.records import HERE, files_in
from tests.conformance.test_conformance import all_differences

BACKPORTED = ("batches_score_the_last_node_again", "gated_pods_keep_their_nomination", "resize_compares_sums")


def files() -> Mapping[str, str]:
    """Return the scenarios and records by file name."""
    return files_in(HERE / "newer.tar.xz")


CASES = sorted(name.removesuffix(".yaml") for name in files() if name.endswith(".yaml"))


@pytest.fixture(autouse=True)
def _batches_do_not_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep batches from aging: kube-scheduler uses the wall clock, and each recording took less than half a second."""
    monkeypatch.setattr(opportunistic_batch, "MAX_AGE_SECONDS", 1e9)


def release_with_backports() -> Release:
    release = RELEASES["1.36"]
    rules = {name: getattr(RELEASES["1.37"].rules, name) for name in BACKPORTED}
    return msgspec.structs.replace(release, rules=replace(release.rules, **rules))


def unequal(case: str, release: Release) -> Iterator[str]:
    scenario = parse_scenario(files()[f"{case}.yaml"], release=release)
    return all_differences(scenario, files()[f"{case}.expected.jsonl"])


@pytest.mark.parametrize("case", CASES)
def test_decisions_with_rules_of_1_37_equal_the_recorded_ones(case: str) -> None:
    assert not list(unequal(case, release_with_backports()))


def test_44_scenarios_are_decided_otherwise_without_the_rules() -> None:
    assert sum(any(unequal(case, RELEASES["1.36"])) for case in CASES) == 44
