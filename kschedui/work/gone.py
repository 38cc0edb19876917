"""Notification of work that its client has disconnected."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Gone:
    """The disconnect of one request's client; `leave` may be called from any thread, and more than once."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._left = False
        self._tell: Callable[[], None] | None = None

    @property
    def left(self) -> bool:
        return self._left

    def leave(self) -> None:
        """Report that the client has disconnected."""
        with self._guard:
            self._left = True
            if self._tell is not None:
                self._tell()

    @contextmanager
    def telling(self, tell: Callable[[], None]) -> Iterator[None]:
        """Call `tell` if the client disconnects while the block runs; no call is running afterwards."""
        with self._guard:
            self._tell = tell
            if self._left:
                tell()
        try:
            yield
        finally:
            with self._guard:
                self._tell = None
