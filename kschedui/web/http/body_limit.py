"""Refuse a request body that is too large before it is read: the ASGI handler would spool all of it to the disk."""

import asyncio
import json
from collections.abc import Mapping

from django.conf import settings
from django.utils import translation

from kschedui.language import language_of_scope, spoken
from kschedui.web.http.asgi_types import Application, Message, Receive, Scope, Send
from kschedui.web.http.byte_budget import ByteBudget
from kschedui.web.http.client_address import client_of
from kschedui.web.http.problems import MEDIA_TYPE, problem
from kschedui.web.http.security_headers import encoded, outside_django
from scheduler_core.apis import messages

SMALL = 1024 * 1024  # a body of which nobody keeps count
DRAINED = 4  # times the limit that is read of a body which is too large


bodies = ByteBudget(settings.BODIES_BYTES, max(settings.BODIES_BYTES // 2, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))


def too_large(most: int) -> messages.Message:
    """For a text above the limit; for a scenario's with where a dump may be larger."""
    if most >= (larger := settings.LIMITS["import_bytes"]):
        return messages.Message("The text is too large; the limit is {most:,} bytes.", most=most)
    return messages.Message(
        "The text is too large; the limit is {most:,} bytes. What a cluster printed may have {larger:,}: POST it to "
        "/api/v1/import, which makes a scenario of it.",
        most=most,
        larger=larger,
    )


async def take_the_rest(receive: Receive, most: int) -> None:
    """Read on and forget it: who is still sending would see the connection break, and never the answer."""
    while most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


class TooLarge(Exception):
    """More came than was allowed."""


class TooSlow(Exception):
    """The next piece of the body did not come in time."""


class BodyLimit:
    """Wraps an ASGI application; bodies of more than `most` bytes are answered with 413 and a sentence.

    `by_path`: addresses that may be sent more. What is sent to others is held in memory: a large body waits, unread,
    until this process may hold so much.
    """

    def __init__(self, application: Application, most: int, by_path: Mapping[str, int] | None = None) -> None:
        self.application = application
        self.most = most
        self.by_path = by_path or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Believe the Content-Length header first, then count."""
        headers = dict(scope.get("headers", ()))
        length = headers.get(b"content-length", b"0")
        most = self.by_path.get(scope.get("path", ""), self.most)
        if not length.isdigit() or int(length) > most:
            await take_the_rest(receive, DRAINED * most)
            return await self.refuse(scope, send, most)
        size = int(length) if b"content-length" in headers else most if b"transfer-encoding" in headers else 0
        if size <= SMALL or scope.get("path", "") in self.by_path:
            return await self.limited(scope, receive, send, most)
        async with bodies.held(client_of((scope.get("client") or [""])[0]), object(), size):
            await self.limited(scope, receive, send, most)

    async def limited(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        """Count what comes, and wait for no piece of it for ever."""
        received, whole = 0, False

        async def counted() -> Message:
            nonlocal received, whole
            if whole:
                return await receive()  # until the client goes away
            try:
                async with asyncio.timeout(settings.BODY_SECONDS):
                    message = await receive()
            except TimeoutError:
                raise TooSlow from None
            received += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if received > most:
                raise TooLarge
            return message

        try:
            await self.application(scope, counted, send)
        except TooSlow:
            await answer(scope, send, 408, messages.Message("The request did not come in time; please try again."))
        except TooLarge:
            if not whole:
                await take_the_rest(receive, DRAINED * most)
            await self.refuse(scope, send, most)

    async def refuse(self, scope: Scope, send: Send, most: int) -> None:
        """The limit is said of the text, which is what people know the length of."""
        said = most if scope.get("path", "") in self.by_path else settings.LIMITS["scenario_bytes"]
        await answer(scope, send, 413, too_large(said))


async def answer(scope: Scope, send: Send, status: int, sentence: messages.Message) -> None:
    """A refusal as the API says it."""
    with translation.override(language_of_scope(scope)):
        body = json.dumps(problem(status, spoken(sentence)))
    headers = {"Content-Type": MEDIA_TYPE, "Connection": "close", **outside_django()}
    await send({"type": "http.response.start", "status": status, "headers": encoded(headers)})
    await send({"type": "http.response.body", "body": body.encode()})
