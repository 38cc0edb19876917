"""Tasks that several requests and sockets share."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


def start_shared(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Start a task that can outlive the request that first needs it, and does not run in that request's thread."""
    return asyncio.create_task(work, context=Context())


class SharedCalls(Generic[Result]):
    """Calls in progress, by event loop and key. Sockets that need the same result at the same time share one call."""

    def __init__(self) -> None:
        self.tasks: dict[tuple[int, str], asyncio.Task[Result]] = {}

    async def result(self, key: str, call: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Return the result of the call with this key, which is started unless it is in progress. Raises its errors."""
        place = id(asyncio.get_running_loop()), key
        task = self.tasks.get(place)
        if task is None:
            task = self.tasks[place] = start_shared(call())
            task.add_done_callback(lambda task: self.remove(place, task))
        return await asyncio.shield(task)

    def remove(self, place: tuple[int, str], task: asyncio.Task[Result]) -> None:
        """Remove a call that has ended."""
        del self.tasks[place]
        if not task.cancelled():
            task.exception()  # nobody may wait for it any more
