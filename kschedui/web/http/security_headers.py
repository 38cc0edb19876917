"""Security headers that allow only the site's own files: no inline script or style, no foreign origin, no framing."""

from collections.abc import Callable, Mapping

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


def policy(*, frame_ancestors: str) -> str:
    """Return the Content-Security-Policy: settings.CONTENT_SECURITY_POLICY and the sites that can frame the page."""
    rules = {**settings.CONTENT_SECURITY_POLICY, "frame-ancestors": frame_ancestors}
    return "; ".join(f"{name} {value}".strip() for name, value in rules.items())


def outside_django() -> dict[str, str]:
    """Return the headers of responses sent before any middleware: static files, a body that is too large."""
    return {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy(frame_ancestors="'none'")}


def encode(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Encode headers for ASGI."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


class SecurityHeadersMiddleware:
    """Adds two policies to each response: Content-Security-Policy and Permissions-Policy.

    Only pages under settings.EMBED_PREFIX may be framed by other sites.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.closed_policy = policy(frame_ancestors="'none'")
        self.embed_policy = policy(frame_ancestors="*")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Set each policy unless the view set its own. Pages that may be framed get no X-Frame-Options."""
        response = self.get_response(request)
        embed = request.path.startswith(settings.EMBED_PREFIX)
        response.headers.setdefault("Content-Security-Policy", self.embed_policy if embed else self.closed_policy)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        if embed:
            response.xframe_options_exempt = True  # type: ignore[attr-defined] # Django's own flag
        return response
