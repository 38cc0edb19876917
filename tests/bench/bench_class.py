#!/usr/bin/env python3
"""Measure a class: the time from the teacher's step to each student's socket, and the time of all answers at once.

    python tests/bench/bench_class.py [--students 500] [--steps 100]

The teacher sends ten steps a second over a websocket, as the page does; the students are websockets of another process.
Every student must receive every step that the server stored (of several steps within a tenth of a second, it stores the
last), and every answer must be counted. All processes share the processors of this machine. Every wait ends after
PATIENCE seconds, and what is missing then is reported.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

OPEN_FILES = 8192
STUDENT_PROCESS = "--student-process"
STEP_SECONDS = 0.1
CHOICES = 4
TEXT, PING, PONG = 1, 9, 10  # kinds of frames
AGAIN_SECONDS = 0.25  # before a teacher whose connection was lost connects again
PATIENCE = 60.0  # seconds for everybody to join, for all answers, and for the end of the class to arrive
UNLIMITED = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("SAVE", "RUN", "JOIN", "PAGE", "READ")}


def main() -> None:
    """Print a table; with --student-process, be the process with the students."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--students", type=int, default=500)
    options.add_argument("--steps", type=int, default=100)
    options.add_argument(STUDENT_PROCESS, nargs=3, metavar=("URLS", "CODE", "STUDENTS"))
    chosen = options.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    if chosen.student_process:
        urls, code, students = chosen.student_process
        return asyncio.run(play_students(urls.split(","), code, int(students)))
    from kschedui.supervisor.stack import Stack
    from tests.bench.machine import describe_machine
    from tests.conftest import run_manage

    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {"KSCHEDUI_DATA_DIR": name, "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}", **UNLIMITED}
        with Stack({**env, "KSCHEDUI_MAX_SOCKETS_PER_ADDRESS": "10000"}, folder) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            measure(stack, chosen.students, chosen.steps)
    print(describe_machine())


def measure(stack: Any, students: int, steps: int) -> None:
    """Measure a class on one web process, then on two."""
    from kschedui.supervisor.ports import free_port
    from tests.bench.bench_viewers import start_web

    stack.start_workers(runs=1)
    first = stack.start_web("127.0.0.1", free_port())
    url = stack.wait()
    second_url, second = start_web(stack, "web 2")
    words = (
        ("students", 9),
        ("web", 5),
        ("steps", 7),
        ("left out", 9),
        ("p50 ms", 8),
        ("p99 ms", 8),
        ("max ms", 8),
        ("answers", 9),
    )
    more = ("within s", 9), ("web cpu s", 10), ("MB before", 10), ("MB", 6)
    print("".join(f"{word:>{width}}" for word, width in (*words, *more)), flush=True)
    show(stack, {url: first.group}, students, steps)
    show(stack, {url: first.group, second_url: second.group}, 2 * students, steps)


