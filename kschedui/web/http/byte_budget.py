"""A limit on the bytes that this process holds for clients that have not yet received them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import NamedTuple

from django.conf import settings

SLOWEST = 256 * 1024  # bytes a second that a client must take of something large


class Hold:
    """Bytes that are held, counted once for all clients that wait for them; they count towards the share of `owner`."""

    def __init__(self, budget: "ByteBudget", owner: str, size: int) -> None:
        self.budget = budget
        self.owner = owner
        self.size = size
        self.holders = 0

    def shrink(self, size: int) -> None:
        """Release the unused bytes if the size turns out to be smaller."""
        if size < self.size:
            self.budget.release(self.owner, self.size - size)
            self.size = size


class Waiter(NamedTuple):
    """A client that waits for `size` bytes, identified by `key`; `turn` is resolved with its Hold."""

    turn: asyncio.Future[Hold]
    owner: str
    key: Hashable
    size: int


class ByteBudget:
    """A budget of `most` bytes in total, and `share` bytes for one owner (an address); clients that exceed it wait, in
    order.

    `used`, `waiting` and `waits` (the number of waits so far) are metrics.
    """

    def __init__(self, most: int, share: int) -> None:
        self.most = most
        self.share = share
        self.used = 0
        self.waits = 0
        self.owners: Counter[str] = Counter()
        self.waiting: list[Waiter] = []
        self.holds: dict[Hashable, Hold] = {}

    @asynccontextmanager
    async def held(self, owner: str, key: Hashable, size: int) -> AsyncIterator[Hold]:
        """Hold this number of bytes, or the owner's share if it is less, while the block runs, once there is room.

        Clients with the same key wait for the same bytes, which are counted once.
        """
        turn: asyncio.Future[Hold] = asyncio.get_running_loop().create_future()
        waiter = Waiter(turn, owner, key, min(size, self.share))
        self.waiting.append(waiter)
        self.admit()
        if not turn.done():
            self.waits += 1
        try:
            yield await turn
        finally:
            self.leave(waiter)

    def admit(self) -> None:
        """Serve waiting clients in order of arrival.

        No client that needs bytes of its own overtakes one for which the budget has no room; other owners overtake one
        whose owner has used up its share.
        """
        full, owners_at_share = False, set()
        for waiter in self.waiting[:]:
            if waiter.turn.done():  # it has given up and is about to leave
                continue
            hold = self.holds.get(waiter.key)
            if hold is None:
                if full or waiter.owner in owners_at_share:
                    continue
                if self.owners[waiter.owner] + waiter.size > self.share:
                    owners_at_share.add(waiter.owner)
                    continue
                if self.used + waiter.size > self.most:
                    full = True
                    continue
                hold = self.holds[waiter.key] = Hold(self, waiter.owner, waiter.size)
                self.used += waiter.size
                self.owners[waiter.owner] += waiter.size
            self.waiting.remove(waiter)
            hold.holders += 1
            waiter.turn.set_result(hold)

    def leave(self, waiter: Waiter) -> None:
        """Release the client's bytes, unless others hold them too. If it gives up waiting, serve those behind it."""
        if waiter in self.waiting:
            self.waiting.remove(waiter)
            self.admit()
            return
        hold = self.holds[waiter.key]
        hold.holders -= 1
        if not hold.holders:
            del self.holds[waiter.key]
            self.release(hold.owner, hold.size)

    def release(self, owner: str, size: int) -> None:
        """Release bytes of an owner, and serve waiting clients."""
        self.used -= size
        self.owners[owner] -= size
        if not self.owners[owner]:
            del self.owners[owner]
        self.admit()


def patience(size: int) -> float:
    """Return the number of seconds that a client has to receive this number of bytes."""
    return settings.WEBSOCKET_SEND_SECONDS + size / SLOWEST


unsent = ByteBudget(settings.LIMITS["unsent_bytes"], settings.LIMITS["unsent_bytes_per_address"])
