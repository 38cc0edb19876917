"""Is this process able to serve? Asked by Docker's health check and by a load balancer."""

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

BROKER_TIMEOUT_SECONDS = 2


def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 when database and broker answer, else 503; name the part, tell no detail of it."""
    parts = {"database": database_answers(), "broker": broker_answers()}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def database_answers() -> bool:
    """One query that reads no table."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False


def broker_answers() -> bool:
    """PING to the server at REDIS_URL."""
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=BROKER_TIMEOUT_SECONDS) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
