"""The base of all websockets: counts towards the limit, sends within a deadline, and reports why it closes.

Invalid messages are answered with a sentence; tracebacks are only logged.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_noop

from kschedui.language import in_language, language_of_scope
from kschedui.web.http.byte_budget import patience
from kschedui.web.http.client_address import client_of_scope
from kschedui.web.http.metrics import sockets
from kschedui.web.live.cancelling import cancel
from kschedui.web.live.loop_turns import take_turn

logger = logging.getLogger(__name__)

NUL = r"\u0000"  # as JSON writes it; PostgreSQL stores no such text
ERROR, RESTART, NOT_ALLOWED, NO_SUCH_RUN, SLOW, TOO_MANY = 1011, 1012, 4001, 4004, 4008, 4029


class CloseConnection(Exception):
    """Closes the connection with this code after sending the sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Connection(AsyncWebsocketConsumer):
    """A websocket connection."""

    channel_layer_alias = ""  # none: feeds and live classes listen to the broker, once for all sockets of this process
    address = ""
    streaming: asyncio.Task[None] | None = None

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle an event. The method that this replaces would first close old database connections, for every event in
        the one thread that all sockets share; here, code that uses the database does so itself.
        """
        await take_turn()
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        """Accept, then close if the address has too many sockets: only an open one can receive the reason."""
        await self.accept()
        address = client_of_scope(self.scope)
        if sockets[address] >= settings.LIMITS["sockets_per_address"]:
            sentence = gettext_noop("Too many connections from your address. Close other windows.")
            return await self.refuse(CloseConnection(TOO_MANY, sentence))
        self.address = address
        sockets[address] += 1

    async def disconnect(self, code: int) -> None:
        """End the stream; the connection no longer counts towards the limit."""
        await self.stop_streaming()
        if self.address:
            sockets[self.address] -= 1
            if not sockets[self.address]:
                del sockets[self.address]
            self.address = ""

    async def send_message(self, **message: Any) -> None:
        """Send a JSON message."""
        await self.bounded_send(text_data=json.dumps(message))

    async def bounded_send(self, **data: Any) -> None:
        """Send within the deadline; otherwise unreceived data would accumulate.

        Raises TimeoutError, and ConnectionError if the client has disconnected.
        """
        await take_turn()
        (message,) = data.values()
        direct_writer = self.scope.get("direct_writer")
        try:
            async with asyncio.timeout(patience(len(message))):
                await (direct_writer.send(message) if direct_writer else self.send(**data))
        except RuntimeError:  # how a server reports that the client has disconnected
            raise ConnectionResetError from None

    @asynccontextmanager
    async def reporting_failures(self, topic: str) -> AsyncIterator[None]:
        """Close the socket with a reason if the block, which sends a stream about the topic, fails.

        That the client has disconnected is only logged.
        """
        try:
            yield
        except CloseConnection as refusal:
            await self.refuse(refusal)
        except TimeoutError:
            await self.refuse(CloseConnection(SLOW, ""))
        except OSError:
            logger.info("a follower of %s has disconnected", topic)
        except Exception:
            logger.exception("a follower of %s was disconnected by an error", topic)
            await self.refuse(CloseConnection(ERROR, gettext_noop("An internal error occurred. Reload the page.")))

    async def refuse(self, refusal: CloseConnection) -> None:
        """Send the reason and close, even if the client receives nothing."""
        try:
            async with asyncio.timeout(1):
                if str(refusal):
                    await self.send(text_data=json.dumps({"type": "error", "message": self.translate(str(refusal))}))
                await self.close(refusal.code)
        except (TimeoutError, RuntimeError, OSError):  # for example, it has disconnected
            logger.info("a socket that receives nothing is closed")
            if self.scope.get("direct_writer"):
                self.scope["direct_writer"].abort()

    def translate(self, sentence: str) -> str:
        """Return the sentence in the client's language."""
        with translation.override(language_of_scope(self.scope)):
            return in_language(sentence)

    async def stop_streaming(self) -> None:
        """End the stream, if there is one; a stream that calls this itself is only forgotten."""
        if self.streaming and self.streaming is not asyncio.current_task():
            await cancel([self.streaming])
        self.streaming = None


def read_object(text: str | None, longest: int) -> dict[str, Any]:
    """Return a JSON object from a text message. Raises ValueError with a sentence for anything else."""
    if text is None:
        raise ValueError("Only text messages are understood here.")
    if len(text) > longest:
        raise ValueError(f"A message has at most {longest} characters.")
    try:
        message = json.loads(text)
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("The message contains half of a character (a lone surrogate).") from None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise ValueError("A message is a JSON object.")
    if NUL in text.replace(r"\\", ""):
        raise ValueError("The message contains the character NUL.")
    return message


def read_number(message: dict[str, Any], name: str, below: int, default: int | None = None) -> int:
    """Return the number in a field of the message, from 0 to `below` - 1. Raises ValueError with a sentence for
    anything else.
    """
    number = message.get(name, default)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < below:
        raise ValueError(f"`{name}` is a number from 0 to {below - 1}.")
    return number
