"""Drops cookies that the site cannot have set, since PostgreSQL rejects NUL in queries."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class CleanCookiesMiddleware:
    """Drops each cookie that contains a control character."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Drop such cookies before the view reads them; the site's own contain no control characters."""
        for name in [name for name, value in request.COOKIES.items() if not value.isprintable()]:
            del request.COOKIES[name]
        return self.get_response(request)
