"""Limits on the request bodies that this process keeps, in memory or in a temporary file, until they are answered."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext_noop

SLOWEST = 2 * 1024  # bytes a second, in each window of BODY_SECONDS
PAUSE = 0.005  # seconds until the bytes of a body that was given up are looked for again


class BodyRefused(Exception):
    """The body is not received any further; the client gets the status and the sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


TOO_SLOW = 408, gettext_noop("The request took too long to arrive. Try again.")
TOO_MANY = 429, gettext_noop("Too many requests from your address are still arriving. Try again later.")
TOO_MUCH = 429, gettext_noop("The requests that arrive from your address are too large together. Send one at a time.")
FULL = 503, gettext_noop("Too many large requests are arriving at the moment. Try again later.")


class ArrivingBody:
    """A body as far as it has arrived. `whole`: completely; `given_up`: the rest is not received."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.size = 0
        self.whole = False
        self.given_up = False
        self.timer: asyncio.Timeout | None = None
        self.window_size = 0
        self.window_end = asyncio.get_running_loop().time() + settings.BODY_SECONDS

    def extend_window(self, size: int) -> None:
        """Count bytes that arrived; begin another window of time once there are enough of them in this one."""
        self.window_size += size
        if self.window_size >= SLOWEST * settings.BODY_SECONDS:
            self.window_size = 0
            self.window_end = asyncio.get_running_loop().time() + settings.BODY_SECONDS

    def give_up(self) -> None:
        """Stop receiving the body, and end the wait for its next piece."""
        self.given_up = True
        if self.timer is not None:
            self.timer.reschedule(asyncio.get_running_loop().time())


class ArrivingBodies:
    """All bodies of the process: at most `most` bytes, and `share` bytes and `count` unfinished bodies of one address.

    If they take too much together, the largest unfinished body of the address that sends most is given up, so that
    nobody can block others by filling the space.
    """

    def __init__(self, most: int, share: int, count: int) -> None:
        self.most = most
        self.share = share
        self.count = count
        self.bodies: list[ArrivingBody] = []

    @property
    def used(self) -> int:
        """Return the bytes of all bodies."""
        return sum(body.size for body in self.bodies)

    @contextmanager
    def arriving(self, address: str) -> Iterator[ArrivingBody]:
        """Count a body until its request is answered. Raises BodyRefused if the address has too many
        unfinished ones.
        """
        if sum(body.address == address and not body.whole for body in self.bodies) >= self.count:
            raise BodyRefused(*TOO_MANY)
        body = ArrivingBody(address)
        self.bodies.append(body)
        try:
            yield body
        finally:
            self.bodies.remove(body)

    async def add(self, body: ArrivingBody, size: int) -> None:
        """Count bytes that arrived, once there is room for them: `used` is never above the limit.

        Raises BodyRefused if this body is given up, or its address has used up its share.
        """
        body.extend_window(size)
        self.make_room(body, size)
        while self.used + size > self.most:  # a body that was given up is about to be closed
            await asyncio.sleep(PAUSE)
            self.make_room(body, size)
        body.size += size

    def make_room(self, body: ArrivingBody, size: int) -> None:
        """Give up the body chosen by the rule of this class if there is no room for these bytes.

        Raises BodyRefused if that is this one, or its address has used up its share.
        """
        if body.given_up:  # while this piece was here already, so that its wait could not be ended
            raise BodyRefused(*FULL)
        kept = {other: other.size for other in self.bodies if not other.given_up}
        kept[body] += size
        by_address: Counter[str] = Counter()
        for other, bytes_of_it in kept.items():
            by_address[other.address] += bytes_of_it
        if by_address[body.address] > self.share:
            raise BodyRefused(*TOO_MUCH)
        if by_address.total() > self.most:
            unfinished = [other for other in kept if not other.whole]
            largest = max(unfinished, key=lambda other: (by_address[other.address], kept[other]))
            if largest is body:
                raise BodyRefused(*FULL)
            largest.give_up()


bodies = ArrivingBodies(
    settings.LIMITS["body_bytes"], settings.LIMITS["body_bytes_per_address"], settings.LIMITS["bodies_per_address"]
)
