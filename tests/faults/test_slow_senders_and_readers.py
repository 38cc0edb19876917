"""Connections of clients that send single bytes, or read nothing, are closed, and use little memory until then."""

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker
from tests.faults.stacks import breakable, deaf_socket, megabytes, narrow_connection
from tests.web.visitor import LONG, Follower, Visitor

SENDERS = 50
READERS = 4  # of each stream; some are cut off while others wait for room
SECONDS = 1
ESTABLISHED = "01"
LARGE = scenario(
    *(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(100)), *(pod(f"p{i}", cpu="100m") for i in range(800))
)
MAX_MEGABYTES = 250  # increase: the budget for unsent data, and the memory to produce the data
HEADERS = "Host: {host}\r\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory in a file")


@pytest.fixture(scope="module")
def stack(stack_maker: StackMaker) -> Iterator[Stack]:
    """Yield a stack with short timeouts."""
    patience = ("KSCHEDUI_HEAD_SECONDS", "KSCHEDUI_BODY_SECONDS", "KSCHEDUI_WEBSOCKET_SEND_SECONDS")
    env = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("PAGE", "READ", "DOWNLOAD")}
    made = breakable(stack_maker, **dict.fromkeys(patience, str(SECONDS)), **env)
    yield made
    made.stop()


class Trickle:
    """A connection that sends `more` at least every tenth of a second, until it is closed."""

    def __init__(self, visitor: Visitor, begin: str, more: bytes) -> None:
        self.socket = narrow_connection(visitor)
        self.socket.sendall(begin.format(host=urlsplit(visitor.url).netloc).encode())
        self.more = more
        self.answer = b""
        self.over = threading.Event()
        threading.Thread(target=self.go_on, daemon=True).start()

    def go_on(self) -> None:
        """Send and read until the connection is closed."""
        self.socket.settimeout(0.1)
        try:
            while not self.over.is_set():
                self.socket.sendall(self.more)
                try:
                    if not (heard := self.socket.recv(4096)):
                        break
                    self.answer += heard
                except TimeoutError:
                    continue
        except OSError:
            pass
        self.over.set()
        self.socket.close()


def test_a_connection_whose_head_arrives_byte_by_byte_is_closed(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    heads = ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n" + HEADERS, "GET /livez HTTP/1.1\r\n" + HEADERS + "\r\n"]
    slow = [Trickle(visitor, heads[i % 4], b"\r\n" if i % 4 in (0, 3) else b"X") for i in range(SENDERS)]
    assert visitor.get("/accounts/login/")[0] == 200
    assert all(one.over.wait(LONG) for one in slow)
    assert slow[3].answer.startswith(b"HTTP/1.1 200"), "the first request was complete and is answered"


def test_an_endless_head_takes_less_than_50_megabytes(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    before = megabytes(stack.children["web"].group)
    lines = b"X-Line: " + b"x" * 8000 + b"\r\n"
    endless = Trickle(visitor, "GET / HTTP/1.1\r\n", lines * 100)
    assert endless.over.wait(LONG)
    assert megabytes(stack.children["web"].group) - before < 50
    assert visitor.get("/accounts/login/")[0] == 200


def test_a_body_that_arrives_byte_by_byte_is_refused(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    head = (
        "POST /api/v1/check HTTP/1.1\r\n" + HEADERS + "Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
    )
    chunked = head.replace("Content-Length: 9999", "Transfer-Encoding: chunked")
    slow = [Trickle(visitor, head, b"x") for _ in range(SENDERS // 2)]
    slow += [Trickle(visitor, chunked, b"1\r\nx\r\n") for _ in range(SENDERS // 2)]
    assert visitor.get("/accounts/login/")[0] == 200
    assert all(one.over.wait(LONG) for one in slow)
    assert all(one.answer.startswith(b"HTTP/1.1 408") for one in slow)


def test_a_body_that_is_too_large_is_refused_before_it_has_arrived(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    head = "POST /api/v1/check HTTP/1.1\r\n" + HEADERS + "Content-Length: 9999999999\r\n\r\n"
    slow = Trickle(visitor, head, b"x")
    assert slow.over.wait(LONG)
    assert slow.answer.startswith(b"HTTP/1.1 413")


def test_clients_of_every_stream_that_read_nothing_are_cut_off(stack: Stack) -> None:
    visitor, web = Visitor(stack.url), stack.children["web"].group
    run = visitor.save(LARGE)
    visitor.wait_for(run, "done")
    page = f"/s/{visitor.run(run)['scenario']['id']}/v/1"
    before = megabytes(web)
    streams = {
        f"/api/v1/runs/{run}/events": "text/event-stream",
        f"/api/v1/runs/{run}/events?from_step=1": "application/jsonl",
        f"/api/v1/runs/{run}/decisions": "*/*",
        f"{page}/trace.json": "*/*",
        f"{page}/events.jsonl": "*/*",
        f"{page}/decisions.jsonl": "*/*",
    }
    deaf: list[socket.socket] = []
    for path, kind in streams.items():
        for _ in range(READERS):
            made = narrow_connection(visitor)
            host = HEADERS.format(host=urlsplit(visitor.url).netloc)
            made.sendall(f"GET {path} HTTP/1.1\r\n{host}Accept: {kind}\r\n\r\n".encode())
            deaf.append(made)
    deaf += [deaf_socket(visitor, run) for _ in range(READERS)]
    most = [before]

    def cut_off() -> bool:
        most.append(megabytes(web))
        return served(visitor, deaf) == 0

    assert visitor.get("/accounts/login/")[0] == 200
    assert wait_until(cut_off, LONG), f"{served(visitor, deaf)} are still there"
    follower = Follower(visitor, run)
    follower.follow()
    assert follower.texts[-1]["state"] == "done"
    print(f"web process: {before} MB before, {max(most)} MB at most")
    assert max(most) - before < MAX_MEGABYTES
    for one in deaf:
        one.close()


def served(visitor: Visitor, clients: list[socket.socket]) -> int:
    """Return the number of the clients' connections that the server has open.

    The system still lists connections that the server has closed, because the client does not read the data.
    """
    ports = {one.getsockname()[1] for one in clients}
    found = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, here, there, state, *_ = line.split()
        at_server = int(here.rpartition(":")[2], 16) == urlsplit(visitor.url).port
        found += at_server and state == ESTABLISHED and int(there.rpartition(":")[2], 16) in ports
    return found
