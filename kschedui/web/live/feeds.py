"""One feed per process and run: it reads the run's row once for all sockets of this process.

Each socket has its own cursor and takes its frames from the process's cache, which reads each from the database once.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from channels.db import database_sync_to_async
from django.db import Error

from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.runs.store import DamagedChunk, Status
from kschedui.web.live import shared_row
from kschedui.web.live.frame_cache import cache
from kschedui.web.live.shared_row import SharedRow, SharedRows
from kschedui.web.live.status_reader import read_status

logger = logging.getLogger(__name__)

touch = database_sync_to_async(runs.touch)


class FrameGone(Exception):
    """The frame is no longer stored: the run, or its trace, was deleted."""


class Feed(SharedRow):
    """The row of one run, as last read."""

    def __init__(self, status: Status) -> None:
        super().__init__(runs.group(status.run))
        self.status = status
        self.changed = asyncio.Event()  # set when the row has changed, or the feed is broken; then replaced

    async def read_row(self) -> None:
        """Read the row; wake the sockets if it has changed.

        Ended runs are read too: they may be run again, or access to them may be revoked.
        """
        status = await read_status(self.status.run)
        if status.preview and not status.ended:
            await touch(status.run)
        self.show(status)

    def show(self, status: Status) -> None:
        """Store a newer row, and wake the sockets."""
        if status != self.status:
            self.status = status
            self.wake_all()

    def wake_all(self) -> None:
        """Wake the sockets."""
        event, self.changed = self.changed, asyncio.Event()
        event.set()

    def handle_message(self, message: dict[str, Any]) -> None:
        """Request that the row is read again, since it has changed."""
        self.may_have_changed.set()

    async def read(self, cursor: int) -> AsyncIterator[int | Status]:
        """Yield the numbers of frames from `cursor` on, and the row when its state or access changes.

        Ends after the last frame of an ended run, or if the row is broken.
        """
        previous = self.status.state, self.status.audience, self.status.ahead
        while not self.broken:
            changed = self.changed
            while cursor < self.status.chunks:
                yield cursor
                cursor += 1
            status = self.status
            if (status.state, status.audience, status.ahead) != previous:
                previous = status.state, status.audience, status.ahead
                yield status
            if status.ended and cursor >= status.chunks:
                return
            if changed is self.changed:
                await changed.wait()

    async def frame(self, seq: int) -> bytes:
        """Return a stored frame; wait for an unavailable database, and for a damaged frame to be computed again.

        Raises FrameGone, and DamagedChunk if it cannot be computed again.
        """
        while (frame := await self.frame_if_available(seq)) is None:
            await self.pause()
        return frame

    async def frame_if_available(self, seq: int) -> bytes | None:
        """Return a stored frame; None if the database is unavailable, or the frame is being computed again.

        Raises FrameGone, and DamagedChunk if it cannot be computed again.
        """
        try:
            frame = await cache.get(self.status.run, seq)
            if frame is None:
                status = await read_status(self.status.run)
                if status.ended and status.chunks <= seq:
                    raise FrameGone
        except Error as error:
            logger.warning("a frame of run %s could not be read: %s", self.status.run, error)
            return None
        except DamagedChunk as damaged:
            if not damaged.repaired:
                raise
            return None
        except Run.DoesNotExist:
            raise FrameGone from None
        return frame

    async def pause(self) -> None:
        """Wait before the next attempt to read a frame. Callers hold nothing meanwhile that others need."""
        await asyncio.sleep(shared_row.POLL_SECONDS)


_feeds: SharedRows[Feed] = SharedRows()


@asynccontextmanager
async def following(public_id: str) -> AsyncIterator[Feed]:
    """Yield the feed of the run, shared with this process's other followers. Raises Run.DoesNotExist."""
    status = await read_status(public_id)
    async with _feeds.following(public_id, lambda: Feed(status)) as feed:
        if feed.status.ended and not status.ended:  # it was run again
            feed.show(status)
        yield feed
