"""The progress of a piece of work, reported to a listener if there is one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[float], None] | None] = ContextVar("progress", default=None)


def report(part: float) -> None:
    """Report the part of the work that is done, from 0 to 1."""
    if (listener := _listener.get()) is not None:
        listener(part)


@contextmanager
def within(start: float, end: float) -> Iterator[None]:
    """Scale the progress reported within the block to this part of the whole."""
    listener = _listener.get()
    if listener is None:
        yield
    else:
        with listen(lambda part: listener(start + (end - start) * part)):
            yield


@contextmanager
def listen(listener: Callable[[float], None]) -> Iterator[None]:
    """Call `listener` with the progress that is reported within the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
