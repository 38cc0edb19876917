"""The websocket of a class: everyone gets the teacher's step and the counts of answers, and only the teacher controls
it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from kschedui.classrooms import store
from kschedui.models import Classroom
from kschedui.web.live import class_consumer, connection, live_classes, shared_row
from kschedui.web.live.live_classes import Follower, LiveClass, joining_class
from tests.web.classes.test_classes import start
from tests.web.conftest import Browser, private
from tests.web.sockets import PATIENCE, closed, in_loop, socket, text

pytestmark = pytest.mark.django_db(transaction=True)
PLACE = {"step": 12, "frame": 1, "order": "node", "selection": {"kind": "pod", "name": "default/a"}}
SHOW = {"type": "show", "n": 1, **PLACE, "paused": False, "gathered": 0, "question": None}
ASKED = {"id": "winner-1", "choices": 3}
ANSWER = {"right": 2, "text": "Which node wins?", "labels": ["a", "b", "c"]}


class TaughtClass:
    """A class on the run of a private scenario, and its teacher."""

    def __init__(self) -> None:
        self.teacher = Browser()
        saved = private(self.teacher)
        self.code = start(self.teacher, saved)
        self.pk = store.by_code(self.code).pk

    def student(self) -> Browser:
        """Return the browser of a student who has opened the page of the class."""
        browser = Browser()
        assert browser.get(f"/c/{self.code}/").status_code == 200
        return browser

    @asynccontextmanager
    async def joined(self, browser: Browser | None = None) -> AsyncIterator[Any]:
        """Yield a socket that has joined and read hello: the teacher's, or that of a browser."""
        async with connected(browser or self.teacher) as made:
            await say(made, type="join", **{"class": self.code})
            hello = await text(made)
            assert hello["type"] == "hello", hello
            made.hello = hello
            yield made


@asynccontextmanager
async def connected(browser: Browser) -> AsyncIterator[Any]:
    cookies = "; ".join(f"{name}={one.value}" for name, one in browser.cookies.items())
    async with socket((b"cookie", cookies.encode()), path="/ws/class/") as made:
        yield made


async def say(made: Any, **message: Any) -> None:
    await made.send_to(text_data=json.dumps(message))


