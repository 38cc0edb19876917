"""Turns of requests, so that a page does not wait until all requests that arrived with it are answered.

The threads of a process share Python's lock: if thirty requests run at once, each takes thirty times as long. So only a
few run at once, and the addresses of the others take turns. A request that waits for a work process has ended its turn,
and one that has waited for PATIENCE_SECONDS runs anyway: those that run may be waiting for the database.
"""

import asyncio
from collections import deque
from contextvars import ContextVar

MAX_RUNNING = 3
PATIENCE_SECONDS = 1.0


class RequestTurns:
    """The requests of one event loop that run, and those that wait, by client address."""

    def __init__(self) -> None:
        self.running = 0
        self.waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the address whose turn is next comes first

    async def begin(self, address: str) -> None:
        """Wait until a request of this address may run. `end` must follow, unless this raises CancelledError."""
        if self.running < MAX_RUNNING:
            self.running += 1
            return
        granted = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(address, deque()).append(granted)
        try:
            await asyncio.wait([granted], timeout=PATIENCE_SECONDS)
        except asyncio.CancelledError:
            if not granted.cancel():
                self.end()
            raise
        if granted.cancel():
            self.running += 1

    def end(self) -> None:
        """Let a waiting request run in place of one that has ended or waits for something else."""
        while self.running <= MAX_RUNNING and self.waiting:
            address, requests = next(iter(self.waiting.items()))
            granted = requests.popleft()
            del self.waiting[address]
            if requests:
                self.waiting[address] = requests
            if not granted.done():  # a request that no longer waits has cancelled it
                return granted.set_result(None)
        self.running -= 1


class Turn:
    """The turn of one request; it can begin again after it has ended."""

    def __init__(self, turns: RequestTurns, address: str) -> None:
        self.turns = turns
        self.address = address
        self.loop = asyncio.get_running_loop()
        self.runs = False

    async def begin(self) -> None:
        """Wait until the request may run."""
        await self.turns.begin(self.address)
        self.runs = True

    def end(self) -> None:
        """End the turn, if it has not ended yet."""
        if self.runs:
            self.runs = False
            self.turns.end()

    def end_from_thread(self) -> None:
        """End the turn, if it has not ended yet, from another thread than that of the event loop."""
        if self.runs:
            self.loop.call_soon_threadsafe(self.end)


current_turn: ContextVar[Turn | None] = ContextVar("current_turn", default=None)


def end_turn() -> None:
    """End the turn of the request of this thread, if any, before it waits for something that may take long."""
    if (turn := current_turn.get()) is not None:
        turn.end_from_thread()
