"""Classes: their start, what their teacher shows, their answers and their end.

The database row is authoritative; announcements contain the row, so that students' browsers get it without another
query.

The states of a class, and the functions that change them:

    nothing is asked  <->  a question is asked  ->  it is revealed  <->  nothing is asked   (`show`)
    any of these       ->  ended                                                            (`end`, time)

Each message of the teacher's page contains its complete state (`Shown`), so a lost, late or duplicate message does no
harm: the next one repeats the state. A question is revealed once: its answers are counted then and do not change any
more.
"""

import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from kschedui.in_turn import in_turn
from kschedui.models import Answer, Classroom, Run, Scenario, Solver, Version
from kschedui.scenarios import access
from kschedui.scenarios.access import Visitor
from scheduler_core.apis.messages import Message

# Capitals that are not mistaken for each other and make no words: 19 ** 4 is 130,321.
ALPHABET = "BCDFGHJKMNPQRSTVWXZ"
LENGTH = 4
LASTS = timedelta(hours=4)
RETENTION = timedelta(days=1)  # after its end, for the answers
MAX_LIVE = 10  # classes of one teacher at once
MAX_REVEALED = 200  # questions of a class: each message to its students lists them
TRIES = 20
SHOWN_BY = ("deleted_at", "visibility", "owner_id", "editor_hash")  # of the scenario


class NoClass(Exception):
    """There is no such class, it is over, or a limit is reached; the text is the sentence for the visitor."""


class Board(NamedTuple):
    """The state of a class that everyone in it can see. A higher number is newer."""

    number: int
    place: dict[str, Any]
    paused: bool
    gathered: int
    asked: dict[str, Any]  # the question on screen: {id, choices}; once it is revealed counts and right too
    revealed: list[str]  # ids of all questions that were revealed
    ended: bool
    next: str = ""  # the code of the class that goes on with the next lesson
    tally: tuple[int, int] = (0, 0)  # right answers to the revealed questions, and answers


class RightAnswer(NamedTuple):
    """The right choice of a question that is being revealed. The texts of the question and its choices (`labels`) are
    for the file of answers.
    """

    right: int
    text: str
    labels: list[str]


class Question(NamedTuple):
    """A question as the teacher's page shows it; `answer` is set once it is revealed."""

    id: str
    choices: int
    answer: RightAnswer | None = None


class Shown(NamedTuple):
    """Everything that the teacher's page shows."""

    place: dict[str, Any]
    paused: bool = False
    gathered: int = 0
    question: Question | None = None


def start(teacher: Visitor, run: Run) -> Classroom:
    """Start a class on a run, and return it. Raises NotAllowed, and NoClass if there are too many."""
    require_showing(teacher, run.version.scenario)
    about = {"owner": teacher.user, "editor_hash": "" if teacher.user else teacher.editor_hash}
    for _ in range(TRIES):
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        try:
            with in_turn(f"classes of {teacher.author}"):
                if live().filter(of_teacher(teacher)).count() >= MAX_LIVE:
                    raise NoClass(Message("You already have {most} classes. End one of them first.", most=MAX_LIVE))
                return Classroom.objects.create(code=code, run=run, expires=timezone.now() + LASTS, **about)
        except IntegrityError:  # taken
            continue
    raise NoClass(gettext_noop("Too many classes are running at the moment. Try again later."))


def require_showing(teacher: Visitor, scenario: Scenario) -> None:
    """Require that the visitor can show the run to a class, which anybody with the code can join.

    Private scenarios can be shown only by their owner, and copies of somebody else's private scenario not at all.
    Raises NotAllowed.
    """
    access.require_viewing(teacher, scenario)
    if scenario.visibility == Scenario.Visibility.PRIVATE:
        access.require_owner(teacher, access.secret_origin(teacher, scenario) or scenario)


def of_teacher(teacher: Visitor) -> Q:
    """Return the condition for the visitor's classes: those of the account and of the browser."""
    mine = Q(owner=teacher.user) if teacher.user else Q(pk=None)
    return mine | Q(owner=None, editor_hash=teacher.editor_hash) if teacher.editor else mine


def teaches(visitor: Visitor, classroom: Classroom) -> bool:
    """Return whether the visitor is the teacher of the class."""
    if classroom.owner_id:
        return visitor.user is not None and visitor.user.pk == classroom.owner_id
    return bool(visitor.editor_hash) and secrets.compare_digest(visitor.editor_hash, classroom.editor_hash)


