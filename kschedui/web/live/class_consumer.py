"""The websocket of a class: the teacher's place to everyone, answers to the teacher as counts.

The protocol is written in docs/architecture.md.
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
from kschedui.classrooms.store import Given, NoClass
from kschedui.models import Classroom
from kschedui.scenarios import access
from kschedui.web.live.class_messages import MOST_CHOICES, read_answer, read_place, read_question
from kschedui.web.live.connection import (
    NO_SUCH_RUN,
    NOT_ALLOWED,
    RESTART,
    TOO_MANY,
    Connection,
    Refused,
    read_number,
    read_object,
)
from kschedui.web.live.halls import Follower, Hall, entering

logger = logging.getLogger(__name__)

PROTOCOL = 1
OVER = 1000
LONGEST_MESSAGE = 8192  # characters; of a teacher, whose questions have words
PLACE_SECONDS = 0.1  # between two places of a teacher; those in between are left out
BURST, A_SECOND = 60.0, 20.0  # messages of one socket


class Bucket:
    """So many at once, and so many a second in the long run."""

    def __init__(self) -> None:
        self.room = BURST
        self.at = asyncio.get_running_loop().time()

    def take(self) -> bool:
        """Is there room for one more?"""
        now = asyncio.get_running_loop().time()
        self.room = min(BURST, self.room + (now - self.at) * A_SECOND) - 1
        self.at = now
        return self.room >= 0


class ClassConsumer(Connection):
    """Of the teacher, or of one student."""

    hall: Hall | None = None
    student = ""  # of the teacher ""
    bucket: Bucket | None = None
    wanted: dict[str, Any] | None = None  # the teacher's last place, which is not kept yet
    driving: asyncio.Task[None] | None = None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer one message."""
        self.bucket = self.bucket or Bucket()
        try:
            if not self.bucket.take():
                raise Refused(TOO_MANY, gettext_noop("Too many messages on one connection."))
            message = read_object(text_data, LONGEST_MESSAGE)
            await self.do(str(message.get("type")), message)
        except ValueError as error:
            await self.tell(type="error", message=str(error))
        except NoClass as error:
            await self.tell(type="error", message=self.say(error.args[0]))
        except Error as error:
            logger.warning("a message to a class was not kept: %s", error)
            await self.tell(type="error", message=self.say(NOT_KEPT), again=True)
        except Refused as refusal:
            await self.refuse(refusal)

    async def do(self, kind: str, message: dict[str, Any]) -> None:
        """What the message asks for, if it may."""
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
        """The class, for its teacher and for whoever has a seat in it; raises Refused."""
        visitor, seat = access.visitor_of_scope(self.scope), seats.seat_in(self.scope.get("cookies", {}))
        try:
            classroom: Classroom = await database_sync_to_async(store.by_code)(code)
        except NoClass as error:
            raise Refused(NO_SUCH_RUN, error.args[0]) from None
        if not store.teaches(visitor, classroom):
            if seat is None or seat.code != classroom.code:
                raise Refused(NOT_ALLOWED, gettext_noop("Join the class on its page first."))
            self.student = seat.student
        return classroom

    async def stream(self, classroom: Classroom) -> None:
        """Send what the class does, as it does it."""
        follower = Follower(self.student, self.scope.get("outlet"))
        try:
            async with self.failures_told(f"class {classroom.pk}"), entering(classroom.pk, follower) as hall:
                if self.student and hall.following > settings.LIMITS["class_students"]:
                    raise Refused(TOO_MANY, gettext_noop("This class is full."))
                self.hall = hall
                await self.send_class(hall, follower)
        finally:
            self.hall = None

    async def send_class(self, hall: Hall, follower: Follower) -> None:
        """hello, then boards that the hall did not write itself; counts for a teacher; until the class is over."""
        role, counts = "student" if self.student else "teacher", None
        hello = {"type": "hello", "protocol": PROTOCOL, "role": role, "mine": await self.mine(hall)}
        board = hall.board
        follower.number = board.number
        await self.tell(**{**board._asdict(), **hello})
        while not hall.broken and not board.ended:
            await follower.wake.wait()
            follower.wake.clear()
            board = hall.board
            if board.number > follower.number or board.ended:
                follower.number = board.number
                await self.bounded_send(text_data=hall.told)
            if not self.student and counts != (hall.following, hall.answered):
                counts = (hall.following, hall.answered)
                await self.tell(type="count", students=counts[0], answered=counts[1])
        raise Refused(RESTART if hall.broken else OVER, "")

    async def mine(self, hall: Hall) -> int | None:
        """What this student has answered to the question on screen."""
        question = hall.board.asked.get("id")
        if not question or not self.student:
            return None
        found: int | None = await database_sync_to_async(store.answer_of)(hall.pk, question, self.student)
        return found

    async def answer(self, hall: Hall, message: dict[str, Any]) -> None:
        """A student's choice; it can be changed until the question is revealed."""
        question, choice = read_question(message), read_number(message, "choice", MOST_CHOICES)
        counts = await hall.answers.put(Given(question, self.student, choice))
        await self.tell(type="answered" if counts else "late", question=question, choice=choice)

    # --- The teacher's messages -----------------------------------------------------------------------------------

    async def place(self, hall: Hall, message: dict[str, Any]) -> None:
        """Where the teacher is now."""
        self.wanted = read_place(message)
        if self.driving is None or self.driving.done():
            self.driving = asyncio.create_task(self.drive(hall))

    async def drive(self, hall: Hall) -> None:
        """Keep the last place, at most ten a second; a database that is away is waited for."""
        clock = asyncio.get_running_loop().time
        while self.wanted is not None:
            (place, self.wanted), begun = (self.wanted, None), clock()
            try:
                await hall.change(store.drive, place)
            except Error as error:
                logger.warning("a place in class %s was not kept: %s", hall.pk, error)
                self.wanted = self.wanted or place
                await asyncio.sleep(5 * PLACE_SECONDS)
            except NoClass:
                return
            await asyncio.sleep(begun + PLACE_SECONDS - clock())

    async def pause(self, hall: Hall, message: dict[str, Any]) -> None:
        """Nobody goes on ahead; or everybody may again."""
        await hall.change(store.pause, on=message.get("on") is True)

    async def gather(self, hall: Hall, message: dict[str, Any]) -> None:
        """Everyone back to the teacher's place."""
        await hall.change(store.gather)

    async def ask(self, hall: Hall, message: dict[str, Any]) -> None:
        """A question; without one, none."""
        question = read_question(message) if message.get("question") else ""
        await hall.change(store.ask, question, read_number(message, "choices", MOST_CHOICES + 1) if question else 0)

    async def reveal(self, hall: Hall, message: dict[str, Any]) -> None:
        """Count the answers; the page tells which is right, and the words for the file of answers."""
        await hall.change(store.reveal, *read_answer(message))

    async def end(self, hall: Hall, message: dict[str, Any]) -> None:
        """The class is over."""
        await hall.change(store.end)


NOT_KEPT = gettext_noop("This was not kept; it is sent again in a moment.")
TEACHER: dict[str, Callable[[ClassConsumer, Hall, dict[str, Any]], Awaitable[None]]] = {
    "place": ClassConsumer.place,
    "pause": ClassConsumer.pause,
    "gather": ClassConsumer.gather,
    "ask": ClassConsumer.ask,
    "reveal": ClassConsumer.reveal,
    "end": ClassConsumer.end,
}
