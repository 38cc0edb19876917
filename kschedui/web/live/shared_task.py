"""Tasks that several requests and sockets share."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

Result = TypeVar("Result")


def start_shared(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Start a task without the context of the request that needs it first: it goes on when that one has ended, and its
    thread is left to others.
    """
    return asyncio.create_task(work, context=Context())
