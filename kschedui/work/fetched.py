"""Arguments that a worker process reads itself.

Sending a long text to another process costs the sender many times as much as reading it, and holds Python's lock.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class Fetched(NamedTuple):
    """An argument whose value is `read(key)`, with a length of about `size`."""

    read: Callable[[Any], Any]
    key: Any
    size: int


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
