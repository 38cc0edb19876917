"""Rejects a request body that is too large before it is read: the ASGI handler would write all of it to disk.

Also rejects bodies that arrive too slowly, and those for which there is no room (`arriving_bodies`).
"""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from django.conf import settings
from django.utils import translation

from kschedui.language import in_language, language_of_scope
from kschedui.web.http.arriving_bodies import FULL, TOO_SLOW, ArrivingBody, BodyRefused, bodies
from kschedui.web.http.asgi_types import Application, Message, Receive, Scope, Send
from kschedui.web.http.client_address import client_of_scope
from kschedui.web.http.problems import MEDIA_TYPE, problem
from kschedui.web.http.security_headers import encode, outside_django
from scheduler_core.apis import messages

MAX_DIGITS = 18  # of a Content-Length; int() raises an error for thousands
DRAINED = 4  # times the limit that is read of a body which is too large


def too_large(most: int) -> messages.Message:
    """Return the sentence for a text above the limit; for a scenario, with the API route that imports larger dumps."""
    if most >= (larger := settings.LIMITS["import_bytes"]):
        return messages.Message("The text is too large. The limit is {most:,} bytes.", most=most)
    return messages.Message(
        "The text is too large. The limit is {most:,} bytes. For the output of kubectl, the limit is "
        "{larger:,} bytes: POST it to /api/v1/import, which converts it to a scenario.",
        most=most,
        larger=larger,
    )


async def discard_body(receive: Receive, most: int) -> None:
    """Read and discard the body, up to `most` bytes and for a limited time: a client that is still sending would
    otherwise never see the response.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAINED * settings.BODY_SECONDS):
            while most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return


class BodyTooLarge(Exception):
    """The body is larger than allowed."""


class BodyLimit:
    """Wraps an ASGI application; bodies of more than `most` bytes are answered with 413 and a sentence.

    `by_path`: paths with a higher limit. Django keeps a body on disk until its view has read it.
    """

    def __init__(self, application: Application, most: int, by_path: Mapping[str, int] | None = None) -> None:
        self.application = application
        self.most = most
        self.by_path = by_path or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the Content-Length header first, then count."""
        headers = dict(scope.get("headers", ()))
        length = headers.get(b"content-length", b"0")
        most = self.by_path.get(scope.get("path", ""), self.most)
        if not length.isdigit() or len(length) > MAX_DIGITS or int(length) > most:
            await discard_body(receive, DRAINED * most)
            return await self.refuse(scope, send, most)
        await self.limit(scope, receive, send, most)

    async def limit(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        """Call the application with a body whose bytes are counted, and which must arrive fast enough."""
        try:
            with bodies.arriving(client_of_scope(scope)) as body:
                await self.application(scope, partial(receive_piece, body, receive, most), send)
        except BodyRefused as refusal:
            await answer(scope, send, refusal.status, refusal.sentence)
        except BodyTooLarge:
            if not body.whole:
                await discard_body(receive, DRAINED * most)
            await self.refuse(scope, send, most)

    async def refuse(self, scope: Scope, send: Send, most: int) -> None:
        """Answer 413. The sentence names the limit on a scenario's text, whose length people know."""
        limit = most if scope.get("path", "") in self.by_path else settings.LIMITS["scenario_bytes"]
        await answer(scope, send, 413, too_large(limit))


async def receive_piece(body: ArrivingBody, receive: Receive, most: int) -> Message:
    """Return the next message, and count its bytes. Raises BodyTooLarge, and BodyRefused for a slow body."""
    if body.whole:
        return await receive()  # until the client goes away
    if body.given_up:  # while its last piece was written to disk
        raise BodyRefused(*FULL)
    try:
        async with asyncio.timeout_at(body.window_end) as body.timer:
            message = await receive()
            if body.size + len(message.get("body", b"")) > most:
                body.whole = not message.get("more_body", False)
                raise BodyTooLarge
            await bodies.add(body, len(message.get("body", b"")))
    except TimeoutError:
        raise BodyRefused(*(FULL if body.given_up else TOO_SLOW)) from None
    finally:
        body.timer = None
    body.whole = not message.get("more_body", False)
    return message


async def answer(scope: Scope, send: Send, status: int, sentence: str) -> None:
    """Send a refusal in the API's format."""
    with translation.override(language_of_scope(scope)):
        body = json.dumps(problem(status, in_language(sentence)))
    headers = {"Content-Type": MEDIA_TYPE, "Connection": "close", **outside_django()}
    await send({"type": "http.response.start", "status": status, "headers": encode(headers)})
    await send({"type": "http.response.body", "body": body.encode()})
