"""Measure the speed and load of the machine, so that measurements can be compared."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from statistics import median
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")

LOOPS = 1_000_000
TARGET_MS = 27.0  # the reference loop on the machine that targets are set for
STEADY = 1.3  # if the longest loop takes more than this many times the shortest, the machine has other load


class Figure(NamedTuple):
    """A figure as measured (`raw`), and scaled to a machine on which the reference loop takes TARGET_MS."""

    raw: float
    scaled: float

    @classmethod
    def median(cls, figures: Iterable[Figure]) -> Figure:
        raw, scaled = zip(*figures, strict=True)
        return cls(median(raw), median(scaled))

    @classmethod
    def same(cls, figure: float) -> Figure:
        """Return a figure that is not scaled, because it does not depend on the speed of the machine."""
        return cls(figure, figure)


class Pace:
    """The speed of a shared machine: the reference loop runs before and after each measurement."""

    def __init__(self) -> None:
        self.loops: list[float] = []

    def scaled(self, seconds: Callable[[], float]) -> float:
        """Return the seconds that a call returns, as they would be at TARGET_MS."""
        return self.figure(seconds).scaled

    def figure(self, seconds: Callable[[], float]) -> Figure:
        """Return the seconds that a call returns, as they are and as they would be at TARGET_MS."""
        raw, scale = self.with_scale(seconds)
        return Figure(raw, raw * scale)

    def with_scale(self, act: Callable[[], Result]) -> tuple[Result, float]:
        """Return the result of a call, and the factor that scales its times to TARGET_MS."""
        before = self._look()
        result = act()
        return result, 2 * TARGET_MS / (before + self._look())

    def steady(self) -> bool:
        """Return whether the longest loop took at most STEADY times as long as the shortest."""
        return max(self.loops) <= STEADY * min(self.loops)

    def described(self) -> str:
        """Return the loops as text: "loop 29 to 34 ms"."""
        return f"loop {min(self.loops):.0f} to {max(self.loops):.0f} ms"

    def _look(self) -> float:
        self.loops.append(median(_loop() for _ in range(3)))
        return self.loops[-1]


def reference_loop() -> float:
    """Return the milliseconds of processor time of a fixed piece of Python, the best of five."""
    return min(_loop() for _ in range(5))


def describe_machine() -> str:
    """Return one line about the machine: the time of the reference loop, and the load."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return f"reference loop {reference_loop():.1f} ms; load {load:.1f} on {os.cpu_count()} processors"


def _loop() -> float:
    started = time.process_time()
    total = 0
    for number in range(LOOPS):
        total += number & 7
    assert total
    return 1000 * (time.process_time() - started)
