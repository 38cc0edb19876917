"""Limits of processor time and memory for one piece of work, enforced by the operating system."""

import os
import resource
import sys
from time import process_time

from scheduler_core.apis.messages import Message, WithSentence

PAGE = os.sysconf("SC_PAGE_SIZE")
MEGABYTE = 1024 * 1024


class TooMuch(WithSentence):
    """The work exceeded a limit; the sentence names it, its value and its setting."""


class TooManySeconds(TooMuch):
    """The work took more time than allowed: processor time, or real time on busy processors."""


def too_many_seconds(seconds: int, setting: str) -> TooManySeconds:
    """Return the error for work that takes too much processor time."""
    return TooManySeconds(
        Message(
            "This takes more than {seconds} seconds of processor time, which is the limit ({setting}).",
            seconds=seconds,
            setting=setting,
        )
    )


def too_long(seconds: int, setting: str) -> TooManySeconds:
    """Return the error for work that takes too much real time: the processors are busy with other work."""
    return TooManySeconds(
        Message(
            "This was stopped after {clock} seconds on busy processors. The limit is {seconds} seconds of processor "
            "time ({setting}).",
            clock=round(longest(seconds)),
            seconds=seconds,
            setting=setting,
        )
    )


def longest(seconds: int) -> float:
    """Return the real time in which work can use its processor time while others are served too."""
    return max(30.0, 6.0 * seconds)


def too_many_bytes(most: int, setting: str) -> TooMuch:
    """Return the error for work that takes too much memory."""
    return TooMuch(
        Message(
            "This takes more than {most:,} MB of memory, which is the limit ({setting}).",
            most=most // MEGABYTE,
            setting=setting,
        )
    )


def limit_memory(most: int) -> None:
    """Limit this process to this many additional bytes (on Linux only); beyond them, Python raises MemoryError."""
    if sys.platform == "linux":
        with open("/proc/self/statm") as sizes:
            now = int(sizes.read().split()[0]) * PAGE
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + most, hard))


def limit_processor(seconds: int) -> None:
    """Limit this process to this many further seconds of processor time, rounded up; then SIGXCPU ends it."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + seconds + 1, hard))
