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

from kschedui.classrooms import store, student_cookie
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
from kschedui.web.live.live_classes import Follower, LiveClass, joining_class
from kschedui.web.live.shared_task import SharedCalls

logger = logging.getLogger(__name__)

PROTOCOL = 2
OVER = 1000
LONGEST_MESSAGE = 8192  # characters; of a teacher, whose questions have words
SHOW_SECONDS = 0.1  # between two changes of what a class shows; changes in between are skipped
BURST, A_SECOND = 60.0, 20.0  # messages of one socket

classes = SharedCalls[Classroom]()  # one query for all students who join a class at once


class Bucket:
    """A token bucket: a burst, and a rate per second."""

    def __init__(self) -> None:
        self.tokens = BURST
        self.at = asyncio.get_running_loop().time()

    def take(self) -> bool:
        """Take a token. Return whether there was one."""
        now = asyncio.get_running_loop().time()
        self.tokens = min(BURST, self.tokens + (now - self.at) * A_SECOND) - 1
        self.at = now
        return self.tokens >= 0


class ClassConsumer(Connection):
    """The websocket of the teacher, or of one student."""

    live_class: LiveClass | None = None
    student = ""  # of the teacher ""
    bucket: Bucket | None = None
    wanted: tuple[int, Shown] | None = None  # latest state of the teacher's page, not yet stored, and its number
    storing: asyncio.Task[None] | None = None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message. The answer to an invalid one is an error; a refusal closes the connection."""
        self.bucket = self.bucket or Bucket()
        try:
            if not self.bucket.take():
                raise CloseConnection(TOO_MANY, gettext_noop("Too many messages on one connection."))
            message = read_object(text_data, LONGEST_MESSAGE)
            await self.handle(str(message.get("type")), message)
        except ValueError as error:
            await self.send_message(type="error", message=str(error))
        except NoClass as error:
            await self.send_message(type="error", message=self.translate(error.args[0]))
        except Error as error:
            logger.warning("a message to a class was not stored: %s", error)
            await self.send_message(type="error", message=self.translate(NOT_KEPT), again=True)
        except CloseConnection as refusal:
            await self.refuse(refusal)

    async def handle(self, kind: str, message: dict[str, Any]) -> None:
        """Carry out the message. Raises ValueError if it is not understood, or not the sender's to send.

        Raises CloseConnection if a sender may not join.
        """
        if kind == "join" and self.streaming is None:
            classroom = await self.allow(str(message.get("class")))
            self.streaming = asyncio.create_task(self.stream(classroom))
        elif self.live_class is None:
            raise ValueError('The first message is {"type": "join", "class": ...}.')
        elif kind == "answer" and self.student:
            await self.answer(self.live_class, message)
        elif kind in TEACHER and not self.student:
            await TEACHER[kind](self, self.live_class, message)
        else:
            raise ValueError("This message is not understood, or not yours to send.")

    async def allow(self, code: str) -> Classroom:
        """Return the class, for its teacher and for students who joined it on its page, and store which student it is.

        Raises CloseConnection.

        Everybody else is refused in the same way whether there is such a class or not: attempts with a wrong code are
        limited only on the pages.
        """
        visitor = access.visitor_of_scope(self.scope)
        cookie = student_cookie.read_student_cookie(self.scope.get("cookies", {}))
        joined = cookie is not None and cookie.code == code.upper()
        try:
            classroom = await classes.result(code, lambda: database_sync_to_async(store.by_code)(code))
        except NoClass as error:
            if joined:
                raise CloseConnection(NO_SUCH_RUN, error.args[0]) from None
            raise CloseConnection(NOT_ALLOWED, NOT_JOINED) from None
        if not store.teaches(visitor, classroom):
            if cookie is None or not joined:
                raise CloseConnection(NOT_ALLOWED, NOT_JOINED)
            self.student = cookie.student
        return classroom

    async def stream(self, classroom: Classroom) -> None:
        """Send the changes of the class as they occur. Raises CloseConnection if it is full, and at its end."""
        follower = Follower(self.student, self.scope.get("direct_writer"))
        try:
            async with (
                self.reporting_failures(f"class {classroom.pk}"),
                joining_class(classroom.pk, follower) as live_class,
            ):
                if self.student and live_class.student_count > settings.LIMITS["class_students"]:
                    raise CloseConnection(TOO_MANY, gettext_noop("This class is full."))
                self.live_class = live_class
                await self.send_class(live_class, follower)
        finally:
            self.live_class = None

    async def send_class(self, live_class: LiveClass, follower: Follower) -> None:
        """Send hello, then each board that was not written directly, and counts to a teacher.

        Raises CloseConnection at the end of the class.
        """
        role, counts = "student" if self.student else "teacher", None
        hello = {"type": "hello", "protocol": PROTOCOL, "role": role, **await self.own_answers(live_class)}
        board = live_class.board
        await self.send_message(**{**board._asdict(), **hello})
        follower.number = board.number  # from now on newer ones are offered: hello comes first
        while not live_class.broken and not board.ended:
            await follower.wake.wait()
            follower.wake.clear()
            board = live_class.board
            if board.number > follower.number or board.ended:
                follower.number = board.number
                await self.bounded_send(text_data=live_class.message)
            if not self.student and counts != (now := live_class.counts):
                counts = now
                await self.send_message(type="count", **now)
        raise CloseConnection(RESTART if live_class.broken else OVER, "")

    async def own_answers(self, live_class: LiveClass) -> dict[str, Any]:
        """Return this student's answers: `mine` to the current question, {question, choice}; `answers`, all of them."""
        answers: dict[str, int] = {}
        if self.student:
            answers = await database_sync_to_async(store.answers_of)(live_class.pk, self.student)
        question = live_class.board.asked.get("id")
        mine = {"question": question, "choice": answers[question]} if question in answers else None
        return {"mine": mine, "answers": answers}

    async def answer(self, live_class: LiveClass, message: dict[str, Any]) -> None:
        """Store a student's choice; it can be changed until the question is revealed."""
        question, choice = read_id(message, "question"), read_number(message, "choice", MAX_CHOICES)
        counts = await live_class.answers.store(Given(question, self.student, choice))
        await self.send_message(type="answered" if counts else "late", question=question, choice=choice)

    # --- The teacher's messages -----------------------------------------------------------------------------------

    async def show(self, live_class: LiveClass, message: dict[str, Any]) -> None:
        """Take over the state of the teacher's page, which is stored and sent to everyone in a moment."""
        self.wanted = read_number(message, "n", MAX_MESSAGES), read_shown(message)
        if self.storing is None or self.storing.done():
            self.storing = asyncio.create_task(self.store_shown(live_class))

    async def store_shown(self, live_class: LiveClass) -> None:
        """Store the latest state of the teacher's page, at most ten times a second; retry while the database does not
        respond.
        """
        clock = asyncio.get_running_loop().time
        while self.wanted is not None:
            begun, (n, shown) = clock(), self.wanted
            self.wanted = None
            try:
                board = await live_class.change(store.show, shown)
                await self.send_message(type="kept", n=n, number=board.number)
            except Error as error:
                logger.warning("a step of class %s was not stored: %s", live_class.pk, error)
                self.wanted = self.wanted or (n, shown)
                await asyncio.sleep(5 * SHOW_SECONDS)
            except NoClass as error:
                return await self.send_message(type="error", message=self.translate(error.args[0]))
            except OSError:  # the teacher has disconnected; a place that came before is stored
                pass
            await asyncio.sleep(begun + SHOW_SECONDS - clock())

    async def end(self, live_class: LiveClass, message: dict[str, Any]) -> None:
        """End the class."""
        await live_class.change(store.end)


NOT_JOINED = gettext_noop("Join the class on its page first.")
NOT_KEPT = gettext_noop("This was not saved. It will be sent again in a moment.")
TEACHER: dict[str, Callable[[ClassConsumer, LiveClass, dict[str, Any]], Awaitable[None]]] = {
    "show": ClassConsumer.show,
    "end": ClassConsumer.end,
}
