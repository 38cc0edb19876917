"""Cookies that no browser was given by us: dropped before anybody looks them up, since PostgreSQL refuses NUL."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class CleanCookiesMiddleware:
    """Forget each cookie that holds a control character."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Ours hold none."""
        for name in [name for name, value in request.COOKIES.items() if not value.isprintable()]:
            del request.COOKIES[name]
        return self.get_response(request)
