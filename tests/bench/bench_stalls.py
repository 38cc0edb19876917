#!/usr/bin/env python3
"""What holds up the web process: each address that can be read, for the largest things that a site may store.

    python tests/bench/bench_stalls.py [--pods 8000] [--megabytes 11] [--only WORDS]

A scenario of many pods and a long text is saved and run; then each address is read, one after the other. Two clocks in
the web process go on meanwhile: a thread, which stands still while a call into C keeps Python's lock, and the event
loop, which stands still while its own code or that of other threads goes on. Both are told in milliseconds of processor
time of that process, so that another load of the machine does not count; with the place where the threads were then.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

TICK = 0.002  # seconds
SERVE = "--serve"
MOST = 50.0  # milliseconds that nothing should hold Python's lock for
ASKED = "/stalls"
HERE = ("threading.py", "concurrent/futures", "bench_stalls.py", "socket.py")


class Stalls:
    """The longest time that a clock stood still since it was asked last, and where the threads were then."""

    def __init__(self) -> None:
        self.longest = {"thread": (0.0, ""), "loop": (0.0, "")}

    def note(self, clock: str, wall: float, processor: float) -> None:
        """It came so much too late, and the process worked for so long meanwhile."""
        late = 1000 * min(wall - TICK, processor)
        if late > max(5.0, self.longest[clock][0]):
            self.longest[clock] = late, places()

    def thread(self) -> None:
        """The clock that needs nothing but Python's lock."""
        while True:
            begun, worked = time.perf_counter(), time.process_time()
            time.sleep(TICK)
            self.note("thread", time.perf_counter() - begun, time.process_time() - worked)

    async def loop(self) -> None:
        """The clock that needs the event loop."""
        while True:
            begun, worked = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK)
            self.note("loop", time.perf_counter() - begun, time.process_time() - worked)

    def take(self) -> dict[str, tuple[float, str]]:
        """And begin anew."""
        taken, self.longest = self.longest, {"thread": (0.0, ""), "loop": (0.0, "")}
        return taken


def places() -> str:
    """Where each thread is that does something."""
    found = []
    for number, frame in sys._current_frames().items():
        stack = [one for one in traceback.extract_stack(frame) if "site-packages" not in one.filename]
        if number != threading.get_ident() and stack and not any(part in stack[-1].filename for part in HERE):
            found.append(" < ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in stack[:-4:-1]))
    return " | ".join(found)


def serve(port: int) -> None:
    """The site, with the clocks."""
    import uvicorn

    from kschedui.asgi import application

    stalls = Stalls()
    threading.Thread(target=stalls.thread, daemon=True).start()
    tasks: list[Any] = []

    async def measured(scope: Any, receive: Any, send: Any) -> None:
        if not tasks:
            tasks.append(asyncio.create_task(stalls.loop()))
        if scope.get("path") != ASKED:
            return await application(scope, receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(stalls.take()).encode()})

    uvicorn.run(measured, host="127.0.0.1", port=port, log_level="warning", lifespan="off")


def main() -> None:
    """Print a row for each address."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(SERVE, type=int)
    options.add_argument("--pods", type=int, default=8000)
    options.add_argument("--megabytes", type=int, default=11)
    options.add_argument("--only", default="", help="addresses that contain this")
    chosen = options.parse_args()
    if chosen.serve:
        return serve(chosen.serve)
    from kschedui.supervisor.ports import free_port
    from kschedui.supervisor.stack import Stack
    from tests.bench.machine import told
    from tests.conftest import run_manage

    print(told(), flush=True)
    with tempfile.TemporaryDirectory() as name:
        env = {"KSCHEDUI_DATA_DIR": name, "DATABASE_URL": f"sqlite:///{name}/bench.sqlite3"}
        env |= {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("DOWNLOAD", "PAGE", "READ", "ASK", "CHECK", "RUN")}
        with Stack(env, Path(name)) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            run_manage(stack.env, "load_library", "--verbosity", "0")
            stack.start_worker()
            stack.start_web("127.0.0.1", port := free_port())
            stack.wait()
            stack.children["web"].stop()
            stack.children["web"] = stack._start("web", [sys.executable, __file__, SERVE, str(port)], {}, grace=5)
            stack.wait()
            measure(stack.url, chosen)
    print(told())


def measure(url: str, chosen: Any) -> None:
    """Save, run, read."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    django.setup()
    from tests.bench.bench_class import started
    from tests.builders import node, pod, scenario
    from tests.web.accounts.test_access_matrix import ROUTES, VALUES
    from tests.web.visitor import Visitor

    visitor = Visitor(url)
    text = long_text(chosen.pods, chosen.megabytes)
    visitor.get("/new/")
    print(f"{'address':60}{'status':>7}{'kB':>8}{'s':>6}{'thread':>8}{'loop':>6}  where")
    if not chosen.only:
        show(visitor, "POST api/v1/scenarios", lambda: visitor.post("/api/v1/scenarios", text=text))
    saved = visitor.post("/api/v1/scenarios", text=text)[1]
    done = visitor.wait_for(saved["run"], "done", "failed")
    print(f"{len(text):,} bytes, run {done['state']}, {done['chunks']} chunks", flush=True)
    small = visitor.save(scenario(node("n"), pod("p")))
    code = started(visitor, small)
    ids = {"sid": saved["id"], "rid": saved["run"], "a": saved["id"], "b": saved["id"], "m": "1", "n": "1"}
    values = {**VALUES, **ids, "code": code, "slug": "first-pod", "kind": "pod", "name": "p0"}
    for route in ROUTES:
        numbers = {"a": "1", "b": "1"} if "diff" in route or "compare/{a}/compare" in route else {}
        try:
            path = "/" + route.format(**{**values, **numbers})
        except KeyError:
            continue
        if chosen.only in route:
            show(visitor, route, lambda path=path: visitor.get(path))  # type: ignore[misc]


def show(visitor: Any, route: str, ask: Any) -> None:
    """Print what the address answered, and what stood still."""
    taken(visitor)
    begun = time.perf_counter()
    try:
        status, body = ask()
    except (HTTPException, OSError) as error:
        status, body = 0, repr(error).encode()
    seconds = time.perf_counter() - begun
    stalls = taken(visitor)
    thread, loop = stalls["thread"], stalls["loop"]
    where = (thread[1] or loop[1])[:200] if max(thread[0], loop[0]) > MOST / 2 else ""
    figures = f"{status:>7}{len(body) // 1000:>8}{seconds:>6.1f}{thread[0]:>8.0f}{loop[0]:>6.0f}"
    print(f"{route:60}{figures}  {where}", flush=True)


def taken(visitor: Any) -> dict[str, Any]:
    with urllib.request.urlopen(visitor.url + ASKED) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    return found


def long_text(pods: int, megabytes: int) -> str:
    """A scenario of so many pods, whose annotations make it so long."""
    from tests.builders import node, pod, scenario

    note = ("<b>'quoted' & \"said\"</b> " * 1000)[: max(1, megabytes * 1_000_000 // pods - 200)]
    objects = [pod(f"p{i}", cpu="100m") for i in range(pods)]
    for one in objects:
        one["metadata"]["annotations"] = {"example.com/note": note}
    return scenario(*(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(300)), *objects)


if __name__ == "__main__":
    main()
