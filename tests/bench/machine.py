"""What the machine is doing while something is measured, so that two measurements can be compared."""

from __future__ import annotations

import os
import time

LOOPS = 1_000_000


def reference_loop() -> float:
    """Milliseconds of processor time for a fixed piece of Python; the best of a few."""
    return min(_loop() for _ in range(5))


def told() -> str:
    """One line: the reference loop, and how loaded the machine is."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return f"reference loop {reference_loop():.1f} ms; load {load:.1f} on {os.cpu_count()} processors"


def _loop() -> float:
    started = time.process_time()
    total = 0
    for number in range(LOOPS):
        total += number & 7
    assert total
    return 1000 * (time.process_time() - started)
