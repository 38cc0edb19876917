"""Django's ASGI handler, with all middleware and the view of a request in one call of one thread.

Django's own handler calls each middleware separately, some twenty calls per request, and each call waits for its turn
in the event loop: a loop that is busy with the sockets of a class would delay a page twenty times. It also starts a
thread for each request, and waits for the end of the thread in the event loop.
"""

import asyncio
import errno
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from kschedui.web.http.arriving_bodies import FULL, BodyRefused
from kschedui.web.http.asgi_types import Receive, Scope, Send
from kschedui.web.http.body_limit import discard_body
from kschedui.web.http.client_address import client_of_scope
from kschedui.web.http.problems import API_PREFIX
from kschedui.work.request_turns import RequestTurns, Turn, current_turn

MAX_IDLE = 32  # threads that are kept for the next requests
CONTINUE = 100
BODY_IN_MEMORY = 256 * 1024  # bytes of a request's body; a longer one is written to disk, in pieces of this size

disk = ThreadPoolExecutor(2, "disk")  # writes and deletes the files of bodies


def may_be_large(scope: Scope) -> bool:
    """Return whether a call of the API may have a body of more than `direct_bytes`, by its headers."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    large = b"transfer-encoding" in headers or int(length) > settings.LIMITS["direct_bytes"]
    return large and scope["path"].startswith(API_PREFIX)


class EndingRequest(ASGIRequest):
    """A request that keeps nothing once its response has been sent.

    Its user and messages refer to it, so that its body would otherwise stay in memory until a garbage collection.
    """

    def __init__(self, scope: Scope, body_file: IO[bytes]) -> None:
        super().__init__(scope, body_file)
        self.body_file = body_file

    def close(self) -> None:
        """Close the body here, in the thread of the request: deleting a file takes a while."""
        super().close()
        self.body_file.close()
        vars(self).clear()


class OneThreadHandler(ASGIHandler):
    """Calls synchronous middleware and views directly; asynchronous ones would be called through the event loop."""

    request_class = EndingRequest

    def __init__(self) -> None:
        super().__init__()
        self.idle: list[ThreadPoolExecutor] = []  # of one thread each
        self.turns = RequestTurns()

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for synchronous calls."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in a thread that no other request uses meanwhile."""
        thread = self.idle.pop() if self.idle else ThreadPoolExecutor(1, "request")
        turn = Turn(self.turns, client_of_scope(scope))
        current_turn.set(turn)
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            thread.submit(self.leave, thread, turn)  # a view goes on for a while after its client has gone

    def leave(self, thread: ThreadPoolExecutor, turn: Turn) -> None:
        """Keep the thread for later requests, or end it if enough are idle. End the turn of a client that has gone."""
        if len(self.idle) < MAX_IDLE:
            self.idle.append(thread)
        else:
            thread.shutdown(wait=False)
        turn.end_from_thread()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a large request by its headers before its body is stored."""
        if may_be_large(scope):
            scope["counted"] = set[str]()  # names of rate limits, so that the two passes count once
            refusal = await self.refusal_of({**scope, "headers_only": True})
            if refusal is not None:
                await discard_body(receive, settings.LIMITS["import_bytes"])
                await self.send_response(refusal, send)
                return await sync_to_async(refusal.close)()
        await super().handle(scope, receive, send)

    async def refusal_of(self, scope: Scope) -> HttpResponseBase | None:
        """Return the response to a request that is refused by its headers; None if the body is to be read."""
        request, error = self.create_request(scope, BytesIO())
        if request is None:
            return error
        response = await self.run_get_response(request)
        if response.status_code != CONTINUE:
            return response
        await sync_to_async(response.close)()
        return None

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """Return the body, in a file if it is long; the file is closed if the body does not arrive completely.

        Django's own method keeps 2.5 MB of each body in memory, keeps a refused one on disk until it is answered, and
        waits for the disk in the event loop. Raises BodyRefused if there is no space on disk, RequestAborted if the
        client disconnects.
        """
        on_disk = partial(asyncio.get_running_loop().run_in_executor, disk)
        body = cast(IO[bytes], SpooledTemporaryFile[bytes](BODY_IN_MEMORY))
        try:
            block, more = bytearray(), True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestAborted
                block += message.get("body", b"")
                more = message.get("more_body", False)
                if len(block) > BODY_IN_MEMORY:
                    await on_disk(body.write, block)
                    block = bytearray()
            if body.tell():
                await on_disk(body.write, block)
            else:
                body.write(block)
            body.seek(0)
        except Exception as error:
            await on_disk(body.close)
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise BodyRefused(*FULL) from None
            raise
        return body

    async def listen_for_disconnect(self, receive: Receive) -> None:
        """Wait until the client disconnects.

        Django's own method raises an exception, whose traceback would keep the whole request until a garbage
        collection.
        """
        await receive()

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response, from the thread of this request, in its turn."""
        turn = current_turn.get()
        assert turn is not None
        await turn.begin()
        response: HttpResponseBase = await sync_to_async(self.get_response)(request)
        turn.end()
        return response
