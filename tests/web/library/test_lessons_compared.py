"""Each lesson compared with itself, including records of pod groups, which are not attempts."""

from __future__ import annotations

import msgspec
import pytest

from kschedui.web.api import jobs
from tests.conftest import ROOT

LARGE = ("five-thousand-nodes", "thousand-nodes")
LESSONS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "kschedui" / "scenarios" / "lessons").glob("*.yaml"))
    if path.stem not in LARGE
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_does_not_differ_from_itself(name: str) -> None:
    made = msgspec.json.decode(jobs.compare_runs((LESSONS[name], ""), (LESSONS[name], "")))
    assert made["comparison"]["first"] is None
    assert made["unlike"] is None
