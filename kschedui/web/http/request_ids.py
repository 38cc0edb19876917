"""Request ids: part of the log lines and the response of a request; a proxy's id is kept."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from kschedui.logs import request_id
from kschedui.web.http.asgi_types import Application, Receive, Scope, Send

HEADER = b"x-request-id"
SANE = re.compile(rb"[0-9A-Za-z._-]{8,64}")


class RequestIds:
    """Wraps an ASGI application: each request gets an id, for the logs and its response."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read or create the id, and send it with the response."""
        sent = dict(scope.get("headers", ())).get(HEADER, b"")
        identifier = sent if SANE.fullmatch(sent) else secrets.token_hex(8).encode()
        request_id.set(identifier.decode())

        async def send_with_id(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, identifier)]}
            await send(message)

        await self.application(scope, receive, send_with_id)
