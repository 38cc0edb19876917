"""Arguments that a worker process reads itself.

Sending a long text to another process costs the sender many times as much as reading it, and holds Python's lock.
"""

import zlib
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class Fetched(NamedTuple):
    """An argument whose value is `read(key)`, with a length of about `size`."""

    read: Callable[[Any], Any]
    key: Any
    size: int


def packed(value: object) -> Fetched:
    """Return a value that worker processes pass on from one call to the next, as an argument that only they unpack.

    The process in between would need many times its packed size for the value itself.
    """
    return Fetched(unpack, zlib.compress(ForkingPickler.dumps(value), zlib.Z_BEST_SPEED), 0)


def unpack(data: bytes) -> Any:
    """Return a packed value."""
    return ForkingPickler.loads(zlib.decompress(data))


def call(function: Callable[..., Result], args: Sequence[Any]) -> Result:
    """Return the function's result, after fetching its arguments."""
    return function(*map(fetch, args))


def fetch(argument: Any) -> Any:
    """Return the argument with each Fetched part replaced by its value."""
    if isinstance(argument, Fetched):
        return argument.read(argument.key)
    return tuple(map(fetch, argument)) if type(argument) is tuple else argument


def size_of(argument: Any) -> int:
    """Return the number of characters of the texts in an argument, including those to fetch."""
    if isinstance(argument, Fetched):
        return argument.size
    if isinstance(argument, str):
        return len(argument)
    return sum(map(size_of, argument)) if type(argument) is tuple else 0
