"""`kschedui record`: watches a cluster and writes the decisions of its scheduler as a scenario that can be replayed."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kschedui.cli.unusable import Unusable
from kschedui.recording.api_server import ApiError, ApiServer, NoClient, Unreachable
from kschedui.recording.recorder import Recorder, RecordingProgress
from kschedui.recording.resources import MissingPermission


def add_cluster_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that select a cluster, as in kubectl."""
    parser.add_argument("--context", metavar="NAME", help="a context of the kubeconfig (default: the current one)")
    parser.add_argument(
        "-n", "--namespace", metavar="NAME", default="", help="only objects in this namespace (default: all)"
    )


def add_arguments(parser: ArgumentParser) -> None:
    add_cluster_arguments(parser)
    parser.add_argument("--minutes", type=positive, metavar="N", help="the duration in minutes (default: until Ctrl-C)")
    parser.add_argument("-o", "--output", metavar="FILE", help="the output file (default: standard output)")
    parser.add_argument("--quiet", action="store_true", help="print only errors on standard error")


def run(options: Namespace) -> int:
    with cluster_errors():
        recorder = Recorder(ApiServer.of_kubeconfig(options.context), namespace=options.namespace)
        notes = recorder.begin()
        say = (lambda text: None) if options.quiet else lambda text: sys.stderr.write(text)
        for note in notes:
            say(f"{note}\n")
        say(
            "Recording; Ctrl-C ends it.\n"
            if options.minutes is None
            else f"Recording for {options.minutes:g} minutes.\n"
        )
        with handle_interrupts(recorder.stop):
            seconds = None if options.minutes is None else options.minutes * 60
            recorder.watch(seconds, show=_show if sys.stderr.isatty() and not options.quiet else lambda progress: None)
    try:
        with _output(options.output) as out:
            counts = recorder.recording.write(out)
    except OSError as error:
        raise Unusable(f"cannot write {options.output}: {error.strerror}") from None
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    say(f"\rWritten: {kinds or 'nothing'}\n")
    return 0


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Raise errors of the cluster as Unusable with one sentence."""
    try:
        yield
    except (NoClient, MissingPermission, Unreachable) as error:
        raise Unusable(str(error)) from None
    except ApiError as error:
        raise Unusable(f"the API server refuses: {error} (HTTP {error.status})") from None


@contextmanager
def handle_interrupts(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on Ctrl-C or SIGTERM within the block; the same signal a second time ends the process."""

    def end(number: int, frame: object) -> None:
        stop.set()
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def positive(text: str) -> float:
    """Parse a positive number of minutes. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text} is not a number of minutes above 0")
    return number


@contextmanager
def _output(name: str | None) -> Iterator[IO[str]]:
    if name is None:
        yield sys.stdout
        return
    with Path(name).open("w", encoding="utf-8") as out:
        yield out


def _show(progress: RecordingProgress) -> None:
    gaps = f", {progress.gaps} gaps" if progress.gaps else ""
    sys.stderr.write(f"\r{progress.seconds:,.0f} s, {progress.objects:,} objects, {progress.changes:,} changes{gaps} ")
    sys.stderr.flush()
