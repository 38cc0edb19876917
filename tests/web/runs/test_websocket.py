"""The websocket's protocol, with the consumer in this process: every answer, every refusal, every bad message."""

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Literal

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.db import Error
from django.utils import timezone

from kschedui.asgi import application
from kschedui.models import Chunk, Run, Scenario, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import sharing
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.web.http.byte_budget import unsent
from kschedui.web.live import cancelling, connection, consumers, feeds, frame_cache, shared_row
from kschedui.web.live.feeds import following
from kschedui.web.live.status_reader import read_status
from scheduler_core import chunked, simulate
from tests.web.conftest import MANY, Browser, sign_up
from tests.web.sockets import (
    ORIGIN,
    PATIENCE,
    Socket,
    closed,
    cookies_of,
    everything,
    in_loop,
    socket,
    subscription,
    text,
    wait_until,
)

pytestmark = pytest.mark.django_db(transaction=True)


@in_loop
async def test_a_complete_run_comes_whole_and_in_order(many: Run) -> None:
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        numbers, texts = await everything(made)
    hello, end = texts
    assert hello == {
        "type": "hello",
        "protocol": 1,
        "run": many.public_id,
        "state": "done",
        "epoch": 1,
        "next": many.chunks,
        "steps": many.steps,
        "time": many.time,
    }
    assert numbers == list(range(many.chunks))
    assert end == {"type": "end", "chunks": many.chunks, "steps": many.steps, "state": "done"}


@in_loop
async def test_a_cursor_skips_what_the_client_has(many: Run) -> None:
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id, 2))
        numbers, _ = await everything(made)
        assert numbers == list(range(2, many.chunks))
        await made.send_to(text_data=subscription(many.public_id, 1))
        numbers, _ = await everything(made)
        assert numbers == list(range(1, many.chunks)), "a second subscribe sets the cursor anew"
        await made.send_to(text_data=subscription(many.public_id, many.chunks + 7))
        numbers, texts = await everything(made)
        assert (numbers, texts[-1]["type"]) == ([], "end")


@in_loop
async def test_a_run_is_followed_while_it_is_made(keep: Callable[..., Version]) -> None:
    run = await sync_to_async(lambda: runs.start_run(keep(MANY)))()
    made_chunks = [worker.row(run, chunk) for chunk in chunked(simulate(worker.engine.read(MANY)))]
    async with socket() as first, socket() as second:
        for made in (first, second):
            await made.send_to(text_data=subscription(run.public_id))
            assert (await text(made))["state"] == "queued"
        mine = await sync_to_async(runs.claim)(run.public_id)
        for chunk in made_chunks:
            await sync_to_async(runs.store_chunk)(mine, Chunk(**fields(chunk, mine)), 1.0)
        await sync_to_async(runs.finish)(mine, {})
        for made in (first, second):
            numbers, texts = await everything(made)
            assert numbers == list(range(len(made_chunks)))
            assert [one["state"] for one in texts if one["type"] == "state"][-1] == "done"
    assert not feeds._feeds, "the feed ends with its last follower"


def fields(chunk: Chunk, run: Run) -> dict[str, Any]:
    """Return the fields of a row for this run with the same content."""
    return {name: getattr(chunk, name) for name in ("seq", "first_step", "events", "frame")} | {"run": run}


