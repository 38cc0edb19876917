"""The connections of a process to the cache's server, which all of its requests share.

Django creates a cache for each request, with its own connections, and connecting and logging in takes longer than
counting a request.
"""

from functools import cache
from typing import Any

from redis import ConnectionPool

MOST = 1000  # connections, each for one command at a time; a command that gets none fails


class SharedPool(ConnectionPool):
    """A pool that exists once for each server."""

    @classmethod
    @cache
    def from_url(cls, url: str, **options: Any) -> "SharedPool":
        """Return the pool of the server at this URL."""
        return super().from_url(url, max_connections=MOST, **options)
