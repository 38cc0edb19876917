"""Notify work for a request that its client has disconnected."""

from kschedui.web.http.asgi_types import Application, Message, Receive, Scope, Send
from kschedui.work.gone import Gone


class DisconnectNotice:
    """Wraps an application; the scope's `gone` is notified of a disconnect, which Django checks during a view."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gone = Gone()

        async def heard() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.leave()
            return message

        await self.application({**scope, "gone": gone}, heard, send)
