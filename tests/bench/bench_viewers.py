#!/usr/bin/env python3
"""Measure many viewers: the time from a chunk's row in the database to its frame in each browser.

    python tests/bench/bench_viewers.py [--viewers 500] [--runs 200]

A separate process stores the chunks of a recorded run again and announces them as a worker does: either paced, one a
second (for 200 runs, one every four seconds), which is faster than they are played; or as fast as possible, each as
soon as the previous one is committed. The viewers are websockets of another process. Every viewer must receive every
chunk. All processes share the processors of this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

OPEN_FILES = 8192
WRITER = "--store"


def main() -> None:
    """Print a table; with --store, be the process that stores chunks."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--viewers", type=int, default=500)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument(WRITER, nargs=3, metavar=("ORIGIN", "RUNS", "PAUSE"))
    chosen = options.parse_args()
    if chosen.store:
        return store(chosen.store[0], chosen.store[1].split(","), float(chosen.store[2]))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    from kschedui.supervisor.stack import Stack
    from tests.conftest import run_manage

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {"KSCHEDUI_DATA_DIR": name, "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}"}
        env |= {
            "KSCHEDUI_MAX_SOCKETS_PER_ADDRESS": "10000",
            "KSCHEDUI_RATE_SAVE": "100000",
            "KSCHEDUI_RATE_RUN": "100000",
        }
        with Stack(env, folder) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            measure(stack, chosen.viewers, chosen.runs)


def measure(stack: Any, viewers: int, runs: int) -> None:
    """Measure one web process, then two."""
    from kschedui.supervisor.ports import free_port
    from tests.builders import node, pod, scenario
    from tests.web.visitor import Visitor

    stack.start_workers(runs=1)
    first = stack.start_web("127.0.0.1", free_port())
    url = stack.wait()
    recorded = Visitor(url)
    nodes = [node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(200)]
    origin = recorded.save(scenario(*nodes, *(pod(f"p{i}", cpu="500m") for i in range(1000))))
    chunks = recorded.wait_for(origin, "done", "failed")["chunks"]
    stack.children.pop("worker").stop()
    second_url, second = start_web(stack, "web 2")
    words = ("viewers", 8), ("runs", 6), ("web", 5), ("chunks", 8), ("p50 ms", 9), ("p99 ms", 9), ("max ms", 9)
    print(" " * 10 + "".join(f"{word:>{width}}" for word, width in (*words, ("web cpu s", 11), ("MB", 6))), flush=True)
    case = Case(stack, origin, chunks, recorded, {url: first.group, second_url: second.group})
    case.show("paced", viewers, 1, 1, pause=1.0)
    case.show("flat out", viewers, 1, 1, pause=0.0)
    case.show("paced", 2 * viewers, 1, 2, pause=1.0)
    case.show("flat out", 2 * viewers, 1, 2, pause=0.0)
    case.show("paced", runs, runs, 1, pause=4.0)


def start_web(stack: Any, name: str) -> tuple[str, Any]:
    """Start another web process, wait until it answers, and return its address and its process."""
    from kschedui.supervisor.ports import free_port
    from tests.web.visitor import Visitor

    url = f"http://127.0.0.1:{free_port()}"
    child = stack._start(name, web_command_of(url), {}, grace=5)
    while True:
        try:
            Visitor(url).get("/livez")
            return url, child
        except OSError:
            time.sleep(0.2)


def web_command_of(url: str) -> list[str]:
    """Return the command with which the supervisor starts the web process."""
    from kschedui.supervisor.commands import web_command

    return web_command("127.0.0.1", urlsplit(url).port or 0)


