"""Rules of 1.37 that were put into 1.36.3, which then decided random scenarios: records are equal in every field."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import msgspec
import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES, Release
from scheduler_core.scheduler.search import opportunistic_batch
from tests.conformance.compare import firstdiff, parse, same
from tests.conformance.records import HERE
from tests.conformance.test_conformance import differences

PUT_IN = ("batches_score_the_last_node_again", "gated_pods_keep_their_nomination", "resize_compares_sums")


@cache
def files() -> dict[str, str]:
    """The scenarios and records by the names of their files."""
    with tarfile.open(HERE / "newer.tar.xz") as archive:
        return {name: archive.extractfile(name).read().decode() for name in archive.getnames()}  # type: ignore[union-attr]


CASES = sorted(name.removesuffix(".yaml") for name in files() if name.endswith(".yaml"))


@pytest.fixture(autouse=True)
def _batches_do_not_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """They age by the wall clock in kube-scheduler, and a recording in virtual time takes less than half a second."""
    monkeypatch.setattr(opportunistic_batch, "MAX_AGE_SECONDS", 1e9)


def with_the_rules() -> Release:
    release = RELEASES["1.36"]
    rules = {name: getattr(RELEASES["1.37"].rules, name) for name in PUT_IN}
    return msgspec.structs.replace(release, rules=replace(release.rules, **rules))


def all_differences(case: str, release: Release) -> Iterator[str]:
    expected, expected_final = parse(files()[f"{case}.expected.jsonl"])
    scenario = msgspec.structs.replace(parse_scenario(files()[f"{case}.yaml"], release=release), controllers=())
    got, final = parse("\n".join(map(json.dumps, decisions(simulate(scenario), as_recorded=True))))
    yield from differences(expected, got)
    if not same(expected_final, final):
        yield firstdiff(expected_final, final)


@pytest.mark.parametrize("case", CASES)
def test_decisions_with_rules_of_1_37_equal_the_recorded_ones(case: str) -> None:
    assert not list(all_differences(case, with_the_rules()))


def test_most_of_them_are_decided_otherwise_without_the_rules() -> None:
    assert sum(any(all_differences(case, RELEASES["1.36"])) for case in CASES) == 44
