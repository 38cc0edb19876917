"""Security headers that allow only the site's own files: no inline script or style, no foreign origin, no framing."""

from collections.abc import Awaitable, Callable, Mapping

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


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
    """Add the policy to each response. Only pages under settings.EMBED_PREFIX may be framed by other sites."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        self.closed_policy = policy(frame_ancestors="'none'")
        self.embed_policy = policy(frame_ancestors="*")
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        if self.is_async:
            return self.answer_async(request)
        response = self.get_response(request)
        assert isinstance(response, HttpResponseBase)
        return self.with_headers(request, response)

    async def answer_async(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        assert not isinstance(response, HttpResponseBase)
        return self.with_headers(request, await response)

    def with_headers(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the policy unless the view set its own."""
        embed = request.path.startswith(settings.EMBED_PREFIX)
        response.headers.setdefault("Content-Security-Policy", self.embed_policy if embed else self.closed_policy)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        if embed:
            response.xframe_options_exempt = True  # type: ignore[attr-defined] # Django's own flag
        return response
