"""Courses: scenarios in an order, under one link. A course shows visitors only the scenarios that they can see."""

import re

import msgspec
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from kschedui.in_turn import in_turn
from kschedui.models import Course, Scenario, is_public_id
from kschedui.scenarios import access
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.prose import clean_title
from scheduler_core.apis.messages import Message, WithSentence

MAX_COURSES = 100  # of one author
MAX_SCENARIOS = 100
LONGEST_ABOUT = 4000
LINK = re.compile(r"(?:.*/)?(?P<kind>s|library|embed)/(?P<name>[\w-]+)(?:/.*)?", re.DOTALL)


class BadCourse(WithSentence):
    """The course cannot be saved; the text is the sentence for the visitor."""


class Entry(msgspec.Struct, frozen=True):
    """A place in a course, from 1, and its scenario; None if the visitor cannot see it or it is deleted."""

    number: int
    scenario: Scenario | None


def create(visitor: Visitor, title: str, about: str, names: list[str]) -> Course:
    """Create a course of scenarios given by id or link. Raises BadCourse."""
    hashed = "" if visitor.user else visitor.editor_hash
    course = Course(owner=visitor.user, editor_hash=hashed)
    with in_turn(f"courses of {visitor.author}"):
        if of_visitor(visitor).count() >= MAX_COURSES:
            raise BadCourse(
                Message("You have {most} courses, which is the limit. Delete some of them.", most=MAX_COURSES)
            )
        return save(visitor, course, title, about, names)


def save(visitor: Visitor, course: Course, title: str, about: str, names: list[str]) -> Course:
    """Store the course with this title, text and these scenarios in place of its own, and return it. Raises BadCourse.

    Entries that are already in it may stay even if the visitor can no longer see them.
    """
    if not 0 < len(names) <= MAX_SCENARIOS:
        raise BadCourse(Message("A course must have 1 to {most} scenarios.", most=MAX_SCENARIOS))
    earlier = set(course.scenarios)
    scenario_ids = [require_scenario(visitor, number, name, earlier) for number, name in enumerate(names, start=1)]
    course.title = clean_title(title) or _("Untitled course")
    course.about = about.replace("\0", "")[:LONGEST_ABOUT]
    course.scenarios = scenario_ids
    course.updated = timezone.now()
    course.save()
    return course


def require_scenario(visitor: Visitor, number: int, name: str, earlier: set[str]) -> str:
    """Return the id of the scenario that a line of a course names.

    Raises BadCourse if the visitor cannot see it and it is not in `earlier`, the ids that were in the course before.
    """
    link = LINK.fullmatch(name.strip())
    kind, key = (link["kind"], link["name"]) if link else ("s", name.strip())
    if key in earlier:
        return key
    field = "slug" if kind == "library" else "public_id"
    scenarios = Scenario.objects.filter(scratch=False)
    scenario = scenarios.filter(**{field: key}).first() if field == "slug" or is_public_id(key) else None
    if scenario is None or not access.may_see(visitor, scenario):
        raise BadCourse(Message("Line {number} is not a link to a scenario that you can view.", number=number))
    return scenario.public_id


def by_id(public_id: str) -> Course:
    """Return the course. Raises Course.DoesNotExist."""
    if not is_public_id(public_id):
        raise Course.DoesNotExist
    return Course.objects.select_related("owner").get(public_id=public_id)


def of_visitor(visitor: Visitor) -> QuerySet[Course]:
    """Return the visitor's courses: those of the account, or without one, those of the browser."""
    if visitor.user:
        return Course.objects.filter(owner=visitor.user)
    mine = Course.objects.filter(owner=None, editor_hash=visitor.editor_hash)
    return mine if visitor.editor_hash else Course.objects.none()


def entries(visitor: Visitor, course: Course) -> list[Entry]:
    """Return all entries of the course, in order."""
    by_id = {scenario.public_id: scenario for scenario in Scenario.objects.filter(public_id__in=course.scenarios)}
    shown = {sid: scenario for sid, scenario in by_id.items() if access.may_see(visitor, scenario)}
    return [Entry(number, shown.get(sid)) for number, sid in enumerate(course.scenarios, start=1)]
