"""Clients that send a byte now and then: their connections end, and take little memory meanwhile."""

import sys
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker
from tests.faults.stacks import breakable, megabytes, narrow
from tests.web.visitor import LONG, Visitor

SENDERS = 50
SECONDS = 1
HEADERS = "Host: {host}\r\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory in a file")


@pytest.fixture(scope="module")
def stack(stack_maker: StackMaker) -> Iterator[Stack]:
    """Impatient."""
    patience = ("KSCHEDUI_HEAD_SECONDS", "KSCHEDUI_BODY_SECONDS", "KSCHEDUI_WEBSOCKET_SEND_SECONDS")
    env = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("PAGE", "READ", "DOWNLOAD")}
    made = breakable(stack_maker, **dict.fromkeys(patience, str(SECONDS)), **env)
    yield made
    made.stop()


class Trickle:
    """A connection that gets a little more every tenth of a second, until it ends."""

    def __init__(self, visitor: Visitor, begin: str, more: bytes) -> None:
        self.socket = narrow(visitor)
        self.socket.sendall(begin.format(host=urlsplit(visitor.url).netloc).encode())
        self.more = more
        self.answer = b""
        self.over = threading.Event()
        threading.Thread(target=self.go_on, daemon=True).start()

    def go_on(self) -> None:
        """Send, and notice the end."""
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


def test_a_head_that_comes_byte_by_byte_ends_its_connection(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    heads = ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n" + HEADERS, "GET /livez HTTP/1.1\r\n" + HEADERS + "\r\n"]
    slow = [Trickle(visitor, heads[i % 4], b"\r\n" if i % 4 in (0, 3) else b"X") for i in range(SENDERS)]
    assert visitor.get("/accounts/login/")[0] == 200
    assert all(one.over.wait(LONG) for one in slow)
    assert slow[3].answer.startswith(b"HTTP/1.1 200"), "what it had asked for was answered"


def test_a_head_without_end_takes_no_memory(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    before = megabytes(stack.children["web"].group)
    lines = b"X-Line: " + b"x" * 8000 + b"\r\n"
    endless = Trickle(visitor, "GET / HTTP/1.1\r\n", lines * 100)
    assert endless.over.wait(LONG)
    assert megabytes(stack.children["web"].group) - before < 50
    assert visitor.get("/accounts/login/")[0] == 200


def test_a_body_that_comes_byte_by_byte_is_refused(stack: Stack) -> None:
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


def test_a_body_that_is_too_large_and_slow_is_not_waited_for(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    head = "POST /api/v1/check HTTP/1.1\r\n" + HEADERS + "Content-Length: 9999999999\r\n\r\n"
    slow = Trickle(visitor, head, b"x")
    assert slow.over.wait(LONG)
    assert slow.answer.startswith(b"HTTP/1.1 413")
