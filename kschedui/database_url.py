"""Parses DATABASE_URL into an entry of Django's DATABASES."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

SQLITE_OPTIONS = {
    # Write transactions take their lock at BEGIN, so that two writers wait for each other instead of failing.
    "transaction_mode": "IMMEDIATE",
    "timeout": int(os.environ.get("KSCHEDUI_SQLITE_SECONDS", "") or 5),  # that a visitor waits for others' writes
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}

# `timeout`: seconds to wait for a connection. `reconnect_timeout`: seconds of attempts to connect; the next request
# starts new ones. (The default is five minutes with growing pauses, so that a site would be unavailable for minutes
# after its database is back.)
POOL = {"min_size": 0, "timeout": 15, "reconnect_timeout": 2}


def database_from_url(url: str, connections: int = 20) -> dict[str, Any]:
    """Parse `sqlite:///relative`, `sqlite:////absolute`, or `postgres://user:password@host:port/name?option=value`.

    A process opens a limited number of connections to PostgreSQL; a web server's other requests wait for one, since the
    server rejects connections above its own limit.

    Raises ValueError, whose text never contains the URL, since that may include a password.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(parts.path[1:]), "OPTIONS": dict(SQLITE_OPTIONS)}
    if parts.scheme in ("postgres", "postgresql"):
        try:
            port = parts.port
        except ValueError:  # its text repeats what stands there: half of a password that holds a slash
            raise ValueError("DATABASE_URL has no number for its port; quote / as %2F in a password") from None
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(port or ""),
            "OPTIONS": {**dict(parse_qsl(parts.query)), "pool": {**POOL, "max_size": connections}},
            "CONN_HEALTH_CHECKS": True,
        }
    raise ValueError(f"DATABASE_URL must begin with sqlite:// or postgres://, not {parts.scheme or 'nothing'}://")
