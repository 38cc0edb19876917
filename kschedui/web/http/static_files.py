"""Serves static files before Django: from static/ in development, otherwise from the collected folder.

A page of native modules requests some fifty files at once, and each would cost several thread switches in Django's
middleware.
"""

from typing import Any

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware

from kschedui.web.http.asgi_types import Application, Receive, Scope, Send
from kschedui.web.http.security_headers import encode, outside_django
from kschedui.web.http.static_storage import split_address, tree

IMMUTABLE = {"Cache-Control": "max-age=31536000, public, immutable"}


class StaticFiles:
    """Wraps an ASGI application and serves WhiteNoise's files: complete, in part, or as 304."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.finder = WhiteNoiseMiddleware()
        self.headers = encode(outside_django())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, or call the application if there is none."""
        path = scope["path"]
        file, immutable = self.find(path) if path.startswith(settings.STATIC_URL) else (None, False)
        if file is None:
            return await self.application(scope, receive, send)
        environ = {
            f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
            for name, value in scope["headers"]
        }
        response = file.get_response(scope["method"], environ)
        body = b""
        if response.file is not None:
            with response.file as opened:
                body = opened.read()
        caching = IMMUTABLE if immutable else {}
        headers = [*encode({**dict(response.headers), **caching}), *self.headers]
        await send({"type": "http.response.start", "status": int(response.status), "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def find(self, path: str) -> tuple[Any, bool]:
        """Return WhiteNoise's StaticFile (None: there is none), and whether browsers may cache it forever.

        In development the file is looked up at each request. In production WhiteNoise's headers contain the caching
        rules.
        """
        if not self.finder.autorefresh:
            return self.finder.files.get(path), False
        digest, path = split_address(path)
        return self.finder.find_file(path), digest == tree()
