"""Runs everything until a signal: `python -m kschedui.supervisor --port 8000`, which `manage.py up` becomes.

It has the settings in its environment (DATABASE_URL, KSCHEDUI_DATA_DIR), and imports neither Django nor a client of
Redis, so that it stays small.
"""

import os
import signal
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from .commands import pool_size
from .data_folder import DataFolder
from .errors import StartError
from .ports import free_port
from .revival import Revival
from .stack import Stack

WATCH_SECONDS = 1.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(BaseException):
    """Raised by a signal; not an error, and not caught by `except Exception`."""


def main() -> None:
    """Run the supervisor. Exit with 0 after a stop signal, and with 1 and a sentence on standard error after
    an error.
    """
    options = ArgumentParser("kschedui.supervisor")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, required=True, help="0: any free port")
    options.add_argument("--broker", type=Path, help="the program of the embedded broker, unless REDIS_URL is set")
    options.add_argument("--load-library", action="store_true", help="load the library, which has changed")
    chosen = options.parse_args()
    for number in STOP_SIGNALS:
        signal.signal(number, request_stop)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)  # `manage.py up` blocked them until they have handlers
        run(chosen.host, chosen.port, chosen.broker, say, load_library=chosen.load_library)
    except StartError as error:
        sys.exit(str(error))
    except StopRequested:
        say("kschedui has stopped.")


def say(line: str) -> None:
    """Print and flush, also to a pipe or a file."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def request_stop(number: int, frame: FrameType | None) -> None:
    """Raise StopRequested, but only once: a second Ctrl-C must not interrupt the stopping of processes."""
    for other in STOP_SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise StopRequested


def stop_if_requested() -> None:
    """Raise StopRequested if requested; Python drops an exception that a signal raises during finalization."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        raise StopRequested


def run(host: str, port: int, broker: Path | None, say: Callable[[str], None], *, load_library: bool) -> None:
    """Start everything, print the address, and watch the processes. Ends only by StartError or StopRequested."""
    folder = DataFolder(Path(os.environ["KSCHEDUI_DATA_DIR"]))
    with Stack({}, folder.logs) as stack:
        if broker:
            stack.start_broker(broker)
        stack.start_web(host, port or free_port())
        stack.start_workers(runs=pool_size(), experiments=pool_size())
        if load_library:  # while the other two start; new lessons run before the first visit
            stack.run("load_library", "--queue")
        url = stack.wait()
        say(f"kschedui is ready: {url}  (Ctrl-C stops it)")
        revival = Revival(stack, say)
        while True:
            time.sleep(WATCH_SECONDS)  # or until a signal: its handler raises
            stop_if_requested()
            revival.look()


if __name__ == "__main__":
    main()
