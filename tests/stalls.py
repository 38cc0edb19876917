"""A web process with two clocks that measure how long it is blocked: `python tests/stalls.py PORT`.

One clock is a thread, which is blocked while a call into C holds Python's lock. The other needs the event loop, which
is blocked while its own code or that of other threads runs. Both are measured in milliseconds of processor time of the
process, so that other load of the machine does not count, with the place where the threads were.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
import traceback
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0  # seconds until the site serves; reached only if something is broken
TICK = 0.01  # seconds; shorter ticks would take much of a slow machine's processor time
PATH = "/stalls"
IDLE = ("threading.py", "concurrent/futures", "stalls.py", "socket.py")


class Stalls:
    """The longest stall of each clock since the last call of `take`, and where the threads were."""

    def __init__(self) -> None:
        self.longest = {"thread": (0.0, ""), "loop": (0.0, "")}

    def note(self, clock: str, wall: float, processor: float) -> None:
        """Record a tick that took `wall` seconds, if it is the longest so far and above 5 ms.

        `processor`: the seconds of processor time of the process in it.
        """
        late = 1000 * min(wall - TICK, processor)
        if late > max(5.0, self.longest[clock][0]):
            self.longest[clock] = late, places()

    def thread(self) -> None:
        """Run the clock that needs only Python's lock."""
        while True:
            begun, worked = time.perf_counter(), time.process_time()
            time.sleep(TICK)
            self.note("thread", time.perf_counter() - begun, time.process_time() - worked)

    async def loop(self) -> None:
        """Run the clock that needs the event loop."""
        while True:
            begun, worked = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK)
            self.note("loop", time.perf_counter() - begun, time.process_time() - worked)

    def take(self) -> dict[str, tuple[float, str]]:
        """Return the longest stalls in milliseconds by clock, with the places, and reset them."""
        taken, self.longest = self.longest, {"thread": (0.0, ""), "loop": (0.0, "")}
        return taken


def places() -> str:
    """Return the current position of each thread that is not idle."""
    found = []
    for number, frame in sys._current_frames().items():
        stack = [one for one in traceback.extract_stack(frame) if "site-packages" not in one.filename]
        if number != threading.get_ident() and stack and not any(part in stack[-1].filename for part in IDLE):
            found.append(" < ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in stack[:-4:-1]))
    return " | ".join(found)


def replace_web(stack: Any) -> None:
    """Replace the stack's web process by one with these clocks."""
    stack.children.pop("web").stop()
    stack._start("web", [sys.executable, __file__, str(urlsplit(stack.url).port)], {}, grace=5)
    stack.wait(PATIENCE)


def take(url: str) -> dict[str, tuple[float, str]]:
    """Return the longest stall of each clock of the site in milliseconds since the last call, and its place."""
    with urllib.request.urlopen(url + PATH) as answer:
        found: dict[str, tuple[float, str]] = json.loads(answer.read())
    return found


def serve(port: int) -> None:
    """Serve the site, with the clocks."""
    sys.path.insert(0, str(ROOT))
    import uvicorn

    from kschedui.asgi import application
    from kschedui.web.http.request_head import ShortHead

    stalls = Stalls()
    threading.Thread(target=stalls.thread, daemon=True).start()
    tasks: list[Any] = []

    async def measured(scope: Any, receive: Any, send: Any) -> None:
        if not tasks:
            tasks.append(asyncio.create_task(stalls.loop()))
        if scope.get("path") != PATH:
            return await application(scope, receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(stalls.take()).encode()})

    uvicorn.run(measured, host="127.0.0.1", port=port, log_level="warning", lifespan="off", http=ShortHead)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
