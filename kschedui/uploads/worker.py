"""Answers uploads in a process that can be killed, and stores the responses."""

import logging
import multiprocessing.forkserver
from functools import lru_cache
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import Error

from kschedui.models import Upload
from kschedui.runs import leases
from kschedui.runs.holding import Holding
from kschedui.uploads import parts, store
from kschedui.uploads.responding import Response, answer
from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.limits import TooMuch
from kschedui.work.process import Allowance, Ended, Worker
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

FAILED = Message("An internal error occurred. Nothing that was saved is lost. Try again.")
CHANGED = Message("The request can no longer be read. Send it again.")
MAIN = multiprocessing.current_process()  # as the worker starts, before it has a pool
AGAIN = 503  # for example, the database is away; the upload is tried again later


def serve() -> bool:
    """Answer the next upload. Return False if there is none."""
    upload = store.take_next_upload()
    if upload is not None:
        execute(upload)
    return upload is not None


def execute(upload: Upload) -> None:
    """Answer an upload that this worker holds."""
    disconnect = ClientDisconnect()

    def fail(sentence: Message) -> None:
        store.fail(upload, sentence)

    try:
        if upload.tries >= leases.MAX_TRIES:
            return fail(store.LOST_TOO_OFTEN)
        with Holding(upload, fail, disconnect.report):
            keep(upload, answer_upload(upload, disconnect))
    except (leases.Lost, Ended):
        logger.info("upload %s was taken away, or its process ended", upload.public_id)
    except Error as error:  # the database's: the lease ends, and it goes on when there is one again
        logger.warning("upload %s lost its database: %s", upload.public_id, error)


def keep(upload: Upload, result: Response | Message) -> None:
    """Store the response, or the error; a response of 503 is not stored, so that the upload is tried again. Raises
    leases.Lost.
    """
    if isinstance(result, Message):
        store.fail(upload, result)
    elif result.status != AGAIN:
        store.finish(upload, result.status, result.content_type, [result.body])


def answer_upload(upload: Upload, disconnect: ClientDisconnect) -> Response | Message:
    """Return the response, or a sentence that explains why there is none. Raises Ended."""
    try:
        if not settings.WORK_PROCESSES:  # in tests of one process
            return answer(upload.pk)
        seconds = settings.LIMITS["upload_seconds"]
        memory = settings.LIMITS["run_memory_bytes"]
        allowance = Allowance(seconds, "KSCHEDUI_MAX_UPLOAD_SECONDS", memory, "KSCHEDUI_MAX_RUN_MEMORY_BYTES")
        try:
            result: Response = process().run(allowance, disconnect, upload.language, answer, [upload.pk])
            return result
        finally:
            process().stop()  # and what it took of memory
            server.used_at = monotonic()
    except TooMuch as error:
        return error.sentence
    except parts.DamagedPart:
        return CHANGED
    except (Error, Ended, leases.Lost):
        raise
    except Exception:
        logger.exception("upload %s failed", upload.public_id)
        return FAILED


class Server:
    """The server of multiprocessing that this process's worker processes are forked from, with all code in its memory.

    It starts with the first upload. `used_at`: when the last one was answered, in seconds of the monotonic clock; None
    without a server.
    """

    def __init__(self) -> None:
        self.used_at: float | None = None

    def end_if_idle(self) -> None:
        """End the server WORK_IDLE_SECONDS after the last upload; the next one starts it again."""
        if self.used_at is not None and monotonic() - self.used_at > settings.WORK_IDLE_SECONDS:
            multiprocessing.forkserver._forkserver._stop()  # type: ignore[attr-defined] # there is no public function
            self.used_at = None


server = Server()


@lru_cache(maxsize=1)
def process() -> Worker:
    """Return this process's worker process, for one upload after another.

    Celery's pool processes are daemonic for multiprocessing and cannot start others. The process ends when the other
    end of its pipe is closed.
    """
    process_module: Any = multiprocessing.process
    process_module._current_process = MAIN
    return Worker(settings.LIMITS["run_memory_bytes"], slow=True, modules=[settings.ROOT_URLCONF])
