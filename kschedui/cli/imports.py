"""`kschedui import FILE ...`: dumps, manifests and exports become one scenario, without their secrets."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import BinaryIO

from kschedui.cli.inputs import LIMITS, MOST_BYTES, Unusable, in_file, opened
from kschedui.scenarios import importers
from scheduler_core import ScenarioError

NAME = "import"
HELP = "Turn what kubectl prints (YAML, JSON, gzip) or a simulator's export into a scenario, without its secrets."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="- reads standard input; several become one scenario")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write; standard output when absent")
    parser.add_argument("--quiet", action="store_true", help="nothing on standard error about what was left out")
    parser.add_argument("--strict", action="store_true", help="a text that is cut off makes the exit status 1")


def run(options: Namespace) -> int:
    made = converted(options.files)
    if not options.quiet:
        sys.stderr.writelines(f"{note}\n" for note in made.notes)
    if options.output:
        try:
            Path(options.output).write_text(made.text, encoding="utf-8")
        except OSError as error:
            raise Unusable(f"cannot write {options.output}: {error.strerror}") from None
    else:
        sys.stdout.write(made.text)
    return int(options.strict and made.cut)


def converted(names: list[str]) -> importers.Imported:
    """All files as one text; raises Unusable, which names the file."""
    parts = []
    for name in names:
        with opened(name) as source:
            parts.append(convert(name, source))
    if len(parts) == 1:
        return parts[0]
    joined = without_titles("---\n".join(part.text for part in parts))
    made = convert("the files together", io.BytesIO(joined.encode()))
    made.notes[:0] = [note for part in parts for note in part.notes]
    return made


def convert(name: str, source: BinaryIO) -> importers.Imported:
    try:
        return importers.convert(source, LIMITS, MOST_BYTES)
    except ScenarioError as error:
        raise Unusable(in_file(name, error)) from None


def without_titles(text: str) -> str:
    """Each part has a Scenario document of its own; the whole gets a new one."""
    return "---\n".join(part for part in text.split("---\n") if importers.IMPORTED not in part)
