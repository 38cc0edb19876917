"""`manage.py up`: runs everything that kschedui needs in one command, until Ctrl-C."""

import os
import signal
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from types import FrameType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections
from django.db.migrations.exceptions import InconsistentMigrationHistory

from kschedui import library
from kschedui.supervisor.commands import pool_size
from kschedui.supervisor.data_folder import DataFolder
from kschedui.supervisor.errors import StartError
from kschedui.supervisor.ports import free_port, is_loopback, require_free
from kschedui.supervisor.revival import Revival
from kschedui.supervisor.stack import Stack

Result = TypeVar("Result")

WATCH_SECONDS = 1.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(BaseException):
    """Raised by a signal; not an error, and not caught by `except Exception`."""


class Command(BaseCommand):
    """Run everything. Exit status 0 when stopped by a signal, 1 with one sentence on standard error after an error."""

    help = "Migrate, load the library, then run broker, workers and web server until Ctrl-C."
    requires_system_checks: list[str] = []  # they import every page, and a release was checked by its tests

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("KSCHEDUI_HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=os.environ.get("PORT", "8000"), help="0: any free port")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, request_stop)
        try:
            run(host, port, self.say)
        except StartError as error:
            sys.exit(str(error))
        except StopRequested:
            self.say("kschedui has stopped.")

    def say(self, line: str) -> None:
        """Print and flush, also to a pipe or a file."""
        self.stdout.write(line)
        self.stdout.flush()


def request_stop(number: int, frame: FrameType | None) -> None:
    """Request the stop once: a second Ctrl-C must not interrupt the stopping of processes."""
    for other in STOP_SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise StopRequested


def stop_if_requested() -> None:
    """Raise StopRequested if requested; Python drops an exception that a signal raises during finalization."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        raise StopRequested


def run(host: str, port: int, say: Any) -> None:
    """Start everything, print the address, and watch the processes. Ends only by StartError or StopRequested."""
    folder = DataFolder(settings.DATA_DIR)
    require_free(host, port or free_port())
    if settings.DEBUG and not is_loopback(host):
        raise StartError("Development mode's error pages tell secrets: set KSCHEDUI_ENV=production to serve others.")
    with Stack(child_environment(folder), folder.logs) as stack:
        if os.environ.get("REDIS_URL"):
            stack.use_broker(os.environ["REDIS_URL"])
        else:
            stack.start_broker()
        in_child_process(prepare, "migrate", interactive=False)
        if settings.PRODUCTION:
            in_child_process(prepare, "collectstatic", interactive=False)
        stack.start_web(host, port or free_port())  # found now: one found earlier may be taken meanwhile
        stack.start_workers(runs=pool_size(), experiments=pool_size())
        load_library(stack)  # while the other two start
        url = stack.wait()
        say(f"kschedui is ready: {url}  (Ctrl-C stops it)")
        revival = Revival(stack, say)
        while True:
            time.sleep(WATCH_SECONDS)  # or until a signal: its handler raises
            stop_if_requested()
            revival.look()


def child_environment(folder: DataFolder) -> dict[str, str]:
    """Return the settings for the workers and the web server; in development with a secret key of this folder."""
    env = {"KSCHEDUI_DATA_DIR": str(folder.path), "DATABASE_URL": settings.DATABASE_URL}
    if settings.DEBUG and not os.environ.get("SECRET_KEY"):
        env["SECRET_KEY"] = folder.secret_key()
    return env


def load_library(stack: Stack) -> None:
    """Load the library, unless nothing has changed; queue new lessons, so that they run before the first visit."""
    if not in_child_process(library_is_loaded):
        stack.run("load_library", "--queue")


def library_is_loaded() -> bool:
    """Return whether nothing has changed. Raises StartError."""
    with translate_failures("load_library"):
        return library.is_loaded()


def prepare(command: str, **options: Any) -> None:
    """Run one of the commands that prepare the start: tables, static files. Raises StartError."""
    with translate_failures(command):
        call_command(command, verbosity=0, **options)


def in_child_process(function: Callable[..., Result], *args: Any, **options: Any) -> Result:
    """Call the function in a child process and return its result, so that this process does not keep its imports."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as once:
        return once.submit(function, *args, **options).result()


@contextmanager
def translate_failures(command: str) -> Iterator[None]:
    """Raise failures of the command as StartError, in one sentence; close the database."""
    where = urlsplit(settings.DATABASE_URL)
    try:
        yield
    except (DatabaseError, InconsistentMigrationHistory) as error:
        name = where.path[1:] if where.scheme == "sqlite" else f"{where.hostname}{where.path}"
        raise StartError(f"The database {name} cannot be used: {' '.join(str(error).split())}.") from None
    except (CommandError, OSError) as error:
        raise StartError(f"`manage.py {command}` did not succeed: {error}.") from None
    finally:
        connections.close_all()
