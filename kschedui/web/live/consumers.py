"""The websocket that follows a run. The protocol is written in docs/architecture.md.

Whatever a client sends is answered by a sentence; a traceback goes to the log only.
"""

import asyncio
import json
import logging
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_noop

from kschedui.language import language_of_scope, spoken
from kschedui.models import Run, Scenario
from kschedui.runs import store as runs
from kschedui.runs.store import Sight, Status
from kschedui.scenarios import access
from kschedui.web.http.byte_budget import patience, unsent
from kschedui.web.http.client_address import client_of
from kschedui.web.http.metrics import sockets
from kschedui.web.live.feeds import Feed, following
from kschedui.web.live.frame_cache import cache

logger = logging.getLogger(__name__)

ERROR, RESTART, NOT_ALLOWED, NO_SUCH_RUN, SLOW, TOO_MANY = 1011, 1012, 4001, 4004, 4008, 4029
PROTOCOL = 1  # its number; docs/architecture.md says what may change under it
LONGEST_MESSAGE = 1024  # characters
MOST_MESSAGES = 200  # from one socket
LOOK_SECONDS = 3.0  # for so long a private run is shown without another look at who it is shared with
LARGEST_CURSOR = 2**31


class Refused(Exception):
    """Close with this code after telling the sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class RunConsumer(AsyncWebsocketConsumer):
    """One socket; it follows at most one run, from a cursor, and may set the cursor anew."""

    streaming: asyncio.Task[None] | None = None
    run = ""
    messages = 0
    address = ""
    sight: Sight | None = None  # by which the visitor may see the run
    looked = 0.0  # when that was found out

    async def connect(self) -> None:
        """Accept first, since only an open socket can be told why it is closed."""
        await self.accept()
        address = client_of((self.scope.get("client") or [""])[0])
        if sockets[address] >= settings.LIMITS["sockets_per_address"]:
            sentence = gettext_noop("Too many connections from your address; close other windows.")
            return await self.refuse(Refused(TOO_MANY, sentence))
        self.address = address
        sockets[address] += 1

    async def disconnect(self, code: int) -> None:
        """End the stream and give the place back."""
        await self.stop_streaming()
        if self.address:
            sockets[self.address] -= 1
            if not sockets[self.address]:
                del sockets[self.address]
            self.address = ""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer one message."""
        self.messages += 1
        try:
            if self.messages > MOST_MESSAGES:
                raise Refused(TOO_MANY, gettext_noop("Too many messages on one connection."))
            run, cursor = read_message(text_data)
            if self.run and run != self.run:
                raise ValueError("One connection follows one run; open another for another.")
            self.sight = await self.allow(run)
        except ValueError as error:
            await self.tell(type="error", message=str(error))
        except Refused as refusal:
            await self.refuse(refusal)
        else:
            await self.stop_streaming()
            self.run = run
            self.streaming = asyncio.create_task(self.stream(cursor))

    async def allow(self, run: str) -> Sight:
        """On what it depends that this visitor may see the run; raises Refused when they may not."""
        try:
            sight: Sight = await database_sync_to_async(sight_of)(access.visitor_of_scope(self.scope), run)
            return sight
        except Run.DoesNotExist:
            raise Refused(NO_SUCH_RUN, gettext_noop("There is no such run.")) from None
        except access.NotAllowed as refusal:
            raise Refused(NOT_ALLOWED, str(refusal)) from None

    async def allow_still(self, feed: Feed) -> None:
        """The same, when what it depends on has changed: the run was deleted, say, or made private."""
        sight, now = feed.status.sight, asyncio.get_running_loop().time()
        private = sight.visibility == Scenario.Visibility.PRIVATE and now - self.looked > LOOK_SECONDS
        if private or sight != self.sight:
            self.sight, self.looked = await self.allow(self.run), now

    async def stream(self, cursor: int) -> None:
        """Send what the run has from the cursor on, as it comes."""
        try:
            async with following(self.run) as feed:
                await self.send_run(feed, cursor)
        except Refused as refusal:
            await self.refuse(refusal)
        except TimeoutError:
            await self.refuse(Refused(SLOW, ""))
        except OSError:
            logger.info("a follower of run %s is gone", self.run)
        except Run.DoesNotExist:
            await self.refuse(Refused(NO_SUCH_RUN, gettext_noop("There is no such run any more.")))
        except Exception:
            logger.exception("a follower of run %s was lost", self.run)
            await self.refuse(Refused(ERROR, gettext_noop("Something failed here; please open the page again.")))

    async def send_run(self, feed: Feed, cursor: int) -> None:
        """hello, frames and states, end; TimeoutError when the client does not take them in time, Refused when it may
        not see the run any more."""
        await self.tell(**hello(feed.status))
        async for news in feed.read(cursor):
            if isinstance(news, Status):
                await self.allow_still(feed)
                await self.tell(**state(news))
            elif isinstance(news, int):
                await self.send_frame(feed, news)
        if feed.broken:
            raise Refused(RESTART, "")
        status = feed.status
        if status.error:
            await self.tell(type="error", message=self.say(status.error))
        await self.tell(type="end", chunks=status.chunks, steps=status.steps, state=status.state)

    async def send_frame(self, feed: Feed, seq: int) -> None:
        """Send a chunk when this process may hold so much for its clients; the next is read when this one is taken."""
        here = cache.peek(self.run, seq)
        size = len(here) if here is not None else settings.LIMITS["frame_bytes"]
        async with unsent.held(self.address, (self.run, seq), size) as held:
            frame = here if here is not None else await feed.frame(seq)
            held.shrink(len(frame))
            await self.allow_still(feed)
            await self.bounded_send(bytes_data=frame)

    async def tell(self, **message: Any) -> None:
        """Send a text message."""
        await self.bounded_send(text_data=json.dumps(message))

    async def bounded_send(self, **data: Any) -> None:
        """Send within the deadline; what the client does not take would pile up here. Raises TimeoutError, and
        ConnectionError when the client is gone."""
        (message,) = data.values()
        outlet = self.scope.get("outlet")
        try:
            async with asyncio.timeout(patience(len(message))):
                await (outlet.take(message) if outlet else self.send(**data))
        except RuntimeError:  # how a server says it
            raise ConnectionResetError from None

    async def refuse(self, refusal: Refused) -> None:
        """Say why, and close; a client that takes nothing is closed all the same."""
        try:
            async with asyncio.timeout(1):
                if str(refusal):
                    await self.send(text_data=json.dumps({"type": "error", "message": self.say(str(refusal))}))
                await self.close(refusal.code)
        except (TimeoutError, RuntimeError, OSError):  # it is gone, say
            logger.info("a socket that takes nothing is dropped")
            if self.scope.get("outlet"):
                self.scope["outlet"].drop()

    def say(self, sentence: str) -> str:
        """The sentence in the language of whoever opened the socket."""
        with translation.override(language_of_scope(self.scope)):
            return spoken(sentence)

    async def stop_streaming(self) -> None:
        """End the stream, if there is one."""
        if self.streaming and self.streaming is not asyncio.current_task():
            self.streaming.cancel()
            await asyncio.gather(self.streaming, return_exceptions=True)
        self.streaming = None


