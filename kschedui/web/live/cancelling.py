"""Cancellation of asyncio tasks."""

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_SECONDS = 10.0  # longer than a busy broker takes to unsubscribe, which must not be cancelled


async def cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel the tasks and wait until they have ended, even if the caller is cancelled meanwhile.

    A task is cancelled repeatedly until it ends: on Python 3.11, asyncio.wait_for, which the broker's client calls,
    loses a cancellation that coincides with its result.
    """
    await asyncio.shield(asyncio.ensure_future(_cancel(set(tasks))))


async def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    while tasks:
        for task in tasks:
            task.cancel()
        _, tasks = await asyncio.wait(tasks, timeout=AGAIN_SECONDS)
