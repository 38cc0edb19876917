"""Courses: create, follow, change, delete."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kschedui.language import in_language
from kschedui.models import Course, Scenario
from kschedui.scenarios import access, courses
from kschedui.scenarios import store as scenarios
from kschedui.web.api.rates import count
from kschedui.web.api.visitors import keeping_visitor
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people.forms import CourseForm


@page_view
@require_safe
def show(request: HttpRequest, cid: str) -> HttpResponse:
    """Show /courses/<cid>/ with courses/show.html: `course`, `entries`, `mine`, `teach`, `link`.

    `teach`: the address that starts a class on the first scenario and goes through the course; "" if there is none.
    `entries` [{number, id, title, url}], without the last three if the visitor cannot see the scenario.
    """
    visitor, course = access.visitor_of(request), courses.by_id(cid)
    shown = [entry_row(course, entry) for entry in courses.entries(visitor, course)]
    first = next((entry.scenario for entry in courses.entries(visitor, course) if entry.scenario), None)
    context = {
        "course": course,
        "entries": shown,
        "mine": access.owns(visitor, course),
        "teach": class_through(course, first) if first else "",
        "link": cards.absolute(request, reverse("course", args=[cid])),
    }
    return render(request, "courses/show.html", context)


def class_through(course: Course, first: Scenario) -> str:
    """Return the address that starts a class on the first scenario, which then continues through the course."""
    number = scenarios.newest(first).number
    return reverse("class-start", args=[first.public_id, number], query={"course": course.public_id})


def entry_row(course: Course, entry: courses.Entry) -> dict[str, Any]:
    """Return {number, id, title, url} of a scenario in a course; only the number if the visitor cannot see it."""
    if entry.scenario is None:
        return {"number": entry.number}
    sid = entry.scenario.public_id
    url = f"{reverse('scenario', args=[sid])}?course={course.public_id}"
    return {"number": entry.number, "id": sid, "title": cards.own_title(entry.scenario), "url": url}


@page_view
@require_safe
def show_cka(request: HttpRequest) -> HttpResponse:
    """Show /courses/cka/ with courses/cka.html: `domains` [{title, share, left_out, subjects: [{title, entries}]}].

    `entries` [{id, title, url, challenge}]: the lessons and challenges that are loaded.
    """
    return render(request, "courses/cka.html", {"domains": cards.cka_domains()})


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Show /courses/new/?title=&scenario= with courses/edit.html: `form`, `course` (None), `chapter`, `chapters`."""
    return course_form(request, None)


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, cid: str) -> HttpResponse:
    """Show /courses/<cid>/edit/ with courses/edit.html: `form`, `course`, `chapter` (None), `chapters`."""
    return course_form(request, owned_course(request, cid))


def course_form(request: HttpRequest, course: Course | None) -> HttpResponse:
    """Show the form; on POST, save the course, or with `add` append the link of the chosen lesson."""
    origin = request.build_absolute_uri("/").rstrip("/")
    lines = [f"{origin}/s/{sid}/" for sid in (course.scenarios if course else request.GET.getlist("scenario"))]
    start = {"title": course.title if course else request.GET.get("title", ""), "about": course.about if course else ""}
    form = CourseForm(request.POST or None, initial={**start, "scenarios": "\n".join(lines)})
    if request.method == "POST" and request.POST.get("add"):
        listed = f"{request.POST.get('scenarios', '').rstrip()}\n{origin}/s/{request.POST.get('lesson', '')}/".lstrip()
        form = CourseForm(initial={name: request.POST.get(name, "") for name in start} | {"scenarios": listed})
    elif request.method == "POST":
        count(request, "save")
        if form.is_valid():
            fields = form.cleaned_data
            names = [line for line in fields["scenarios"].splitlines() if line.strip()]
            visitor = keeping_visitor(request)
            try:
                saved = courses.save(visitor, course, fields["title"], fields["about"], names) if course else None
                saved = saved or courses.create(visitor, fields["title"], fields["about"], names)
            except courses.BadCourse as error:
                form.add_error("scenarios", in_language(error.sentence))
            else:
                return redirect("course", saved.public_id)
    status = 422 if form.errors else 200
    chapter = None if course or lines or form.is_bound else cards.example_course()
    lessons = cards.chapters([cards.lesson_card(lesson) for lesson in scenarios.library()])
    context = {"form": form, "course": course, "chapter": chapter, "chapters": lessons}
    return render(request, "courses/edit.html", context, status=status)


@page_view
@require_POST
def delete(request: HttpRequest, cid: str) -> HttpResponse:
    """Handle /courses/<cid>/delete: delete the course; its scenarios stay."""
    course = owned_course(request, cid)
    course.delete()
    messages.success(request, _("The course was deleted. Its scenarios still exist."))
    return redirect("mine")


def owned_course(request: HttpRequest, cid: str) -> Course:
    """Return a course of the visitor. Raises Course.DoesNotExist or NotAllowed."""
    course = courses.by_id(cid)
    access.require_owner(access.visitor_of(request), course)
    return course
