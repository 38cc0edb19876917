"""A time limit and a size limit for the head of each request on a connection.

uvicorn has no such limits, and waits without limit for clients that do not receive the end of a response. An ASGI
application cannot do this: it is called when the head is complete. Selected by `--http` (supervisor/commands.py).
"""

import asyncio

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 64 * 1024  # bytes


class ShortHead(HttpToolsProtocol):
    """Ends connections whose next head is not complete after HEAD_SECONDS, or has more than MOST bytes."""

    head_bytes = 0
    head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self.expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # a websocket by now
            return
        if self.head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self.expect_head()  # what came has stopped uvicorn's own timer, and need not have begun a request
        self.head_bytes += len(data)
        if self.head_timer is not None and self.head_bytes > MOST:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self.head_timer is None:
            self.expect_head()

    def on_headers_complete(self) -> None:
        self.stop_timer()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.head_timer is None and self.cycle.response_complete:  # no other request waits for its answer
            self.expect_head()

    def expect_head(self) -> None:
        """Start counting the bytes and the seconds of the next head."""
        self.head_bytes = 0
        self.head_timer = self.loop.call_later(settings.HEAD_SECONDS, self.transport.abort)

    def stop_timer(self) -> None:
        """Stop the timer: the head is complete, or the connection is closed."""
        timer, self.head_timer = self.head_timer, None
        if timer is not None:
            timer.cancel()