def by_code(code: str) -> Classroom:
    """Return the class with its run, even if it is over. Raises NoClass."""
    code = code.upper()
    if len(code) != LENGTH or any(letter not in ALPHABET for letter in code):
        raise NoClass(gettext_noop("No class has this code."))
    classroom = with_scenario().filter(code=code).first()
    if classroom is None:
        raise NoClass(gettext_noop("No class has this code."))
    return classroom


def with_scenario() -> QuerySet[Classroom]:
    """Return all classes, each with its run, version and scenario."""
    return Classroom.objects.select_related("run__version__scenario").defer(*Version.large("run__version__"))


def live() -> QuerySet[Classroom]:
    """Return the classes that are not over."""
    return Classroom.objects.filter(ended_at=None, expires__gt=timezone.now())


def is_over(classroom: Classroom) -> bool:
    """Return whether the class (of `with_scenario`) has ended, has expired, or belongs to a scenario that can no longer
    be shown.
    """
    scenario = classroom.run.version.scenario
    shown_by = (getattr(scenario, name) for name in SHOWN_BY)
    return is_over_with(classroom.ended_at, classroom.expires, classroom.owner_id, classroom.editor_hash, *shown_by)


def board(pk: int) -> Board:
    """Return the current board; an ended one for a class that was removed."""
    columns = (*Board._fields[:6], "next__code", "ended_at", "expires", "owner_id", "editor_hash")
    shown_by = tuple(f"run__version__scenario__{name}" for name in SHOWN_BY)
    row = Classroom.objects.filter(pk=pk).values_list(*columns, *shown_by).first()
    if row is None:
        return Board(0, {}, False, 0, {}, [], True)
    (*fields, revealed), following, about = row[:6], row[6], row[7:]
    ids = [question["id"] for question in revealed]
    right = sum(question["counts"][question["right"]] for question in revealed)
    answers = sum(sum(question["counts"]) for question in revealed)
    return Board._make((*fields, ids, is_over_with(*about), following or "", (right, answers)))


def is_over_with(ended_at: datetime | None, expires: datetime, owner: int | None, browser: str, *scenario: Any) -> bool:
    """Return whether a class with these columns is over; `scenario`: the columns SHOWN_BY."""
    return ended_at is not None or expires <= timezone.now() or not may_show(owner, browser, *scenario)


def may_show(
    owner: int | None, browser: str, deleted_at: Any, visibility: str, scenario_owner: int | None, editor: str
) -> bool:
    """Return whether this teacher can still show this scenario."""
    if deleted_at is not None:
        return False
    if visibility != Scenario.Visibility.PRIVATE:
        return True
    return scenario_owner == owner if scenario_owner else bool(editor) and editor == browser


# --- The teacher's part -----------------------------------------------------------------------------------------


def show(pk: int, shown: Shown) -> Board:
    """Store what the teacher's page shows now, and return the new board.

    Raises NoClass if the class is over, or has too many questions.
    """
    with transaction.atomic():
        row = require_live(pk)
        asked, revealed = {}, row.revealed
        if question := shown.question:
            record = next((record for record in revealed if record["id"] == question.id), None)
            if record is None and question.answer is not None:
                if len(revealed) >= MAX_REVEALED:
                    raise NoClass(Message("A class can have at most {most} questions.", most=MAX_REVEALED))
                record = count_choices(row, question, question.answer)
                revealed = [*revealed, record]
            asked = {"id": question.id, "choices": question.choices}
            if record is not None:
                asked |= {"choices": len(record["counts"]), "counts": record["counts"], "right": record["right"]}
        gathered = max(row.gathered, shown.gathered)
        return change(row, place=shown.place, paused=shown.paused, gathered=gathered, asked=asked, revealed=revealed)


def count_choices(row: Classroom, question: Question, answer: RightAnswer) -> dict[str, Any]:
    """Return the record of a revealed question: {id, text, labels, counts, right}."""
    counts = [0] * question.choices
    for choice in row.answers.filter(question=question.id).values_list("choice", flat=True):
        if choice < len(counts):
            counts[choice] += 1
    words = {"text": answer.text, "labels": answer.labels}
    return {"id": question.id, **words, "counts": counts, "right": answer.right}


