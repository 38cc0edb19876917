"""A websocket client in this process, and functions that read a run."""

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.test import Client

from kschedui.asgi import application
from kschedui.runs import frames

PATIENCE = 60  # seconds; reached only if something is broken
ORIGIN = (b"origin", b"http://localhost")


def in_loop(test: Callable[..., Any]) -> Callable[..., None]:
    """Return a test that runs the async test in an event loop; its database calls happen in this thread."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async_to_sync(test)(*args, **kwargs)

    return run


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds, which is polled."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 (nothing announces it)
            await asyncio.sleep(0.01)


class Socket(ApplicationCommunicator):
    """A websocket client. The one in channels.testing needs daphne."""

    def __init__(self, app: Any = application, *headers: tuple[bytes, bytes], path: str = "/ws/run/") -> None:
        scope = {"type": "websocket", "path": path, "query_string": b"", "subprotocols": []}
        super().__init__(app, {**scope, "headers": list(headers), "client": ("203.0.113.7", 5000)})

    async def connect(self) -> bool:
        """Connect. Return whether the connection was accepted."""
        await self.send_input({"type": "websocket.connect"})
        answer = await self.receive_output(timeout=PATIENCE)
        return bool(answer["type"] == "websocket.accept")

    async def send_to(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Send a message."""
        data = {"text": text_data} if bytes_data is None else {"bytes": bytes_data}
        await self.send_input({"type": "websocket.receive", **data})

    async def disconnect(self) -> None:
        """Disconnect."""
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(timeout=PATIENCE)


@asynccontextmanager
async def socket(
    *headers: tuple[bytes, bytes], origin: tuple[bytes, bytes] = ORIGIN, path: str = "/ws/run/"
) -> AsyncIterator[Any]:
    """Yield an open websocket with these headers, and disconnect it afterwards."""
    made = Socket(application, (b"host", b"localhost"), origin, *headers, path=path)
    assert await made.connect()
    try:
        yield made
    finally:
        await made.disconnect()


async def text(made: Any) -> dict[str, Any]:
    """Return the next message, which must be JSON text."""
    message = await made.receive_output(timeout=PATIENCE)
    assert message["type"] == "websocket.send", message
    found: dict[str, Any] = json.loads(message["text"])
    return found


async def closed(made: Any) -> int:
    """Return the close code of the next message, which must close the connection."""
    message = await made.receive_output(timeout=PATIENCE)
    assert message["type"] == "websocket.close", message
    code: int = message["code"]
    return code


async def everything(made: Any) -> tuple[list[int], list[dict[str, Any]]]:
    """Read until the message "end". Return the numbers of the chunks, and the text messages."""
    numbers, texts = [], []
    while not texts or texts[-1]["type"] != "end":
        message = await made.receive_output(timeout=PATIENCE)
        if message.get("text") is not None:
            texts.append(json.loads(message["text"]))
        else:
            numbers.append(frames.header_of(message["bytes"]).seq)
    return numbers, texts


def subscription(run: str, cursor: int = 0) -> str:
    return json.dumps({"type": "subscribe", "run": run, "cursor": cursor})


def cookies_of(browser: Client) -> tuple[bytes, bytes]:
    """Return the browser's Cookie header."""
    return b"cookie", "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items()).encode()
