"""A limit on the bytes that this process holds for clients that have not received them yet."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import NamedTuple

from django.conf import settings

SLOWEST = 256 * 1024  # bytes a second that a client must take of something large


class Hold:
    """A thing that is held, once for all who wait to be rid of it; `owner` pays for it."""

    def __init__(self, budget: "ByteBudget", owner: str, size: int) -> None:
        self.budget = budget
        self.owner = owner
        self.size = size
        self.holders = 1

    def shrink(self, size: int) -> None:
        """Return unused bytes when the size turns out to be smaller."""
        if size < self.size:
            self.budget.move(self.owner, size - self.size)
            self.size = size


class Place(NamedTuple):
    """The place of a waiting client."""

    turn: asyncio.Future[None]
    owner: str
    size: int


class ByteBudget:
    """A budget of `most` bytes, and `share` bytes for one owner (an address); others wait, in order.

    `used`, `waiting` and `waits` (how many had to, so far) are there to be shown.
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
        """Wait until there is room, and keep it for a while; what is held already takes no more room."""
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
        """Take (or, below zero, give back), and wake who may fit now; they look again, in order."""
        self.used += size
        self.owners[owner] += size
        if not self.owners[owner]:
            del self.owners[owner]
        if size < 0:
            for place in self.waiting:
                if not place.turn.done() and self.fits(place.owner, place.size):
                    place.turn.set_result(None)


def patience(size: int) -> float:
    """Return how many seconds a client has for receiving so many bytes."""
    return settings.WEBSOCKET_SEND_SECONDS + size / SLOWEST


unsent = ByteBudget(settings.LIMITS["unsent_bytes"], settings.LIMITS["unsent_bytes_per_address"])
