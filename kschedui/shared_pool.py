"""The connections of a process to the cache's server, which all of its requests share.

Django makes a cache of its own for each request, with connections of its own: to connect and to log in takes longer
than to count a request.
"""

from functools import cache
from typing import Any

from redis import ConnectionPool

MOST = 1000  # commands at once; one more would not be counted


class SharedPool(ConnectionPool):
    """A pool that exists once for each server."""

    @classmethod
    @cache
    def from_url(cls, url: str, **options: Any) -> "SharedPool":
        """Return the pool of the server at this URL."""
        return super().from_url(url, max_connections=MOST, **options)
