"""Turns in the event loop, so that a page does not wait until a whole class has connected.

All tasks that are ready continue in the same turn of the event loop, and what arrives meanwhile is handled after them.
Sockets take turns instead: in each turn of the loop, at most MOST of them continue.
"""

import asyncio
from collections import deque
from weakref import WeakKeyDictionary

MOST = 4  # steps of sockets in one turn of the event loop; a step takes about a millisecond


class LoopTurns:
    """The turns of one event loop. Nothing has to be released: a task with a turn runs until its next `await`."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.taken = 0  # in this turn of the event loop; unless it is 0, `begin` is about to be called
        self.waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a turn of the event loop that has room, in order of arrival."""
        if self.taken < self.most and not self.waiting:
            self.count()
        else:
            self.waiting.append(turn := asyncio.get_running_loop().create_future())
            await turn

    def count(self) -> None:
        """Count a step of this turn of the event loop."""
        if not self.taken:
            asyncio.get_running_loop().call_soon(self.begin)
        self.taken += 1

    def begin(self) -> None:
        """Begin a turn of the event loop: those that have waited longest continue."""
        self.taken = 0
        while self.waiting and self.taken < self.most:
            turn = self.waiting.popleft()
            if not turn.done():  # a cancelled one is skipped
                turn.set_result(None)
                self.count()


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopTurns] = WeakKeyDictionary()


async def take_turn() -> None:
    """Wait for a turn of this event loop that has room for another step of a socket."""
    await _turns.setdefault(asyncio.get_running_loop(), LoopTurns()).take()
