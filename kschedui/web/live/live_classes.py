"""The classes that this process shows: each reads its row once for all sockets of this process.

A change is committed, sent to this process's sockets, and announced together with the row, so that the teacher's step
reaches students without another query. It is written to all sockets as the same frame; only clients that have not
received the previous one are woken, and then send themselves the newest state.

A lost announcement causes only a short delay: the row is also read every POLL_SECONDS, which ends the class when its
time is up. The processes tell each other their students, so that one with several windows counts once.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from kschedui.classrooms import store
from kschedui.classrooms.store import Board, Given
from kschedui.web.http.metrics import students
from kschedui.web.live.direct_writer import DirectWriter, text_frame
from kschedui.web.live.shared_row import POLL_SECONDS, SharedRow, SharedRows

logger = logging.getLogger(__name__)

FORGET_SECONDS = 3 * POLL_SECONDS  # a process that is silent for longer has no students
PROCESS = secrets.token_hex(8)
ID_LETTERS = 12

read_board = database_sync_to_async(store.board)
count_answers = database_sync_to_async(store.count_answers)
store_answers = database_sync_to_async(store.store_answers)


class Follower:
    """A socket of a class. `student` is "" for the teacher; without a `direct_writer`, it is always woken."""

    def __init__(self, student: str, direct_writer: DirectWriter | None) -> None:
        self.student = student
        self.direct_writer = direct_writer
        self.wake = asyncio.Event()  # there is a change that was not written to the socket
        self.number = -1  # of the last board that was sent; the first one is not sent by `write`

    def write(self, frame: bytes) -> bool:
        """Write a frame unless too much is waiting to be sent. Return whether it was written."""
        return self.direct_writer is not None and self.direct_writer.try_write(frame)


class LiveClass(SharedRow):
    """A class as last read, and its sockets in this process."""

    pause_seconds = 0.25

    def __init__(self, pk: int, board: Board) -> None:
        super().__init__(store.group(pk))
        self.pk = pk
        self.board = board
        self.message = board_message(board)
        self.sockets: set[Follower] = set()
        self.teachers: set[Follower] = set()
        self.elsewhere: dict[str, tuple[set[str], float]] = {}  # students by process, and when these were reported
        self.answered = 0  # of the question on screen, while a teacher is here
        self.answers = AnswerWriter(self)

    @property
    def students_here(self) -> set[str]:
        """Return the students in this process, by the beginnings of their ids, which differ within a class."""
        return {follower.student[:ID_LETTERS] for follower in self.sockets if follower.student}

    @property
    def student_count(self) -> int:
        """Return the number of students in all processes."""
        now = asyncio.get_running_loop().time()
        others = [elsewhere for elsewhere, at in self.elsewhere.values() if now - at < FORGET_SECONDS]
        return len(self.students_here.union(*others))

    @property
    def counts(self) -> dict[str, Any]:
        """Return the numbers for the teacher: students, and answers to the current question."""
        return {"students": self.student_count, "answered": self.answered, "question": self.board.asked.get("id", "")}

    def show(self, board: Board) -> None:
        """Store the board if it is newer; send it to the sockets, and wake those to which it could not be written."""
        if board.number > self.board.number or (board.ended and not self.board.ended):
            if board.asked.get("id") != self.board.asked.get("id"):
                self.answered = 0
                self.may_have_changed.set()  # it may have been asked and answered before
            self.board, self.message = board, board_message(board)
            frame = text_frame(self.message)
            for follower in self.sockets:
                if follower.number >= 0 and not board.ended and follower.write(frame):
                    follower.number = board.number
                else:
                    follower.wake.set()

    async def change(self, change: Callable[..., Board], *args: Any) -> Board:
        """Commit, send and announce a change. Return the new board. Raises NoClass and the database's errors."""
        board: Board = await database_sync_to_async(change)(self.pk, *args)
        self.show(board)
        await self.publish("board", board=board._asdict())
        return board

    async def publish(self, kind: str, **message: Any) -> None:
        """Send a message to the other processes. Never fails."""
        try:
            await get_channel_layer().group_send(self.group, {"type": kind, "process": PROCESS, **message})
        except Exception as error:  # the broker may be away; the other processes poll
            logger.info("a change of class %s was not announced: %s", self.pk, error)

    def handle_message(self, message: dict[str, Any]) -> None:
        """Handle a message from another process."""
        if message["process"] == PROCESS:
            return
        if message["type"] == "board":
            self.show(Board(**message["board"]))
        elif message["type"] == "answers":
            self.may_have_changed.set()
        elif message["type"] == "students":
            self.elsewhere[message["process"]] = set(message["students"]), asyncio.get_running_loop().time()
            self.wake_teachers()

    def wake_teachers(self) -> None:
        """Wake the teachers' sockets: a count has changed."""
        for teacher in self.teachers:
            teacher.wake.set()

    def wake_all(self) -> None:
        """Wake all sockets."""
        for follower in self.sockets:
            follower.wake.set()

    async def read_row(self) -> None:
        """Read the row, and for a teacher the answers; announce the students of this process."""
        await self.publish("students", students=list(self.students_here))
        try:
            await self.read_board()
        finally:
            self.wake_teachers()

    async def read_board(self) -> None:
        """Read the row, and for a teacher the answers."""
        self.show(await read_board(self.pk))
        question = self.board.asked.get("id")
        if question and self.teachers:
            answered = await count_answers(self.pk, question)
            if question == self.board.asked.get("id"):
                self.answered = answered


