"""The parts that commands about one file share: arguments, reading, errors and output."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from kschedui.cli import inputs
from kschedui.cli.inputs import Input
from kschedui.cli.unusable import Unusable
from scheduler_core import RunEnded
from scheduler_core.ask.editing.edits import NotPossible


def add_arguments(parser: ArgumentParser, *, pod: bool = False) -> None:
    """Add FILE, the format of the answer, and POD for a question about a pod."""
    if pod:
        parser.add_argument(
            "pod",
            metavar="POD",
            help="NAMESPACE/NAME, or NAME in the namespace default; or a workload: web, deploy/web",
        )
    inputs.add_arguments(parser, several=False)
    parser.add_argument("--format", choices=("table", "json"), default="table")


def read_one(options: Namespace) -> tuple[Input, bool]:
    """Read the command's only file and print its warnings. Return it, and whether `--strict` turns them into errors.

    The second value is False if there are no warnings.
    """
    source = inputs.read(options.files[0], options.kubernetes_version)
    return source, bool(inputs.say_warnings(source, quiet=options.quiet) and options.strict)


@contextmanager
def named_errors(source: Input) -> Iterator[None]:
    """Raise errors of the run, and of questions about it, as Unusable with the file's name."""
    try:
        yield
    except (RunEnded, NotPossible) as error:
        raise Unusable(f"{source.name}: {error}") from None


def write_answer(options: Namespace, answer: object, write: Callable[[], None]) -> None:
    """Print the answer as JSON, or call `write` to print it as text."""
    if options.format == "json":
        sys.stdout.write(json.dumps(msgspec.to_builtins(answer), indent=1) + "\n")
    else:
        write()
