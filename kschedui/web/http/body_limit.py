"""Refuse a request body that is too large before it is read: the ASGI handler would spool all of it to the disk."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.utils import translation

from kschedui.language import language_of_scope, spoken
from kschedui.web.http.problems import MEDIA_TYPE, problem
from kschedui.web.http.security_headers import encoded, outside_django
from scheduler_core.apis import messages

DRAINED = 4  # times the limit that is read of a body which is too large

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def too_large(most: int) -> messages.Message:
    """For a text above the limit."""
    return messages.Message("The text is too large; the limit is {most:,} bytes.", most=most)


async def take_the_rest(receive: Receive, most: int) -> None:
    """Read on and forget it: who is still sending would see the connection break, and never the answer."""
    while most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


class TooLarge(Exception):
    """More came than was allowed."""


class BodyLimit:
    """Wraps an ASGI application; bodies of more than `most` bytes are answered with 413 and a sentence.

    `by_path`: addresses that may be sent more.
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
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise TooLarge
            return message

        try:
            await self.application(scope, counted, send)
        except TooLarge:
            await take_the_rest(receive, DRAINED * most)
            await self.refuse(scope, send, most)

    async def refuse(self, scope: Scope, send: Send, most: int) -> None:
        """A problem, as the API says it."""
        with translation.override(language_of_scope(scope)):
            sentence = spoken(too_large(most))
        body = json.dumps(problem(413, sentence))
        headers = {"Content-Type": MEDIA_TYPE, "Connection": "close", **outside_django()}
        await send({"type": "http.response.start", "status": 413, "headers": encoded(headers)})
        await send({"type": "http.response.body", "body": body.encode()})
