"""A stored chunk that is damaged is reported, and the run is computed again to the same bytes."""

import asyncio
from collections.abc import Callable

import pytest
from channels.db import database_sync_to_async
from django.test import AsyncClient

from kschedui.models import Chunk, Run, Version
from kschedui.runs import frames, worker
from kschedui.runs import store as runs
from kschedui.runs.frames import DamagedFrame
from tests.web.conftest import MANY, Browser
from tests.web.sockets import everything, in_loop, socket, subscription

Keep = Callable[..., Version]


@pytest.fixture
def run(author: Browser) -> Run:
    """Return a finished run with several chunks."""
    saved = author.save(MANY)
    worker.execute(saved["run"])
    found = runs.by_id(saved["run"])
    assert found.chunks > 2
    return found


def stored(run: Run) -> list[bytes]:
    return [bytes(chunk.frame) for chunk in Chunk.objects.filter(run=run).order_by("seq")]


def damage(run: Run, seq: int, at: int = -1) -> None:
    chunk = Chunk.objects.get(run=run, seq=seq)
    changed = bytearray(chunk.frame)
    changed[at] ^= 1
    Chunk.objects.filter(pk=chunk.pk).update(frame=bytes(changed))


@pytest.mark.parametrize("at", [5, 8, 13, 17, 21, 25, 32, 60, -1])
def test_every_byte_of_a_frame_is_covered(run: Run, at: int) -> None:
    frame = bytearray(stored(run)[1])
    frames.require_whole(bytes(frame))
    frame[at] ^= 1
    with pytest.raises(DamagedFrame):
        frames.require_whole(bytes(frame))


def test_a_frame_that_is_cut_short_or_was_stored_before_checksums_is_covered_too(run: Run) -> None:
    frame = stored(run)[1]
    with pytest.raises(DamagedFrame):
        frames.require_whole(frame[:-7])
    header = frames.header_of(frame)
    old = (
        frames.HEADER.pack(*header._replace(flags=header.flags & ~frames.CHECKED, checksum=0))
        + frame[frames.HEADER.size :]
    )
    frames.require_whole(old)
    assert frames.events_of(old) == frames.events_of(frame)
    for end in (old[:-7], old[:-1] + bytes([old[-1] ^ 1])):
        with pytest.raises(DamagedFrame):
            frames.require_whole(end)


@pytest.mark.parametrize("seq", [0, 1])
def test_a_damaged_chunk_is_not_served_and_computed_again(author: Browser, run: Run, seq: int) -> None:
    before, outcome = stored(run), run.outcome
    damage(run, seq)
    answer = author.get(f"/api/v1/runs/{run.public_id}/chunks/{seq}")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert "computed again" in answer.json()["detail"]
    assert "max-age" not in answer.headers["Cache-Control"]
    run.refresh_from_db()
    assert (run.state, run.chunks, len(stored(run))) == (Run.State.QUEUED, seq, seq)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert stored(run) == before
    assert (run.state, run.bytes, run.outcome) == (Run.State.DONE, sum(map(len, before)), outcome)
    assert author.get(f"/api/v1/runs/{run.public_id}/chunks/{seq}").status_code == 200


def test_a_chunk_whose_row_is_gone_is_computed_again(author: Browser, run: Run) -> None:
    before = stored(run)
    Chunk.objects.filter(run=run, seq=1).delete()
    assert author.get(f"/api/v1/runs/{run.public_id}/chunks/1").status_code == 503
    worker.execute(run.public_id)
    assert stored(run) == before
    assert author.get(f"/api/v1/runs/{run.public_id}/chunks/{len(before)}").status_code == 404


@pytest.mark.parametrize("path", ["picture.svg?step=70", "picture.png?step=70", "pending/"])
def test_pages_that_draw_from_it_say_so(author: Browser, run: Run, path: str) -> None:
    damage(run, 1)
    answer = author.get(f"/s/{run.version.scenario.public_id}/v/1/{path}")
    assert answer.status_code == 503
    assert "computed again" in answer.content.decode()


def test_what_an_earlier_engine_made_is_kept_and_reported(author: Browser, run: Run) -> None:
    damage(run, 1)
    Run.objects.filter(pk=run.pk).update(engine_version="0.6.0")
    answer = author.get(f"/api/v1/runs/{run.public_id}/chunks/1")
    assert answer.status_code == 409
    assert "earlier engine" in answer.json()["detail"]
    run.refresh_from_db()
    assert run.state == Run.State.DONE


@pytest.mark.django_db(transaction=True)
@in_loop
async def test_a_follower_gets_the_chunk_when_it_is_there_again(keep: Keep) -> None:
    run = await database_sync_to_async(runs.start_run)(await database_sync_to_async(keep)(MANY))
    await database_sync_to_async(worker.execute)(run.public_id)
    await database_sync_to_async(damage)(run, 1)
    async with socket() as follower:
        await follower.send_to(text_data=subscription(run.public_id))
        mending = asyncio.create_task(mend(run))
        numbers, texts = await everything(follower)
        await mending
    assert numbers == list(range(len(numbers)))
    assert (texts[-1]["state"], texts[-1]["chunks"]) == ("done", len(numbers))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["events.jsonl", "decisions.jsonl", "trace.json"])
@in_loop
async def test_a_download_goes_on_when_the_chunk_is_there_again(keep: Keep, name: str) -> None:
    run = await database_sync_to_async(runs.start_run)(await database_sync_to_async(keep)(MANY))
    await database_sync_to_async(worker.execute)(run.public_id)
    before = await download(run, name)
    await database_sync_to_async(damage)(run, 1)
    mending = asyncio.create_task(mend(run))
    assert await download(run, name) == before != b""
    await mending


async def download(run: Run, name: str) -> bytes:
    found = await database_sync_to_async(runs.by_id)(run.public_id)
    answer = await AsyncClient().get(f"/s/{found.version.scenario.public_id}/v/1/{name}")
    assert answer.status_code == 200
    return b"".join([piece async for piece in answer.streaming_content])


async def mend(run: Run) -> None:
    """Wait until the run is no longer done, because damage was found, and compute it again as a worker does."""
    while (await database_sync_to_async(runs.status)(run.public_id)).state == Run.State.DONE:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    await database_sync_to_async(worker.execute)(run.public_id)
