"""Stores when the session of a logged-in account was last used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from kschedui.accounts import sessions


def session_use(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Return the middleware. A response that did not read the session does not read it here either."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.session.accessed and request.user.is_authenticated:
            sessions.record_use(request)
        return response

    return middleware
