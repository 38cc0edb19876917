"""A run's trace as a stream over HTTP: of a stored run, and of one that goes on.

Each piece is made of stored chunks by work (`kschedui.work`) when there is room in the process's budget of unsent
bytes, and whoever takes it more slowly than `byte_budget.patience` allows is cut off.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress

import msgspec
from channels.db import database_sync_to_async
from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext_noop

from kschedui.models import Run
from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.store import Status
from kschedui.runs.trace_files import TraceFile
from kschedui.scenarios import access
from kschedui.web.api import jobs
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.work import Source
from kschedui.web.http.byte_budget import Hold, unsent
from kschedui.web.http.client_address import client_of
from kschedui.web.http.metrics import counted_socket, sockets
from kschedui.web.live.feeds import following

JSONL = "application/jsonl; charset=utf-8"
SSE = "text/event-stream"
QUIET_SECONDS = 15.0  # then a comment tells every proxy between that the connection lives
PIECE = 64 * 1024  # bytes that are made and sent at once
BATCH_BYTES = 4 * 1024 * 1024  # of JSON that one piece of a file is made of; its events take many times as much
GROWTH = 2  # times the JSON of a chunk, for what is made of it


def streaming(body: AsyncIterator[bytes], media_type: str) -> StreamingHttpResponse:
    """Return an answer that no proxy holds back."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(body, content_type=media_type, headers=headers)


async def in_pieces(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the bytes as they are made; the ASGI handler would first collect all of a plain iterator."""

    def piece() -> bytes:
        made = bytearray()
        for part in parts:
            made += part
            if len(made) >= PIECE:
                break
        return bytes(made)

    while made := await database_sync_to_async(piece)():  # which gives the connection back until the next piece
        yield made


async def file_of(request: HttpRequest, run: Run, file: TraceFile) -> AsyncIterator[bytes]:
    """Return the bytes of a file made from a stored trace."""
    source, room, seq = Source.of(request), room_of(request), 0
    while seq < run.chunks:
        batch = await database_sync_to_async(batch_of)(run, seq)
        seq, start = seq + len(batch), None
        while start != 0:
            async with room(batch):
                about = file, batch, start or 0, seq >= run.chunks
                file, piece, start = await source.work(jobs.part_of_file, *about)
                yield piece


def room_of(request: HttpRequest) -> Callable[[list[bytes]], AbstractAsyncContextManager[Hold]]:
    """Return how to hold room in the budget of unsent bytes while a batch of frames is being sent."""
    address = address_of(request)
    if (room := getattr(request, "scope", {}).get("room")) is not None:
        room.found = True

    def found(batch: list[bytes]) -> AbstractAsyncContextManager[Hold]:
        size = sum(frames.header_of(frame).raw_length for frame in batch)
        return unsent.held(address, object(), GROWTH * size)

    return found


def batch_of(run: Run, seq: int) -> list[bytes]:
    """Return some frames, from the given one on: one, or as many as are short; raises DamagedChunk."""
    batch, size = [runs.frame_of(run, seq)], 0
    while (size := size + frames.header_of(batch[-1]).raw_length) < BATCH_BYTES and seq + len(batch) < run.chunks:
        batch.append(runs.frame_of(run, seq + len(batch)))
    return batch


def stream_events(request: HttpRequest, run: Run, step: int, *, server_sent: bool) -> StreamingHttpResponse:
    """The events from that step on, while they come: one a line, or as server-sent events of type `trace`, then one of
    type `end` with the run's state. Raises Refusal when too many connections are open from the address."""
    address = address_of(request)
    if sockets[address] >= settings.LIMITS["sockets_per_address"]:
        raise Refusal(429, gettext_noop("Too many connections from your address. Close other windows."))
    chunks = chunks_of(request, run.public_id, step, jobs.server_sent if server_sent else jobs.event_lines)
    body = count_while_open(address, kept_alive(chunks) if server_sent else lines_of(chunks))
    return streaming(body, SSE if server_sent else JSONL)


async def chunks_of(
    request: HttpRequest, run: str, step: int, made_by: Callable[[bytes, int], bytes]
) -> AsyncGenerator[bytes | Status]:
    """The events of each chunk as they are sent, and the run's state when nothing more will come; ends without it when
    the visitor may not see the run any more, or the run is gone."""
    source, visitor, room = Source.of(request), access.visitor_of(request), room_of(request)
    try:
        async with following(run) as feed:
            sight = None
            async for news in feed.read(0):
                if feed.status.sight != sight:
                    await database_sync_to_async(require_sight)(visitor, run)
                    sight = feed.status.sight
                if isinstance(news, int):
                    frame = await feed.frame(news)
                    header = frames.header_of(frame)
                    if header.first_step + header.events > step:
                        async with room([frame]):
                            yield await source.work(made_by, frame, step)
            yield feed.status
    except (Run.DoesNotExist, access.NotAllowed):
        return


def require_sight(visitor: access.Visitor, run: str) -> None:
    """Raises Run.DoesNotExist, access.NotAllowed."""
    access.require_sight(visitor, runs.by_id(run).version.scenario)


async def lines_of(chunks: AsyncIterator[bytes | Status]) -> AsyncIterator[bytes]:
    """Yield the lines, without the state at the end."""
    async for piece in chunks:
        if isinstance(piece, bytes):
            yield piece


async def kept_alive(chunks: AsyncGenerator[bytes | Status]) -> AsyncIterator[bytes]:
    """Yield the events, the state as an event, and a comment whenever nothing came for a while."""
    coming = asyncio.ensure_future(anext(chunks, None))
    try:
        while True:
            done, _ = await asyncio.wait([coming], timeout=QUIET_SECONDS)
            if not done:
                yield b": the run goes on\n\n"
                continue
            piece = coming.result()
            if piece is None:
                return
            if isinstance(piece, Status):
                yield (
                    b"event: end\ndata: " + msgspec.json.encode({"state": piece.state, "steps": piece.steps}) + b"\n\n"
                )
            else:
                yield piece
            coming = asyncio.ensure_future(anext(chunks, None))
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError):
            await coming
        await chunks.aclose()


async def count_while_open(address: str, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pass the body on, counted among the address's open connections as sockets are."""
    with counted_socket(address):
        async for piece in body:
            yield piece


def address_of(request: HttpRequest) -> str:
    """Return the key under which unsent bytes and connections are counted."""
    return client_of(request.META.get("REMOTE_ADDR", ""))
