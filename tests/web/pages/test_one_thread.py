"""A page goes through the event loop a few times, however many middlewares there are, in a thread that is there."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import SyncToAsync, sync_to_async
from asgiref.testing import ApplicationCommunicator

from kschedui.asgi import application
from kschedui.web.http.one_thread import OneThreadHandler
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


def test_requests_have_a_thread_each_and_leave_it_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, threads = OneThreadHandler(), []
    meeting = threading.Barrier(2, timeout=PATIENCE)

    def work(alone: bool) -> None:
        threads.append(threading.get_ident())
        if not alone:
            meeting.wait()

    async def handle(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(work)(scope["alone"])

    async def ask(alone: bool) -> None:
        await handler({"alone": alone}, handle, handle)

    async def talk() -> None:
        await ask(True)
        await ask(True)
        await asyncio.gather(ask(False), ask(False))

    monkeypatch.setattr(handler, "handle", handle)
    asyncio.run(talk())
    assert threads[0] == threads[1]
    assert threads[2] != threads[3]
    for thread in handler.idle:
        thread.shutdown()
