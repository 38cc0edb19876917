"""Request bodies in transfer: limits of their space and time; a client that fills the space does not block others."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from collections.abc import Callable
from tempfile import SpooledTemporaryFile
from typing import Any

import pytest
from django.conf import settings
from django.middleware.csrf import get_token
from django.test import RequestFactory

from kschedui.asgi import application
from kschedui.supervisor.ports import wait_until as wait_for
from kschedui.web.http import arriving_bodies, body_limit, one_thread
from kschedui.web.http.arriving_bodies import ArrivingBodies, BodyRefused
from kschedui.web.http.body_limit import BodyLimit
from tests.web.conftest import SMALL, Browser
from tests.web.sockets import PATIENCE, in_loop, wait_until

MEGABYTE = 1024 * 1024
PIECE = 64 * 1024


class Sender:
    """A request whose body the test sends piece by piece."""

    def __init__(self, app: Any, address: str, path: str = "/api/v1/import", **headers: str) -> None:
        self.pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[Any] = []
        names = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost"), *names],
            "client": (address, 5000),
            "server": ("localhost", 80),
        }
        self.task = asyncio.create_task(app(scope, self.pieces.get, self.keep))

    async def keep(self, message: Any) -> None:
        self.sent.append(message)

    def send(self, size: int, *, more: bool = True) -> None:
        self.pieces.put_nowait({"type": "http.request", "body": b" " * size, "more_body": more})

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None


async def read_all(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads the whole body, then answers."""
    while (await receive())["more_body"]:
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> tuple[ArrivingBodies, BodyLimit]:
    bodies = ArrivingBodies(most=100 * PIECE, share=60 * PIECE, count=5)
    monkeypatch.setattr(body_limit, "bodies", bodies)
    return bodies, BodyLimit(read_all, 50 * PIECE)


Limited = tuple[ArrivingBodies, BodyLimit]


@in_loop
async def test_what_came_early_is_no_credit_for_later(limited: Limited, settings: Any) -> None:
    settings.BODY_SECONDS = 0.2
    sender = Sender(limited[1], "203.0.113.1")
    for _ in range(40):
        sender.send(PIECE)
    await wait_until(lambda: sender.status is not None)
    assert sender.status == 408, "2.5 MB came at once, and then nothing"
    assert not limited[0].bodies


@in_loop
async def test_one_address_has_limits_of_space_and_of_bodies(limited: Limited) -> None:
    bodies, app = limited
    senders = [Sender(app, "203.0.113.1") for _ in range(6)]
    await wait_until(lambda: senders[5].status == 429)
    for sender in senders[:2]:
        for _ in range(35):
            sender.send(PIECE)
    await wait_until(lambda: 429 in [sender.status for sender in senders[:2]])
    assert bodies.used <= 60 * PIECE
    other = Sender(app, "203.0.113.2")
    other.send(PIECE, more=False)
    await wait_until(lambda: other.status == 200)
    for sender in senders[:5]:
        if sender.status is None:
            sender.send(0, more=False)
            await sender.task
    assert not bodies.bodies


@in_loop
async def test_a_client_that_fills_the_space_makes_room_for_others(limited: Limited) -> None:
    bodies, app = limited
    fillers = [Sender(app, f"203.0.113.{i % 2 + 1}") for i in range(4)]
    for filler in fillers:
        for _ in range(25):
            filler.send(PIECE)
    await wait_until(lambda: bodies.used == 100 * PIECE)
    other = Sender(app, "203.0.113.9")
    for _ in range(19):
        other.send(PIECE)
    other.send(PIECE, more=False)
    await wait_until(lambda: other.status == 200)
    assert [filler.status for filler in fillers].count(503) == 1
    for filler in fillers:
        filler.send(0, more=False)
        await filler.task
    assert not bodies.bodies


