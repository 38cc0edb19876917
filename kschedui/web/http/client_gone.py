"""Notify work for a request that its client has disconnected."""

from kschedui.web.http.asgi_types import Application, Message, Receive, Scope, Send
from kschedui.work.client_disconnect import ClientDisconnect


class DisconnectNotice:
    """Wraps an application: `disconnect` in the scope is notified when the client disconnects, which Django checks
    while a view runs.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        disconnect = ClientDisconnect()

        async def receive_and_report() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnect.report()
            return message

        await self.application({**scope, "disconnect": disconnect}, receive_and_report, send)
