"""The processes on this machine, from `ps`, on Linux and macOS alike."""

import subprocess
from collections.abc import Iterable
from typing import NamedTuple


class Process(NamedTuple):
    """A row of the process table. Rows with the same pid and group are taken for the same process."""

    pid: int
    parent: int
    group: int
    state: str
    command: str


def processes() -> list[Process]:
    """Return all processes."""
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = (line.split(None, 4) for line in listing.stdout.splitlines())
    return [Process(int(r[0]), int(r[1]), int(r[2]), r[3], r[4] if len(r) > 4 else "") for r in rows]


def descendants(pid: int) -> list[Process]:
    """Return the descendants of the process `pid`."""
    everything = processes()
    family: list[Process] = []
    parents = {pid}
    while True:
        more = [p for p in everything if p.parent in parents and p not in family]
        if not more:
            return family
        family += more
        parents = {p.pid for p in more}


def still_running(family: Iterable[Process]) -> list[Process]:
    """Return the processes of `family` that still run, without zombies."""
    before = {(p.pid, p.group) for p in family}
    return [p for p in processes() if (p.pid, p.group) in before and not p.state.startswith("Z")]
