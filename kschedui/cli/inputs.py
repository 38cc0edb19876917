"""Files and standard input, as scenarios: what a cluster printed is read as `kschedui import` reads it."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from typing import BinaryIO

from kschedui.scenarios import importers, lessons
from kschedui.scenarios.importers.reading import raw_text
from kschedui.scenarios.importers.reading.file_text import GZIP, UTF_16
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins
from scheduler_core import Limits, Scenario, ScenarioError, parse_scenario
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES

LIMITS = Limits(bytes=256 * 1024 * 1024)
MOST_BYTES = 1024 * 1024 * 1024  # of a dump
SHOWN_WARNINGS = 20


class Unusable(Exception):
    """The command line or the input cannot be used; the text is for people."""


@dataclass(frozen=True)
class Input:
    """A file and the scenario in it. `notes`: what was done to a dump."""

    name: str
    scenario: Scenario
    notes: tuple[Message, ...] = ()


def add_arguments(parser: ArgumentParser, *, several: bool, what: str = "a scenario or a dump") -> None:
    """FILE, and what holds for every command that reads scenarios."""
    parser.add_argument("files", nargs="+" if several else 1, metavar="FILE", help=f"{what}; - reads standard input")
    parser.add_argument("--strict", action="store_true", help="a warning makes the exit status 1")
    parser.add_argument("--quiet", action="store_true", help="no warnings and no progress on standard error")
    parser.add_argument(
        "--kubernetes-version",
        metavar="X.YZ",
        choices=list(RELEASES),
        help=f"the release to simulate, in place of the scenario's: {', '.join(RELEASES)}",
    )


def opened(name: str) -> BinaryIO:
    """The file, or standard input; raises Unusable."""
    if name == "-":
        return sys.stdin.buffer
    try:
        return open(name, "rb")
    except OSError as error:
        raise Unusable(f"cannot read {name}: {error.strerror}") from None


def in_file(name: str, error: ScenarioError) -> str:
    """Every error on a line of its own, with the file's name before it."""
    return "\n".join(f"{name}: {one}" for one in str(error).splitlines())


def read(name: str, version: str | None = None) -> Input:
    """A file as a scenario; raises Unusable with every error, each on a line and with its place."""
    try:
        with opened(name) as source:
            content = source.read()
        text = scenario_text(content)
        release = RELEASES[version] if version else None
        scenario = parse_scenario(text.text, LIMITS, known_plugins(outside_plugins()), release, lessons.problems)
    except ScenarioError as error:
        raise Unusable(in_file(name, error)) from None
    except OSError as error:
        raise Unusable(f"cannot read {name}: {error.strerror}") from None
    return Input(name, scenario, tuple(text.notes))


def scenario_text(content: bytes) -> importers.Imported:
    """A text that is a scenario as it stands; another, and one that a cluster printed, is imported."""
    if not content.startswith((GZIP, *UTF_16)):
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Unusable("the input is no text in UTF-8") from None
        if not raw_text.is_dump(text):
            return importers.Imported(text)
    return importers.convert(io.BytesIO(content), LIMITS, MOST_BYTES)


def say_warnings(found: Input, *, quiet: bool) -> int:
    """Notes and warnings on standard error; how many warnings there are."""
    warnings = [
        f"line {one.line}, {one.path}: {one.message}" if one.path else str(one.message)
        for one in found.scenario.warnings
    ]
    if not quiet:
        for line in [*map(str, found.notes), *warnings[:SHOWN_WARNINGS]]:
            sys.stderr.write(f"{found.name}: {line}\n")
        if len(warnings) > SHOWN_WARNINGS:
            sys.stderr.write(f"{found.name}: and {len(warnings) - SHOWN_WARNINGS} more warnings\n")
    return len(warnings)