def end(pk: int) -> Board:
    """End the class and return its last board; its answers are kept for a day. Raises NoClass if it is already over."""
    with transaction.atomic():
        return change(require_live(pk), ended_at=timezone.now())


def go_on(teacher: Visitor, classroom: Classroom, run: Run) -> Classroom:
    """Start a class on the run of the next lesson, and end this one; its students are redirected to the new one.

    If the class was continued before, the class that was started then is returned. Raises NoClass, and NotAllowed if
    the teacher cannot show the run.
    """
    with transaction.atomic():
        row = Classroom.objects.select_for_update().filter(pk=classroom.pk).first()
        if row is not None and row.next is not None:
            return row.next
        end(classroom.pk)
        following = start(teacher, run)
        Classroom.objects.filter(pk=classroom.pk).update(next=following)
    return following


def with_those_before(classroom: Classroom) -> list[Classroom]:
    """Return the chain of classes that led to this one, in order, and this one."""
    chain = [classroom]
    while (before := chain[0].previous.first()) is not None and before not in chain:
        chain.insert(0, before)
    return chain


def require_live(pk: int) -> Classroom:
    """Return the class's row, locked. Raises NoClass if the class is over."""
    row = live().select_for_update().filter(pk=pk).first()
    if row is None:
        raise NoClass(gettext_noop("This class is over."))
    return row


def change(row: Classroom, **changes: Any) -> Board:
    """Write to a locked row, and return the new board."""
    Classroom.objects.filter(pk=row.pk).update(number=F("number") + 1, **changes)
    return board(row.pk)


# --- The students' part -----------------------------------------------------------------------------------------


class Given(NamedTuple):
    """An answer as received."""

    question: str
    student: str
    choice: int


def store_answers(pk: int, answers: list[Given]) -> set[Given]:
    """Store answers to the current question, the last one of each student. Return those that were stored.

    If new students would exceed the limit of the class, only students who have already answered this question count.
    """
    with transaction.atomic():
        row = live().select_for_update().filter(pk=pk).first()
        if row is None or not row.asked or "counts" in row.asked:
            return set()
        question, choices = row.asked["id"], row.asked["choices"]
        last = {
            answer.student: answer for answer in answers if answer.question == question and 0 <= answer.choice < choices
        }
        before = set(row.answers.filter(question=question).values_list("student", flat=True))
        free_places = settings.LIMITS["class_students"] - len(before | last.keys())
        accepted = [answer for answer in last.values() if free_places >= 0 or answer.student in before]
        Answer.objects.bulk_create(
            [Answer(classroom=row, **answer._asdict()) for answer in accepted],
            update_conflicts=True,
            unique_fields=["classroom", "question", "student"],
            update_fields=["choice"],
        )
    return set(accepted)


def count_answers(pk: int, question: str) -> int:
    """Return the number of students who have answered the question."""
    return Answer.objects.filter(classroom=pk, question=question).count()


def answers_of(pk: int, student: str) -> dict[str, int]:
    """Return this student's choices by question, for a page that is reloaded."""
    return dict(Answer.objects.filter(classroom=pk, student=student).values_list("question", "choice"))


def keep_try(pk: int, student: str, name: str, held: int, *, solved: bool) -> None:
    """Count a student's try at the challenge of the class; `held`: the number of variants in which the answer holds.

    Nothing is counted once the student has solved it, if the class is over, or for a new student if the class is full.
    """
    with transaction.atomic():
        row = live().select_for_update().filter(pk=pk).first()
        if row is None:
            return
        solver = row.solvers.filter(student=student).first()
        if solver is None:
            if row.solvers.count() >= settings.LIMITS["class_students"]:
                return
            solver = Solver(classroom=row, student=student)
        solver.name = name or solver.name
        if solver.solved_in is None:
            solver.tries += 1
            solver.held = max(solver.held, held)
            solver.solved_in = solver.tries if solved else None
        solver.save()


# --- Everybody else's part --------------------------------------------------------------------------------------


def group(pk: int) -> str:
    """Return the channel layer's group for all connections that show the class."""
    return f"class.{pk}"


def purge() -> int:
    """Remove classes that ended or expired more than a day ago, with their answers. Return the number of classes."""
    before = timezone.now() - RETENTION
    old = Classroom.objects.filter(Q(ended_at__lt=before) | Q(expires__lt=before))
    return old.delete()[1].get(Classroom._meta.label, 0)
