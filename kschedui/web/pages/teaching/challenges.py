"""Challenges: the list, one in the editor, and that of a class."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kschedui.classrooms import store, student_cookie
from kschedui.language import language
from kschedui.models import Version
from kschedui.scenarios import access, challenge_track, lessons
from kschedui.scenarios import store as scenarios
from kschedui.web.api.routes.challenges import challenge_of
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.teaching.classes import require_class
from kschedui.web.pages.views import editor


@page_view
@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """Show /challenges/ with scenarios/challenges.html: `challenges` (cards, from easy to hard)."""
    track = challenge_track.in_order(scenarios.challenges())
    return render(request, "scenarios/challenges.html", {"challenges": [card(scenario) for scenario in track]})


def card(scenario: Any) -> dict[str, Any]:
    """Return {id, number, title, level, variants, url, picture} of a challenge of the library."""
    row = cards.lesson_card(scenario)
    fields = {name: row[name] for name in ("id", "title", "level", "picture")}
    url = reverse("challenge", args=[scenario.public_id, scenario.number])
    return {**fields, "number": scenario.number, "url": url, "variants": scenario.summary["challenge"]["variants"]}


@page_view
@require_safe
def show(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Show /s/<sid>/v/<n>/challenge/ with editor.html: `challenge` (about). Saving creates a fork without the
    challenge.
    """
    _, scenario = visible_scenario(request, sid)
    version = scenarios.version(scenario, number)
    judge = reverse("v1:challenge", args=[sid, number])
    page = about(version, judge) | {"key": f"{sid}.{number}", "player": cards.path_of(version)}
    return editor(request, scenarios.pieces_of(version), page["title"], origin=sid, challenge=page)


@page_view
@require_safe
def in_class(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show /c/<code>/challenge/: to the teacher with class/challenge.html, to students with editor.html.

    class/challenge.html: `code`, `title`, `solvers` (a URL) and `variants`; editor.html: `challenge` (about).
    """
    classroom = require_class(request, code)
    if store.is_over(classroom):
        return redirect("class", classroom.code)
    version, address = classroom.run.version, reverse("v1:class-challenge", args=[classroom.code])
    page = about(version, address)
    if store.teaches(access.visitor_of(request), classroom):
        context = {"code": classroom.code, "title": page["title"], "solvers": address, "variants": page["variants"]}
        return render(request, "class/challenge.html", context)
    cookie = student_cookie.read_student_cookie(request.COOKIES)
    if cookie is None or cookie.code != classroom.code:
        return redirect("class", classroom.code)  # which sets the cookie
    page |= {"key": f"class.{classroom.code}", "code": classroom.code, "player": reverse("class", args=[code])}
    return editor(request, scenarios.pieces_of(version), page["title"], challenge=page)


def about(version: Version, judge: str) -> dict[str, Any]:
    """Return {title, task (HTML), asks (kinds), variants (number), judge (a URL), code}.

    Callers add {key (for stored answers), player (a URL)}, and `code` in a class.
    """
    lesson = lessons.load(version.lesson)
    title = cards.title_of(version.scenario, lesson)
    task = lessons.description_html(version, language())
    return {"title": title, "task": task, **challenge_of(version), "judge": judge, "code": ""}
