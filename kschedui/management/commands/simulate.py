"""`manage.py simulate FILE`: decision records (or the trace) of a scenario file as JSON lines."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kschedui.scenarios.engine import simulate
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins
from scheduler_core import RunEnded, Scenario, ScenarioError, decisions, encode, parse_scenario, unmet_expectations


class Command(BaseCommand):
    """Reads one file, prints JSON lines. Errors of the file go to standard error; the exit status is then 1."""

    help = "Simulate a scenario file and print its decision records as JSON lines"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a scenario file, - for standard input")
        parser.add_argument("--format", choices=("decisions", "events"), default="decisions")
        parser.add_argument("--check", action="store_true", help="only check what the file's `expect` promises")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = sys.stdin.read() if options["file"] == "-" else Path(options["file"]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"cannot read {options['file']}: {error}") from error
        try:
            scenario = parse_scenario(text, None, known_plugins(outside_plugins()))
        except ScenarioError as error:
            raise CommandError(str(error)) from error
        try:
            self._run(scenario, options)
        except RunEnded as error:
            raise CommandError(str(error)) from error

    def _run(self, scenario: Scenario, options: dict[str, Any]) -> None:
        if not options["check"]:
            write_lines(_lines(simulate(scenario), options["format"]))
            return
        unmet = unmet_expectations(scenario, simulate(scenario))
        if unmet:
            raise CommandError("\n".join(unmet))
        self.stdout.write("as expected")


def _lines(events: Iterable[Any], form: str) -> Iterator[bytes]:
    if form == "events":
        return (encode(event) for event in events)
    return (json.dumps(record, separators=(",", ":")).encode() for record in decisions(events))


def write_lines(lines: Iterable[bytes]) -> None:
    """Write to standard output as they come; a reader that goes away is no error."""
    try:
        for line in lines:
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stderr.close()
