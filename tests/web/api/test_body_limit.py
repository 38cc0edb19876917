"""A request that is too large is read to its end before it is refused, so that its sender gets the answer."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from kschedui.supervisor.stack import Stack
from kschedui.web.http.body_limit import BodyLimit
from tests.web.visitor import Visitor


def send_body(path: str, sizes: list[int], *, length: int | None = None) -> tuple[int, int]:
    """Send a body in pieces of these sizes. Return (status, number of unread messages)."""
    pieces = [{"type": "http.request", "body": b"x" * size, "more_body": True} for size in sizes]
    pieces[-1]["more_body"] = False
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return pieces.pop(0)

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "path": path, "headers": headers}
    asyncio.run(BodyLimit(application, 100, {"/larger": 1000})(scope, receive, send))
    return int(sent[0]["status"]), len(pieces)


@pytest.mark.parametrize("length", [None, 150])
def test_a_body_that_is_too_large_is_read_to_its_end(length: int | None) -> None:
    assert send_body("/", [50, 50, 50], length=length) == (413, 0)


def test_an_address_may_take_more() -> None:
    assert send_body("/larger", [50, 50, 50]) == (200, 0)


def test_reading_on_ends_somewhere() -> None:
    assert send_body("/", [100] * 50, length=5000)[1] > 0


def test_who_is_still_sending_a_dump_gets_the_answer_which_names_the_import(live_stack: Stack) -> None:
    dump = '{"kind": "List", "items": [' + '{"kind": "Pod"},' * 1_700_000
    for address in ("scenarios", "check", "preview"):
        status, answer = Visitor(live_stack.url).post(f"/api/v1/{address}", text=dump)
        assert status == 413, address
        assert (
            "25,165,824 bytes. For the output of kubectl, the limit is 268,435,456 bytes: POST it to /api/v1/import"
            in str(answer)
        )
