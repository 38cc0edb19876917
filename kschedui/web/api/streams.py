"""A run's trace as a stream over HTTP: of a stored run, and of one that goes on."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import NamedTuple

import msgspec
from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse

from kschedui.models import Run
from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.store import Status
from kschedui.scenarios import access
from kschedui.web.live.feeds import Feed, following
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.keyframe import encode

JSONL = "application/jsonl; charset=utf-8"
SSE = "text/event-stream"
PIECE = 64 * 1024  # bytes that are made and sent at once
QUIET_SECONDS = 15.0  # then a comment tells every proxy between that the connection lives


class Found(NamedTuple):
    """An event of the trace."""

    step: int
    event: AnyEvent


def events_of(run: Run) -> Iterator[AnyEvent]:
    """The stored trace, event by event."""
    for frame in runs.all_frames(run):
        yield from frames.events_of(frame)


def streaming(body: AsyncIterator[bytes], media_type: str) -> StreamingHttpResponse:
    """An answer that no proxy holds back."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(body, content_type=media_type, headers=headers)


async def in_pieces(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes as they are made; of a plain iterator the ASGI handler would first collect every one."""

    def piece() -> bytes:
        made = bytearray()
        for part in parts:
            made += part
            if len(made) >= PIECE:
                break
        return bytes(made)

    while made := await database_sync_to_async(piece)():  # which gives the connection back until the next piece
        yield made


async def followed(visitor: access.Visitor, run: str, step: int) -> AsyncIterator[list[Found] | Status]:
    """The events from that step on, a chunk's at a time, and the run's state when nothing more will come; ends without
    it when the visitor may not see the run any more, or the run is gone."""
    try:
        async with following(run) as feed:
            sight = None
            async for news in feed.read(0):
                if feed.status.sight != sight:
                    await database_sync_to_async(require_sight)(visitor, run)
                    sight = feed.status.sight
                if isinstance(news, int) and (found := await events_from(feed, news, step)):
                    yield found
            yield feed.status
    except (Run.DoesNotExist, access.NotAllowed):
        return


def require_sight(visitor: access.Visitor, run: str) -> None:
    """Raises Run.DoesNotExist, access.NotAllowed."""
    access.require_sight(visitor, runs.by_id(run).version.scenario)


async def events_from(feed: Feed, seq: int, step: int) -> list[Found]:
    """Those of a chunk that are not before the step."""
    frame = await feed.frame(seq)
    header = frames.header_of(frame)
    if header.first_step + header.events <= step:
        return []
    found = await asyncio.to_thread(frames.events_of, frame)
    return [Found(at, event) for at, event in enumerate(found, start=header.first_step) if at >= step]


def lines_of(found: AsyncIterator[list[Found] | Status]) -> StreamingHttpResponse:
    """One event a line."""

    async def body() -> AsyncIterator[bytes]:
        async for news in found:
            if isinstance(news, list):
                for piece in joined(encode(one.event) + b"\n" for one in news):
                    yield piece

    return streaming(body(), JSONL)


def server_sent(found: AsyncIterator[list[Found] | Status]) -> StreamingHttpResponse:
    """Events of type `trace`, whose id is the step, then one of type `end` with the run's state."""

    async def body() -> AsyncIterator[bytes]:
        async for news in kept_alive(found):
            if news is None:
                yield b": the run goes on\n\n"
            elif isinstance(news, Status):
                yield b"event: end\ndata: " + msgspec.json.encode({"state": news.state, "steps": news.steps}) + b"\n\n"
            else:
                for piece in joined(sent(one) for one in news):
                    yield piece

    return streaming(body(), SSE)


def sent(found: Found) -> bytes:
    """One server-sent event; JSON has no line break in it."""
    return b"id: %d\nevent: trace\ndata: %s\n\n" % (found.step, encode(found.event))


def joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of about PIECE bytes."""
    made = bytearray()
    for part in parts:
        made += part
        if len(made) >= PIECE:
            yield bytes(made)
            made.clear()
    if made:
        yield bytes(made)


async def kept_alive(found: AsyncIterator[list[Found] | Status]) -> AsyncIterator[list[Found] | Status | None]:
    """The same, and None whenever nothing came for a while."""
    coming = asyncio.ensure_future(anext(found, None))
    try:
        while True:
            done, _ = await asyncio.wait([coming], timeout=QUIET_SECONDS)
            if not done:
                yield None
            elif (news := coming.result()) is None:
                return
            else:
                yield news
                coming = asyncio.ensure_future(anext(found, None))
    finally:
        coming.cancel()
