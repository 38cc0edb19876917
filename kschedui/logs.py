"""Log records with the ids of their request and run."""

import logging
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
run_id: ContextVar[str] = ContextVar("run_id", default="")


class Context(logging.Filter):
    """Adds the ids of the request and the run to each record; "" without one."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request = request_id.get()
        record.run = run_id.get()
        return True
