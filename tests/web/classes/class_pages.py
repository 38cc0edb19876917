"""A class without a browser: the pages' state machines run in Node (pages.js), the real consumer and database here.

This process simulates the network between them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache

from kschedui.classrooms import store, student_cookie
from scheduler_core import chunked, parse_scenario, simulate
from tests.web.classes.test_classes import start
from tests.web.conftest import Browser
from tests.web.sockets import ORIGIN, PATIENCE, Socket, cookies_of

ROOT = Path(__file__).resolve().parents[3]
TEACHERS = ("teacher", "window")
LONG_MS = 20_000  # longer than any wait of a page


class Pages:
    """The Node process with the pages."""

    def __init__(self, lesson: str) -> None:
        node = shutil.which("node")
        assert node
        script = str(Path(__file__).with_name("pages.js"))
        self.process = subprocess.Popen([node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        text = (ROOT / "kschedui" / "scenarios" / "lessons" / f"{lesson}.yaml").read_text(encoding="utf-8")
        scenario = parse_scenario(text)
        chunks = json.loads(msgspec.json.encode(list(chunked(simulate(scenario)))))
        questions = json.loads(msgspec.json.encode(scenario.lesson.questions))
        self.sent: list[dict[str, Any]] = []
        self.shown: dict[str, dict[str, Any]] = {}
        self.walk = self.call("run", run=chunks, questions=[{**one, "text": one["en"]} for one in questions])

    def call(self, do: str, **arguments: Any) -> Any:
        """Run a command and return its result. Add the pages' messages to `sent`, and update `shown`, their states."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "Node has ended"
        answer = json.loads(line)
        self.sent += answer["sent"]
        self.shown = answer["shown"]
        return answer["answer"]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class Network:
    """The pages of one class, each with its own browser and a connection that can be cut or slow."""

    def __init__(self, pages: Pages, teacher: Browser, saved: dict[str, Any]) -> None:
        self.pages = pages
        cache.clear()  # the rate limits' counts of requests
        pages.call("forget")
        pages.sent.clear()
        self.code = start(teacher, saved)
        self.pk = store.by_code(self.code).pk
        self.browsers = dict.fromkeys(TEACHERS, teacher)
        self.sockets: dict[str, Socket] = {}
        self.cut: set[str] = set()
        self.slow: dict[str, list[str]] = {}  # messages not delivered to a page with a slow network
        self.ending = False
        self.unanswered: dict[str, int] = {}  # a student's answers without a reply from the server

    # --- Pages ------------------------------------------------------------------------------------------------------

    async def load(self, page: str, *, known: int = 1000) -> None:
        """Open or reload the page; `known`: the number of the run's chunks that are available at once."""
        if page in self.pages.shown:
            self.pages.call("close", page=page)
            await self.drop(page)
        elif page not in TEACHERS:
            self.browsers[page] = await sync_to_async(self.joined_browser)()
        self.pages.call("load", page=page, teaches=page in TEACHERS, known=known, code=self.code)

    def joined_browser(self) -> Browser:
        browser = Browser()
        assert browser.get(f"/c/{self.code}/").status_code == 200
        return browser

    def student_of(self, page: str) -> str:
        """Return the id of the page's student, as in the stored answers."""
        cookie = student_cookie.read_student_cookie(
            {name: morsel.value for name, morsel in self.browsers[page].cookies.items()}
        )
        assert cookie
        return cookie.student

    @property
    def students(self) -> list[str]:
        return [page for page in self.pages.shown if page not in TEACHERS]

    # --- The network ------------------------------------------------------------------------------------------------

    async def drop(self, page: str) -> None:
        """Disconnect a page; messages in transfer are lost."""
        self.pages.sent = [message for message in self.pages.sent if message["page"] != page]
        self.slow.pop(page, None)
        self.unanswered[page] = 0
        if made := self.sockets.pop(page, None):
            await made.disconnect()

    async def cut_off(self, page: str) -> None:
        self.cut.add(page)
        await self.drop(page)
        self.pages.call("closed", page=page, code=1006)

    async def mend(self, page: str) -> None:
        self.cut.discard(page)
        self.slow.setdefault(page, [])
        for text in self.slow.pop(page):
            self.receive(page, text)
        if page not in self.sockets:
            self.pages.call("pass", ms=LONG_MS)

    async def carry(self) -> None:
        """Deliver the messages of the pages to the server, and those of the server to the pages."""
        while self.pages.sent:
            message = self.pages.sent.pop(0)
            page = message["page"]
            if message.get("open"):
                await self.connect(page)
            elif made := self.sockets.get(page):
                self.unanswered[page] = self.unanswered.get(page, 0) + ('"type":"answer"' in message["text"])
                await made.send_to(text_data=message["text"])
        for page, made in list(self.sockets.items()):
            with contextlib.suppress(asyncio.QueueEmpty):
                while self.sockets.get(page) is made:
                    await self.bring(page, made.output_queue.get_nowait())

    async def connect(self, page: str) -> None:
        if page in self.cut:
            return self.pages.call("closed", page=page, code=1006)
        made = Socket(
            self.application, (b"host", b"localhost"), ORIGIN, cookies_of(self.browsers[page]), path="/ws/class/"
        )
        assert await made.connect()
        self.sockets[page] = made
        self.pages.call("opened", page=page)

    async def bring(self, page: str, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            await self.sockets.pop(page).disconnect()
            self.pages.call("closed", page=page, code=message["code"])
        elif page in self.slow:
            self.slow[page].append(message["text"])
        else:
            self.receive(page, message["text"])

    def receive(self, page: str, text: str) -> None:
        kind = json.loads(text)["type"]
        if kind in ("answered", "late"):
            self.unanswered[page] -= 1
        assert kind != "error", text
        self.pages.call("receive", page=page, text=text)

    @property
    def application(self) -> Any:
        from kschedui.asgi import application

        return application

    # --- What there is to wait for ----------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Deliver messages until all have arrived, and each answer of a student has a reply."""
        end = time.monotonic() + PATIENCE
        while True:
            await self.carry()
            waits = await self.waits_for()
            if not waits:
                return
            assert time.monotonic() < end, waits
            if any(shown["due"] for shown in self.pages.shown.values()):
                self.pages.call("pass", ms=120)
            await asyncio.sleep(0)

    async def waits_for(self) -> str:
        """Return a description of something that has not arrived or is not stored, or "" if nothing is missing."""
        if self.pages.sent or any(n for page, n in self.unanswered.items() if page not in self.slow):
            return f"answers: {self.unanswered}"
        if self.ending and self.sockets:
            return f"{list(self.sockets)} are still connected"
        connected = {page: shown for page, shown in self.pages.shown.items() if page in self.sockets}
        board = await sync_to_async(store.board)(self.pk)
        answered = await sync_to_async(store.count_answers)(self.pk, board.asked.get("id", ""))
        for page, shown in connected.items():
            if page in self.slow:
                continue
            if not shown["joined"]:
                return f"{page} has not joined"
            if shown["sent"] != shown["kept"] or shown["due"]:
                return f"{page} is not kept: {shown}"
            if shown["number"] != board.number:
                return f"{page} does not know {board}: {shown}"
            if page in TEACHERS and not board.ended:
                here = len([other for other in connected if other not in TEACHERS])
                if (shown["students"], shown["answered"]) != (here, answered if shown["asked"] else 0):
                    return f"{page} does not know of {here} phones and {answered} answers: {shown}"
        return ""

    async def end(self) -> None:
        """End the class as the teacher: all connections are closed."""
        self.ending = True
        self.pages.call("do", page="teacher", what="end")
        await self.settle()

    async def leave(self) -> None:
        """Disconnect everybody and remove all announcements, because Hypothesis causes channel names to repeat."""
        for page in list(self.sockets):
            await self.drop(page)
        with contextlib.suppress(store.NoClass):
            await sync_to_async(store.end)(self.pk)
        await get_channel_layer().flush()
