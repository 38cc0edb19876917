"""Log records that know which request and which run they belong to."""

import logging
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
run_id: ContextVar[str] = ContextVar("run_id", default="")


class Context(logging.Filter):
    """Puts both ids on each record; "" where there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request = request_id.get()
        record.run = run_id.get()
        return True
