"""Courses: create, list, read, change, delete."""

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Status

from kschedui.models import Course
from kschedui.scenarios import access, courses
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.shapes import CourseChange, CourseEntry, CourseIn, CourseOut
from kschedui.web.api.visitors import keeping_visitor

router = Router(tags=["courses"])
MAX_LISTED = 100


@router.post("", auth=writes("save"), response={201: CourseOut}, summary="Make a course")
def create(request: HttpRequest, body: CourseIn) -> Status[CourseOut]:
    """Create a course of scenarios that you can see, in this order."""
    visitor = keeping_visitor(request)
    try:
        course = courses.create(visitor, body.title, body.about, body.scenarios)
    except courses.BadCourse as error:
        raise Refusal(422, error.sentence) from None
    return Status(201, describe(access.visitor_of(request), course))


@router.get("", auth=reads(), response=list[CourseOut], summary="List yours")
def listed(request: HttpRequest) -> list[CourseOut]:
    visitor = access.visitor_of(request)
    return [describe(visitor, course) for course in courses.of_visitor(visitor)[:MAX_LISTED]]


@router.get("/{id:cid}", auth=reads(), response=CourseOut, summary="Read a course")
def read(request: HttpRequest, cid: str) -> CourseOut:
    """Return a course. Scenarios that you cannot see are null."""
    return describe(access.visitor_of(request), courses.by_id(cid))


@router.patch("/{id:cid}", auth=writes("save"), response=CourseOut, summary="Change a course")
def update(request: HttpRequest, cid: str, body: CourseChange) -> CourseOut:
    visitor, course = owned_course(request, cid)
    fields = {"title": course.title, "about": course.about, "names": course.scenarios}
    fields |= {name: value for name, value in body.model_dump(exclude_none=True).items() if name != "scenarios"}
    if body.scenarios is not None:
        fields["names"] = body.scenarios
    try:
        return describe(visitor, courses.save(visitor, course, **fields))
    except courses.BadCourse as error:
        raise Refusal(422, error.sentence) from None


@router.delete("/{id:cid}", auth=writes("save"), response={204: None}, summary="Delete a course")
def delete(request: HttpRequest, cid: str) -> Status[None]:
    """Delete a course; its scenarios stay."""
    owned_course(request, cid)[1].delete()
    return Status(204, None)


def owned_course(request: HttpRequest, cid: str) -> tuple[access.Visitor, Course]:
    """Return the visitor and a course of theirs. Raises Course.DoesNotExist or NotAllowed."""
    visitor, course = access.visitor_of(request), courses.by_id(cid)
    access.require_owner(visitor, course)
    return visitor, course


def describe(visitor: access.Visitor, course: Course) -> CourseOut:
    """Describe a course as the visitor may see it."""
    rows = [
        CourseEntry(id=entry.scenario.public_id, title=entry.scenario.title) if entry.scenario else None
        for entry in courses.entries(visitor, course)
    ]
    return CourseOut(
        id=course.public_id,
        url=reverse("course", args=[course.public_id]),
        title=course.title,
        about=course.about,
        scenarios=rows,
        updated=course.updated,
        mine=access.owns(visitor, course),
    )
