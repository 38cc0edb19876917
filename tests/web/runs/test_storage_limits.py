"""Storage limits of a run, an author, an address and the disk; each refusal says who is limited, and why."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from kschedui.models import Chunk, Run, Version
from kschedui.runs import storage_limits, worker
from kschedui.runs import store as runs
from tests.web.conftest import MANY, OTHER, SMALL, Browser, sign_up

MEGABYTE = 1024 * 1024


@pytest.fixture
def limits(settings: Any) -> Callable[..., None]:
    """Return a function that sets limits for this test."""

    def change(**changes: int) -> None:
        settings.LIMITS = {**settings.LIMITS, **changes}

    return change


def run_of(keep: Callable[..., Version]) -> Run:
    run = runs.start_run(keep(MANY))
    worker.execute(run.public_id)
    run.refresh_from_db()
    return run


def test_a_run_ends_at_its_limit_of_bytes(keep: Callable[..., Version], limits: Callable[..., None]) -> None:
    limits(run_bytes=4_000)
    run = run_of(keep)
    assert (run.state, run.chunks) == (Run.State.FAILED, 1)
    assert run.bytes == sum(len(frame) for frame in runs.all_frames(run)) <= 4_000
    assert "which is the limit" in run.error


def test_a_chunk_that_is_too_large_is_not_stored(keep: Callable[..., Version], limits: Callable[..., None]) -> None:
    limits(frame_bytes=1_000)
    run = run_of(keep)
    assert (run.state, run.chunks, Chunk.objects.count()) == (Run.State.FAILED, 0, 0)
    assert "one snapshot of its cluster" in run.error


def test_a_run_stops_before_the_disk_is_full(
    keep: Callable[..., Version], monkeypatch: pytest.MonkeyPatch, limits: Callable[..., None]
) -> None:
    monkeypatch.setattr(storage_limits, "free_disk", lambda: 1)
    run = run_of(keep)
    assert (run.state, run.error) == (Run.State.FAILED, storage_limits.DISK_IS_FULL)


def test_nothing_is_saved_on_a_disk_that_is_nearly_full(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_limits, "free_disk", lambda: 1)
    answer = author.post_json("/api/v1/scenarios", text=SMALL)
    assert (answer.status_code, answer.json()["detail"]) == (503, storage_limits.DISK_IS_FULL)
    assert Version.objects.count() == 0


def test_a_database_has_a_largest_size(author: Browser, limits: Callable[..., None]) -> None:
    limits(database_bytes=1)
    assert author.post_json("/api/v1/scenarios", text=SMALL).status_code == 503
    limits(database_bytes=10**12)
    assert author.post_json("/api/v1/scenarios", text=SMALL).status_code == 201


def test_a_browser_that_kept_enough_is_told_so_and_deleting_helps(
    author: Browser, stranger: Browser, limits: Callable[..., None]
) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    held = len(MANY.encode()) + Run.objects.get().bytes
    limits(browser_bytes=held - 1)
    answer = author.post_json("/api/v1/scenarios", text=SMALL)
    assert answer.status_code == 422
    assert "which is the limit. Delete some of them" in answer.json()["detail"]
    assert author.post_json("/api/v1/preview", text=SMALL).status_code == 422
    assert author.post(f"/s/{saved['id']}/fork/").status_code == 422
    assert stranger.post_json("/api/v1/scenarios", text=SMALL).status_code == 201
    author.post(f"/s/{saved['id']}/delete")
    assert author.post_json("/api/v1/scenarios", text=SMALL).status_code == 201


def test_a_limit_below_a_megabyte_is_shown_in_full(author: Browser, limits: Callable[..., None]) -> None:
    for lines in (30_000, 30_001):
        author.save(SMALL + lines * "# nothing\n")
    limits(browser_bytes=512 * 1024)
    assert "take more than 0.5 MB, which" in author.post_json("/api/v1/scenarios", text=OTHER).json()["detail"]
    assert [storage_limits.megabytes(size) for size in (512 * 1024, MEGABYTE, 5000 * MEGABYTE + 1)] == [0.5, 1, 5000]


def test_an_account_has_a_limit_of_its_own(author: Browser, limits: Callable[..., None]) -> None:
    sign_up(author, "ada")
    limits(account_bytes=1, browser_bytes=10**9)
    author.save()
    assert author.post_json("/api/v1/scenarios", text=OTHER).status_code == 422


def test_who_throws_their_cookies_away_meets_the_limit_of_the_address(limits: Callable[..., None], db: None) -> None:
    limits(address_day_bytes=3 * len(SMALL.encode()) - 1)
    answers = [Browser().post_json("/api/v1/scenarios", text=SMALL).status_code for _ in range(5)]
    assert answers == [201, 201, 201, 422, 422]
    elsewhere = Browser(REMOTE_ADDR="198.51.100.7")
    assert elsewhere.post_json("/api/v1/scenarios", text=SMALL).status_code == 201


def test_a_deleted_scenario_gives_its_room_back_and_runs_again_when_it_is_brought_back(author: Browser) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    before = list(runs.all_frames(runs.by_id(saved["run"])))
    author.post(f"/s/{saved['id']}/delete")
    run = runs.by_id(saved["run"])
    assert (run.state, run.bytes, Chunk.objects.count()) == (Run.State.CANCELLED, 0, 0)
    author.post(f"/s/{saved['id']}/restore")
    assert author.get(saved["url"]).status_code == 200
    worker.execute(saved["run"])
    assert list(runs.all_frames(runs.by_id(saved["run"]))) == before


def test_deleting_keeps_what_another_engine_made(author: Browser) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    Run.objects.update(engine_version="0.0.1")
    author.post(f"/s/{saved['id']}/delete")
    assert runs.by_id(saved["run"]).state == Run.State.DONE
    assert Chunk.objects.count() > 2


def test_the_disk_of_the_database_is_looked_at(tmp_path: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.sqlite3"
    file.touch()
    monkeypatch.setitem(storage_limits.connection.settings_dict, "NAME", str(file))
    free = storage_limits.free_disk()
    assert free is not None
    assert abs(free - shutil.disk_usage(tmp_path).free) < 512 * MEGABYTE
