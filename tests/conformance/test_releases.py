"""The same cases as each other release's kube-scheduler decided them: decision records must be equal in every field.

`recorded/RELEASE.tar.xz` holds the records of a release, for the scenarios that stand beside those of 1.34.1. A
scenario that uses what the release does not have, or at which that kube-scheduler panicked, has none.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES, Release
from tests.conformance.compare import firstdiff, parse, same
from tests.conformance.test_conformance import differences

HERE = Path(__file__).parent
RECORDED = sorted(HERE.glob("recorded/*.tar.xz"))
PARTS = 4  # of a release's cases, so that several processes can share them
CASES = {"1.29": 364, "1.30": 362, "1.31": 364, "1.32": 378, "1.33": 378}


def recorded(archive: Path) -> Iterator[tuple[Path, str]]:
    """Each recorded scenario, and the records of the release."""
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            name = member.name.removesuffix(".expected.jsonl")
            yield HERE / f"{name}.yaml", content.read().decode()


def first_difference(scenario: Path, records: str, release: Release) -> str:
    """In words, "" if there is none."""
    expected, expected_final = parse(records)
    events = simulate(parse_scenario(scenario.read_text(encoding="utf-8"), release=release))
    got, final = parse("\n".join(json.dumps(record) for record in decisions(events)))
    found = next(differences(expected, got), "")
    return found or ("" if same(expected_final, final) else firstdiff(expected_final, final, "final"))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("archive", RECORDED, ids=lambda archive: archive.name.removesuffix(".tar.xz"))
def test_decisions_equal_those_of_the_release(archive: Path, part: int) -> None:
    release = RELEASES[archive.name.removesuffix(".tar.xz")]
    cases = list(recorded(archive))
    differing = {
        f"{scenario.parent.name}/{scenario.stem}": found
        for scenario, records in cases[part::PARTS]
        if (found := first_difference(scenario, records, release))
    }
    assert not differing


def test_all_recorded_cases_of_every_release_are_here() -> None:
    assert {archive.name.removesuffix(".tar.xz"): len(list(recorded(archive))) for archive in RECORDED} == CASES
