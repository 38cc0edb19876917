"""One hall per process and class: the class's row for all sockets of this process.

A change is committed, sent to this process's sockets, and announced together with the row, so that the teacher's step
reaches students without another query. It is written to all sockets as the same frame; only clients that have not
received the previous one are woken, and then send themselves the newest state.

A lost announcement causes only a short delay: the hall polls every POLL_SECONDS, which also ends the class when its
time is up. Halls exchange the numbers of their students.
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
from kschedui.web.live.outlet import Outlet, text_frame
from kschedui.web.live.shared_row import POLL_SECONDS, SharedRow, SharedRows

logger = logging.getLogger(__name__)

FORGET_SECONDS = 3 * POLL_SECONDS  # a process that is silent for longer has no students
PROCESS = secrets.token_hex(8)

read_board = database_sync_to_async(store.board)
count_answers = database_sync_to_async(store.count_answers)
take_answers = database_sync_to_async(store.take)


class Follower:
    """A socket. `student` is "" for the teacher, `outlet` None if the server provides none."""

    def __init__(self, student: str, outlet: Outlet | None) -> None:
        self.student = student
        self.outlet = outlet
        self.wake = asyncio.Event()  # there is news that was not written to it
        self.number = -1  # of the board that was sent to it last; nothing is offered before the first


class Hall(SharedRow):
    """A class as last read, and its sockets in this process."""

    pause_seconds = 0.25

    def __init__(self, pk: int, board: Board) -> None:
        super().__init__(store.group(pk))
        self.pk = pk
        self.board = board
        self.message = board_message(board)
        self.sockets: set[Follower] = set()
        self.teachers: set[Follower] = set()
        self.elsewhere: dict[str, tuple[int, float]] = {}  # students of other processes, and when they said so
        self.answered = 0  # of the question on screen, while a teacher is here
        self.answers = AnswerBox(self)

    @property
    def here(self) -> int:
        """Return the students of this process; a student with two windows counts once."""
        return len({follower.student for follower in self.sockets if follower.student})

    @property
    def following(self) -> int:
        """Return the number of students of all processes."""
        now = asyncio.get_running_loop().time()
        return self.here + sum(count for count, at in self.elsewhere.values() if now - at < FORGET_SECONDS)

    @property
    def counts(self) -> dict[str, Any]:
        """Return the number of students here, and of those who have answered the current question."""
        return {"students": self.following, "answered": self.answered, "question": self.board.asked.get("id", "")}

    def show(self, board: Board) -> None:
        """Store a newer row, and wake the sockets."""
        if board.number > self.board.number or (board.ended and not self.board.ended):
            if board.asked.get("id") != self.board.asked.get("id"):
                self.answered = 0
                self.news.set()  # it may have been asked and answered before
            self.board, self.message = board, board_message(board)
            frame = text_frame(self.message)
            for follower in self.sockets:
                if follower.number >= 0 and follower.outlet and not board.ended and follower.outlet.offer(frame):
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
        """Send a message to the halls of all processes. Never fails."""
        try:
            await get_channel_layer().group_send(self.group, {"type": kind, "process": PROCESS, **message})
        except Exception as error:  # the broker may be away; halls poll
            logger.info("the other processes were not told of class %s: %s", self.pk, error)

    def handle_message(self, message: dict[str, Any]) -> None:
        """Handle a message of another hall."""
        if message["process"] == PROCESS:
            return
        if message["type"] == "board":
            self.show(Board(**message["board"]))
        elif message["type"] == "answers":
            self.news.set()
        elif message["type"] == "students":
            self.elsewhere[message["process"]] = message["count"], asyncio.get_running_loop().time()
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
        """Read the row, and for a teacher the answers; announce the number of students of this process."""
        await self.publish("students", count=self.here)
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


class AnswerBox:
    """Collects answers: those that arrive during a write are written together."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.waiting: list[tuple[Given, asyncio.Future[bool]]] = []
        self.task: asyncio.Task[None] | None = None

    async def put(self, answer: Given) -> bool:
        """Store an answer. Return whether it counts. Raises the database's errors."""
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
                taken: set[Given] = await take_answers(self.hall.pk, [answer for answer, _ in batch])
            except Exception as error:  # everybody who waits gets it
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
                continue
            students = {answer.student for answer in taken}
            for answer, stored in batch:
                if not stored.done():
                    stored.set_result(answer.student in students)
            self.hall.news.set()
            await self.hall.publish("answers")


def board_message(board: Board) -> str:
    """Return the message that every socket is sent."""
    return json.dumps({"type": "board", **board._asdict()})


_halls: SharedRows[Hall] = SharedRows()


@asynccontextmanager
async def entering(pk: int, follower: Follower) -> AsyncIterator[Hall]:
    """Yield the hall of the class, shared with this process's other sockets."""
    board = await read_board(pk)
    async with _halls.following(pk, lambda: Hall(pk, board)) as hall:
        _count(pk, follower, 1)
        hall.sockets.add(follower)
        if not follower.student:
            hall.teachers.add(follower)
        hall.show(board)
        hall.news.set()
        try:
            yield hall
        finally:
            _count(pk, follower, -1)
            hall.sockets.discard(follower)
            hall.teachers.discard(follower)
            if hall.sockets:
                hall.news.set()
            else:
                await hall.publish("students", count=0)


def _count(pk: int, follower: Follower, by: int) -> None:
    """Update the metrics."""
    if follower.student:
        students[pk, follower.student] += by
        if not students[pk, follower.student]:
            del students[pk, follower.student]
