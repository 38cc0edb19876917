"""Rare garbage collection, for runs and answers: they keep many objects and leave few cycles behind."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTED_AFTER = 300_000  # new objects that may be parts of cycles


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect garbage rarely while the block runs."""
    often = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *often[1:])
    try:
        yield
    finally:
        gc.set_threshold(*often)
