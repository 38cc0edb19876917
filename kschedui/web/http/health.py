"""Health checks for Docker, load balancers and operators."""

import logging
import threading
import time
from datetime import timedelta

import redis
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from kschedui.runs.storage_limits import StorageFull, free_disk, require_disk_space

logger = logging.getLogger(__name__)

BROKER_TIMEOUT_SECONDS = 2
PROBE = "probe"  # no visitor's session: those have 32 characters
NOTHING = 1024 * 1024  # bytes: SQLite's files beside the database need as much
WRITTEN_FOR = 3.0  # seconds that a probe's answer holds: anybody may ask

_last: tuple[float, str] = (0.0, "")
_guard = threading.Lock()


def alive(request: HttpRequest) -> HttpResponse:
    """Handle /livez: this process responds."""
    return HttpResponse("ok", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    """Handle /readyz: 200 if the database accepts writes and the broker responds, otherwise 503 with a reason."""
    reason = database_trouble()
    parts = {"database": not reason, "broker": broker_answers()}
    return JsonResponse({**parts, **({"reason": reason} if reason else {})}, status=200 if all(parts.values()) else 503)


def database_trouble() -> str:
    """Return the reason why nothing can be written, "" if writing works; checked at most once every WRITTEN_FOR
    seconds.
    """
    global _last
    with _guard:
        at, reason = _last
        if time.monotonic() - at > WRITTEN_FOR or not at:
            reason = try_to_write()
            _last = (time.monotonic(), reason)
        return reason


def try_to_write() -> str:
    """Store a row. Return a word for the error, "" if there is none; details are logged."""
    try:
        with transaction.atomic():
            until = timezone.now() + timedelta(days=1)
            Session.objects.update_or_create(session_key=PROBE, defaults={"session_data": "", "expire_date": until})
        require_disk_space()
    except StorageFull:
        return "full"
    except DatabaseError as error:
        logger.warning("the database accepts no writes: %s", error)
        return reason_of(error)
    return ""


def reason_of(error: Exception) -> str:
    """Return one of: full, read-only, locked, away.

    On a full disk, SQLite may only report that it cannot open or read a file.
    """
    text = str(error).lower()
    words = {"full": "full", "no space": "full", "readonly": "read-only", "read-only": "read-only", "locked": "locked"}
    free = free_disk()
    full = free is not None and free < NOTHING
    return next((word for part, word in words.items() if part in text), "full" if full else "away")


def broker_answers() -> bool:
    """Return whether the server at REDIS_URL answers PING."""
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=BROKER_TIMEOUT_SECONDS) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
