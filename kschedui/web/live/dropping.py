"""Let a consumer drop a client that takes nothing.

A websocket's close waits until the client has taken what was sent before. A client that stopped reading never does, and
its connection would stay for ever: ASGI has no word for ending it, and uvicorn's keepalive gives up once it is closing.
So the server's transport is reached through its `send`; with another server the connection stays, bounded by the limit
on sockets.
"""

from typing import Any

from kschedui.web.http.body_limit import Application, Receive, Scope, Send


class Droppable:
    """Wraps an ASGI application; `scope["drop"]()` ends the connection at once."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the transport's `abort` down."""
        transport: Any = getattr(getattr(send, "__self__", None), "transport", None)
        await self.application({**scope, "drop": getattr(transport, "abort", do_nothing)}, receive, send)


def do_nothing() -> None:
    """For a server that does not show its transport."""
