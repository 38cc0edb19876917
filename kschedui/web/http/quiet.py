"""A log filter that drops messages that clients can cause at will, and tracebacks of unavailable services."""

import logging

from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

BUSY = 503
AWAY = (OperationalError, InterfaceError, BrokerError, RedisError)  # the database, the broker


class Quiet(logging.Filter):
    """Shortens the log of a busy site, or of one without its database or broker, to one line per problem."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop records of 503 responses; shorten exceptions caused by unavailable services."""
        if getattr(record, "status_code", None) == BUSY:
            return False
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, AWAY):
            record.msg, record.args = f"{record.getMessage()}: {' '.join(str(error).split())}", ()
            record.exc_info = record.exc_text = None
        return True