class Case:
    """The stack and the run that the measurements share."""

    def __init__(self, stack: Any, origin: str, chunks: int, visitor: Any, webs: dict[str, int]) -> None:
        self.stack, self.origin, self.chunks, self.visitor, self.webs = stack, origin, chunks, visitor, webs

    def show(self, name: str, viewers: int, runs: int, webs: int, *, pause: float) -> float:
        """Print a row of the table; return the processor seconds of the web processes."""
        from tests.bench.bench_stream import cpu_seconds, memory
        from tests.builders import node, pod, scenario

        ids = [self.visitor.save(scenario(node("n"), pod(f"{name[0]}-{viewers}-{webs}-{i}"))) for i in range(runs)]
        urls = list(self.webs)[:webs]
        before = sum(cpu_seconds(self.webs[url]) for url in urls)
        delays = sorted(asyncio.run(self.watch(urls, ids, viewers, pause)))
        used = sum(cpu_seconds(self.webs[url]) for url in urls) - before
        assert len(delays) == viewers * self.chunks, "a viewer lost a chunk"
        most = [1000 * delays[min(len(delays) - 1, int(len(delays) * share))] for share in (0.5, 0.99, 1.0)]
        counts = f"{viewers:>8}{runs:>6}{webs:>5}{self.chunks:>8}"
        held = max(memory(self.webs[url]) for url in urls)
        print(f"{name:10}{counts}" + "".join(f"{one:>9.0f}" for one in most) + f"{used:>11.2f}{held:>6}", flush=True)
        return used

    async def watch(self, urls: list[str], ids: list[str], viewers: int, pause: float) -> list[float]:
        """Subscribe all viewers, then store the chunks. Return the delays."""
        there = asyncio.Semaphore(0)
        tasks = [asyncio.create_task(follow(urls[i % len(urls)], ids[i % len(ids)], there)) for i in range(viewers)]
        for _ in range(viewers):
            await there.acquire()
        command = [sys.executable, __file__, WRITER, self.origin, ",".join(ids), str(pause)]
        writer = await asyncio.create_subprocess_exec(*command, env=self.stack.env, stdout=subprocess.PIPE, cwd=ROOT)
        said, _ = await writer.communicate()
        arrivals = await asyncio.gather(*tasks)
        stored = json.loads(said)
        return [at - stored[ids[i % len(ids)]][seq] for i, one in enumerate(arrivals) for seq, at in enumerate(one)]


async def follow(url: str, run: str, there: asyncio.Semaphore) -> list[float]:
    """Follow a run as one viewer, from the first chunk to the end. Return the arrival time of each chunk."""
    from websockets.asyncio.client import connect

    arrivals: list[float] = []
    address = "ws://" + urlsplit(url).netloc + "/ws/run/"
    async with connect(
        address, origin=url, max_size=None, compression=None, open_timeout=120, ping_interval=None
    ) as socket:
        await socket.send(json.dumps({"type": "subscribe", "run": run, "cursor": 0}))
        async for message in socket:
            if isinstance(message, bytes):
                arrivals.append(time.time())
                continue
            kind = json.loads(message)["type"]
            if kind == "hello":
                there.release()
            elif kind == "end":
                break
    return arrivals


def store(origin: str, ids: list[str], pause: float) -> None:
    """Store chunks like a worker that has all of them ready; print the time at which each row was committed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    import django

    django.setup()
    from kschedui.models import Chunk
    from kschedui.runs import store as runs

    recorded = list(Chunk.objects.filter(run__public_id=origin).order_by("seq"))
    mine = [runs.claim(one) for one in ids]
    stored: dict[str, list[float]] = {one: [] for one in ids}
    announce = runs.announce
    runs.announce = lambda public_id: (stored[public_id].append(time.time()), announce(public_id))[1]  # type: ignore[func-returns-value]
    for chunk in recorded:
        begun = time.monotonic()
        for run in mine:
            assert run is not None
            fields = {name: getattr(chunk, name) for name in ("seq", "first_step", "events", "frame")}
            runs.store_chunk(run, Chunk(run=run, **fields), 1.0)
        time.sleep(max(0.0, pause - (time.monotonic() - begun)))
    for run in mine:
        assert run is not None
        runs.finish(run, {})
    print(json.dumps({one: times[: len(recorded)] for one, times in stored.items()}))


if __name__ == "__main__":
    main()
