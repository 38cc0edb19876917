"""The decorator of page views: refusals become an error page, and a new browser's token is set as a cookie."""

import functools
import sys
from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from kschedui.language import in_language, language
from kschedui.web.api.callers import Large
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal, database_refusal, refusal_json, refusal_of
from kschedui.web.api.routes.uploads import keep_request
from kschedui.web.api.visitors import with_token
from kschedui.web.api.work import opens_page
from kschedui.web.http.problems import API_PREFIX
from scheduler_core.apis.messages import Message

TITLES = {
    400: gettext_noop("Invalid request"),
    403: gettext_noop("No access"),
    404: gettext_noop("Not found"),
    405: gettext_noop("Method not allowed"),
    409: gettext_noop("Not possible now"),
    410: gettext_noop("Not found"),
    413: gettext_noop("Too large"),
    422: gettext_noop("Invalid request"),
    429: gettext_noop("Too many requests"),
    503: gettext_noop("Service unavailable"),
}
REFRESH_SECONDS = 1
FAILED = gettext_noop("Internal error")
MAX_ERRORS = 9  # of a scenario, that are shown

View = Callable[..., HttpResponseBase]


def page_view(view: View) -> View:
    """Decorate a view: exceptions become error.html with their sentence; unexpected ones are logged.

    A form that raises Large redirects to the page of its upload.
    """

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            count(request, "page")
            response = view(request, *args, **kwargs)
            if response.status_code == 405:
                sentence = gettext_noop(
                    "This address does not support that request. Go back and use the buttons of the page."
                )
                raise Refusal(405, sentence, headers={"Allow": response.headers["Allow"]})
        except Large as large:
            response = leave_to_worker(request, large)
        except Exception as error:
            response = refused_page(request, refusal_of(error))
        return with_token(request, response)

    return answer


def leave_to_worker(request: HttpRequest, large: Large) -> HttpResponse:
    """Store the form for a worker, and redirect to the page that waits for its answer."""
    try:
        return redirect("upload", keep_request(request, large.head).public_id)
    except Exception as error:
        return refused_page(request, refusal_of(error))


def refused_page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return the refusal as a page. That of work which has to wait shows its place in the queue, and reloads itself."""
    if "ahead" not in refusal.more or not opens_page(request):
        return error_page(request, refusal)
    others = refusal.more["ahead"]["others"]
    sentence = Message(
        "The server is busy. Requests before yours: {others}. This page opens when it is your turn.", others=others
    )
    headers = {**refusal.headers, "Refresh": str(REFRESH_SECONDS)}
    return error_page(request, Refusal(refusal.status, sentence, headers=headers), gettext_noop("Please wait"))


def error_page(request: HttpRequest, refusal: Refusal, title: str = "") -> HttpResponse:
    """Show an error with error.html: `title`, `sentence`, `errors` of a scenario with their lines. Under /api/, return
    a problem.

    If the database failed, the page does not use it, not even to find out who the visitor is.
    """
    if request.path.startswith(API_PREFIX):
        return refusal_json(refusal)
    context: dict[str, Any] = {
        "title": _(title or TITLES.get(refusal.status, FAILED)),
        "sentence": as_sentence(in_language(refusal.sentence)),
    }
    context["errors"] = [row for row in refusal.more.get("errors", []) if row.get("line")][:MAX_ERRORS]
    response = render(request if refusal.status < 500 else None, "error.html", context, status=refusal.status)
    for name, value in refusal.headers.items():
        response.headers[name] = value
    return response


def as_sentence(sentence: str) -> str:
    """Capitalize a sentence and end it with a period."""
    period = "." if language() == "en" else "。"
    end = "" if sentence.endswith((".", "。", "?", "!")) else period
    return f"{sentence[:1].upper()}{sentence[1:]}{end}"


# --- What Django itself refuses -----------------------------------------------------------------------------------


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Handle an unknown address."""
    return error_page(request, Refusal(404, gettext_noop("There is no page at this address.")))


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Handle a form or an API call without a valid CSRF token."""
    sentence = gettext_noop("This form has expired, or did not come from this site. Reload the page.")
    return error_page(request, Refusal(403, sentence, code="csrf_failed"), gettext_noop("Try again"))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Handle a disallowed host name, a form with too many fields, and similar requests."""
    return error_page(request, Refusal(400, gettext_noop("This request did not come from a page of this site.")))


def server_error(request: HttpRequest) -> HttpResponse:
    """Handle an error outside the site's views, or an unavailable database before a view is called."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        return error_page(request, database_refusal(error))
    return error_page(request, Refusal(500, gettext_noop("Nothing that was saved is lost. Try again.")))
