"""Handouts: pictures and questions of a run for printing, with the answers on the last page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.language import language
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, courses, lessons
from kschedui.scenarios import store as scenarios
from kschedui.waiting.plugin_texts import of_other_plugins
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import find_or_start_run
from scheduler_core.apis.messages import Message

MAX_PARTS = 12  # scenarios of a course: a browser reads all of their runs


@page_view
@require_safe
def newest(request: HttpRequest, sid: str) -> HttpResponse:
    """Show /s/<sid>/handout: the handout of the newest version (page)."""
    _, scenario = visible_scenario(request, sid)
    return page(request, [scenarios.newest(scenario)])


@page_view
@require_safe
def version(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show /s/<sid>/v/<n>/handout: the handout of that version (page)."""
    _, scenario = visible_scenario(request, sid)
    return page(request, [scenarios.version(scenario, number)])


@page_view
@require_safe
def course(request: HttpRequest, cid: str) -> HttpResponse:
    """Show /courses/<cid>/handout: the handout of all its scenarios that the visitor can see (page)."""
    taught = courses.by_id(cid)
    shown = [entry.scenario for entry in courses.entries(access.visitor_of(request), taught) if entry.scenario]
    if not shown:
        raise Refusal(409, gettext_noop("This course has no scenario that you can view."))
    if len(shown) > MAX_PARTS:
        raise Refusal(
            422,
            Message(
                "A handout can have at most {most} scenarios, and this course has {n}. Print them one by one.",
                most=MAX_PARTS,
                n=len(shown),
            ),
        )
    return page(request, [scenarios.newest(scenario) for scenario in shown], taught.title)


def page(request: HttpRequest, versions: list[Version], title: str = "") -> HttpResponse:
    """Show handout.html: `title` (of a course, or ""), `boot` {captions, outside, language, ws, api, parts: [{run,
    words, kubernetes}]}, `parts` (part).

    The page reads the runs and adds the steps: the server does not know the answers.
    """
    parts = [part(request, shown) for shown in versions]
    rules = {address: rule for shown in versions for address, rule in cards.rules_of(shown).items()}
    words = {"captions": static(f"i18n/{language()}.json"), "outside": of_other_plugins(language(), rules)}
    address = {**words, "language": language(), "ws": "/ws/run/", "api": reverse("v1:api-root").rstrip("/")}
    boot = {**address, "parts": [printed["boot"] for printed in parts]}
    return render(request, "handout.html", {"title": title, "parts": parts, "boot": boot})


def part(request: HttpRequest, shown: Version) -> dict[str, Any]:
    """Return one scenario of a handout: {title, link, shown_link, qr, kubernetes, boot}. Raises Refusal if
    the run is missing, failed or cancelled.
    """
    run = find_or_start_run(request, shown)
    if run is None or run.state in (Run.State.FAILED, Run.State.CANCELLED):
        raise Refusal(
            409, gettext_noop("The run did not finish, so there is no handout. Open the scenario to see why.")
        )
    lesson = lessons.load(shown.lesson)
    address = cards.permanent_url(shown, run)
    path, _, query = address.partition("?")
    link = cards.absolute(request, address)
    words = cards.words_url(shown) if lesson.has_words else ""
    release = runs.release_of(shown, run.kubernetes_version)
    return {
        "title": cards.title_of(shown.scenario, lesson),
        "link": link,
        "shown_link": link.split("//", 1)[-1],
        "qr": f"{path}qr.svg{f'?{query}' if query else ''}",
        "kubernetes": release,
        "boot": {"run": run.public_id, "words": words, "kubernetes": release},
    }
