"""The recorded runs: one compressed archive a release, with a file `SET/NAME.expected.jsonl` for each scenario there.

A scenario that uses fields which a release lacks has no record in its archive.
"""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ARCHIVES = {path.name.removesuffix(".tar.xz"): path for path in HERE.glob("recorded/*.tar.xz")}  # by release
SUFFIX = ".expected.jsonl"


@cache
def records_of(release: str) -> Mapping[str, str]:
    """Case ("public/001-resources") -> what kube-scheduler of that release did with it, as JSON lines."""
    found: dict[str, str] = {}
    if release not in ARCHIVES:
        return found
    with tarfile.open(ARCHIVES[release]) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                found[member.name.removesuffix(SUFFIX)] = content.read().decode()
    return found


def scenario_of(case: str) -> str:
    """The scenario's text."""
    return (HERE / f"{case}.yaml").read_text(encoding="utf-8")
