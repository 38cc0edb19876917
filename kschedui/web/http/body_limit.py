"""Refuse a request body that is too large before it is read: the ASGI handler would spool all of it to the disk."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.utils import translation

from kschedui.language import language_of_scope, spoken
from kschedui.web.http.problems import MEDIA_TYPE, problem
from kschedui.web.http.security_headers import encoded, outside_django
from scheduler_core.apis import messages

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def too_large(most: int) -> messages.Message:
    """For a text above the limit."""
    return messages.Message("The text is too large; the limit is {most:,} bytes.", most=most)


class TooLarge(Exception):
    """More came than was allowed."""


class BodyLimit:
    """Wraps an ASGI application; bodies of more than `most` bytes are answered with 413 and a sentence."""

    def __init__(self, application: Application, most: int) -> None:
        self.application = application
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Believe the Content-Length header first, then count."""
        headers = dict(scope.get("headers", ()))
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.most:
            return await self.refuse(scope, send)
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.most:
                raise TooLarge
            return message

        try:
            await self.application(scope, counted, send)
        except TooLarge:
            await self.refuse(scope, send)

    async def refuse(self, scope: Scope, send: Send) -> None:
        """A problem, as the API says it."""
        with translation.override(language_of_scope(scope)):
            sentence = spoken(too_large(self.most))
        body = json.dumps(problem(413, sentence))
        headers = {"Content-Type": MEDIA_TYPE, "Connection": "close", **outside_django()}
        await send({"type": "http.response.start", "status": 413, "headers": encoded(headers)})
        await send({"type": "http.response.body", "body": body.encode()})
