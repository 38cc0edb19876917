"""Reads the rows of followed runs, with one query for all requests that arrive while the previous query runs."""

import asyncio
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async

from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.runs.store import Status
from kschedui.web.live.shared_task import start_shared

MOST = 500  # in one query

read_statuses = database_sync_to_async(runs.statuses)


class StatusReader:
    """Reads the status of runs in one event loop."""

    def __init__(self) -> None:
        self.awaited: dict[str, asyncio.Future[Status | None]] = {}
        self.task: asyncio.Task[None] | None = None

    async def status(self, run: str) -> Status:
        """Return the status of a run. Raises Run.DoesNotExist."""
        answer = self.awaited.get(run)
        if answer is None:
            answer = self.awaited[run] = asyncio.get_running_loop().create_future()
        if self.task is None or self.task.done():
            self.task = start_shared(self.read())
        status = await asyncio.shield(answer)
        if status is None:
            raise Run.DoesNotExist
        return status

    async def read(self) -> None:
        """Run queries as long as there are requests."""
        while self.awaited:
            batch = dict(list(self.awaited.items())[:MOST])
            for run in batch:
                del self.awaited[run]
            try:
                statuses = await read_statuses(list(batch))
            except Exception as error:  # everybody who waits gets it
                for answer in batch.values():
                    if not answer.done():
                        answer.set_exception(error)
                        answer.exception()  # nobody may wait for it any more
                continue
            for run, answer in batch.items():
                if not answer.done():
                    answer.set_result(statuses.get(run))


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, StatusReader] = WeakKeyDictionary()


async def read_status(run: str) -> Status:
    """Return the current status of the run. Raises Run.DoesNotExist."""
    return await _readers.setdefault(asyncio.get_running_loop(), StatusReader()).status(run)
