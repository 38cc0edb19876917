"""Notification of work that its client has disconnected."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class ClientDisconnect:
    """The state of one request's client: connected or disconnected.

    `report` may be called repeatedly, from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._occurred = False
        self._callback: Callable[[], None] | None = None

    @property
    def occurred(self) -> bool:
        """Return whether the client has disconnected."""
        return self._occurred

    def report(self) -> None:
        """Report that the client has disconnected."""
        with self._lock:
            self._occurred = True
            if self._callback is not None:
                self._callback()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call `callback` if the client disconnects while the block runs, or has disconnected before."""
        with self._lock:
            self._callback = callback
            if self._occurred:
                callback()
        try:
            yield
        finally:
            with self._lock:
                self._callback = None