def sight_of(visitor: access.Visitor, run: str) -> Sight:
    """On what it depends that the visitor may see the run; raises Run.DoesNotExist, access.NotAllowed."""
    scenario = runs.by_id(run).version.scenario
    access.require_sight(visitor, scenario)
    return Sight(scenario.deleted_at, scenario.visibility, scenario.owner_id, scenario.sharing)


def hello(status: Status) -> dict[str, Any]:
    """The answer to `subscribe`."""
    return {**state(status), "type": "hello", "protocol": PROTOCOL, "run": status.run, "next": status.chunks}


def state(status: Status) -> dict[str, Any]:
    """What has become of the run; while it is queued also what it waits for."""
    known = {"type": "state", "state": status.state, "epoch": status.attempt, "steps": status.steps}
    return {**known, "time": status.time, **({"ahead": status.ahead._asdict()} if status.ahead else {})}


def read_message(text: str | None) -> tuple[str, int]:
    """Run and cursor of a `subscribe`; ValueError with a sentence for anything else."""
    if text is None:
        raise ValueError("Only text messages are understood here.")
    if len(text) > LONGEST_MESSAGE:
        raise ValueError(f"A message has at most {LONGEST_MESSAGE} characters.")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("A message is a JSON object.") from None
    if not isinstance(message, dict) or message.get("type") != "subscribe":
        raise ValueError('The only message understood here is {"type": "subscribe", "run": ..., "cursor": ...}.')
    run, cursor = message.get("run"), message.get("cursor", 0)
    if not isinstance(run, str) or not run.isascii() or not run.isalnum() or len(run) > 32:
        raise ValueError("`run` is the id of a run.")
    if isinstance(cursor, bool) or not isinstance(cursor, int) or not 0 <= cursor < LARGEST_CURSOR:
        raise ValueError("`cursor` is the number of a chunk, from 0.")
    return run, cursor
