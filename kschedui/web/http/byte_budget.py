"""A limit on the bytes that this process holds for clients that have not yet received them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import NamedTuple

from django.conf import settings

SLOWEST = 256 * 1024  # bytes a second that a client must take of something large


class Hold:
    """Bytes that are held, counted once for all clients that wait for them; `owner` pays for them."""

    def __init__(self, budget: "ByteBudget", owner: str, size: int) -> None:
        self.budget = budget
        self.owner = owner
        self.size = size
        self.holders = 1

    def shrink(self, size: int) -> None:
        """Return unused bytes if the size turns out to be smaller."""
        if size < self.size:
            self.budget.move(self.owner, size - self.size)
            self.size = size


class Place(NamedTuple):
    """The place of a waiting client."""

    turn: asyncio.Future[None]
    owner: str
    size: int


class ByteBudget:
    """A budget of `most` bytes in total, and `share` bytes for one owner (an address); others wait, in order.

    `used`, `waiting` and `waits` (the number of waits so far) are metrics.
    """

    def __init__(self, most: int, share: int) -> None:
        self.most = most
        self.share = share
        self.used = 0
        self.waits = 0
        self.owners: Counter[str] = Counter()
        self.waiting: list[Place] = []
        self.holds: dict[Hashable, Hold] = {}

    @asynccontextmanager
    async def held(self, owner: str, thing: Hashable, size: int) -> AsyncIterator[Hold]:
        """Wait until there is room, and hold it; bytes that are already held need no more room."""
        size = min(size, self.share)
        while (hold := self.holds.get(thing)) is None and not self.fits(owner, size):
            await self.wait(owner, size)
        if hold is None:
            hold = self.holds[thing] = Hold(self, owner, size)
            self.move(owner, size)
        else:
            hold.holders += 1
        try:
            yield hold
        finally:
            hold.holders -= 1
            if not hold.holders:
                del self.holds[thing]
                self.move(hold.owner, -hold.size)

    async def wait(self, owner: str, size: int) -> None:
        """Wait until enough bytes were returned."""
        self.waits += 1
        place = Place(asyncio.get_running_loop().create_future(), owner, size)
        self.waiting.append(place)
        try:
            await place.turn
        finally:
            self.waiting.remove(place)

    def fits(self, owner: str, size: int) -> bool:
        """Return whether there is room for it."""
        return self.used + size <= self.most and self.owners[owner] + size <= self.share

    def move(self, owner: str, size: int) -> None:
        """Take bytes (or return them, if negative), and wake waiting clients, which check again in order."""
        self.used += size
        self.owners[owner] += size
        if not self.owners[owner]:
            del self.owners[owner]
        if size < 0:
            for place in self.waiting:
                if not place.turn.done() and self.fits(place.owner, place.size):
                    place.turn.set_result(None)


def patience(size: int) -> float:
    """Return the number of seconds that a client has to receive this number of bytes."""
    return settings.WEBSOCKET_SEND_SECONDS + size / SLOWEST


unsent = ByteBudget(settings.LIMITS["unsent_bytes"], settings.LIMITS["unsent_bytes_per_address"])