@in_loop
async def test_news_that_are_not_announced_are_found_by_polling(
    keep: Callable[..., Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(runs, "announce", lambda public_id: None)
    run = await sync_to_async(lambda: runs.start_run(keep(MANY)))()
    async with socket() as made:
        await made.send_to(text_data=subscription(run.public_id))
        assert (await text(made))["type"] == "hello"
        await sync_to_async(worker.execute)(run.public_id)
        numbers, _ = await everything(made)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 2


@in_loop
async def test_what_the_cache_does_not_keep_is_read_from_the_database(
    many: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_cache.cache, "most", 1)
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        numbers, _ = await everything(made)
    assert numbers == list(range(many.chunks))


@in_loop
async def test_a_failed_run_gives_what_it_has_and_its_sentence(many: Run) -> None:
    await sync_to_async(Chunk.objects.filter(seq__gt=0).delete)()
    await sync_to_async(Run.objects.update)(state=Run.State.FAILED, error="It broke.", chunks=1)
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        numbers, texts = await everything(made)
    assert numbers == [0]
    assert {"type": "error", "message": "It broke."} in texts


BAD = [
    "",
    "not json",
    "[]",
    "null",
    "7",
    '{"type": "subscribe"}',
    '{"type": "dance"}',
    '{"type": "subscribe", "run": 7, "cursor": 0}',
    '{"type": "subscribe", "run": "abc", "cursor": -1}',
    '{"type": "subscribe", "run": "abc", "cursor": true}',
    '{"type": "subscribe", "run": "abc", "cursor": "0"}',
    '{"type": "subscribe", "run": "abc", "cursor": 1e400}',
    '{"type": "subscribe", "run": "a\\u0000b", "cursor": 0}',
    '{"type": "subscribe", "run": "' + "a" * 2000 + '", "cursor": 0}',
    "[" * 1000,
    '{"type": "subscribe", "run": "abc", "cursor": ' + "9" * 900 + "}",
]


@in_loop
async def test_a_malformed_message_is_answered_by_a_sentence(many: Run, caplog: pytest.LogCaptureFixture) -> None:
    async with socket() as made:
        for bad in BAD:
            await made.send_to(text_data=bad)
            answer = await text(made)
            assert answer["type"] == "error", bad
            assert answer["message"].endswith(".")
        await made.send_to(bytes_data=b"\x00\xff")
        assert "text" in (await text(made))["message"]
        await made.send_to(text_data=subscription(many.public_id))
        assert (await text(made))["type"] == "hello", "the connection lives on"
    assert "Traceback" not in caplog.text


@in_loop
async def test_a_client_that_is_gone_leaves_no_traceback(many: Run, caplog: pytest.LogCaptureFixture) -> None:
    def refuses(error: Exception) -> Callable[[dict[str, Any]], Any]:
        async def send(message: dict[str, Any]) -> None:
            raise error

        return send

    for error in (RuntimeError("Unexpected ASGI message 'websocket.send'"), ConnectionResetError()):
        consumer = consumers.RunConsumer()
        consumer.scope, consumer.base_send = {"headers": []}, refuses(error)
        for code in (connection.NOT_ALLOWED, connection.RESTART, connection.SLOW):
            await consumer.refuse(connection.CloseConnection(code, "No."))
        consumer.run = many.public_id
        await consumer.stream(0)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@in_loop
async def test_an_unknown_run_is_4004(many: Run) -> None:
    async with socket() as made:
        await made.send_to(text_data=subscription("nothinghere"))
        assert "run does not exist" in (await text(made))["message"]
        assert await closed(made) == consumers.NO_SUCH_RUN == 4004


@in_loop
async def test_a_private_run_is_4001_to_strangers_only(many: Run) -> None:
    await sync_to_async(Scenario.objects.update)(visibility="private")
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        assert "private" in (await text(made))["message"]
        assert await closed(made) == connection.NOT_ALLOWED == 4001


@in_loop
async def test_the_author_follows_a_private_run(author: Browser) -> None:
    saved = await sync_to_async(author.save)()
    await sync_to_async(Scenario.objects.update)(visibility="private")
    async with socket(cookies_of(author)) as made:
        await made.send_to(text_data=subscription(saved["run"]))
        assert (await text(made))["type"] == "hello"


@in_loop
async def test_one_connection_follows_one_run(many: Run, keep: Callable[..., Version]) -> None:
    other = await sync_to_async(lambda: runs.start_run(keep()))()
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        await everything(made)
        await made.send_to(text_data=subscription(other.public_id))
        assert "one run" in (await text(made))["message"]


@in_loop
async def test_too_many_sockets_from_one_address_are_4029(many: Run, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "sockets_per_address": 2}
    async with socket(), socket(), socket() as third:
        assert "Too many" in (await text(third))["message"]
        assert await closed(third) == consumers.TOO_MANY == 4029
    async with socket() as again:
        await again.send_to(text_data=subscription(many.public_id))
        assert (await text(again))["type"] == "hello"
    assert not connection.sockets


@in_loop
async def test_too_many_messages_on_one_socket_are_4029(many: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "MAX_MESSAGES", 2)
    async with socket() as made:
        for _ in range(2):
            await made.send_to(text_data="nonsense")
            await text(made)
        await made.send_to(text_data="nonsense")
        assert "Too many" in (await text(made))["message"]
        assert await closed(made) == 4029


@in_loop
async def test_a_client_that_takes_nothing_is_closed_as_slow(many: Run, settings: Any) -> None:
    settings.WEBSOCKET_SEND_SECONDS = 0.05
    sent: list[dict[str, Any]] = []

    class Stalled(consumers.RunConsumer):
        """A network that delivers only the greeting and the close."""

        async def send(
            self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False
        ) -> None:
            if bytes_data is not None:
                await asyncio.Event().wait()
            sent.append({"text": text_data})

        async def close(self, code: int | None = None, reason: str | None = None) -> None:
            sent.append({"close": code})
            await super().close(code)

    made = Socket(Stalled.as_asgi())
    assert await made.connect()
    await made.send_to(text_data=subscription(many.public_id))
    assert await closed(made) == connection.SLOW == 4008
    assert sent[-1] == {"close": 4008}
    await made.disconnect()
    assert not feeds._feeds


@in_loop
async def test_a_feed_outlives_a_database_that_is_away(many: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.02)
    real, calls = frame_cache.read_frame, []

    async def away_at_first(*args: Any) -> bytes:
        calls.append(args)
        if len(calls) < 3:
            raise Error("the database is away")
        found: bytes = await real(*args)
        return found

    monkeypatch.setattr(frame_cache, "read_frame", away_at_first)
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        numbers, _ = await everything(made)
    assert numbers == list(range(many.chunks))


class News(asyncio.Event):
    """Sets an event when a consumer waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.awaited.set()
        return await super().wait()


@pytest.mark.parametrize("turns", range(5))
@in_loop
async def test_a_follower_that_leaves_while_news_come_is_let_go(
    many: Run, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    monkeypatch.setattr(feeds.Feed, "listen", lambda feed: asyncio.sleep(PATIENCE))
    async with asyncio.timeout(PATIENCE):
        async with feeds.following(many.public_id) as feed:
            feed.may_have_changed = news = News()
            await news.awaited.wait()
            news.set()
            for _ in range(turns):  # of the event loop, in which the news are on their way to the feed
                await asyncio.sleep(0)
    assert not feeds._feeds


@in_loop
async def test_a_follower_is_let_go_although_the_broker_s_client_loses_a_cancellation(
    many: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listen(feed: feeds.Feed) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(PATIENCE)
        await asyncio.sleep(PATIENCE)

    monkeypatch.setattr(feeds.Feed, "listen", listen)
    monkeypatch.setattr(cancelling, "AGAIN_SECONDS", 0.01)
    async with asyncio.timeout(PATIENCE / 2):
        async with feeds.following(many.public_id) as feed:
            feed.may_have_changed = news = News()
            await news.awaited.wait()
    assert all(task.done() for task in feed.tasks)


def test_the_visitor_of_a_socket_is_nobody_without_cookies(db: None) -> None:
    version = scenarios.create(Visitor(editor="me"), MANY)
    assert version.scenario.editor_hash
    assert consumers.access.visitor_of_scope({}) == Visitor()


def made_private(run: Run) -> None:
    Scenario.objects.filter(pk=run.version.scenario_id).update(visibility="private")


def deleted(run: Run) -> None:
    Scenario.objects.filter(pk=run.version.scenario_id).update(deleted_at=timezone.now())


def no_longer_shared(run: Run) -> None:
    for share in run.version.scenario.shares.all():
        assert sharing.end(run.version.scenario, share.pk)


@pytest.mark.parametrize("take_away", [made_private, deleted, no_longer_shared])
def test_who_watches_a_run_that_is_taken_away_gets_no_further_frame(
    keep: Callable[..., Version], monkeypatch: pytest.MonkeyPatch, take_away: Callable[[Run], None]
) -> None:
    run = runs.start_run(keep(MANY))
    viewer = Browser()
    sign_up(viewer, "eve")
    if take_away is no_longer_shared:
        Scenario.objects.update(owner=User.objects.create(username="ada"))
        sharing.share(run.version.scenario, account="eve")
        made_private(run)
    check_taken_away(run, viewer, monkeypatch, take_away)


@in_loop
async def check_taken_away(
    run: Run, viewer: Browser, monkeypatch: pytest.MonkeyPatch, take_away: Callable[[Run], None]
) -> None:
    """Take a viewer's access away after the first chunk, and assert that no later chunk is sent."""
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.05)
    made_chunks = [worker.row(run, chunk) for chunk in chunked(simulate(worker.engine.read(MANY)))]
    async with socket(cookies_of(viewer)) as made:
        await made.send_to(text_data=subscription(run.public_id))
        mine = await sync_to_async(runs.claim)(run.public_id)
        await sync_to_async(runs.store_chunk)(mine, Chunk(**fields(made_chunks[0], mine)), 1.0)
        while (await made.receive_output(timeout=PATIENCE)).get("bytes") is None:
            pass
        await sync_to_async(take_away)(run)
        for chunk in made_chunks[1:]:
            await sync_to_async(runs.store_chunk)(mine, Chunk(**fields(chunk, mine)), 1.0)
        assert (await text(made))["type"] == "error"
        assert await closed(made) == connection.NOT_ALLOWED


@in_loop
async def test_a_feed_outlives_the_request_that_began_it(many: Run) -> None:
    """A request has its own thread, which is reused after it; the other followers of the run continue."""
    first, second = following(many.public_id), following(many.public_id)
    with ThreadPoolExecutor(1) as thread:
        async with ThreadSensitiveContext(executor=thread):
            await first.__aenter__()
        feed = await second.__aenter__()
        feed.may_have_changed.set()
        await read_status(many.public_id)
        ended, _ = await asyncio.wait(feed.tasks, timeout=0.5)
        assert not ended
        assert not feed.broken
        await first.__aexit__(None, None, None)
        await second.__aexit__(None, None, None)


@in_loop
async def test_a_follower_that_leaves_gives_up_its_subscription(many: Run) -> None:
    layer = get_channel_layer()
    async with following(many.public_id) as feed:
        await wait_until(lambda: runs.group(many.public_id) in layer.groups)
        assert not feed.broken
    assert not layer.groups


@in_loop
async def test_a_viewer_of_a_trace_that_is_deleted_is_sent_away_and_holds_nothing(
    many: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.02)
    async with following(many.public_id) as feed, socket() as made:
        monkeypatch.setattr(feed, "show", lambda status: None)  # the feed has not noticed the deletion
        await sync_to_async(runs.forget_trace)(many)
        await made.send_to(text_data=subscription(many.public_id, 1))
        assert (await text(made))["type"] == "hello"
        assert await closed(made) == connection.RESTART
        assert (unsent.used, unsent.waiting) == (0, [])


@in_loop
async def test_whoever_waits_for_a_frame_that_is_computed_again_holds_nothing(
    many: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = asyncio.Event()

    async def pause(feed: feeds.Feed) -> None:
        assert unsent.used == 0
        paused.set()
        await asyncio.sleep(0.02)

    monkeypatch.setattr(feeds.Feed, "pause", pause)
    await sync_to_async(Chunk.objects.filter(run=many, seq=1).update)(frame=b"damaged")
    async with socket() as made:
        await made.send_to(text_data=subscription(many.public_id))
        async with asyncio.timeout(PATIENCE):
            await paused.wait()
        await sync_to_async(worker.execute)(many.public_id)
        numbers, _ = await everything(made)
    assert numbers == list(range(many.chunks))


@pytest.mark.parametrize("seed", range(8))
@in_loop
async def test_whatever_viewers_owners_and_workers_do_the_budget_becomes_whole_again(
    many: Run, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Viewers subscribe and leave, the trace is deleted and run again, and a worker is lost; no bytes stay held."""
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(frame_cache.cache, "most", 1)
    chance, viewers = random.Random(seed), list[Socket]()

    async def subscribe() -> None:
        viewer = Socket(application, (b"host", b"localhost"), ORIGIN)
        assert await viewer.connect()
        await viewer.send_to(text_data=subscription(many.public_id, chance.randrange(many.chunks)))
        viewers.append(viewer)

    async def leave() -> None:
        if viewers:
            await viewers.pop(chance.randrange(len(viewers))).disconnect()

    async def forget() -> None:
        await sync_to_async(runs.forget_trace)(await sync_to_async(Run.objects.get)(pk=many.pk))

    async def run_again() -> None:
        ended = Run.objects.filter(pk=many.pk, state__in=Run.ENDED)
        if await sync_to_async(ended.update)(state=Run.State.QUEUED, finished=None, tries=0):
            await sync_to_async(worker.execute)(many.public_id)

    async def lose_worker() -> None:
        await sync_to_async(runs.repair)(many.public_id, chance.randrange(3))

    for _ in range(30):
        await chance.choice([subscribe, subscribe, leave, forget, run_again, lose_worker])()
        await asyncio.sleep(chance.choice([0, 0.01]))
    await forget()
    await wait_until(lambda: not unsent.used and not unsent.waiting)
    for viewer in viewers:
        await viewer.disconnect()
    assert not feeds._feeds
    assert not get_channel_layer().groups
