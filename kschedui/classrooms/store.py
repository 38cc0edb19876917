"""Classes: started, driven, asked, ended. The row is the truth; what is announced carries it, so that nobody reads it
in the way from the teacher to the students."""

import secrets
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from kschedui.models import Answer, Classroom, Run, Scenario
from kschedui.scenarios import access
from kschedui.scenarios.access import Visitor
from scheduler_core.apis.messages import Message

# Capitals that are not mistaken for each other and make no words: 19 ** 4 is 130,321.
ALPHABET = "BCDFGHJKMNPQRSTVWXZ"
LENGTH = 4
LASTS = timedelta(hours=4)
KEPT = timedelta(days=1)  # after its end, for the answers
MOST_LIVE = 10  # classes of one teacher at once
TRIES = 20
SHOWN_BY = ("deleted_at", "visibility", "owner_id", "editor_hash")  # of the scenario


class NoClass(Exception):
    """The text is the sentence: there is none, or it is over, or it is somebody else's to drive."""


class Board(NamedTuple):
    """What everybody in the class knows. A higher number is newer."""

    number: int
    place: dict[str, Any]
    paused: bool
    gathered: int
    asked: dict[str, Any]
    ended: bool


def start(teacher: Visitor, run: Run) -> Classroom:
    """A class on a run that the teacher may show; raises NoClass."""
    require_showing(teacher, run.version.scenario)
    if live().filter(of_teacher(teacher)).count() >= MOST_LIVE:
        raise NoClass(Message("You have {most} classes already; end one of them.", most=MOST_LIVE))
    about = {"owner": teacher.user, "editor_hash": "" if teacher.user else teacher.editor_hash}
    for _ in range(TRIES):
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        try:
            with transaction.atomic():
                return Classroom.objects.create(code=code, run=run, expires=timezone.now() + LASTS, **about)
        except IntegrityError:  # taken
            continue
    raise NoClass(gettext_noop("There are too many classes at the moment; please try again later."))


def require_showing(teacher: Visitor, scenario: Scenario) -> None:
    """To a class, which anybody with the code may join: a private scenario only by its owner. Raises NotAllowed."""
    access.require_sight(teacher, scenario)
    if scenario.visibility == Scenario.Visibility.PRIVATE:
        access.require_owner(teacher, scenario)


def of_teacher(teacher: Visitor) -> Q:
    """Their classes: of the account, and of the browser."""
    mine = Q(owner=teacher.user) if teacher.user else Q(pk=None)
    return mine | Q(owner=None, editor_hash=teacher.editor_hash) if teacher.editor else mine


def teaches(visitor: Visitor, classroom: Classroom) -> bool:
    """Is the visitor its teacher?"""
    if classroom.owner_id:
        return visitor.user is not None and visitor.user.pk == classroom.owner_id
    return bool(visitor.editor) and secrets.compare_digest(visitor.editor_hash, classroom.editor_hash)


def by_code(code: str) -> Classroom:
    """Also one that is over, with its run; raises NoClass."""
    code = code.upper()
    if len(code) != LENGTH or any(letter not in ALPHABET for letter in code):
        raise NoClass(gettext_noop("No class has this code."))
    found = Classroom.objects.select_related("run__version__scenario").defer("run__version__text")
    classroom = found.filter(code=code).first()
    if classroom is None:
        raise NoClass(gettext_noop("No class has this code."))
    return classroom


def live() -> QuerySet[Classroom]:
    """Those that are not over."""
    return Classroom.objects.filter(ended_at=None, expires__gt=timezone.now())


def is_over(classroom: Classroom) -> bool:
    """Ended, after its time, or of a scenario that may not be shown any more."""
    return board(classroom.pk).ended


def board(pk: int) -> Board:
    """As it is now; of a class that was removed, an ended one."""
    told = (*Board._fields[:-1], "ended_at", "expires", "owner_id", "editor_hash")
    shown_by = tuple(f"run__version__scenario__{name}" for name in SHOWN_BY)
    found = Classroom.objects.filter(pk=pk).values_list(*told, *shown_by).first()
    if found is None:
        return Board(0, {}, False, 0, {}, True)
    known, (ended_at, expires, owner, browser), scenario = found[:5], found[5:9], found[9:]
    over = ended_at is not None or expires <= timezone.now() or not may_show(owner, browser, *scenario)
    return Board._make((*known, over))


