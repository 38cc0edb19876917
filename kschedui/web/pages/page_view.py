"""How a page is answered: refusals become a page with a sentence, and a browser's new token goes with the answer."""

import functools
import sys
from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from kschedui.language import language, spoken
from kschedui.web.api.answers import Refusal, database_refusal, finished, refusal_json, refusal_of
from kschedui.web.api.rates import count
from kschedui.web.http.problems import API_PREFIX

TITLES = {
    400: gettext_noop("Not understood"),
    403: gettext_noop("Not yours to see"),
    404: gettext_noop("Nothing is here"),
    405: gettext_noop("Not like that"),
    410: gettext_noop("Nothing is here"),
    413: gettext_noop("Too large"),
    422: gettext_noop("Not like that"),
    429: gettext_noop("Too often"),
    503: gettext_noop("Not at the moment"),
}
FAILED = gettext_noop("Something failed")
MOST_ERRORS = 9  # of a scenario, that are shown

View = Callable[..., HttpResponseBase]


def page_view(view: View) -> View:
    """A view whose exceptions become error.html with their sentence; one that nobody foresaw is logged."""

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            count(request, "page")
            response = view(request, *args, **kwargs)
            if response.status_code == 405:
                sentence = gettext_noop("This address is not for that; go back and use the page's own buttons.")
                raise Refusal(405, sentence, headers={"Allow": response.headers["Allow"]})
        except Exception as error:
            response = error_page(request, refusal_of(error))
        return finished(request, response)

    return answer


def error_page(request: HttpRequest, refusal: Refusal, title: str = "") -> HttpResponse:
    """error.html: `title`, `sentence`, `errors` of a scenario with their places; a problem under /api/.

    What failed may be the database: then nothing on the page asks it for anything, not even who the visitor is.
    """
    if request.path.startswith(API_PREFIX):
        return refusal_json(refusal)
    context: dict[str, Any] = {
        "title": _(title or TITLES.get(refusal.status, FAILED)),
        "sentence": whole(spoken(refusal.sentence)),
    }
    context["errors"] = [row for row in refusal.more.get("errors", []) if row.get("line")][:MOST_ERRORS]
    response = render(request if refusal.status < 500 else None, "error.html", context, status=refusal.status)
    for name, value in refusal.headers.items():
        response.headers[name] = value
    return response


def whole(sentence: str) -> str:
    """With a capital letter and a full stop: what is a sentence here may stand behind a place elsewhere."""
    end = "" if sentence.endswith((".", "。", "?", "!")) else "。" if language() != "en" else "."
    return f"{sentence[:1].upper()}{sentence[1:]}{end}"


# --- What Django itself refuses -----------------------------------------------------------------------------------


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """No address matches."""
    return error_page(request, Refusal(404, gettext_noop("There is no page at this address.")))


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form or a call without the token against forgery."""
    sentence = gettext_noop("This form is too old, or did not come from this site. Please load the page again.")
    return error_page(request, Refusal(403, sentence, code="csrf_failed"), gettext_noop("Please try again"))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host name that is not ours, a form with a thousand fields, and the like."""
    return error_page(request, Refusal(400, gettext_noop("This request is not one that a browser makes here.")))


def server_error(request: HttpRequest) -> HttpResponse:
    """What nobody foresaw, outside of our own views; or a database that is away before one is reached."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        return error_page(request, database_refusal(error))
    return error_page(request, Refusal(500, gettext_noop("Nothing that was saved is lost; please try again.")))
