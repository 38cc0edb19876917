"""What the log leaves out: everything that a client causes at will, and tracebacks of a database that is away."""

import logging

from django.db import InterfaceError, OperationalError

BUSY = 503
AWAY = (OperationalError, InterfaceError)


class Quiet(logging.Filter):
    """A busy site, or one without its database, says so in one line and not in forty."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop what was answered with 503; shorten what the database raised."""
        if getattr(record, "status_code", None) == BUSY:
            return False
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, AWAY):
            record.msg, record.args = f"{record.getMessage()}: {' '.join(str(error).split())}", ()
            record.exc_info = record.exc_text = None
        return True