def may_show(owner: int | None, browser: str, deleted_at: Any, visibility: str, whose: int | None, editor: str) -> bool:
    """May this teacher still show this scenario?"""
    if deleted_at is not None:
        return False
    if visibility != Scenario.Visibility.PRIVATE:
        return True
    return whose == owner if whose else bool(editor) and editor == browser


# --- The teacher's part -----------------------------------------------------------------------------------------


def drive(pk: int, place: dict[str, Any]) -> Board:
    """The teacher is at another place. Only the last one is kept."""
    return change(pk, place=place)


def pause(pk: int, *, on: bool) -> Board:
    """While paused nobody goes on ahead of the teacher."""
    return change(pk, paused=on)


def gather(pk: int) -> Board:
    """Call everyone back to the teacher's place."""
    return change(pk, gathered=F("gathered") + 1)


def ask(pk: int, question: str, choices: int) -> Board:
    """Put a question, anew if it was asked before; "" takes it off the screen."""
    with transaction.atomic():
        if question:
            Answer.objects.filter(classroom=pk, question=question).delete()
        return change(pk, asked={"id": question, "choices": choices} if question else {})


def reveal(pk: int, right: int, text: str, labels: list[str]) -> Board:
    """Count the answers of the question on screen; none are taken from here on. Raises NoClass without one."""
    with transaction.atomic():
        row = live().select_for_update().filter(pk=pk).first()
        if row is None or not row.asked:
            raise NoClass(gettext_noop("There is no question on the screen."))
        if "counts" in row.asked:
            return board(pk)
        counts = [0] * row.asked["choices"]
        for choice in row.answers.filter(question=row.asked["id"]).values_list("choice", flat=True):
            counts[choice] += 1
        told = {"counts": counts, "right": right}
        before = [one for one in row.revealed if one["id"] != row.asked["id"]]
        kept = {"id": row.asked["id"], "text": text, "labels": labels, **told}
        return change(pk, asked={**row.asked, **told}, revealed=[*before, kept])


def end(pk: int) -> Board:
    """The class is over; its answers stay for a day."""
    return change(pk, ended_at=timezone.now())


def change(pk: int, **changes: Any) -> Board:
    """Raises NoClass when the class is over."""
    with transaction.atomic():
        if not live().filter(pk=pk).update(number=F("number") + 1, **changes):
            raise NoClass(gettext_noop("This class is over."))
        return board(pk)


# --- The students' part -----------------------------------------------------------------------------------------


class Given(NamedTuple):
    """An answer as it came."""

    question: str
    student: str
    choice: int


def take(pk: int, given: list[Given]) -> set[Given]:
    """Keep answers to the question on screen, of each student the last; those that count."""
    with transaction.atomic():
        row = live().select_for_update().filter(pk=pk).first()
        if row is None or not row.asked or "counts" in row.asked:
            return set()
        question, choices = row.asked["id"], row.asked["choices"]
        last = {one.student: one for one in given if one.question == question and 0 <= one.choice < choices}
        before = set(row.answers.filter(question=question).values_list("student", flat=True))
        room = settings.LIMITS["class_students"] - len(before | last.keys())
        kept = [one for one in last.values() if room >= 0 or one.student in before]
        Answer.objects.bulk_create(
            [Answer(classroom=row, **one._asdict()) for one in kept],
            update_conflicts=True,
            unique_fields=["classroom", "question", "student"],
            update_fields=["choice"],
        )
    return set(kept)


def answered(pk: int, question: str) -> int:
    """How many have answered."""
    return Answer.objects.filter(classroom=pk, question=question).count()


def answer_of(pk: int, question: str, student: str) -> int | None:
    """What this student has answered; for a page that is loaded again."""
    found = Answer.objects.filter(classroom=pk, question=question, student=student)
    return found.values_list("choice", flat=True).first()


# --- Everybody else's part --------------------------------------------------------------------------------------


def group(pk: int) -> str:
    """The channel layer's group of whatever shows the class."""
    return f"class.{pk}"


def purge() -> int:
    """Remove classes that are over for a day, with their answers; how many."""
    before = timezone.now() - KEPT
    old = Classroom.objects.filter(Q(ended_at__lt=before) | Q(expires__lt=before))
    return old.delete()[1].get(Classroom._meta.label, 0)
