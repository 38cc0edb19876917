"""Tasks that several requests and sockets share."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

Result = TypeVar("Result")


def start_shared(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Start a task that can outlive the request that first needs it, and does not run in that request's thread."""
    return asyncio.create_task(work, context=Context())
