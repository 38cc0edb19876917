"""The recorded runs: a compressed archive for each release, with a file `SET/NAME.expected.jsonl` for each scenario.

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
def files_in(path: Path) -> Mapping[str, str]:
    """Return the texts of an archive's files by name."""
    with tarfile.open(path) as archive:
        contents = [(member.name, archive.extractfile(member)) for member in archive]
        return {name: content.read().decode() for name, content in contents if content is not None}


@cache
def records_of(release: str) -> Mapping[str, str]:
    """Return the release's decision records, as JSON lines, by case ("public/001-resources"); {} if none."""
    if release not in ARCHIVES:
        return {}
    return {name.removesuffix(SUFFIX): text for name, text in files_in(ARCHIVES[release]).items()}


def scenario_of(case: str) -> str:
    """Return the text of a case's scenario."""
    return (HERE / f"{case}.yaml").read_text(encoding="utf-8")
