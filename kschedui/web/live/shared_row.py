"""A row that sockets of this process follow together: it is read once for all of them.

Changes arrive by the channel layer; since announcements can be lost, the row is also polled.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from channels.layers import get_channel_layer
from django.db import Error

from kschedui.web.live.cancelling import cancel
from kschedui.web.live.shared_task import start_shared

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0


class SharedRow(ABC):
    """A row as last read. `group` is the channel layer's group for its followers, and its name in the log."""

    pause_seconds = 0.0  # at least, between two reads

    def __init__(self, group: str) -> None:
        self.group = group
        self.followers = 0
        self.may_have_changed = asyncio.Event()
        self.broken = False
        self.tasks: list[asyncio.Task[None]] = []

    @abstractmethod
    async def read_row(self) -> None:
        """Read the row, and wake the sockets if it has changed. May raise the database's errors."""

    @abstractmethod
    def wake_all(self) -> None:
        """Wake the sockets."""

    @abstractmethod
    def handle_message(self, message: dict[str, Any]) -> None:
        """Handle a message to the group."""

    async def poll(self) -> None:
        """Read the row when it may have changed, and every POLL_SECONDS."""
        while True:
            self.may_have_changed.clear()
            try:
                await self.read_row()
            except Error as error:  # the database is away for a moment
                logger.warning("%s could not be read: %s", self.group, error)
            await asyncio.sleep(self.pause_seconds)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self.may_have_changed.wait()

    async def listen(self) -> None:
        """Receive the group's messages. Without the broker, the row is only polled."""
        layer = get_channel_layer()
        try:
            channel = await layer.new_channel()
            try:
                await layer.group_add(self.group, channel)
                self.may_have_changed.set()
                while True:
                    self.handle_message(await layer.receive(channel))
            finally:
                await layer.group_discard(self.group, channel)
        except Exception as error:  # any error of the broker's client
            logger.warning("%s is followed without announcements: %s", self.group, error)

    def start(self) -> None:
        """Start polling and listening."""
        self.tasks = [start_shared(self.listen()), start_shared(self.poll())]
        self.tasks[1].add_done_callback(self.end_if_broken)

    def end_if_broken(self, task: asyncio.Task[None]) -> None:
        """Mark the row as broken and wake its sockets if polling failed; they close, and their browsers reconnect."""
        if not task.cancelled() and task.exception() is not None:
            logger.error("%s can no longer be followed", self.group, exc_info=task.exception())
            self.broken = True
            self.wake_all()


Row = TypeVar("Row", bound=SharedRow)


class SharedRows(dict[tuple[int, Any], Row]):
    """The rows that this process follows, by event loop and key."""

    @asynccontextmanager
    async def following(self, key: Any, make: Callable[[], Row]) -> AsyncIterator[Row]:
        """Yield the row with this key. The first follower makes and starts it; it is stopped after the last one."""
        place = id(asyncio.get_running_loop()), key
        row = self.get(place)
        if row is None or row.broken:
            row = self[place] = make()
            row.start()
        row.followers += 1
        try:
            yield row
        finally:
            row.followers -= 1
            if not row.followers:
                if self.get(place) is row:
                    del self[place]
                await cancel(row.tasks)
