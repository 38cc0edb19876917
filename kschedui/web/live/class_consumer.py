"""The websocket of a class: sends the teacher's position to everyone, and counts of answers to the teacher.

The protocol is described in docs/architecture.md.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import Error
from django.utils.translation import gettext_noop

from kschedui.classrooms import seats, store
from kschedui.classrooms.store import Given, NoClass, Shown
from kschedui.models import Classroom
from kschedui.scenarios import access
from kschedui.web.live.class_messages import MAX_CHOICES, MAX_MESSAGES, read_id, read_shown
from kschedui.web.live.connection import (
    NO_SUCH_RUN,
    NOT_ALLOWED,
    RESTART,
    TOO_MANY,
    CloseConnection,
    Connection,
    read_number,
    read_object,
)
from kschedui.web.live.halls import Follower, Hall, entering

logger = logging.getLogger(__name__)

PROTOCOL = 2
OVER = 1000
LONGEST_MESSAGE = 8192  # characters; of a teacher, whose questions have words
SHOW_SECONDS = 0.1  # between two changes of what a class shows; those in between are left out
BURST, A_SECOND = 60.0, 20.0  # messages of one socket


class Bucket:
    """A token bucket: a burst, and a rate per second."""

    def __init__(self) -> None:
        self.room = BURST
        self.at = asyncio.get_running_loop().time()

    def take(self) -> bool:
        """Take a token. Return whether there was one."""
        now = asyncio.get_running_loop().time()
        self.room = min(BURST, self.room + (now - self.at) * A_SECOND) - 1
        self.at = now
        return self.room >= 0


class ClassConsumer(Connection):
    """The websocket of the teacher, or of one student."""

    hall: Hall | None = None
    student = ""  # of the teacher ""
    bucket: Bucket | None = None
    wanted: tuple[int, Shown] | None = None  # what the teacher's page said last, with its number, which is not kept yet
    showing: asyncio.Task[None] | None = None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message."""
        self.bucket = self.bucket or Bucket()
        try:
            if not self.bucket.take():
                raise CloseConnection(TOO_MANY, gettext_noop("Too many messages on one connection."))
            message = read_object(text_data, LONGEST_MESSAGE)
            await self.do(str(message.get("type")), message)
        except ValueError as error:
            await self.tell(type="error", message=str(error))
        except NoClass as error:
            await self.tell(type="error", message=self.say(error.args[0]))
        except Error as error:
            logger.warning("a message to a class was not kept: %s", error)
            await self.tell(type="error", message=self.say(NOT_KEPT), again=True)
        except CloseConnection as refusal:
            await self.refuse(refusal)

    async def do(self, kind: str, message: dict[str, Any]) -> None:
        """Carry out the message, if the sender is allowed to."""
        if kind == "join" and self.streaming is None:
            classroom = await self.allow(str(message.get("class")))
            self.streaming = asyncio.create_task(self.stream(classroom))
        elif self.hall is None:
            raise ValueError('The first message is {"type": "join", "class": ...}.')
        elif kind == "answer" and self.student:
            await self.answer(self.hall, message)
        elif kind in TEACHER and not self.student:
            await TEACHER[kind](self, self.hall, message)
        else:
            raise ValueError("This message is not understood, or not yours to send.")

    async def allow(self, code: str) -> Classroom:
        """Return the class, for its teacher and for students with a seat in it. Raises CloseConnection.

        Everybody else gets the same refusal whether there is such a class or not: wrong codes are only counted on the
        pages.
        """
        visitor, seat = access.visitor_of_scope(self.scope), seats.seat_in(self.scope.get("cookies", {}))
        seated = seat is not None and seat.code == code.upper()
        try:
            classroom: Classroom = await database_sync_to_async(store.by_code)(code)
        except NoClass as error:
            if seated:
                raise CloseConnection(NO_SUCH_RUN, error.args[0]) from None
            raise CloseConnection(NOT_ALLOWED, NOT_JOINED) from None
        if not store.teaches(visitor, classroom):
            if seat is None or not seated:
                raise CloseConnection(NOT_ALLOWED, NOT_JOINED)
            self.student = seat.student
        return classroom

    async def stream(self, classroom: Classroom) -> None:
        """Send the changes of the class as they occur."""
        follower = Follower(self.student, self.scope.get("outlet"))
        try:
            async with self.failures_told(f"class {classroom.pk}"), entering(classroom.pk, follower) as hall:
                if self.student and hall.following > settings.LIMITS["class_students"]:
                    raise CloseConnection(TOO_MANY, gettext_noop("This class is full."))
                self.hall = hall
                await self.send_class(hall, follower)
        finally:
            self.hall = None

    async def send_class(self, hall: Hall, follower: Follower) -> None:
        """Send hello, then boards that the hall did not send, and counts to a teacher, until the class is over."""
        role, counts = "student" if self.student else "teacher", None
        hello = {"type": "hello", "protocol": PROTOCOL, "role": role, **await self.own_answers(hall)}
        board = hall.board
        await self.tell(**{**board._asdict(), **hello})
        follower.number = board.number  # from now on newer ones are offered: hello comes first
        while not hall.broken and not board.ended:
            await follower.wake.wait()
            follower.wake.clear()
            board = hall.board
            if board.number > follower.number or board.ended:
                follower.number = board.number
                await self.bounded_send(text_data=hall.message)
            if not self.student and counts != (now := hall.counts):
                counts = now
                await self.tell(type="count", **now)
        raise CloseConnection(RESTART if hall.broken else OVER, "")

    async def own_answers(self, hall: Hall) -> dict[str, Any]:
        """Return this student's answers: `mine` to the current question, {question, choice}; `answers`, all of them."""
        answers: dict[str, int] = {}
        if self.student:
            answers = await database_sync_to_async(store.answers_of)(hall.pk, self.student)
        question = hall.board.asked.get("id")
        mine = {"question": question, "choice": answers[question]} if question in answers else None
        return {"mine": mine, "answers": answers}

    async def answer(self, hall: Hall, message: dict[str, Any]) -> None:
        """Store a student's choice; it can be changed until the question is revealed."""
        question, choice = read_id(message, "question"), read_number(message, "choice", MAX_CHOICES)
        counts = await hall.answers.put(Given(question, self.student, choice))
        await self.tell(type="answered" if counts else "late", question=question, choice=choice)

    # --- The teacher's messages -----------------------------------------------------------------------------------

    async def show(self, hall: Hall, message: dict[str, Any]) -> None:
        """Send the teacher's state to everyone."""
        self.wanted = read_number(message, "n", MAX_MESSAGES), read_shown(message)
        if self.showing is None or self.showing.done():
            self.showing = asyncio.create_task(self.keep_shown(hall))

    async def keep_shown(self, hall: Hall) -> None:
        """Store the last board, at most ten times a second; retry while the database does not respond."""
        clock = asyncio.get_running_loop().time
        while self.wanted is not None:
            ((n, shown), self.wanted), begun = (self.wanted, None), clock()
            try:
                board = await hall.change(store.show, shown)
                await self.tell(type="kept", n=n, number=board.number)
            except Error as error:
                logger.warning("a step of class %s was not kept: %s", hall.pk, error)
                self.wanted = self.wanted or (n, shown)
                await asyncio.sleep(5 * SHOW_SECONDS)
            except NoClass as error:
                return await self.tell(type="error", message=self.say(error.args[0]))
            except OSError:  # whoever said it is gone
                return
            await asyncio.sleep(begun + SHOW_SECONDS - clock())

    async def end(self, hall: Hall, message: dict[str, Any]) -> None:
        """End the class."""
        await hall.change(store.end)


NOT_JOINED = gettext_noop("Join the class on its page first.")
NOT_KEPT = gettext_noop("This was not saved. It will be sent again in a moment.")
TEACHER: dict[str, Callable[[ClassConsumer, Hall, dict[str, Any]], Awaitable[None]]] = {
    "show": ClassConsumer.show,
    "end": ClassConsumer.end,
}
