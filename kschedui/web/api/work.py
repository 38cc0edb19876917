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
from kschedui.work import place
from kschedui.work.fetched import call, size_of
from kschedui.work.gone import Gone
from kschedui.work.line import Client
from kschedui.work.place import WorkOptions

Result = TypeVar("Result")

SLOW = 500_000  # characters of a text that take more than a second to read
MAX_STREAMS = 64  # that wait for their next piece at once; more wait for those
PAGE_SECONDS = 2  # that a browser which opens a page waits; then it shows the place in the line, and asks again
PATIENCE = 600.0  # seconds: nobody asks a stream again

streaming_threads = ThreadPoolExecutor(MAX_STREAMS, "stream")


def work(
    request: HttpRequest, function: Callable[..., Result], *args: object, near: Hashable = None, slow: bool = False
) -> Result:
    """Return the function's result. It must be in a web module and pure, with plain data as arguments and result.

    `near`: work with the same value reuses the cache of its process. `slow`: it is known to take more than a second, as
    long texts do; other slow work is detected. Raises any error of the function, and Busy, TooMuch and ClientGone of
    `kschedui.work`.
    """
    if upload_of(request) is not None:  # in a process of its own already
        return call(function, args)
    client, gone = WorkOwner.of(request)
    slow = slow or sum(map(size_of, args)) > SLOW
    return place.run(client, WorkOptions(slow, near, patience_of(request), gone), function, *args)


def patience_of(request: HttpRequest) -> float:
    """Return the seconds that a request waits for its turn: those of `Prefer` (RFC 7240), up to the limit."""
    most = settings.LIMITS["wait_seconds"]
    preferred = preferred_seconds(request)
    if preferred is not None:
        return min(preferred, most)
    return float(min(PAGE_SECONDS, most) if opens_page(request) else most)


def preferred_seconds(request: HttpRequest) -> int | None:
    """Return the seconds of `Prefer: wait=2`, whose sender asks again; None without this preference."""
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, seconds = preference.strip().partition("=")
        if name == "wait" and seconds.isdecimal() and len(seconds) < 5:
            return int(seconds)
    return None


def opens_page(request: HttpRequest) -> bool:
    """Return whether a browser requests a page, which it can request again; scripts and tools wait."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


class WorkOwner(NamedTuple):
    """The owner of a piece of work, and how its end is reported, for a request with a streamed response."""

    client: Client
    gone: Gone

    @classmethod
    def of(cls, request: HttpRequest) -> "WorkOwner":
        """Return the source of a request."""
        requester = requester_of(request)
        name = f"{request.method} {request.get_full_path()}"
        gone = getattr(request, "scope", {}).get("gone") or Gone()
        return cls(Client(requester.party, requester.author or requester.address, name), gone)

    async def work(self, function: Callable[..., Result], *args: object, near: Hashable = None) -> Result:
        """Return the function's result, for the next piece of a stream."""
        options = WorkOptions(near=near, patience=PATIENCE, gone=self.gone)
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            streaming_threads, lambda: context.run(place.run, self.client, options, function, *args)
        )
