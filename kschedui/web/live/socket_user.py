"""The account of a websocket's browser, looked up only if there is a session; most viewers have none."""

from typing import Any

from channels.auth import AuthMiddleware
from channels.sessions import CookieMiddleware, SessionMiddleware
from django.contrib.auth.models import AnonymousUser

from kschedui.web.http.asgi_types import Application


class SocketUser(AuthMiddleware):  # type: ignore[misc] # channels has no types
    """Sets `scope["user"]`, without using a thread if there is no session."""

    async def resolve_scope(self, scope: dict[str, Any]) -> None:
        if scope["session"].session_key is None:
            scope["user"]._wrapped = AnonymousUser()
        else:
            await super().resolve_scope(scope)


def with_user(application: Application) -> Application:
    """Wrap an application: its scope then contains `cookies`, `session` and `user`."""
    wrapped: Application = CookieMiddleware(SessionMiddleware(SocketUser(application)))
    return wrapped
