"""The websocket that follows a run. The protocol is described in docs/architecture.md."""

import asyncio
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils.translation import gettext_noop

from kschedui.classrooms import student_cookie
from kschedui.models import Run, Scenario
from kschedui.runs import store as runs
from kschedui.runs.store import Audience, Status
from kschedui.scenarios import access
from kschedui.web.http.byte_budget import unsent
from kschedui.web.live.connection import (
    NO_SUCH_RUN,
    NOT_ALLOWED,
    RESTART,
    TOO_MANY,
    CloseConnection,
    Connection,
    read_number,
    read_object,
)
from kschedui.web.live.feeds import Feed, FrameGone, following
from kschedui.web.live.frame_cache import cache
from kschedui.web.live.status_reader import read_status

PROTOCOL = 1  # version; docs/architecture.md says what may change without a new one
LONGEST_MESSAGE = 1024  # characters
MAX_MESSAGES = 200  # from one socket
CHECK_SECONDS = 3.0  # after which access to a private run is checked again
LARGEST_CURSOR = 2**31


class RunConsumer(Connection):
    """A socket that follows at most one run from a cursor, which the client can change."""

    run = ""
    messages = 0
    audience: Audience | None = None  # who could see the run when access was last checked
    checked = 0.0  # when that was

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message. The answer to an invalid one is an error; a refusal closes the connection."""
        self.messages += 1
        try:
            if self.messages > MAX_MESSAGES:
                raise CloseConnection(TOO_MANY, gettext_noop("Too many messages on one connection."))
            run, cursor = read_message(text_data)
            if self.run and run != self.run:
                raise ValueError("One connection follows one run; open another for another.")
            self.audience = await self.allow(run)
        except ValueError as error:
            await self.send_message(type="error", message=str(error))
        except CloseConnection as refusal:
            await self.refuse(refusal)
        else:
            await self.stop_streaming()
            self.run = run
            self.streaming = asyncio.create_task(self.stream(cursor))

    async def allow(self, run: str) -> Audience:
        """Return the audience of the run. Raises CloseConnection if this visitor cannot see it."""
        try:
            status = await read_status(run)  # one read for all who come at once
            if status.audience.open_to_all:
                return status.audience
            visitor, cookies = access.visitor_of_scope(self.scope), self.scope.get("cookies", {})
            audience: Audience = await database_sync_to_async(audience_of)(visitor, cookies, run)
            return audience
        except Run.DoesNotExist:
            raise CloseConnection(NO_SUCH_RUN, gettext_noop("This run does not exist.")) from None
        except access.NotAllowed as refusal:
            raise CloseConnection(NOT_ALLOWED, str(refusal)) from None

    async def allow_still(self, feed: Feed) -> None:
        """Check access again if the run's audience has changed, and to a private run every CHECK_SECONDS.

        Raises CloseConnection without access.
        """
        audience, now = feed.status.audience, asyncio.get_running_loop().time()
        private = audience.visibility == Scenario.Visibility.PRIVATE and now - self.checked > CHECK_SECONDS
        if private or audience != self.audience:
            self.audience, self.checked = await self.allow(self.run), now

    async def stream(self, cursor: int) -> None:
        """Send the run from the cursor on, as it progresses.

        Raises CloseConnection if the run or a frame of it is gone, or the client loses access.
        """
        async with self.reporting_failures(f"run {self.run}"):
            try:
                async with following(self.run) as feed:
                    await self.send_run(feed, cursor)
            except Run.DoesNotExist:
                raise CloseConnection(NO_SUCH_RUN, gettext_noop("This run no longer exists.")) from None
            except runs.DamagedChunk:
                raise CloseConnection(NO_SUCH_RUN, runs.NOT_REPAIRED) from None
            except FrameGone:  # the browser connects again, and gets the current state
                raise CloseConnection(RESTART, "") from None

    async def send_run(self, feed: Feed, cursor: int) -> None:
        """Send hello, frames and states, and at the end the final state.

        Raises TimeoutError if the client does not receive them in time, CloseConnection if it loses access.
        """
        await self.send_message(**hello(feed.status))
        async for news in feed.read(cursor):
            if isinstance(news, Status):
                await self.allow_still(feed)
                await self.send_message(**state(news))
            elif isinstance(news, int):
                await self.send_frame(feed, news)
        if feed.broken:
            raise CloseConnection(RESTART, "")
        status = feed.status
        if status.error:
            await self.send_message(type="error", message=self.translate(status.error))
        await self.send_message(type="end", chunks=status.chunks, steps=status.steps, state=status.state)

    async def send_frame(self, feed: Feed, seq: int) -> None:
        """Send a frame; wait while it is not available, or the byte budget of this process has no room.

        Returns when the client has received almost everything. Nothing is held while a frame is not available.
        """
        while not await self.try_to_send_frame(feed, seq):
            await feed.pause()

    async def try_to_send_frame(self, feed: Feed, seq: int) -> bool:
        """Send a frame. Return False if it is not available at the moment."""
        cached = cache.peek(self.run, seq)
        size = len(cached) if cached is not None else settings.LIMITS["frame_bytes"]
        async with unsent.held(self.address, (self.run, seq), size) as held:
            frame = cached if cached is not None else await feed.frame_if_available(seq)
            if frame is None:
                return False
            held.shrink(len(frame))
            await self.allow_still(feed)
            await self.bounded_send(bytes_data=frame)
            return True


def audience_of(visitor: access.Visitor, cookies: dict[str, str], run: str) -> Audience:
    """Return the audience of the run. Raises Run.DoesNotExist, or NotAllowed if this visitor cannot see it."""
    run_row = runs.by_id(run)
    scenario = run_row.version.scenario
    student_cookie.require_viewing(visitor, cookies, run_row)
    return Audience(scenario.deleted_at, scenario.visibility, scenario.owner_id, scenario.sharing)


def hello(status: Status) -> dict[str, Any]:
    """Return the answer to `subscribe`."""
    return {**state(status), "type": "hello", "protocol": PROTOCOL, "run": status.run, "next": status.chunks}


def state(status: Status) -> dict[str, Any]:
    """Return the state of the run; while it is queued, also its place in the queue."""
    message = {"type": "state", "state": status.state, "epoch": status.attempt, "steps": status.steps}
    return {**message, "time": status.time, **({"ahead": status.ahead._asdict()} if status.ahead else {})}


def read_message(text: str | None) -> tuple[str, int]:
    """Return the run and the cursor of a `subscribe` message. Raises ValueError with a sentence for anything else."""
    message = read_object(text, LONGEST_MESSAGE)
    if message.get("type") != "subscribe":
        raise ValueError('The only message understood here is {"type": "subscribe", "run": ..., "cursor": ...}.')
    run = message.get("run")
    if not isinstance(run, str) or not run.isascii() or not run.isalnum() or len(run) > 32:
        raise ValueError("`run` is the id of a run.")
    return run, read_number(message, "cursor", LARGEST_CURSOR, default=0)