class AnswerWriter:
    """Writes answers to the database: those that arrive during a write are written together."""

    def __init__(self, live_class: LiveClass) -> None:
        self.live_class = live_class
        self.waiting: list[tuple[Given, asyncio.Future[bool]]] = []
        self.task: asyncio.Task[None] | None = None

    async def store(self, answer: Given) -> bool:
        """Store an answer. Return False if it does not count: the question is not open, or the class is full.

        Raises the database's errors.
        """
        stored: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting.append((answer, stored))
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self.write())
        return await stored

    async def write(self) -> None:
        """Write batches until there are no more answers."""
        while self.waiting:
            batch, self.waiting = self.waiting, []
            try:
                counting: set[Given] = await store_answers(self.live_class.pk, [answer for answer, _ in batch])
            except Exception as error:  # everybody who waits gets it
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
                continue
            counted_students = {answer.student for answer in counting}
            for answer, stored in batch:
                if not stored.done():
                    stored.set_result(answer.student in counted_students)
            self.live_class.may_have_changed.set()
            await self.live_class.publish("answers")


def board_message(board: Board) -> str:
    """Return the message with the board that every socket is sent."""
    return json.dumps({"type": "board", **board._asdict()})


_live_classes: SharedRows[LiveClass] = SharedRows()


@asynccontextmanager
async def joining_class(pk: int, follower: Follower) -> AsyncIterator[LiveClass]:
    """Yield the class, shared with this process's other sockets, with this socket among its followers."""
    board = await read_board(pk)
    async with _live_classes.following(pk, lambda: LiveClass(pk, board)) as live_class:
        _count(pk, follower, 1)
        live_class.sockets.add(follower)
        if not follower.student:
            live_class.teachers.add(follower)
        live_class.show(board)
        live_class.may_have_changed.set()
        try:
            yield live_class
        finally:
            _count(pk, follower, -1)
            live_class.sockets.discard(follower)
            live_class.teachers.discard(follower)
            if live_class.sockets:
                live_class.may_have_changed.set()
            else:
                await live_class.publish("students", students=[])


def _count(pk: int, follower: Follower, by: int) -> None:
    """Update the metric of students."""
    if follower.student:
        students[pk, follower.student] += by
        if not students[pk, follower.student]:
            del students[pk, follower.student]
