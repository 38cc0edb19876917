"""Restarts processes that ended unexpectedly, with increasing delays; gives up on processes that never stay up."""

import time
from collections.abc import Callable

import msgspec

from .child import Child
from .errors import StartError
from .stack import Stack

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a start; each is twice as long as the one before
STEADY_SECONDS = 60.0  # after a child has run this long, its next pause is the first one again
MAX_STARTS = 8


class Restarts(msgspec.Struct):
    """The restarts of a child: their number since it last ran steadily, and the times of the last and the next one.

    `started` is 0 before the first restart; `due` is None while no restart is planned.
    """

    starts: int = 0
    started: float = 0.0
    due: float | None = None


class Revival:
    """Restarts children. Call `look` repeatedly."""

    def __init__(self, stack: Stack, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.stack = stack
        self.say = say
        self.clock = clock
        self.restarts: dict[str, Restarts] = {}

    def look(self) -> None:
        """Check the guard and every child once. Raises StartError if a child keeps ending."""
        self.stack.guard.look()
        for name, child in list(self.stack.children.items()):
            if child.poll() is not None:
                self.restart_when_due(name, child)

    def restart_when_due(self, name: str, child: Child) -> None:
        """Set the time of the child's next start, and start it if that time has come. Raises StartError."""
        of_child, now = self.restarts.setdefault(name, Restarts()), self.clock()
        if of_child.due is None:
            if now - of_child.started > STEADY_SECONDS:
                of_child.starts = 0
            if of_child.starts >= MAX_STARTS:
                self.stack.require_running()
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**of_child.starts)
            of_child.due = now + pause
            self.say(f"The {name} ended (exit status {child.poll()}); it is started again in {pause:g} s.")
        if now >= of_child.due:
            of_child.starts, of_child.started, of_child.due = of_child.starts + 1, now, None
            try:
                self.stack.children[name] = Child(child.program, self.stack.guard)
            except OSError as error:
                raise StartError(f"The {name} could not be started again: {error.strerror}.") from None
