"""Stored texts are read by the process that works on them, and are not sent to it."""

from typing import Any

import pytest

from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.runs.trace_files import DecisionLines
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.work import work_pool as work
from kschedui.work.fetched import Fetched, call, size_of
from kschedui.work.work_pool import WorkOptions, WorkPool
from kschedui.work.work_queue import Client
from tests.web.conftest import Browser

ME, NOW = Client("me", "me"), WorkOptions(patience=60)


def test_the_process_that_works_fetches_an_argument_also_within_a_tuple(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WORK_PROCESSES = 1
    one = WorkPool(1)
    monkeypatch.setattr(work, "pool", lambda: one)
    monkeypatch.setattr("kschedui.work.limits.longest", lambda seconds: 600.0)  # on busy machines, too
    long = Fetched(str.upper, "text", 4)
    try:
        assert work.run(ME, NOW, repr, (long, "as it is")) == "('TEXT', 'as it is')"
        assert work.run(ME, NOW, len, Fetched(range, 7, 7)) == 7
    finally:
        one.stop()


def test_what_is_fetched_counts_as_long_as_it_is() -> None:
    assert size_of(("1.36", Fetched(str.upper, "text", 600_000))) == 600_004
    assert size_of({"a": "dict"}) == 0


@pytest.mark.django_db
def test_no_question_about_a_stored_text_loads_it_where_pages_are_served(
    author: Browser, finished: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, rid = finished.version, finished.public_id
    sid, loaded = version.scenario.public_id, list[str]()
    refresh = Version.refresh_from_db

    def noted(self: Version, *args: Any, **kwargs: Any) -> None:
        fields = kwargs.get("fields") or ()
        loaded.extend(fields)
        refresh(self, *args, **kwargs)

    monkeypatch.setattr(Version, "refresh_from_db", noted)
    other = scenarios.save(version.scenario, version.text + "# longer\n").number
    for path in (
        f"/api/v1/runs/{rid}/attempts/1",
        f"/api/v1/runs/{rid}/explain/1",
        f"/api/v1/runs/{rid}/objects/node/_/n1",
        f"/api/v1/runs/{rid}/node-groups",
        f"/api/v1/runs/{rid}/upgrade?to=1.35",
        f"/s/{sid}/diff/1/{other}/",
        f"/s/{sid}/v/1/capacity/",
        f"/s/{sid}/v/1/operations/",
        f"/s/{sid}/v/1/releases/",
        f"/s/{sid}/v/1/experiments/",
        f"/compare/{sid}/1/{sid}/{other}/",
    ):
        assert author.get(path).status_code == 200, path
    assert "text" not in loaded
    for path in (f"/api/v1/scenarios/{sid}/versions/1", f"/api/v1/scenarios/{sid}/versions/1/compare/{other}"):
        loaded.clear()
        author.get(path)
        assert "text" in loaded, "whoever reads a text loads it"


@pytest.mark.django_db
def test_a_file_is_made_in_parts_that_are_the_whole_together(many: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = list(runs.all_frames(many))
    _, whole, rest = jobs.part_of_file(DecisionLines(), frames, 0, True)
    assert rest == 0
    monkeypatch.setattr(jobs, "MAX_PART", len(whole) // 7)
    file: DecisionLines | Fetched = DecisionLines()
    start, parts = 0, list[bytes]()
    while start or not parts:
        file, part, start = call(jobs.part_of_file, (file, frames, start, True))
        parts.append(part)
    assert len(parts) > 5
    assert b"".join(parts) == whole


@pytest.mark.django_db
@pytest.mark.parametrize("server_sent", [False, True])
def test_a_chunk_is_sent_in_parts_that_are_the_whole_together(
    many: Run, server_sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = next(iter(runs.all_frames(many)))
    whole, end = jobs.part_of_chunk(frame, 0, server_sent)
    monkeypatch.setattr(jobs, "MAX_PART", len(whole) // 7)
    step, parts = 0, list[bytes]()
    while step < end:
        part, step = jobs.part_of_chunk(frame, step, server_sent)
        parts.append(part)
    assert len(parts) > 5
    assert b"".join(parts) == whole
