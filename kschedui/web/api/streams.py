"""A run's trace as a stream over HTTP, of a stored run or of one in progress.

Each piece is generated from stored chunks by work (`kschedui.work`) when there is room in the process's budget of
unsent bytes. A client that is slower than `byte_budget.patience` allows is disconnected.
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
from kschedui.runs.store import DamagedChunk, Status
from kschedui.runs.trace_files import TraceFile
from kschedui.scenarios import access
from kschedui.web.api import jobs
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.work import WorkOwner
from kschedui.web.http.byte_budget import Hold, unsent
from kschedui.web.http.client_address import client_of
from kschedui.web.http.metrics import counted_socket, sockets
from kschedui.web.live.feeds import FrameGone, following
from kschedui.web.live.shared_row import POLL_SECONDS
from kschedui.web.live.status_reader import read_status
from kschedui.work.fetched import Fetched

JSONL = "application/jsonl; charset=utf-8"
SSE = "text/event-stream"
QUIET_SECONDS = 15.0  # then a comment tells every proxy between that the connection lives
PIECE = 64 * 1024  # bytes that are made and sent at once
BATCH_BYTES = 4 * 1024 * 1024  # of JSON that one piece of a file is made of; its events take many times as much
GROWTH = 2  # times the JSON of a chunk, for what is made of it


def streaming(body: AsyncIterator[bytes], media_type: str) -> StreamingHttpResponse:
    """Return a response that proxies do not buffer."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(body, content_type=media_type, headers=headers)


async def in_pieces(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the bytes as they are generated; the ASGI handler would first collect all of a synchronous iterator."""

    def piece() -> bytes:
        data = bytearray()
        for part in parts:
            data += part
            if len(data) >= PIECE:
                break
        return bytes(data)

    while data := await database_sync_to_async(piece)():  # which gives the connection back until the next piece
        yield data


async def file_of(request: HttpRequest, run: Run, file: TraceFile | Fetched) -> AsyncIterator[bytes]:
    """Yield the bytes of a file that is generated from a stored trace."""
    owner, reserve, seq = WorkOwner.of(request), reserver_of(request), 0
    while seq < run.chunks:
        batch = await whole_batch_of(run, seq)
        seq, start = seq + len(batch), None
        while start != 0:
            async with reserve(batch):
                file, piece, start = await owner.work(jobs.part_of_file, file, batch, start or 0, seq >= run.chunks)
                for at in range(0, len(piece), jobs.MAX_PART):
                    yield piece[at : at + jobs.MAX_PART]  # which the reader holds until the next one
                del piece  # the next one may be as large: a single record can have several MB
        del batch  # one at a time is reserved


def reserver_of(request: HttpRequest) -> Callable[[list[bytes]], AbstractAsyncContextManager[Hold]]:
    """Return a function that reserves bytes of the process's budget while a batch of frames is being sent."""
    address = address_of(request)
    if (budget := getattr(request, "scope", {}).get("budget")) is not None:
        budget.reserved = True

    def reserve(batch: list[bytes]) -> AbstractAsyncContextManager[Hold]:
        size = sum(frames.header_of(frame).raw_length for frame in batch)
        return unsent.held(address, object(), GROWTH * size)

    return reserve


async def whole_batch_of(run: Run, seq: int) -> list[bytes]:
    """Return one or several frames, from `seq` on.

    Waits while a damaged frame is computed again, because a response that has begun cannot report an error. Raises
    Run.DoesNotExist, and DamagedChunk if the frame cannot be computed again.
    """
    while True:
        try:
            batch: list[bytes] = await database_sync_to_async(batch_of)(run, seq)
            return batch
        except DamagedChunk as damaged:
            status = await read_status(run.public_id)
            if not damaged.repaired or (status.ended and status.chunks <= damaged.seq):
                raise
        await asyncio.sleep(POLL_SECONDS)


def batch_of(run: Run, seq: int) -> list[bytes]:
    """Return one frame from `seq` on, or several short ones. Raises DamagedChunk."""
    batch, size = [runs.frame_of(run, seq)], 0
    while (size := size + frames.header_of(batch[-1]).raw_length) < BATCH_BYTES and seq + len(batch) < run.chunks:
        batch.append(runs.frame_of(run, seq + len(batch)))
    return batch


def stream_events(request: HttpRequest, run: Run, step: int, *, server_sent: bool) -> StreamingHttpResponse:
    """Return a response that sends the events from a step on as they occur: one per line, or as server-sent events.

    Server-sent events have the type `trace`; the last one has the type `end` and the run's state. Raises Refusal if too
    many connections are open from the address.
    """
    address = address_of(request)
    if sockets[address] >= settings.LIMITS["sockets_per_address"]:
        raise Refusal(429, gettext_noop("Too many connections from your address. Close other windows."))
    chunks = chunks_of(request, run.public_id, step, server_sent=server_sent)
    body = count_while_open(address, kept_alive(chunks) if server_sent else lines_of(chunks))
    return streaming(body, SSE if server_sent else JSONL)


async def chunks_of(request: HttpRequest, run: str, step: int, *, server_sent: bool) -> AsyncGenerator[bytes | Status]:
    """Yield the lines or server-sent events of each chunk, in parts, and the run's state when it has ended.

    Ends without the state if the visitor loses access, or the run or its trace is deleted.
    """
    owner, visitor, reserve = WorkOwner.of(request), access.visitor_of(request), reserver_of(request)
    try:
        async with following(run) as feed:
            audience = None
            async for news in feed.read(0):
                if feed.status.audience != audience:
                    await database_sync_to_async(require_viewing)(visitor, run)
                    audience = feed.status.audience
                if isinstance(news, int):
                    frame = await feed.frame(news)
                    header = frames.header_of(frame)
                    while header.first_step + header.events > step:
                        async with reserve([frame]):
                            piece, step = await owner.work(jobs.part_of_chunk, frame, step, server_sent)
                            yield piece
                            del piece  # the next one may be as large
            yield feed.status
    except (Run.DoesNotExist, FrameGone, access.NotAllowed):
        return


def require_viewing(visitor: access.Visitor, run: str) -> None:
    """Require that the visitor can see the run. Raises Run.DoesNotExist or access.NotAllowed."""
    access.require_viewing(visitor, runs.by_id(run).version.scenario)


async def lines_of(chunks: AsyncIterator[bytes | Status]) -> AsyncIterator[bytes]:
    """Yield the lines without the state at the end."""
    async for piece in chunks:
        if isinstance(piece, bytes):
            yield piece


async def kept_alive(chunks: AsyncGenerator[bytes | Status]) -> AsyncIterator[bytes]:
    """Yield the events, the state as an event, and a comment when there was no event for QUIET_SECONDS."""
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
    """Yield the body, counted among the address's open connections like a websocket."""
    with counted_socket(address):
        async for piece in body:
            yield piece


def address_of(request: HttpRequest) -> str:
    """Return the key under which unsent bytes and connections are counted."""
    return client_of(request.META.get("REMOTE_ADDR", ""))
