"""Handouts: pictures and questions of a run on paper, the answers on the last page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.language import language
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, courses
from kschedui.scenarios import store as scenarios
from kschedui.web.api.answers import Refusal
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.views import seen, shown_run
from scheduler_core.apis.messages import Message

MOST_PARTS = 12  # scenarios of a course: a browser reads all of their runs


@page_view
@require_safe
def newest(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/handout: of the newest version (page)."""
    _, scenario = seen(request, sid)
    return page(request, [scenarios.newest(scenario)])


@page_view
@require_safe
def version(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/s/<sid>/v/<n>/handout: of that version (page)."""
    _, scenario = seen(request, sid)
    return page(request, [scenarios.version(scenario, number)])


@page_view
@require_safe
def course(request: HttpRequest, cid: str) -> HttpResponse:
    """/courses/<cid>/handout: of all its scenarios that the visitor may see (page)."""
    kept = courses.by_id(cid)
    shown = [one.scenario for one in courses.entries(access.visitor_of(request), kept) if one.scenario]
    if not shown:
        raise Refusal(409, gettext_noop("This course has no scenario that you may see."))
    if len(shown) > MOST_PARTS:
        raise Refusal(
            422,
            Message(
                "A handout is of at most {most} scenarios, and this course has {n}; print them one by one.",
                most=MOST_PARTS,
                n=len(shown),
            ),
        )
    return page(request, [scenarios.newest(one) for one in shown], kept.title)


def page(request: HttpRequest, versions: list[Version], title: str = "") -> HttpResponse:
    """handout.html: `title` (of a course, or ""), `boot` {captions, language, ws, parts: [{run, words, picture}]},
    `parts` [{title, link, shown_link, qr, kubernetes}]. The page reads the runs and puts the steps in: the server
    knows no answer."""
    parts = [part(request, one) for one in versions]
    address = {"captions": static(f"i18n/{language()}.json"), "language": language(), "ws": "/ws/run/"}
    boot = {**address, "parts": [one.pop("boot") for one in parts]}
    return render(request, "handout.html", {"title": title, "parts": parts, "boot": boot})


def part(request: HttpRequest, shown: Version) -> dict[str, Any]:
    """One scenario of a handout."""
    run = shown_run(request, shown)
    if run.state in (Run.State.FAILED, Run.State.CANCELLED):
        raise Refusal(409, gettext_noop("The run did not end, so there is no handout; open the scenario to see why."))
    lesson = cards.lesson_of(shown.summary)
    address = cards.page_of(shown, run)
    path, _, query = address.partition("?")
    link = cards.absolute(request, address)
    files = {name: f"{path}{name}.svg{f'?{query}' if query else ''}" for name in ("picture", "qr")}
    words = cards.words_url(shown) if lesson.says_something else ""
    return {
        "title": cards.title_of(shown.scenario, lesson),
        "link": link,
        "shown_link": link.split("//", 1)[-1],
        "qr": files["qr"],
        "kubernetes": runs.release_of(shown, run.kubernetes_version),
        "boot": {"run": run.public_id, "words": words, "picture": files["picture"]},
    }