@in_loop
async def test_a_body_is_given_up_also_while_its_last_piece_is_written(
    limited: Limited, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = asyncio.Event()

    async def write(scope: Any, receive: Any, send: Any) -> None:
        """An application that waits for an event after each piece of the body."""
        while (await receive())["more_body"]:
            await written.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    bodies, _ = limited
    app = BodyLimit(write, 60 * PIECE)
    fillers = [Sender(app, f"203.0.113.{i}") for i in range(2)]
    for filler in fillers:
        filler.send(50 * PIECE)
    await wait_until(lambda: bodies.used == 100 * PIECE)
    other = Sender(app, "203.0.113.9")
    other.send(PIECE, more=False)
    await wait_until(lambda: any(body.given_up for body in bodies.bodies))
    assert other.status is None, "until there is room"
    written.set()
    await wait_until(lambda: other.status == 200)
    await wait_until(lambda: 503 in [filler.status for filler in fillers])
    for filler in fillers:
        filler.send(0, more=False)
        await filler.task
    assert not bodies.bodies


@pytest.mark.parametrize("seed", range(10))
@in_loop
async def test_any_mixture_of_senders_stays_within_the_limits(limited: Limited, seed: int) -> None:
    bodies, app = limited
    chance, senders = random.Random(seed), list[Sender]()
    for _ in range(150):
        if not senders or chance.random() < 0.2:
            senders.append(Sender(app, f"203.0.113.{chance.randrange(6)}"))
        else:
            chance.choice(senders).send(chance.randrange(1, 8 * PIECE), more=chance.random() < 0.9)
        await asyncio.sleep(0)
        assert bodies.used <= bodies.most, "whoever gave way is counted until what came of it is closed"
    for sender in senders:
        sender.send(0, more=False)
    await wait_until(lambda: all(sender.task.done() for sender in senders))
    assert {sender.status for sender in senders} <= {200, 413, 429, 503}
    assert not bodies.bodies


def large_import(**headers: str) -> Sender:
    return Sender(application, "203.0.113.7", content_length=str(40 * MEGABYTE), content_type="text/plain", **headers)


def cookies_and_token(browser: Browser) -> dict[str, str]:
    """Save a scenario, and return the browser's headers: cookies, CSRF token and origin."""
    browser.save(SMALL)
    request = RequestFactory().get("/")
    token = get_token(request)
    cookies = [f"{name}={morsel.value}" for name, morsel in browser.cookies.items()]
    cookies.append(f"{settings.CSRF_COOKIE_NAME}={request.META['CSRF_COOKIE']}")
    return {"cookie": "; ".join(cookies), "x_csrftoken": token, "origin": "http://localhost"}


@in_loop
async def send_import(sent: list[int | None], headers: dict[str, str]) -> None:
    """Send a large import, and append its status to the list."""
    sender = large_import(**headers)
    for _ in range(20):
        sender.send(PIECE)
    sender.send(PIECE, more=False)
    async with asyncio.timeout(PATIENCE):
        await sender.task
    sent.append(sender.status)


def without_storage(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "browser_bytes": 1}


def no_calls(settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "check": 0}


def no_uploads(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "uploads_waiting": 0}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("limit", "signed", "status"),
    [
        (without_storage, True, 422),
        (no_calls, True, 429),
        (no_uploads, True, 429),
        (lambda settings: None, False, 403),
    ],
    ids=["no room", "too many calls", "too many uploads", "no session"],
)
def test_a_large_request_is_refused_by_its_headers(
    author: Browser,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    limit: Callable[[Any], None],
    signed: bool,
    status: int,
) -> None:
    headers = cookies_and_token(author) if signed else {}

    async def keep(handler: Any, receive: Any) -> Any:
        raise AssertionError("the body was kept")

    monkeypatch.setattr("kschedui.web.http.one_thread.OneThreadHandler.read_body", keep)
    limit(settings)
    sent: list[int | None] = []
    send_import(sent, headers)
    assert sent == [status]
    assert not arriving_bodies.bodies.bodies


def test_a_body_that_is_given_up_while_its_next_piece_is_here_already_ends_with_that_piece() -> None:
    async def both() -> None:
        bodies = ArrivingBodies(10, 10, 10)
        with bodies.arriving("a") as large, bodies.arriving("b") as small:
            await bodies.add(large, 8)
            added = asyncio.create_task(bodies.add(small, 4))
            await asyncio.sleep(0)
            assert large.given_up
            with pytest.raises(BodyRefused):
                await bodies.add(large, 1)
            added.cancel()

    asyncio.run(both())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/api/v1/check", "/api/v1/import", "/nowhere"])
def test_nothing_keeps_a_body_once_its_request_is_over(
    author: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body is freed at once, not with the next garbage collection."""
    headers = cookies_and_token(author)
    files: list[weakref.ref[Any]] = []

    class Watched(SpooledTemporaryFile[bytes]):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            files.append(weakref.ref(self))

    monkeypatch.setattr(one_thread, "SpooledTemporaryFile", Watched)

    @in_loop
    async def ask(more: bool) -> None:
        sender = Sender(application, "203.0.113.8", path, content_type="application/json", **headers)
        for _ in range(20):
            sender.send(PIECE)
        await asyncio.sleep(0.1)
        sender.send(PIECE, more=more)
        if more:
            sender.pieces.put_nowait({"type": "http.disconnect"})
        else:
            await wait_until(lambda: bool(sender.sent) and not sender.sent[-1].get("more_body"))
            sender.pieces.put_nowait({"type": "http.disconnect"})
        async with asyncio.timeout(PATIENCE):
            await sender.task

    gc.collect()
    gc.disable()
    try:
        ask(False)
        ask(True)
        assert files
        assert wait_for(lambda: all(file() is None for file in files), PATIENCE), (
            "threads of requests end a little later"
        )
    finally:
        gc.enable()


def test_a_body_that_is_refused_is_removed_from_the_disk_before_anything_else_happens() -> None:
    files: list[Any] = []

    async def refuse() -> None:
        pieces = iter([{"body": b" " * 3 * one_thread.BODY_IN_MEMORY, "more_body": True}])

        async def receive() -> Any:
            for piece in pieces:
                return {"type": "http.request", **piece}
            files.extend(file for file in gc.get_objects() if isinstance(file, SpooledTemporaryFile))
            raise BodyRefused(*arriving_bodies.FULL)

        await one_thread.OneThreadHandler().read_body(receive)

    with pytest.raises(BodyRefused):
        asyncio.run(refuse())
    assert files
    assert all(file.closed for file in files)
