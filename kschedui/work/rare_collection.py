"""Garbage collection for runs and answers, which keep many objects and leave few cycles: rarely, and at the end."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTED_AFTER = 300_000  # new objects that may be parts of cycles
LARGE_SECONDS = 0.1  # of processor time; after longer work, all generations are collected


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect garbage rarely while the block runs."""
    often = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *often[1:])
    try:
        yield
    finally:
        gc.set_threshold(*often)


def collect_garbage(work_seconds: float) -> None:
    """Collect the garbage of work that took this much processor time; Python itself would collect it much later."""
    gc.collect(2 if work_seconds > LARGE_SECONDS else 1)
