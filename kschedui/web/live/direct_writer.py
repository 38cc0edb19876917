"""Direct access to a websocket's transport: frames that are encoded once for all viewers, and closing without waiting.

ASGI supports neither. Its `send` copies each message twice and returns before the client has received it; its close
waits until the client has received everything, which a stalled client never does. So the server's transport is accessed
through its `send`; with a server other than uvicorn, messages are sent by ASGI, within the limit on sockets.
"""

from typing import Any

from kschedui.web.http.asgi_types import Application, Receive, Scope, Send
from kschedui.web.live.loop_turns import take_turn

TEXT, BINARY = 0x81, 0x82  # of a final, unmasked frame (RFC 6455, 5.2)
SHORT, LONG = 126, 127


class DirectWriter:
    """Writes directly to the transport of one connection."""

    def __init__(self, protocol: Any) -> None:
        self.transport = protocol.transport
        self.writable = protocol.writable

    async def send(self, message: bytes | str) -> None:
        """Send a message, and return when the client has received almost all of it.

        The bytes of a binary message are not copied.
        """
        await self.writable.wait()
        if not self.transport.is_closing():
            kind, payload = (BINARY, message) if isinstance(message, bytes) else (TEXT, message.encode())
            self.transport.writelines([heading(kind, len(payload)), payload])
            await self.writable.wait()

    def try_write(self, frame: bytes) -> bool:
        """Write a whole frame unless the connection is closing or too much is waiting to be sent.

        Return whether it was written.
        """
        if not self.writable.is_set() or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True

    def abort(self) -> None:
        """End the connection immediately."""
        self.transport.abort()


class DirectWriters:
    """Wraps an ASGI application; adds the connection's DirectWriter to the scope as `direct_writer`, or None if the
    server does not support it.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the writer to the scope, once it is this connection's turn."""
        await take_turn()
        protocol = getattr(send, "__self__", None)
        writable = hasattr(protocol, "transport") and hasattr(protocol, "writable")
        await self.application({**scope, "direct_writer": DirectWriter(protocol) if writable else None}, receive, send)


def text_frame(text: str) -> bytes:
    """Return a text message in the websocket wire format, the same for all clients."""
    payload = text.encode()
    return heading(TEXT, len(payload)) + payload


def heading(kind: int, length: int) -> bytes:
    """Return the header of a final, unmasked websocket frame."""
    if length < SHORT:
        return bytes((kind, length))
    if length < 1 << 16:
        return bytes((kind, SHORT)) + length.to_bytes(2, "big")
    return bytes((kind, LONG)) + length.to_bytes(8, "big")
