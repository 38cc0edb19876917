"""Measure the descendants of this process: elapsed time, processor time, and the memory of the largest."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PAUSE = 0.1  # seconds between two readings
NAMES = {
    "--type=renderer": "the browser's page",
    "--type=gpu": "the browser's drawing",
    "--type=": "the browser",
    "chrom": "the browser",
    "uvicorn": "the web process",
    "multiprocessing.forkserver": "visitors' work",
    "celery": "the worker",
    "kschedui import": "the command",
}


@dataclass
class Used:
    """Resources used during a block.

    `seconds`: elapsed time. `processor`: seconds of processor time. `largest`: the most bytes that one process used.
    `holder`: the description of that process. `spent`: seconds of processor time by process id.
    """

    seconds: float = 0.0
    processor: float = 0.0
    largest: int = 0
    holder: str = ""
    spent: dict[int, float] = field(default_factory=dict)


@contextmanager
def measured() -> Iterator[Used]:
    """Measure the descendants until the block ends, without their use before it."""
    used, stop = Used(), threading.Event()
    before = {pid: _seconds(pid) for pid in _tree()}
    for pid in before:
        with suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # reset its peak of memory
    watcher = threading.Thread(target=_watch, args=(used, stop))
    start = time.perf_counter()
    watcher.start()
    try:
        yield used
    finally:
        used.seconds = time.perf_counter() - start
        _look(used)
        stop.set()
        watcher.join()
        used.processor = sum(spent - before.get(pid, 0.0) for pid, spent in used.spent.items())


def _watch(used: Used, stop: threading.Event) -> None:
    while not stop.wait(PAUSE):
        _look(used)


def _look(used: Used) -> None:
    for pid in _tree():
        if pid == os.getpid():
            continue
        used.spent[pid] = max(used.spent.get(pid, 0.0), _seconds(pid))
        if (held := _peak(pid)) > used.largest:
            used.largest, used.holder = held, _name(pid)


def _tree() -> list[int]:
    """Return the ids of this process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        with suppress(OSError, IndexError):
            if entry.isdigit():
                children.setdefault(int(_stat(int(entry))[1]), []).append(int(entry))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return found


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()


def _seconds(pid: int) -> float:
    with suppress(OSError, IndexError):
        return sum(map(int, _stat(pid)[11:13])) / TICK
    return 0.0


def _peak(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _name(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        return next((name for mark, name in NAMES.items() if mark in words), words[:20])
    return "?"