def show(stack: Any, webs: dict[str, int], students: int, steps: int) -> None:
    """Measure one class and print its row of the table."""
    from tests.bench.bench_stream import cpu_seconds, memory
    from tests.builders import node, pod, scenario
    from tests.web.visitor import Visitor

    teacher = Visitor(next(iter(webs)))
    run = teacher.save(scenario(node("n"), pod(f"a-{students}")))
    teacher.wait_for(run, "done")
    code = start_class(teacher, run)
    before, held = sum(map(cpu_seconds, webs.values())), max(map(memory, webs.values()))
    command = [sys.executable, __file__, STUDENT_PROCESS, ",".join(webs), code, str(students)]
    with subprocess.Popen(command, env=stack.env, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout
        try:
            assert process.stdout.readline().strip() == "ready"
            sent, counted, missing, _reconnects = asyncio.run(drive(teacher, code, students, steps))
            came = results_of(process)
        finally:
            process.kill()
    used = sum(map(cpu_seconds, webs.values())) - before
    delays = sorted(at - sent[int(step)] for one in came["steps"] for step, at in one.items())
    kept = {tuple(one) for one in came["steps"]}
    assert not missing, missing
    assert not came["lost"], came["lost"]
    assert len(kept) == 1, "a student lost a step that another one got"
    assert str(steps - 1) in next(iter(kept)), "the last step was lost"
    assert counted == Counter(came["choices"]), "an answer was not counted"
    most = [1000 * delays[min(len(delays) - 1, int(len(delays) * share))] for share in (0.5, 0.99, 1.0)]
    figures = f"{students:>9}{len(webs):>5}{steps:>7}{steps - len(next(iter(kept))):>9}" + "".join(
        f"{one:>8.0f}" for one in most
    )
    grown = max(map(memory, webs.values()))
    print(f"{figures}{sum(counted.values()):>9}{came['seconds']:>9.2f}{used:>10.2f}{held:>10}{grown:>6}", flush=True)


def start_class(teacher: Any, run: str) -> str:
    """Start a class on the run, and return its code."""
    scenario = teacher.run(run)["scenario"]["id"]
    page = teacher.url + f"/s/{scenario}/v/1/"
    teacher.get(f"/s/{scenario}/v/1/")
    token = next(cookie.value for cookie in teacher.cookies if "csrf" in cookie.name)
    form = f"run={run}&csrfmiddlewaretoken={token}".encode()
    with teacher.opener.open(Request(page + "class", form, {"Referer": page})) as answer:
        return answer.geturl().rstrip("/").rsplit("/", 1)[1]


class Taught(NamedTuple):
    """The results of the teacher.

    `sent`: the time at which each step was sent. `counted`: the number of answers for each choice. `missing`: the
    messages that did not arrive. `reconnects`: how often a lost connection was replaced.
    """

    sent: list[float]
    counted: Counter[int]
    missing: list[str]
    reconnects: int


class Teacher:
    """The socket of a teacher. It reconnects after a lost connection and repeats its last message, as the page does."""

    def __init__(self, url: str, cookies: str, code: str) -> None:
        self.about = url, cookies, code
        self.news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.missing: list[str] = []
        self.said = ""
        self.socket: Any = None
        self.connections = 0
        self.over = False

    async def listen(self) -> None:
        """Read messages, as the page does: the server disconnects a client that only sends."""
        from websockets.exceptions import WebSocketException

        while not self.over:
            with suppress(OSError, WebSocketException):
                async with connected(*self.about) as self.socket:
                    self.connections += 1
                    if self.said:
                        await self.socket.send(self.said)
                    async for message in self.socket:
                        self.news.put_nowait(said := json.loads(message))
                        self.over = self.over or bool(said.get("ended"))
            await asyncio.sleep(0 if self.over else AGAIN_SECONDS)

    async def say(self, message: str) -> None:
        """Send a message now, or after the next connection."""
        from websockets.exceptions import ConnectionClosed

        self.said = message
        if self.socket is not None:
            with suppress(ConnectionClosed):
                await self.socket.send(message)

    async def until(self, what: str, good: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message that satisfies the condition, or the last that arrived within PATIENCE."""
        message: dict[str, Any] = {}
        try:
            async with asyncio.timeout(PATIENCE):
                while not good(message := await self.news.get()):
                    pass
        except TimeoutError:
            self.missing.append(f"{what}: the last message is {message}")
        return message


async def drive(teacher: Any, code: str, students: int, steps: int) -> Taught:
    """Play the teacher: all steps, then a question, its answers and the end of the class."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in teacher.cookies)
    sent: list[float] = []
    made = Teacher(teacher.url, cookies, code)
    listening = asyncio.create_task(made.listen())
    await made.until("all students", lambda said: said.get("students") == students)
    for step in range(steps):
        sent.append(time.time())
        await made.say(shown(step))
        await asyncio.sleep(max(0.0, sent[0] + 1.1 * STEP_SECONDS * (step + 1) - time.time()))
    await asyncio.sleep(1)
    asked = {"id": "q", "choices": CHOICES}
    await made.say(shown(steps - 1, asked))
    await made.until("all answers", lambda said: said.get("answered") == students)
    await made.say(shown(steps - 1, {**asked, "right": 0, "text": "", "labels": []}))
    message = await made.until("the counts", lambda said: "counts" in said.get("asked", {}))
    await made.say(json.dumps({"type": "end"}))
    async with asyncio.timeout(PATIENCE):
        await listening
    counts = message.get("asked", {}).get("counts", [])
    return Taught(sent, Counter(dict(enumerate(counts))), made.missing, made.connections - 1)


def results_of(process: subprocess.Popen[str]) -> Any:
    """Return the results of the students when the class is over, or what they have after PATIENCE seconds."""
    timer = threading.Timer(PATIENCE, process.terminate)
    timer.start()
    assert process.stdout
    line = process.stdout.readline()
    timer.cancel()
    return json.loads(line)


def shown(step: int, question: dict[str, Any] | None = None) -> str:
    """Return the message of a teacher's page that shows the step."""
    place = {"step": step, "frame": 0, "order": "plugin", "selection": None}
    return json.dumps({"type": "show", "n": step, **place, "paused": False, "gathered": 0, "question": question})


def connected(url: str, cookies: str, code: str) -> Any:
    """Connect the teacher's socket, and join the class."""
    from websockets.asyncio.client import connect

    class Joined(connect):  # type: ignore[misc, valid-type]
        async def __aenter__(self) -> Any:
            socket = await super().__aenter__()
            await socket.send(json.dumps({"type": "join", "class": code}))
            return socket

    address, headers = "ws://" + urlsplit(url).netloc + "/ws/class/", {"Cookie": cookies}
    return Joined(address, origin=url, additional_headers=headers, compression=None, ping_interval=None)


async def play_students(urls: list[str], code: str, students: int) -> None:
    """Play all students: print "ready" when they have joined, then what each received.

    After SIGTERM, the class is over for each student that is still in it, and the result says so.
    """
    loop = asyncio.get_running_loop()
    made = [Student(urls[i % len(urls)], code, i % CHOICES) for i in range(students)]
    loop.add_signal_handler(signal.SIGTERM, lambda: [one.give_up("never heard the end") for one in made])
    for one in made:
        address = urlsplit(one.url)
        await loop.create_connection(lambda one=one: one, address.hostname, address.port)
    await asyncio.wait([one.there for one in made], timeout=PATIENCE)
    print("ready", flush=True)
    await asyncio.wait([one.over for one in made])
    answered = [one for one in made if one.kept]
    seconds = max((one.kept for one in answered), default=0) - min((one.asked for one in answered), default=0)
    lost = [f"student {number}: {one.trouble}" for number, one in enumerate(made) if one.trouble]
    found = {"steps": [one.steps() for one in made], "choices": [one.choice for one in made], "seconds": seconds}
    print(json.dumps({**found, "lost": lost}), flush=True)


class Student(asyncio.Protocol):
    """The socket of one student, as light as possible: messages are stored, and parsed after the class."""

    def __init__(self, url: str, code: str, choice: int) -> None:
        loop = asyncio.get_running_loop()
        self.url, self.code, self.choice = url, code, choice
        self.cookies = cookies_of(url, code)
        self.there, self.over = loop.create_future(), loop.create_future()
        self.buffer = bytearray()
        self.came: list[tuple[float, bytes]] = []
        self.asked = self.kept = 0.0
        self.trouble = ""  # why it left before the end

    def connection_made(self, transport: Any) -> None:
        """Send the handshake."""
        self.transport = transport
        host = urlsplit(self.url).netloc
        lines = ["GET /ws/class/ HTTP/1.1", f"Host: {host}", f"Origin: {self.url}", f"Cookie: {self.cookies}"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        transport.write("\r\n".join([*lines, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        """Split the data into frames."""
        now = time.time()
        if data.startswith(b"HTTP/1.1 101"):
            _, _, data = data.partition(b"\r\n\r\n")
            self.say({"type": "join", "class": self.code})
        self.buffer += data
        while (whole := frame_of(self.buffer)) is not None:
            kind, payload, length = whole
            del self.buffer[:length]
            if kind == PING:
                self.send(PONG, payload)
            elif kind == TEXT:
                self.hear(now, payload)

    def hear(self, now: float, data: bytes) -> None:
        """Store a message with its time of arrival, and answer the question when it is asked."""
        self.came.append((now, data))
        if not self.asked and b'"asked": {"id": "q"' in data:
            self.asked = now
            self.say({"type": "answer", "question": "q", "choice": self.choice})
        elif b'"type": "answered"' in data:
            self.kept = now
        if not self.there.done():
            self.there.set_result(None)
        if b'"ended": true' in data and not self.over.done():
            self.over.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        """Report a connection that the server refused or closed before the end."""
        self.give_up(f"closed: {error!r}")

    def give_up(self, why: str) -> None:
        """Stop waiting, and store the reason if the class was not over."""
        if not self.over.done():
            self.trouble = f"{why}, after {len(self.came)} messages, the last {self.came[-1:]}"
            self.over.set_result(None)
        if not self.there.done():
            self.there.set_result(None)

    def say(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.send(TEXT, json.dumps(message).encode())

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame, masked with zeros."""
        assert len(payload) < 126
        self.transport.write(bytes((0x80 | kind, 0x80 | len(payload))) + bytes(4) + payload)

    def steps(self) -> dict[int, float]:
        """Return the time at which each step first arrived."""
        found: dict[int, float] = {}
        for at, data in self.came:
            for step in re.findall(rb'"place": {"step": (\d+)', data):
                found.setdefault(int(step), at)
        return found


def frame_of(data: bytearray) -> tuple[int, bytes, int] | None:
    """Return the kind, the payload and the length of the first frame in the data, or None if it is incomplete."""
    if len(data) < 2:
        return None
    size, start = data[1], 2
    if size >= 126:
        start = 4 if size == 126 else 10
        size = int.from_bytes(data[2:start], "big")
    whole = start + size
    return (data[0] & 15, bytes(data[start:whole]), whole) if len(data) >= whole and len(data) >= start else None


def cookies_of(url: str, code: str) -> str:
    """Return the cookies of a browser that has opened the page of the class."""
    jar = CookieJar()
    with build_opener(HTTPCookieProcessor(jar)).open(f"{url}/c/{code}/") as answer:
        answer.read()
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


if __name__ == "__main__":
    main()
