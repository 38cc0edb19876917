"""Slots for long runs: one fewer than a worker has processes, so that one process stays free for short runs.

A slot is a locked file; the lock ends with the process that holds it.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = "KSCHEDUI_LONG_RUN_SLOTS"  # in the environment: made by a worker's main process, inherited by its pool


def make(count: int) -> None:
    """Create this number of slots for the processes that this one starts."""
    folder = Path(tempfile.mkdtemp(prefix="kschedui-slots-"))
    for number in range(count):
        (folder / str(number)).touch()
    os.environ[FOLDER] = str(folder)


def remove() -> None:
    """Remove all slots when the worker ends."""
    if folder := os.environ.pop(FOLDER, ""):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def held() -> Iterator[bool]:
    """Hold a slot if one is free, and yield whether it is held. Outside a worker's pool, yield True."""
    if FOLDER not in os.environ:
        yield True
        return
    for slot in sorted(Path(os.environ[FOLDER]).iterdir()):
        handle = os.open(slot, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        try:
            yield True
        finally:
            os.close(handle)
        return
    yield False
