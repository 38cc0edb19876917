"""`manage.py up`: runs everything that kschedui needs in one command, until Ctrl-C."""

import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections
from django.db.migrations.exceptions import InconsistentMigrationHistory

from kschedui import library
from kschedui.supervisor.__main__ import STOP_SIGNALS
from kschedui.supervisor.broker import broker_binary, require_broker
from kschedui.supervisor.child import ROOT
from kschedui.supervisor.data_folder import DataFolder
from kschedui.supervisor.errors import StartError
from kschedui.supervisor.ports import free_port, is_loopback, require_free


class Command(BaseCommand):
    """Run everything. Exit status 0 when stopped by a signal, 1 with one sentence on standard error after an error."""

    help = "Migrate, load the library, then run broker, workers and web server until Ctrl-C."
    requires_system_checks: list[str] = []  # they import every page, and a release was checked by its tests

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("KSCHEDUI_HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=os.environ.get("PORT", "8000"), help="0: any free port")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, lambda number, frame: sys.exit(0))  # nothing runs yet
        try:
            become_supervisor(prepare(host, port))
        except StartError as error:
            sys.exit(str(error))


def become_supervisor(arguments: list[str]) -> None:
    """Become the supervisor, a program without Django, which takes a quarter of this one's memory."""
    # A signal that comes before the supervisor has handlers waits for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    sys.stdout.flush()
    os.chdir(ROOT)  # this command may have been started elsewhere
    os.execv(sys.executable, [sys.executable, "-m", "kschedui.supervisor", *arguments])  # noqa: S606 - a program of ours


def prepare(host: str, port: int) -> list[str]:
    """Check and prepare all that needs Django, and return the supervisor's arguments. Raises StartError."""
    with closing(DataFolder(settings.DATA_DIR)) as folder:
        require_free(host, port or free_port())
        if settings.DEBUG and not is_loopback(host):
            raise StartError(
                "Development mode's error pages tell secrets: set KSCHEDUI_ENV=production to serve others."
            )
        arguments = ["--host", host, "--port", str(port)]
        if url := os.environ.get("REDIS_URL"):
            require_broker(url)
        else:
            arguments += ["--broker", str(broker_binary())]
        os.environ |= {"KSCHEDUI_DATA_DIR": str(folder.path), "DATABASE_URL": settings.DATABASE_URL}
        if settings.DEBUG and not os.environ.get("SECRET_KEY"):
            os.environ["SECRET_KEY"] = folder.secret_key()
        call("migrate")
        if settings.PRODUCTION:
            call("collectstatic")
        with translate_failures("load_library"):
            return arguments if library.is_loaded() else [*arguments, "--load-library"]


def call(command: str) -> None:
    """Run one of the commands that prepare the start: tables, static files. Raises StartError."""
    with translate_failures(command):
        call_command(command, verbosity=0, interactive=False)


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
