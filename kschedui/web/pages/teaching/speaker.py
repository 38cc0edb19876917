"""The speaker view: a second browser window with the notes for the run that is being shown."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from kschedui.language import language
from kschedui.scenarios import lessons
from kschedui.scenarios import store as scenarios
from kschedui.waiting.plugin_texts import of_other_plugins
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view


@ensure_csrf_cookie
@page_view
@require_safe
def show(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show /s/<sid>/v/<n>/speaker with scenarios/speaker.html: `title`, `boot` {captions, outside, language, notes
    (URL), picture (URL without a step)}.

    The player in the other window sends the step.
    """
    _, scenario = visible_scenario(request, sid)
    version = scenarios.version(scenario, number)
    args = [sid, version.number]
    boot = {
        "captions": static(f"i18n/{language()}.json"),
        "outside": of_other_plugins(language(), cards.rules_of(version)),
        "language": language(),
        "notes": reverse("v1:notes", args=args),
        "picture": reverse("picture", args=args) + cards.place_query(request.GET.dict()),
    }
    title = cards.title_of(scenario, lessons.load(version.lesson))
    return render(request, "scenarios/speaker.html", {"title": title, "boot": boot})
