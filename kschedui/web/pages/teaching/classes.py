"""A class: start it as a teacher, join it by its code, download its answers."""

import io
from collections.abc import Iterator
from typing import Any

import segno
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from kschedui.classrooms import store, student_cookie
from kschedui.classrooms.store import NoClass
from kschedui.csv_rows import csv_row
from kschedui.language import in_language
from kschedui.models import Classroom, Run, Scenario
from kschedui.runs import store as runs
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.web.api import rates
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.versions import words_of
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view

WIDE = 10  # pixels of a module of the QR code, which is seen from the last row


@page_view
@require_POST
def start(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Handle /s/<sid>/v/<n>/class: start a class on the POSTed `run` of that version, or on the one its links show."""
    visitor, scenario = visible_scenario(request, sid)
    store.require_showing(visitor, scenario)
    rates.count(request, "save")
    run = run_to_teach(request, scenario, number)
    try:
        classroom = store.start(access.editing_visitor(request), run)
    except NoClass as error:
        raise Refusal(422, error.args[0]) from None
    return redirect(address_of(request, classroom))


def address_of(request: HttpRequest, classroom: Classroom) -> str:
    """Return the URL of the class, with the `?course=` of the request."""
    course = {"course": request.GET["course"]} if request.GET.get("course") else None
    return reverse("class", args=[classroom.code], query=course)


@page_view
@require_POST
def go_on(request: HttpRequest, code: str) -> HttpResponse:
    """Handle /c/<code>/next: continue the class with the next lesson of the track, or of the course in `?course=`."""
    classroom = require_class(request, code)
    if not store.teaches(access.visitor_of(request), classroom):
        raise Refusal(403, gettext_noop("Only the teacher of a class can continue it."))
    place = cards.place(request, classroom.run.version.scenario)
    if not place or not place["next_id"]:
        raise Refusal(409, gettext_noop("No lesson comes after this one."))
    visitor, scenario = visible_scenario(request, place["next_id"])
    store.require_showing(visitor, scenario)
    rates.count(request, "save")
    run = run_to_teach(request, scenario, scenarios.newest(scenario).number)
    try:
        following = store.go_on(access.editing_visitor(request), classroom, run)
    except NoClass as error:
        raise Refusal(422, error.args[0]) from None
    return redirect(address_of(request, following))


def run_to_teach(request: HttpRequest, scenario: Scenario, number: int) -> Run:
    """Return the POSTed run of the version, or the one that its links show. Raises Refusal without a run."""
    if "run" in request.POST:
        posted = runs.by_id(request.POST["run"])
        if posted.version.number != number or posted.version.scenario_id != scenario.pk:
            raise Refusal(422, gettext_noop("This run belongs to another scenario."))
        return posted
    run = runs.find_run(scenarios.version(scenario, number))
    if run is None:
        raise Refusal(409, gettext_noop("This scenario has not run yet. Open it and start the class there."))
    return run


@page_view
@require_safe
def join(request: HttpRequest) -> HttpResponse:
    """Show /c/ with class/join.html, or redirect to `?code=`."""
    code = request.GET.get("code", "").strip().replace(" ", "")
    if code.isascii() and code.isalnum() and len(code) <= 32:
        return redirect("class", code.upper())
    return join_page(request, gettext_noop("A code has four letters.") if code else "", 422 if code else 200)


def join_page(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    """Show class/join.html: `sentence`, or ""."""
    return render(request, "class/join.html", {"sentence": in_language(sentence)}, status=status)


def find_class(request: HttpRequest, code: str) -> Classroom:
    """Return the class with the code. Raises NoClass, and TooOften after too many wrong codes from the address."""
    rates.require_code(request)
    try:
        return store.by_code(code)
    except NoClass:
        rates.count_wrong_code(request)
        raise


@page_view
@require_safe
def show(request: HttpRequest, code: str) -> HttpResponse:
    """Show /c/<code>/ with class/teacher.html or class/student.html: `boot` (boot_of), `classroom`, `link` and
    `shown_link` (to this page). A student's browser gets the cookie of the class.

    For a class that is over, show class/over.html; for an unknown code, class/join.html.
    """
    if code != code.upper():
        return redirect("class", code.upper())
    try:
        classroom = find_class(request, code)
    except NoClass as error:
        return join_page(request, error.args[0], 404)
    visitor = access.visitor_of(request)
    teacher = store.teaches(visitor, classroom)
    if store.is_over(classroom):
        if classroom.next is not None and not teacher:
            return redirect("class", classroom.next.code)
        return over_page(request, classroom, teacher=teacher)
    boot = boot_of(request, visitor, classroom, teacher=teacher)
    link = cards.absolute(request, reverse("class", args=[code]))
    context = {"boot": boot, "classroom": classroom, "link": link, "shown_link": link.split("//", 1)[-1].rstrip("/")}
    response = render(request, f"class/{'teacher' if teacher else 'student'}.html", context)
    cookie = student_cookie.read_student_cookie(request.COOKIES)
    if not teacher and (cookie is None or cookie.code != code):
        rates.count(request, "join")
        student_cookie.set_student_cookie(response, code)
    return response


def over_page(request: HttpRequest, classroom: Classroom, *, teacher: bool) -> HttpResponse:
    """Show class/over.html: `classroom`, `teacher`, `scenario` (None if it is private or deleted) and its `title`."""
    scenario = classroom.run.version.scenario
    open_to_all = scenario.visibility != Scenario.Visibility.PRIVATE and not scenario.deleted_at
    context = {"classroom": classroom, "teacher": teacher, "scenario": scenario if open_to_all else None}
    context["title"] = cards.own_title(scenario)
    return render(request, "class/over.html", context, status=200 if teacher else 410)


def boot_of(request: HttpRequest, visitor: access.Visitor, classroom: Classroom, *, teacher: bool) -> dict[str, Any]:
    """Return the player's initial data. Students get the run without the URL of its scenario."""
    boot = cards.boot(request, visitor, classroom.run.version, classroom.run, embed=False)
    page = reverse("class", args=[classroom.code])
    role, begun = "teacher" if teacher else "student", classroom.number > 0 or classroom.previous.exists()
    about: dict[str, Any] = {"code": classroom.code, "ws": "/ws/class/", "role": role, "begun": begun}
    if teacher:
        about["page"] = boot["page"]
    shown = {**boot, "page": page, "class": about}
    if not teacher:
        scenario_fields = {name: boot["scenario"][name] for name in ("title", "private")}
        words_url = reverse("class-words", args=[classroom.code]) if boot["words"] else ""
        shown |= {"scenario": scenario_fields, "may_edit": False, "words": words_url, "place": None}
    return shown


@page_view
@require_safe
def words(request: HttpRequest, code: str) -> HttpResponse:
    """Handle /c/<code>/words: captions and questions for members of the class (versions.words_of)."""
    classroom = require_class(request, code)
    if not store.teaches(access.visitor_of(request), classroom):
        student_cookie.require_viewing(access.visitor_of(request), request.COOKIES, classroom.run)
    return HttpResponse(words_of(classroom.run.version).model_dump_json(), content_type="application/json")


@page_view
@require_safe
def qr_svg(request: HttpRequest, code: str) -> HttpResponse:
    """Handle /c/<code>/qr.svg: the link for joining."""
    classroom = require_class(request, code)
    link = cards.absolute(request, reverse("class", args=[classroom.code]))
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=WIDE, border=2, light="#fff", xmldecl=False)
    return HttpResponse(out.getvalue(), content_type="image/svg+xml")


