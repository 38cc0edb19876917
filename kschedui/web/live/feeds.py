"""One feed per (process, run): it reads the tail of the run once, for all the sockets of this process that follow it.

A feed keeps the newest frames in a bounded ring. Each socket has its own cursor: what the ring no longer holds it reads
from the database itself, so a slow socket costs nobody else anything. News come by the channel layer; as an
announcement may be lost, the feed also looks by itself every POLL_SECONDS.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import Error

from kschedui.runs import store as runs
from kschedui.runs.store import Status

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0
RING_BYTES = 4 * 1024 * 1024

read_status = database_sync_to_async(runs.status)
read_frames = database_sync_to_async(runs.frames)


class Feed:
    """The tail of one run. `status` is the row as read last; `ring` holds the frames `first` to `first + len - 1`."""

    def __init__(self, status: Status) -> None:
        self.status = status
        self.ring: deque[bytes] = deque()
        self.ring_bytes = 0
        self.first = 0 if status.bytes <= RING_BYTES else status.chunks
        self.news = asyncio.Event()  # something may have changed in the database
        self.changed = asyncio.Condition()  # something did, or the feed broke
        self.revision = 0
        self.broken = False
        self.followers = 0
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def end(self) -> int:
        """Number of the frame after the newest one in the ring."""
        return self.first + len(self.ring)

    async def follow(self) -> None:
        """Keep ring and status up to date until the run is ended and read to its end."""
        while True:
            try:
                await self.catch_up()
            except Error as error:  # the database is away for a moment
                logger.warning("the feed of run %s could not read: %s", self.status.run, error)
            if self.status.ended and self.end >= self.status.chunks:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), POLL_SECONDS)

    async def catch_up(self) -> None:
        """Read the row, then the frames that are new."""
        self.news.clear()
        status = await read_status(self.status.run)
        while self.end < status.chunks:
            frames = await read_frames(status.run, self.end)
            if not frames:
                break
            self.keep(frames)
            await self.tell()
        if status != self.status:
            self.status = status
            await self.tell()

    def keep(self, frames: list[bytes]) -> None:
        """Take new frames in; old ones leave when the ring is full."""
        for frame in frames:
            self.ring.append(frame)
            self.ring_bytes += len(frame)
            while self.ring_bytes > RING_BYTES and len(self.ring) > 1:
                self.ring_bytes -= len(self.ring.popleft())
                self.first += 1

    async def tell(self) -> None:
        """Wake the sockets."""
        async with self.changed:
            self.revision += 1
            self.changed.notify_all()

    async def listen(self) -> None:
        """Turn announcements into `news`. Without the broker the feed lives on by polling."""
        layer = get_channel_layer()
        try:
            channel = await layer.new_channel()
            await layer.group_add(runs.group(self.status.run), channel)
            self.news.set()
            while True:
                await layer.receive(channel)
                self.news.set()
        except Exception as error:  # whatever the broker's client raises
            logger.warning("run %s is followed without announcements: %s", self.status.run, error)

    async def read(self, cursor: int) -> AsyncIterator[bytes | Status]:
        """Frames from number `cursor` on, and each new state of the run; ends after the last frame of an ended run."""
        state = self.status.state
        while True:
            revision = self.revision
            while frames := await self.frames_from(cursor):
                for frame in frames:
                    yield frame
                    cursor += 1
            status = self.status
            if status.state != state:
                state = status.state
                yield status
            if (status.ended and cursor >= status.chunks) or self.broken:
                return
            async with self.changed:
                await self.changed.wait_for(partial(self.has_news_since, revision))

    def has_news_since(self, revision: int) -> bool:
        """Something changed after that."""
        return self.revision != revision or self.broken

    async def frames_from(self, cursor: int) -> list[bytes]:
        """A few frames: from the ring if it has them, else from the database; none when there are no more yet."""
        if cursor >= self.first:
            place = cursor - self.first
            return [self.ring[place]] if place < len(self.ring) else []
        found: list[bytes] = await read_frames(self.status.run, cursor, min(runs.READ_CHUNKS, self.first - cursor))
        return found


_feeds: dict[tuple[int, str], Feed] = {}  # (event loop, run)


@asynccontextmanager
async def following(public_id: str) -> AsyncIterator[Feed]:
    """The feed of the run, shared with this process's other followers; raises Run.DoesNotExist."""
    key = (id(asyncio.get_running_loop()), public_id)
    status = await read_status(public_id)
    feed = _feeds.get(key)
    if feed is None or (feed.status.ended and not status.ended):
        feed = _feeds[key] = Feed(status)
        feed.tasks = [asyncio.create_task(feed.listen()), asyncio.create_task(feed.follow())]
        feed.tasks[1].add_done_callback(partial(_ended, feed))
    feed.followers += 1
    try:
        yield feed
    finally:
        feed.followers -= 1
        if not feed.followers:
            if _feeds.get(key) is feed:
                del _feeds[key]
            for task in feed.tasks:
                task.cancel()
            # The follower may be cancelled while it waits here; the tasks must not be cancelled twice for that.
            await asyncio.shield(asyncio.gather(*feed.tasks, return_exceptions=True))


def _ended(feed: Feed, task: asyncio.Task[None]) -> None:
    """A feed whose task failed must not leave its sockets waiting: they end, and their browsers come again."""
    if not task.cancelled() and task.exception() is not None:
        logger.error("the feed of run %s broke", feed.status.run, exc_info=task.exception())
        feed.broken = True
        feed.tasks.append(asyncio.ensure_future(feed.tell()))
