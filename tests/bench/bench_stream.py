#!/usr/bin/env python3
"""Measure how viewers receive a run: the whole stack on this machine, one run, many websockets.

    python tests/bench/bench_stream.py [--viewers 200] [--pods 2000]

Live: all viewers follow while the worker simulates. Late: all of them request the finished run at once. The delay of a
chunk is the time from its arrival at the first viewer to its arrival at each viewer; it includes the handshakes. Every
viewer must receive every chunk. Processor time and memory are those of the web server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from websockets.asyncio.client import connect

from kschedui.supervisor.ports import free_port
from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import run_manage
from tests.web.visitor import Visitor

OPEN_FILES = 4096


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--viewers", type=int, default=200)
    options.add_argument("--pods", type=int, default=2000)
    chosen = options.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {
            "KSCHEDUI_DATA_DIR": name,
            "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
            "KSCHEDUI_MAX_SOCKETS_PER_ADDRESS": "10000",
        }
        with Stack(env, folder) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            stack.start_workers(runs=1)
            web = stack.start_web("127.0.0.1", free_port())
            measure(Visitor(stack.wait()), chosen.viewers, chosen.pods, web.group)


def measure(visitor: Visitor, viewers: int, pods: int, server: int) -> None:
    """Measure the live viewers, then the late ones."""
    text = scenario(
        *(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(200)), *(pod(f"p{i}", cpu="500m") for i in range(pods))
    )
    head = ("viewers", 8), ("steps", 8), ("chunks", 8), ("seconds", 9), ("delay p50", 11), ("p99 ms", 9)
    print("      " + "".join(f"{word:>{width}}" for word, width in (*head, ("web cpu s", 11), ("MB", 6))))
    run = ""
    for name in ("live", "late"):
        before, begun = cpu_seconds(server), time.perf_counter()
        run = run or visitor.save(text)
        arrivals = asyncio.run(follow_all(visitor.url, run, viewers))
        seconds, used = time.perf_counter() - begun, cpu_seconds(server) - before
        state = visitor.run(run)
        assert all(len(one) == state["chunks"] for one in arrivals), "a viewer lost a chunk"
        delays = sorted(1000 * (at - min(column)) for column in zip(*arrivals, strict=True) for at in column)
        p50, p99 = delays[len(delays) // 2], delays[len(delays) * 99 // 100]
        counts = f"{viewers:>8}{state['steps']:>8}{state['chunks']:>8}"
        print(f"{name:6}{counts}{seconds:>9.2f}{p50:>11.1f}{p99:>9.1f}{used:>11.2f}{memory(server):>6}")


async def follow_all(url: str, run: str, viewers: int) -> list[list[float]]:
    """Return the arrival time of each chunk, for each viewer."""
    return list(await asyncio.gather(*(follow(url, run) for _ in range(viewers))))


async def follow(url: str, run: str) -> list[float]:
    """Follow a run as one viewer, from the first chunk to the end. Return the arrival times."""
    arrivals: list[float] = []
    address = "ws://" + urlsplit(url).netloc + "/ws/run/"
    async with connect(address, origin=url, max_size=None, compression=None, open_timeout=60) as socket:
        await socket.send(json.dumps({"type": "subscribe", "run": run, "cursor": 0}))
        async for message in socket:
            if isinstance(message, bytes):
                arrivals.append(time.perf_counter())
            elif json.loads(message)["type"] == "end":
                break
    return arrivals


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far, in seconds; 0 where the system does not provide it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> int:
    """Return the megabytes in use by a process; 0 where the system does not provide it."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024**2


if __name__ == "__main__":
    main()
