"""One feed per process and run: it reads the run's row once for all sockets of this process.

Each socket has its own cursor and takes its frames from the process's cache, which reads each from the database once.
News arrive by the channel layer; since announcements can be lost, the feed also polls every POLL_SECONDS.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import Error

from kschedui.runs import store as runs
from kschedui.runs.store import DamagedChunk, Status
from kschedui.web.live.cancelling import cancel
from kschedui.web.live.frame_cache import cache
from kschedui.web.live.shared_task import start_shared
from kschedui.web.live.status_reader import read_status

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0

touch = database_sync_to_async(runs.touch)


class Feed:
    """The row of one run, as last read."""

    def __init__(self, status: Status) -> None:
        self.status = status
        self.news = asyncio.Event()  # something may have changed in the database
        self.changed = asyncio.Event()  # something did, or the feed broke; each change has an event of its own
        self.broken = False
        self.followers = 0
        self.tasks: list[asyncio.Task[None]] = []

    async def follow(self) -> None:
        """Keep the status up to date. An ended run may be run again, or access to it may be revoked."""
        while True:
            try:
                await self.catch_up()
            except Error as error:  # the database is away for a moment
                logger.warning("the feed of run %s could not read: %s", self.status.run, error)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self.news.wait()

    async def catch_up(self) -> None:
        """Read the row; wake the sockets when it changed."""
        self.news.clear()
        status = await read_status(self.status.run)
        if status.preview and not status.ended:
            await touch(status.run)
        if status != self.status:
            self.status = status
            self.tell()

    def tell(self) -> None:
        """Wake the sockets."""
        event, self.changed = self.changed, asyncio.Event()
        event.set()

    async def listen(self) -> None:
        """Convert announcements to `news`. Without the broker, the feed relies on polling."""
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

    async def read(self, cursor: int) -> AsyncIterator[int | Status]:
        """Yield the numbers of frames from `cursor` on, and the row when its state or access changes.

        Ends after the last frame of an ended run.
        """
        previous = self.status.state, self.status.sight, self.status.ahead
        while not self.broken:
            changed = self.changed
            while cursor < self.status.chunks:
                yield cursor
                cursor += 1
            status = self.status
            if (status.state, status.sight, status.ahead) != previous:
                previous = status.state, status.sight, status.ahead
                yield status
            if status.ended and cursor >= status.chunks:
                return
            if changed is self.changed:
                await changed.wait()

    async def frame(self, seq: int) -> bytes:
        """Return a stored frame; waits for an unavailable database, and for a damaged chunk to be repaired.

        Raises Run.DoesNotExist, and DamagedChunk if it cannot be repaired.
        """
        while True:
            try:
                cached = await cache.get(self.status.run, seq)
            except Error as error:
                logger.warning("a frame of run %s could not be read: %s", self.status.run, error)
                await asyncio.sleep(POLL_SECONDS)
            except DamagedChunk as damaged:
                if not damaged.repaired:
                    raise
                await asyncio.sleep(POLL_SECONDS)  # while it is computed again
            else:
                if cached is not None:
                    return cached
                await read_status(self.status.run)
                await asyncio.sleep(POLL_SECONDS)


_feeds: dict[tuple[int, str], Feed] = {}  # (event loop, run)


@asynccontextmanager
async def following(public_id: str) -> AsyncIterator[Feed]:
    """Return the feed of the run, shared with this process's other followers. Raises Run.DoesNotExist."""
    key = (id(asyncio.get_running_loop()), public_id)
    status = await read_status(public_id)
    feed = _feeds.get(key)
    if feed is None or (feed.status.ended and not status.ended):
        feed = _feeds[key] = Feed(status)
        feed.tasks = [start_shared(feed.listen()), start_shared(feed.follow())]
        feed.tasks[1].add_done_callback(partial(_broke, feed))
    feed.followers += 1
    try:
        yield feed
    finally:
        feed.followers -= 1
        if not feed.followers:
            if _feeds.get(key) is feed:
                del _feeds[key]
            await cancel(feed.tasks)


def _broke(feed: Feed, task: asyncio.Task[None]) -> None:
    """End the sockets of a feed whose task failed; their browsers reconnect."""
    if not task.cancelled() and task.exception() is not None:
        logger.error("the feed of run %s broke", feed.status.run, exc_info=task.exception())
        feed.broken = True
        feed.tell()
