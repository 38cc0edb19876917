"""Work for a request, executed in turn by the processes of `kschedui.work`."""

import asyncio
import contextvars
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from django.conf import settings
from django.http import HttpRequest

from kschedui.uploads.responding import upload_of
from kschedui.web.api.visitors import requester_of
from kschedui.work import work_pool
from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.fetched import call, size_of
from kschedui.work.work_pool import WorkOptions
from kschedui.work.work_queue import Client

Result = TypeVar("Result")

SLOW = 500_000  # characters of a text that take more than a second to read
MAX_STREAMS = 64  # streams for which work is done, or waits, at the same time
PAGE_SECONDS = 2  # for which a browser that opens a page waits; then it shows its place in the queue, and asks again
PATIENCE = 600.0  # seconds that the next piece of a stream waits for its turn: a stream cannot be asked to try again

streaming_threads = ThreadPoolExecutor(MAX_STREAMS, "stream")


def work(
    request: HttpRequest, function: Callable[..., Result], *args: object, near: Hashable = None, slow: bool = False
) -> Result:
    """Return the function's result. The function must be in one of settings.WORK_MODULES and pure, with plain data as
    arguments and result.

    `near`: work with the same value reuses the cache of its process. `slow`: it is known to take more than a second, as
    long texts do; other slow work is detected. Raises any error of the function, and Busy, TooMuch and
    ClientDisconnected of `kschedui.work`.
    """
    assert function.__module__ in settings.WORK_MODULES, function
    if upload_of(request) is not None:  # in a process of its own already
        return call(function, args)
    client, disconnect = WorkOwner.of(request)
    slow = slow or sum(map(size_of, args)) > SLOW
    return work_pool.run(client, WorkOptions(slow, near, patience_of(request), disconnect), function, *args)


def patience_of(request: HttpRequest) -> float:
    """Return the seconds that a request waits for its turn: those of `Prefer` (RFC 7240), up to the limit.

    Without `Prefer`, the limit, and for a page at most PAGE_SECONDS.
    """
    most = settings.LIMITS["wait_seconds"]
    preferred = preferred_seconds(request)
    if preferred is not None:
        return min(preferred, most)
    return float(min(PAGE_SECONDS, most) if opens_page(request) else most)


def preferred_seconds(request: HttpRequest) -> int | None:
    """Return the seconds of a preference such as `Prefer: wait=2`, whose sender asks again; None without one of at most
    four digits.
    """
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, seconds = preference.strip().partition("=")
        if name == "wait" and seconds.isdecimal() and len(seconds) < 5:
            return int(seconds)
    return None


def opens_page(request: HttpRequest) -> bool:
    """Return whether a browser requests a page, which it can request again; scripts and tools wait."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


class WorkOwner(NamedTuple):
    """The client that work is done for, and whether it has disconnected."""

    client: Client
    disconnect: ClientDisconnect

    @classmethod
    def of(cls, request: HttpRequest) -> "WorkOwner":
        """Return the owner of work for a request."""
        requester = requester_of(request)
        name = f"{request.method} {request.get_full_path()}"
        disconnect = getattr(request, "scope", {}).get("disconnect") or ClientDisconnect()
        return cls(Client(requester.party, requester.author or requester.address, name), disconnect)

    async def work(self, function: Callable[..., Result], *args: object, near: Hashable = None) -> Result:
        """Return the function's result, for the next piece of a stream."""
        assert function.__module__ in settings.WORK_MODULES, function
        options = WorkOptions(near=near, patience=PATIENCE, disconnect=self.disconnect)
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            streaming_threads, lambda: context.run(work_pool.run, self.client, options, function, *args)
        )
