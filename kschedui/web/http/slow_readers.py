"""Limits responses that clients receive slowly by the process's budget of unsent bytes, and ends them when too slow.

A server buffers a response in memory until the client has received it. So a large one is sent in pieces, each after the
previous one was received; if a response is known to be large, room is reserved before it is read from the database.
"""

import asyncio
from typing import Any

from django.conf import settings

from kschedui.web.http.asgi_types import Application, Message, Receive, Scope, Send
from kschedui.web.http.byte_budget import patience, unsent
from kschedui.web.http.client_address import client_of_scope

PIECE = 64 * 1024
LARGE = "/chunks/"


class ResponseBudget:
    """The byte budget of one response. `reserved`: the view reserves bytes for each piece itself."""

    reserved = False


class SlowReaders:
    """Wraps an ASGI application: large responses are sent in pieces, within the byte budget and deadlines."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reserve room for a response that is known to be large, or turns out to be."""
        address = client_of_scope(scope)
        budget = scope["budget"] = ResponseBudget()

        async def piecewise(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= PIECE:
                await in_time(scope, send, message, len(body))
            elif LARGE in scope["path"] or budget.reserved:
                await send_pieces(scope, send, message)
            else:
                async with unsent.held(address, object(), len(body)):
                    await send_pieces(scope, send, message)

        if LARGE not in scope["path"]:
            return await self.application(scope, receive, piecewise)
        async with unsent.held(address, object(), settings.LIMITS["frame_bytes"]):
            await self.application(scope, receive, piecewise)


async def send_pieces(scope: Scope, send: Send, message: Message) -> None:
    """Send the body in pieces. End the connection if the client is too slow for the whole."""
    body, more = message["body"], message.get("more_body", False)
    end = asyncio.get_running_loop().time() + patience(len(body))
    for start in range(0, len(body), PIECE):
        last = start + PIECE >= len(body)
        piece = {"type": message["type"], "body": body[start : start + PIECE], "more_body": more or not last}
        await in_time(scope, send, piece, PIECE)
        if asyncio.get_running_loop().time() > end:
            drop(send)
            return


async def in_time(scope: Scope, send: Send, message: Message, size: int) -> None:
    """Send, or end the connection of a client that is too slow."""
    try:
        async with asyncio.timeout(patience(size)):
            await send(message)
    except TimeoutError:
        drop(send)


def drop(send: Send) -> None:
    """End the connection immediately; its handler is notified. Uses the transport as in `live/direct_writer.py`."""
    transport: Any = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()
