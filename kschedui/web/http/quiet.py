"""A filter for the log, which leaves out everything that a client causes at will, and tracebacks of what is away."""

import logging

from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

BUSY = 503
AWAY = (OperationalError, InterfaceError, BrokerError, RedisError)  # the database, the broker


class Quiet(logging.Filter):
    """A busy site, or one without its database or broker, says so in one line and not in forty."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop what was answered with 503; shorten what is raised when something is away."""
        if getattr(record, "status_code", None) == BUSY:
            return False
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, AWAY):
            record.msg, record.args = f"{record.getMessage()}: {' '.join(str(error).split())}", ()
            record.exc_info = record.exc_text = None
        return True
