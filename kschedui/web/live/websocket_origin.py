"""The Origin check of websockets: only pages of this site are allowed, by the rule that Django applies to forms.

A browser sends cookies with a websocket from any page, and no CSRF token; only the Origin header distinguishes this
site's pages.
"""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import is_same_domain

from kschedui.web.http.asgi_types import Application, Receive, Scope, Send

POLICY_VIOLATION = 1008


class SameOrigin:
    """Wraps an ASGI application; a handshake from another origin is refused with 403."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Close before accepting if the origin is not allowed, which ASGI servers translate to 403."""
        if is_ours(scope):
            return await self.application(scope, receive, send)
        await send({"type": "websocket.close", "code": POLICY_VIOLATION})


def is_ours(scope: Scope) -> bool:
    """Return whether the host is allowed and the origin is that of this request, or a trusted one."""
    host, origin = header(scope, b"host"), header(scope, b"origin")
    domain, _port = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return origin == f"{scheme}://{host}" or any(
        is_trusted(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS
    )


def header(scope: Scope, name: bytes) -> str:
    """Return the header's value; "" if it is absent or repeated."""
    values: list[Any] = [value for header_name, value in scope["headers"] if header_name == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def is_trusted(origin: str, trusted: str) -> bool:
    """Return whether the origin matches an entry of CSRF_TRUSTED_ORIGINS.

    An entry matches exactly, or with `https://*.example.com` all subdomains.
    """
    if "*" not in trusted:
        return origin == trusted
    try:
        url, pattern = urlsplit(origin), urlsplit(trusted)
    except ValueError:
        return False
    return url.scheme == pattern.scheme and is_same_domain(url.netloc, pattern.netloc.lstrip("*"))
