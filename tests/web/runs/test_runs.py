"""Runs: stored in chunks, fenced, resumed with the same bytes, cancelled, found when lost."""

import gc
import weakref
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta

import msgspec
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.utils import timezone

from kschedui import housekeeping
from kschedui.models import Chunk, Run, Version
from kschedui.runs import frames, leases, worker
from kschedui.runs import store as runs
from kschedui.runs.bounds import Bounds
from kschedui.runs.holding import Holding
from kschedui.scenarios import engine
from kschedui.work import rare_collection
from scheduler_core import ENGINE_VERSION, chunked, decode_chunk, encode, simulate
from scheduler_core.scenario.parse import Scenario
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, RunFinished
from tests.web.conftest import MANY, SMALL

Keep = Callable[..., Version]


class Killed(BaseException):
    """Raised in place of the death of a worker."""


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the id of each run that is announced to workers is appended."""
    found: list[str] = []
    monkeypatch.setattr(runs, "enqueue", found.append)
    return found


def stored(run: Run) -> list[bytes]:
    return list(runs.all_frames(Run.objects.get(pk=run.pk)))


def die_after(monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """Let the worker die when it has stored `chunks` chunks."""
    store = runs.store_chunk

    def store_and_die(run: Run, chunk: Chunk, time: float) -> None:
        store(run, chunk, time)
        if chunk.seq == chunks - 1:
            raise Killed

    monkeypatch.setattr(runs, "store_chunk", store_and_die)


def expire(run: Run) -> None:
    """Let the lease of the dead worker expire."""
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_run_is_stored_as_the_engine_tells_it(keep: Keep) -> None:
    run = runs.start_run(keep(MANY))
    worker.execute(run.public_id)
    packed = [(encode(chunk), len(chunk.events)) for chunk in chunked(simulate(engine.read(MANY)))]
    assert [frames.body_of(frame) for frame in stored(run)] == [body for body, _ in packed]
    run.refresh_from_db()
    assert (run.state, run.engine_version, run.error) == (Run.State.DONE, ENGINE_VERSION, "")
    assert run.steps == sum(events for _, events in packed)
    assert run.chunks == len(packed) > 2
    assert run.outcome["bound"] == 20
    assert run.bytes == sum(map(len, stored(run)))


def test_headers_say_what_is_inside(finished: Run) -> None:
    frame = stored(finished)[-1]
    header, chunk = frames.header_of(frame), decode_chunk(frames.body_of(frame))
    assert (header.seq, header.first_step, header.events) == (chunk.seq, chunk.first_step, len(chunk.events))
    assert header.flags & frames.LAST
    assert header.raw_length == len(encode(chunk))
    with pytest.raises(ValueError):
        frames.body_of(b"something else entirely, of some length")


def test_frames_of_older_runs_are_read() -> None:
    keyframe = {"step": 0, "time": 0.0, "attempt": 0, "nodes": {}, "order": [], "pods": {}, "cycle": {}}
    advanced = ClockAdvanced(3.0, "end")
    body = msgspec.json.encode({"seq": 0, "first_step": 0, "keyframe": keyframe, "events": [advanced], "last": True})
    header = frames.HEADER.pack(frames.MAGIC, 1, frames.LAST, 0, 0, 1, len(body), 0)
    assert frames.events_of(header + zlib.compress(body, 1)) == [advanced]


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_a_killed_workers_run_goes_on_byte_equal(keep: Keep, monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    undisturbed = runs.start_run(keep(MANY))
    worker.execute(undisturbed.public_id)
    run = runs.start_run(keep(MANY))
    with monkeypatch.context() as dying:
        die_after(dying, chunks)
        with pytest.raises(Killed):
            worker.execute(run.public_id)
    assert len(stored(run)) == chunks
    worker.execute(run.public_id)
    assert len(stored(run)) == chunks, "the dead worker's lease goes on"
    expire(run)
    worker.execute(run.public_id)
    assert stored(run) == stored(undisturbed)
    run.refresh_from_db()
    assert (run.state, run.attempt) == (Run.State.DONE, 2)


def test_a_worker_that_lost_its_run_writes_nothing(keep: Keep) -> None:
    run = runs.start_run(keep(MANY))
    slow = runs.claim(run.public_id)
    assert slow
    expire(run)
    quick = runs.claim(run.public_id)
    assert quick
    chunk = next(iter(chunked(simulate(engine.read(MANY)))))
    with pytest.raises(leases.Lost):
        runs.store_chunk(slow, worker.row(slow, chunk), 0.0)
    assert stored(run) == []
    runs.store_chunk(quick, worker.row(quick, chunk), 0.0)
    for act in (leases.renew, lambda mine: runs.finish(mine, {}), lambda mine: runs.fail(mine, "no")):
        with pytest.raises(leases.Lost):
            act(slow)
    assert len(stored(run)) == 1


def test_a_run_that_takes_its_workers_down_is_given_up(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(keep(MANY))
    with monkeypatch.context() as dying:
        dying.setattr(worker, "work", die)
        for _ in range(leases.MAX_TRIES):
            with pytest.raises(Killed):
                worker.execute(run.public_id)
            expire(run)
        worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.chunks) == (Run.State.FAILED, 0)
    assert "workers exited" in run.error
    again = runs.start_run(run.version, retry=True)
    worker.execute(again.public_id)
    again.refresh_from_db()
    assert again.state == Run.State.DONE, "somebody asked for it once more"


def die(run: Run, **_: object) -> None:
    raise Killed


def test_a_run_outlives_a_database_that_is_away(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(keep(MANY))

    def away(*_: object) -> None:
        raise OperationalError("the database is away")

    with monkeypatch.context() as failing:
        failing.setattr(runs, "store_chunk", away)
        worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.RUNNING, "")
    expire(run)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == Run.State.DONE


def test_of_two_workers_that_claim_a_run_one_gets_it(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(keep())
    lease = leases.lease
    quicker: list[Run | None] = []

    def claimed_meanwhile() -> object:
        monkeypatch.setattr(leases, "lease", lease)
        quicker.append(runs.claim(run.public_id))
        return lease()

    monkeypatch.setattr(leases, "lease", claimed_meanwhile)
    assert runs.claim(run.public_id) is None
    assert quicker[0] is not None
    assert quicker[0].attempt == 1
    run.refresh_from_db()
    assert (run.attempt, run.tries) == (1, 1)


def test_a_finished_run_is_left_alone(finished: Run) -> None:
    before = stored(finished)
    worker.execute(finished.public_id)
    finished.refresh_from_db()
    assert finished.attempt == 1
    assert stored(finished) == before


def test_a_cancelled_run_stops_at_the_next_chunk_and_keeps_what_it_has(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.start_run(keep(MANY))
    store = runs.store_chunk

    def store_and_cancel(mine: Run, chunk: Chunk, time: float) -> None:
        store(mine, chunk, time)
        runs.cancel(mine)

    with monkeypatch.context() as cancelling:
        cancelling.setattr(runs, "store_chunk", store_and_cancel)
        worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert len(stored(run)) == 1
    again = runs.start_run(run.version, retry=True)
    worker.execute(again.public_id)
    again.refresh_from_db()
    assert (again.pk, again.state) == (run.pk, Run.State.DONE)


def test_a_failed_run_keeps_what_it_has_and_says_a_sentence(
    keep: Keep, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = engine.simulate

    def breaks(parsed: object) -> Iterator[AnyEvent]:
        for step, event in enumerate(real(parsed)):  # type: ignore[arg-type]
            if step == 100:
                raise ZeroDivisionError
            yield event

    monkeypatch.setattr(engine, "simulate", breaks)
    run = runs.start_run(keep(MANY))
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.chunks) == (Run.State.FAILED, 1)
    assert "The engine failed" in run.error
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivisionError" not in run.error


def test_a_run_stops_at_the_limit_of_steps(keep: Keep, settings: pytest.FixtureRequest) -> None:
    settings.LIMITS = {**settings.LIMITS, "run_steps": 150}  # type: ignore[attr-defined]
    run = runs.start_run(keep(MANY))
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.steps) == (Run.State.FAILED, 64)
    assert run.error == "The run was stopped after 150 steps, which is the limit (KSCHEDUI_MAX_RUN_STEPS)."


def test_a_large_run_leaves_nothing_in_memory(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[weakref.ref[Killed]] = []

    def refer_to_itself(scenario: Scenario) -> Iterator[AnyEvent]:
        cycle = Killed()
        cycle.args = (cycle,)
        left.append(weakref.ref(cycle))
        yield from simulate(scenario)

    monkeypatch.setattr(engine, "simulate", refer_to_itself)
    monkeypatch.setattr(rare_collection, "LARGE_SECONDS", 0.0)
    runs.start_run(keep())
    gc.disable()
    try:
        assert worker.serve()
        assert [cycle() for cycle in left] == [None]
    finally:
        gc.enable()


def test_the_time_limits_that_end_a_process_are_named(settings: pytest.FixtureRequest) -> None:
    settings.LIMITS = {**settings.LIMITS, "read_seconds": 60, "cell_seconds": 5}  # type: ignore[attr-defined]
    holding = Holding(Run(), print)
    holding.limit_reading()
    assert holding.limit is not None
    assert (
        str(holding.limit[1])
        == "Reading the text was stopped after 60 seconds, which is the limit (KSCHEDUI_MAX_READ_SECONDS)."
    )
    holding.limit_simulation(Bounds.of("cell"))
    assert (
        str(holding.limit[1]) == "The run was stopped: it made no progress for 35 seconds. The limit is 5 seconds "
        "(KSCHEDUI_MAX_CELL_SECONDS)."
    )


def test_a_lost_run_is_queued_again(keep: Keep, announced: list[str]) -> None:
    run = runs.start_run(keep())
    runs.claim(run.public_id)
    assert runs.requeue_lost() == 0
    expire(run)
    assert runs.requeue_lost() == 1
    assert runs.requeue_lost() == 0, "it was announced just now"
    assert announced == [run.public_id]
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED


def test_a_queued_run_that_no_worker_took_is_announced_again(keep: Keep, announced: list[str]) -> None:
    run = runs.start_run(keep())
    assert runs.requeue_lost() == 0
    Run.objects.update(queued_at=timezone.now() - 2 * leases.UNCLAIMED)
    assert runs.requeue_lost() == 1
    assert announced == [run.public_id]


@pytest.mark.django_db(transaction=True)
def test_a_run_is_announced_only_when_it_is_in_the_database(keep: Keep, announced: list[str]) -> None:
    run = runs.start_run(keep())
    assert announced == [run.public_id]
    runs.start_run(run.version)
    assert announced == [run.public_id], "found again, not queued again"


def test_neither_broker_nor_followers_can_fail_a_run(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        async def group_send(self, *_: object) -> None:
            raise OSError("the broker is away")

    monkeypatch.setattr(runs, "get_channel_layer", Away)
    run = runs.start_run(keep())
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == Run.State.DONE


def test_a_run_of_another_engine_is_not_mixed_with_this_ones(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(keep(MANY))
    with monkeypatch.context() as dying:
        die_after(dying, 1)
        with pytest.raises(Killed):
            worker.execute(run.public_id)
    expire(run)
    Run.objects.update(engine_version="0.0.1")
    begun = stored(run)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "engine changed from 0.0.1" in run.error
    assert stored(run) == begun


def test_a_run_that_was_queued_before_an_update_is_made_by_the_new_engine(keep: Keep) -> None:
    run = runs.start_run(keep())
    Run.objects.update(engine_version="0.0.1")
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.engine_version) == (Run.State.DONE, ENGINE_VERSION)


def test_a_run_that_was_queued_before_an_update_ends_if_the_new_engine_has_one_of_the_same_version(keep: Keep) -> None:
    run = runs.start_run(keep())
    Run.objects.update(engine_version="0.0.1")
    again = runs.start_run(run.version)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.engine_version) == (Run.State.FAILED, "0.0.1")
    assert "engine changed from 0.0.1" in run.error
    worker.execute(again.public_id)
    again.refresh_from_db()
    assert again.state == Run.State.DONE


def test_the_last_event_of_a_run_is_its_end(finished: Run) -> None:
    last = stored(finished)[-1]
    assert frames.header_of(last).flags & frames.LAST
    assert isinstance(frames.events_of(last)[-1], RunFinished)


def test_housekeeping_queues_a_lost_run_again(keep: Keep, announced: list[str]) -> None:
    run = runs.start_run(keep())
    runs.claim(run.public_id)
    expire(run)
    announced.clear()
    housekeeping.reap()
    assert announced == [run.public_id]


@pytest.mark.django_db
def test_housekeeping_removes_sessions_that_have_expired() -> None:
    for age in (-1, 3600):
        session = SessionStore()
        session.set_expiry(age)
        session.save()
    housekeeping.purge()
    assert Session.objects.count() == 1


def test_housekeeping_waits_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> bool:
        raise OperationalError("the database is away")

    monkeypatch.setattr(housekeeping, "has_unfinished_work", away)
    assert housekeeping.reap() is True, "it looks again soon"


def test_same_text_same_bytes(keep: Keep) -> None:
    first, second = runs.start_run(keep(SMALL)), runs.start_run(keep(SMALL))
    for run in (first, second):
        worker.execute(run.public_id)
    assert stored(first) == stored(second)
