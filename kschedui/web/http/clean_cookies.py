"""Drops cookies that the site cannot have set, since PostgreSQL rejects NUL in queries."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class CleanCookiesMiddleware:
    """Drops each cookie with a character that is not printable, such as a control character."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Drop such cookies before the view reads them; the site's own contain only printable characters."""
        for name in [name for name, value in request.COOKIES.items() if not value.isprintable()]:
            del request.COOKIES[name]
        return self.get_response(request)
