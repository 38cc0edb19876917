"""A page goes through the event loop a few times, however many middlewares there are."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from asgiref.testing import ApplicationCommunicator

from kschedui.asgi import application
from tests.web.sockets import PATIENCE

TURNS = ["request_started", "the view with all middleware", "request_finished"]


@pytest.mark.django_db(transaction=True)
def test_a_page_waits_three_times_for_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[str] = []
    call = SyncToAsync.__call__

    async def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        turns.append(getattr(self.func, "__qualname__", repr(self.func)))
        return await call(self, *args, **kwargs)

    monkeypatch.setattr(SyncToAsync, "__call__", counted)
    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "GET", "path": "/accounts/login/", "query_string": b"", "headers": headers}

    async def talk() -> list[Any]:
        server = ApplicationCommunicator(application, scope)
        await server.send_input({"type": "http.request"})
        answer = [await server.receive_output(timeout=PATIENCE), await server.receive_output(timeout=PATIENCE)]
        await server.wait(timeout=PATIENCE)
        return answer

    start, _ = asyncio.run(talk())
    assert start["status"] == 200
    assert len(turns) == len(TURNS), turns
