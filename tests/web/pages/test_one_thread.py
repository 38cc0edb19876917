"""A page switches between event loop and thread only a few times, for any number of middlewares."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import SyncToAsync, sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.http import HttpRequest, HttpResponse

from kschedui.asgi import application
from kschedui.web.http.one_thread import OneThreadHandler
from kschedui.work import request_turns
from kschedui.work.request_turns import MAX_RUNNING, Turn
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
    handler, threads, left = OneThreadHandler(), [], threading.Semaphore(0)
    leave = handler.leave
    meeting = threading.Barrier(2, timeout=PATIENCE)

    def work(alone: bool) -> None:
        threads.append(threading.get_ident())
        if not alone:
            meeting.wait()

    def leave_and_tell(thread: ThreadPoolExecutor, turn: Turn) -> None:
        leave(thread, turn)
        left.release()

    async def handle(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(work)(scope["alone"])

    async def ask(alone: bool) -> None:
        nothing: Any = None
        await handler({"alone": alone}, nothing, nothing)

    async def talk() -> None:
        for _ in range(2):
            await ask(True)
            await asyncio.to_thread(left.acquire)
        await asyncio.gather(ask(False), ask(False))

    monkeypatch.setattr(handler, "handle", handle)
    monkeypatch.setattr(handler, "leave", leave_and_tell)
    asyncio.run(talk())
    assert threads[0] == threads[1]
    assert threads[2] != threads[3]


def test_a_request_does_not_wait_for_one_whose_client_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    handler = OneThreadHandler()
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    async def handle(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(work if scope["slow"] else go_on.set)()

    async def ask(*, slow: bool) -> None:
        nothing: Any = None
        await handler({"slow": slow}, nothing, nothing)

    async def talk() -> None:
        slow = asyncio.create_task(ask(slow=True))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        slow.cancel()
        with suppress(asyncio.CancelledError):
            await slow
        assert not go_on.is_set()
        async with asyncio.timeout(PATIENCE):
            await ask(slow=False)

    monkeypatch.setattr(handler, "handle", handle)
    asyncio.run(talk())


def test_few_requests_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, running, most = OneThreadHandler(), list[int](), 0

    def get_response(request: HttpRequest) -> HttpResponse:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        time.sleep(0.01)
        running.pop()
        return HttpResponse("answer")

    async def ask(number: int) -> bytes:
        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
        server = ApplicationCommunicator(handler, {**scope, "client": (f"10.0.0.{number}", 1)})
        await server.send_input({"type": "http.request"})
        await server.receive_output(timeout=PATIENCE)
        body: bytes = (await server.receive_output(timeout=PATIENCE))["body"]
        await server.wait(timeout=PATIENCE)
        return body

    async def talk() -> list[bytes]:
        return await asyncio.gather(*(ask(number) for number in range(20)))

    monkeypatch.setattr(request_turns, "PATIENCE_SECONDS", float(PATIENCE))
    monkeypatch.setattr(handler, "get_response", get_response)
    assert asyncio.run(talk()) == 20 * [b"answer"]
    assert most == MAX_RUNNING
    assert handler.turns.running == 0