async def until(made: Any, kind: str, **fields: Any) -> dict[str, Any]:
    """Read messages until one is of this kind with these values, and return it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            message = await text(made)
            if message["type"] == kind and all(message[name] == value for name, value in fields.items()):
                return message


async def taught_class() -> TaughtClass:
    return await sync_to_async(TaughtClass)()


@in_loop
async def test_the_teachers_step_reaches_everyone_also_those_who_join_later() -> None:
    taught = await taught_class()
    early, late = [await sync_to_async(taught.student)() for _ in range(2)]
    async with taught.joined() as teacher, taught.joined(early) as student:
        assert (teacher.hello["role"], student.hello["role"]) == ("teacher", "student")
        await say(teacher, **SHOW)
        board = await until(student, "board")
        expected = {**PLACE, "by": ""}
        assert board["place"] == expected
        async with taught.joined(late) as other:
            assert other.hello["place"] == expected
            await until(teacher, "count", students=2)
        await until(teacher, "count", students=1)


@in_loop
async def test_of_many_steps_the_last_is_stored_and_reaches_everyone() -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    async with taught.joined() as teacher, taught.joined(student) as follower:
        for step in range(40):
            await say(teacher, **{**SHOW, "n": step, "step": step})
        seen = 0
        board = await until(follower, "board")
        while board["place"]["step"] != 39:
            seen += 1
            board = await until(follower, "board")
        assert seen < 20, "places in between are left out"
        assert (await until(teacher, "kept", n=39))["number"] == board["number"]
    assert (await sync_to_async(store.board)(taught.pk)).place["step"] == 39


@in_loop
async def test_the_last_place_of_a_teacher_who_leaves_at_once_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    change, begun, left = LiveClass.change, asyncio.Event(), asyncio.Event()

    async def change_after_disconnect(*arguments: Any) -> Any:
        begun.set()
        await left.wait()
        return await change(*arguments)

    async def fail_after_disconnect(consumer: Any, **message: Any) -> None:  # as uvicorn does
        if message["type"] == "kept":
            raise OSError
        await send(consumer, **message)

    send = class_consumer.ClassConsumer.send_message
    monkeypatch.setattr(LiveClass, "change", change_after_disconnect)
    monkeypatch.setattr(class_consumer.ClassConsumer, "send_message", fail_after_disconnect)
    async with taught.joined(student) as follower:
        async with taught.joined() as teacher:
            await say(teacher, **{**SHOW, "n": 1, "step": 1})
            await begun.wait()
            await say(teacher, **{**SHOW, "n": 2, "step": 2})
            await say(teacher, type="nothing")
            await until(teacher, "error")  # so the place before it has arrived
        left.set()
        while (await until(follower, "board"))["place"]["step"] != 2:
            pass


@in_loop
async def test_only_the_teacher_shows_steps_and_ends_the_class() -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    before = await sync_to_async(store.board)(taught.pk)
    async with taught.joined(student) as made:
        for kind in class_consumer.TEACHER:
            await say(made, **{**SHOW, "type": kind})
            assert "not yours" in (await until(made, "error"))["message"]
    assert await sync_to_async(store.board)(taught.pk) == before


@in_loop
async def test_nobody_joins_without_the_cookie_of_the_class() -> None:
    taught = await taught_class()
    elsewhere = await sync_to_async(taught.student)()
    other = Browser()
    refusals = set()
    for browser, code in ((other, taught.code), (other, "ZZZZ"), (elsewhere, "ZZZZ"), (elsewhere, "no code")):
        async with connected(browser) as made:
            await say(made, type="join", **{"class": code})
            refusals.add(((await text(made))["message"], await closed(made)))
    assert [code for _, code in refusals] == [connection.NOT_ALLOWED], "codes can be found by trying"


@in_loop
async def test_a_student_of_a_deleted_class_gets_a_message() -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    await Classroom.objects.filter(pk=taught.pk).adelete()
    async with connected(student) as made:
        await say(made, type="join", **{"class": taught.code})
        assert (await text(made))["type"] == "error"
        assert await closed(made) == connection.NO_SUCH_RUN


@in_loop
async def test_a_class_reveals_a_limited_number_of_questions_and_then_tells_the_teacher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "MAX_REVEALED", 2)
    taught = await taught_class()
    async with taught.joined() as teacher:
        for number in range(2):
            await say(teacher, **{**SHOW, "n": number, "question": {**ASKED, **ANSWER, "id": f"q{number}"}})
            await until(teacher, "kept", n=number)
        await say(teacher, **{**SHOW, "n": 2, "question": {**ASKED, **ANSWER, "id": "q2"}})
        assert "2 questions" in (await until(teacher, "error"))["message"]
        await say(teacher, **{**SHOW, "n": 3, "question": {**ASKED, **ANSWER, "id": "q0"}})
        await until(teacher, "kept", n=3)
    assert (await sync_to_async(store.board)(taught.pk)).revealed == ["q0", "q1"]


@in_loop
async def test_answers_are_counted_for_the_teacher_and_revealed_to_everyone_as_counts() -> None:
    taught = await taught_class()
    browsers = [await sync_to_async(taught.student)() for _ in range(2)]
    async with taught.joined() as teacher, taught.joined(browsers[0]) as ada, taught.joined(browsers[1]) as bob:
        await say(teacher, **{**SHOW, "question": ASKED})
        for student, choice in ((ada, 0), (bob, 2)):
            assert (await until(student, "board"))["asked"] == ASKED
            await say(student, type="answer", question="winner-1", choice=choice)
            await until(student, "answered", choice=choice)
        await say(ada, type="answer", question="winner-1", choice=2)
        await until(ada, "answered", choice=2)
        await until(teacher, "count", answered=2, question="winner-1")
        async with taught.joined(browsers[0]) as again:
            assert again.hello["mine"] == {"question": "winner-1", "choice": 2}
        await say(teacher, **{**SHOW, "question": {**ASKED, **ANSWER}})
        for page in (teacher, ada, bob):
            board = await until(page, "board", asked={**ASKED, "counts": [0, 0, 2], "right": 2})
            assert board["revealed"] == ["winner-1"]
        await say(bob, type="answer", question="winner-1", choice=0)
        await until(bob, "late")


@in_loop
async def test_pause_and_call_back_and_end_come_to_everyone() -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    async with taught.joined() as teacher, taught.joined(student) as made:
        await say(teacher, **{**SHOW, "paused": True})
        await until(made, "board", paused=True)
        await say(teacher, **{**SHOW, "paused": True, "gathered": 1})
        await until(made, "board", paused=True, gathered=1)
        await say(teacher, type="end")
        await until(made, "board", ended=True)
        await say(teacher, **SHOW)
        await until(teacher, "board", ended=True)


@in_loop
async def test_a_class_whose_time_is_up_says_so_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.05)
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    async with taught.joined(student) as made:
        await sync_to_async(store.Classroom.objects.update)(expires=store.timezone.now())
        await until(made, "board", ended=True)
    async with taught.joined(student) as made:
        assert made.hello["ended"] is True


@in_loop
async def test_another_processes_changes_come_by_announcement_and_by_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    async with taught.joined(student) as made:
        board = await sync_to_async(store.show)(taught.pk, store.Shown({"step": 3}))
        await connection_layer().group_send(
            store.group(taught.pk), {"type": "board", "process": "another", "board": board._asdict()}
        )
        assert (await until(made, "board"))["place"] == {"step": 3}
        await sync_to_async(store.show)(taught.pk, store.Shown({"step": 4}))
        assert (await until(made, "board"))["place"] == {"step": 4}, "nobody announced it"


@in_loop
async def test_students_of_other_processes_are_counted_while_those_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_classes, "FORGET_SECONDS", PATIENCE)
    monkeypatch.setattr(shared_row, "POLL_SECONDS", 0.1)
    taught = await taught_class()
    async with taught.joined() as teacher:
        students = [str(number) for number in range(28)]
        for process, some in (("another", students), ("a third", students[20:])):
            await connection_layer().group_send(
                store.group(taught.pk), {"type": "students", "process": process, "students": some}
            )
        await until(teacher, "count", students=28)
        monkeypatch.setattr(live_classes, "FORGET_SECONDS", 0.0)
        await until(teacher, "count", students=0)


@in_loop
async def test_a_student_with_windows_in_two_processes_is_one_student() -> None:
    taught = await taught_class()
    async with taught.joined() as teacher, taught.joined(await sync_to_async(taught.student)()):
        await until(teacher, "count", students=1)
        (live_class,) = live_classes._live_classes.values()
        await connection_layer().group_send(
            store.group(taught.pk),
            {"type": "students", "process": "another", "students": [*live_class.students_here, "a friend"]},
        )
        await until(teacher, "count", students=2)


@in_loop
async def test_what_is_no_message_gets_a_sentence_and_the_socket_lives_on() -> None:
    taught = await taught_class()
    async with connected(taught.teacher) as made:
        for bad in ("", "x", "[]", "{}", '{"type": "show"}', json.dumps({"type": "x" * 9000})):
            await made.send_to(text_data=bad)
            assert (await text(made))["type"] == "error"
    async with taught.joined() as made:
        wrong: list[dict[str, Any]] = [
            {**SHOW, "n": -1},
            {**SHOW, "step": -1},
            {**SHOW, "step": True},
            {**SHOW, "order": "x"},
            {**SHOW, "selection": {"kind": "pod"}},
            {**SHOW, "selection": {"kind": "pod", "name": "x" * 400}},
            {**SHOW, "by": 7},
            {**SHOW, "by": "\0"},
            {**SHOW, "by": "\ud800"},
            {**SHOW, "paused": 1},
            {**SHOW, "gathered": "1"},
            {**SHOW, "question": "q"},
            {**SHOW, "question": {"id": "two words", "choices": 2}},
            {**SHOW, "question": {"id": "q", "choices": 99}},
            {**SHOW, "question": {**ASKED, **ANSWER, "labels": "x"}},
            {**SHOW, "question": {**ASKED, **ANSWER, "right": 3}},
            {"type": "answer", "question": "q", "choice": 0},
            {"type": "join", "class": taught.code},
        ]
        for message in wrong:
            await say(made, **message)
            await until(made, "error")


@in_loop
async def test_a_client_that_sends_too_many_messages_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_consumer, "A_SECOND", 0.0)  # the allowance does not grow while a slow machine sends
    taught = await taught_class()
    student = await sync_to_async(taught.student)()
    async with taught.joined(student) as made:
        for _ in range(200):
            await say(made, type="answer", question="q", choice=0)
        async with asyncio.timeout(PATIENCE):
            while (message := await made.receive_output(timeout=PATIENCE))["type"] != "websocket.close":
                pass
        assert message["code"] == connection.TOO_MANY


@in_loop
async def test_a_full_class_takes_no_more(settings: Any) -> None:
    taught = await taught_class()
    settings.LIMITS = {**settings.LIMITS, "class_students": 1}
    first, second = [await sync_to_async(taught.student)() for _ in range(2)]
    async with taught.joined(first), connected(second) as made:
        await say(made, type="join", **{"class": taught.code})
        assert "full" in (await until(made, "error"))["message"]
        assert await closed(made) == connection.TOO_MANY


@in_loop
async def test_a_place_is_kept_once_the_database_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = await taught_class()
    show, failures = store.show, iter([OperationalError("away")])

    def failing(pk: int, shown: store.Shown) -> store.Board:
        for failure in failures:
            raise failure
        return show(pk, shown)

    monkeypatch.setattr(store, "show", failing)
    async with taught.joined() as teacher:
        await say(teacher, **SHOW)
        assert (await until(teacher, "board"))["place"]["step"] == 12


@in_loop
async def test_when_the_last_one_leaves_nothing_of_the_class_stays_in_the_process() -> None:
    taught = await taught_class()
    async with taught.joined():
        assert len(live_classes._live_classes) == 1
    assert not live_classes._live_classes
    assert not connection_layer().groups, "nothing is subscribed to any more"
    assert not live_classes.students


@in_loop
async def test_answers_that_come_together_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = await taught_class()
    asked = store.Question("q", 2)
    await sync_to_async(store.show)(taught.pk, store.Shown({"step": 0}, question=asked))
    batches: list[int] = []
    take = live_classes.store_answers

    async def counting(pk: int, given: list[store.Given]) -> Any:
        batches.append(len(given))
        return await take(pk, given)

    monkeypatch.setattr(live_classes, "store_answers", counting)
    async with joining_class(taught.pk, Follower("", None)) as live_class:
        assert isinstance(live_class, LiveClass)
        kept = await asyncio.gather(*(live_class.answers.store(store.Given("q", f"s{i}", i % 2)) for i in range(500)))
    assert all(kept)
    assert len(batches) < 10
    revealed = store.Shown({"step": 0}, question=asked._replace(answer=store.RightAnswer(0, "", [])))
    assert (await sync_to_async(store.show)(taught.pk, revealed)).asked["counts"] == [250, 250]


def connection_layer() -> Any:
    from channels.layers import get_channel_layer

    return get_channel_layer()
