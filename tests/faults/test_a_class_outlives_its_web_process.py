"""The web process is killed during a class: all members get the teacher's step again, and every answer is stored."""

import json
import os
import re
import signal
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from kschedui.supervisor.ports import wait_until
from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, breakable
from tests.web.visitor import LONG, Visitor

STUDENTS = 20


class Member(Visitor):
    """A member of a class who reconnects as the page does."""

    code = ""
    connection: ClientConnection

    def start(self, run: str) -> str:
        """Start a class on the run, and return its code."""
        page = f"/s/{self.run(run)['scenario']['id']}/v/1/"
        self.get(page)
        token = next(cookie.value for cookie in self.cookies if "csrf" in cookie.name)
        form = f"run={run}&csrfmiddlewaretoken={token}".encode()
        request = urllib.request.Request(self.url + page + "class", form, {"Referer": self.url + page})
        with self.opener.open(request) as answer:
            self.code = answer.geturl().rstrip("/").rsplit("/", 1)[1]
        return self.code

    def join(self, code: str) -> dict[str, Any]:
        """Join the class, and return the server's hello message."""
        self.code = code
        if not any("class" in cookie.name for cookie in self.cookies):
            self.get(f"/c/{code}/")
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)
        address = "ws://" + urlsplit(self.url).netloc + "/ws/class/"
        self.connection = connect(address, origin=self.url, additional_headers={"Cookie": cookies})  # type: ignore[arg-type]
        self.say(type="join", **{"class": code})
        return self.until("hello")

    def say(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def until(self, kind: str) -> dict[str, Any]:
        """Return the next message of this kind."""
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=LONG))
            if message["type"] == kind:
                return message

    def wait_until_lost(self) -> bool:
        """Wait until the connection ends, and return True."""
        try:
            while True:
                self.connection.recv(timeout=LONG)
        except ConnectionClosed:
            return True

    def rejoin(self) -> dict[str, Any]:
        """Join again as soon as possible, and return the hello message."""
        found: list[dict[str, Any]] = []

        def again() -> bool:
            try:
                found.append(self.join(self.code))
            except (OSError, ConnectionClosed):
                return False
            return True

        assert wait_until(again, LONG)
        return found[0]


def test_members_rejoin_at_the_teachers_step_and_answers_are_kept(make_stack: StackMaker) -> None:
    stack = breakable(make_stack)
    teacher = Member(stack.url)
    run = teacher.save(ONE_POD)
    teacher.wait_for(run, "done")
    code = teacher.start(run)
    assert re.fullmatch("[A-Z]{4}", code)
    teacher.join(code)
    students = [Member(stack.url) for _ in range(STUDENTS)]
    for student in students:
        student.join(code)
    shown = {
        "type": "show",
        "step": 5,
        "frame": 1,
        "order": "plugin",
        "selection": None,
        "paused": False,
        "gathered": 0,
    }
    asked = {"id": "5.1", "choices": 2}
    teacher.say(**shown, n=1, question=asked)
    for i, student in enumerate(students):
        while student.until("board")["asked"].get("id") != "5.1":
            pass
        student.say(type="answer", question="5.1", choice=i % 2)
        student.until("answered")
    web = stack.children["web"]
    os.killpg(web.group, signal.SIGKILL)
    assert all(one.wait_until_lost() for one in (teacher, *students))
    address = urlsplit(stack.url)
    stack.children.pop("web").stop()
    stack.start_web(address.hostname or "", address.port or 0)
    boards = [one.rejoin() for one in (teacher, *students)]
    assert {(board["place"]["step"], board["place"]["frame"], board["asked"]["id"]) for board in boards} == {
        (5, 1, "5.1")
    }
    assert [board["mine"]["choice"] for board in boards[1:]] == [i % 2 for i in range(STUDENTS)]
    teacher.say(**shown, n=2, question={**asked, "right": 1, "text": "", "labels": []})
    while "counts" not in (asked := teacher.until("board")["asked"]):
        pass
    assert asked["counts"] == [STUDENTS // 2, STUDENTS // 2]
