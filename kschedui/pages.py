"""How a page is answered: refusals become a page with a sentence, and a browser's new token goes with the answer."""

import functools
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from kschedui import access
from kschedui.answers import Refusal, View, refusal_of
from kschedui.language import spoken

TITLES = {
    403: gettext_noop("Not yours to see"),
    404: gettext_noop("Nothing is here"),
    405: gettext_noop("Not like that"),
    413: gettext_noop("Too large"),
    422: gettext_noop("Not like that"),
    429: gettext_noop("Too often"),
}


def page_view(view: View) -> View:
    """A view whose exceptions that we know become error.html with their sentence; others are Django's to report."""

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
            if response.status_code == 405:
                raise Refusal(
                    405, gettext_noop("This address is not for that; go back and use the page's own buttons.")
                )
        except Exception as error:
            refusal = refusal_of(error)
            title = TITLES.get(refusal.status, gettext_noop("Something failed"))
            context = {"title": _(title), "sentence": spoken(refusal.sentence)}
            response = render(request, "error.html", context, status=refusal.status)
        access.remember(request, response)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)  # the next visitor may see something else
        return response

    return answer
