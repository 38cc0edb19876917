"""Tasks that nobody wants any more."""

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_SECONDS = 1.0


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel them and wait for their end; they end too when the one who waits is cancelled meanwhile.

    They are cancelled until they end: on Python 3.11 asyncio.wait_for, which the broker's client calls, loses a
    cancellation that comes together with its result.
    """
    await asyncio.shield(asyncio.ensure_future(_ended(set(tasks))))


async def _ended(tasks: set[asyncio.Task[Any]]) -> None:
    while tasks:
        for task in tasks:
            task.cancel()
        _, tasks = await asyncio.wait(tasks, timeout=AGAIN_SECONDS)