@page_view
@require_safe
def answers_csv(request: HttpRequest, code: str) -> HttpResponse:
    """Handle /c/<code>/answers.csv for the teacher: a line for each choice of each revealed question."""
    classroom = require_class(request, code)
    if not store.teaches(access.visitor_of(request), classroom):
        raise Refusal(403, gettext_noop("Only the teacher of a class can download its answers."))
    rows = "".join(map(csv_row, answer_rows(store.with_those_before(classroom))))
    response = HttpResponse(rows.encode("utf-8", "replace"), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="class-{classroom.code}.csv"'
    patch_cache_control(response, private=True, no_store=True)
    return response


def answer_rows(classrooms: list[Classroom]) -> Iterator[list[Any]]:
    """Yield the table of answers, with its header."""
    yield ["question", "text", "choice", "answers", "right", "lesson"]
    for classroom in classrooms:
        title = cards.own_title(classroom.run.version.scenario)
        for question in classroom.revealed:
            labels = question["labels"] + [str(n + 1) for n in range(len(question["labels"]), len(question["counts"]))]
            for n, count in enumerate(question["counts"]):
                right = "yes" if n == question["right"] else ""
                yield [question["id"], question["text"], labels[n], count, right, title]


def require_class(request: HttpRequest, code: str) -> Classroom:
    """Return the class with the code. Raises Refusal if there is none, and TooOften after too many wrong codes."""
    try:
        return find_class(request, code)
    except NoClass as error:
        raise Refusal(404, error.args[0]) from None
