"""`kschedui anonymise FILE`: replaces the names in a scenario, and writes the mapping for its owner."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace

from kschedui.cli.inputs import LIMITS, conversion, open_input
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.anonymise import anonymise
from kschedui.scenarios.intake import scenario_text
from scheduler_core import ScenarioError


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a scenario or a dump; - reads standard input")
    parser.add_argument(
        "--mapping", metavar="FILE", help="write the mapping of names to this file, readable by you only"
    )
    parser.add_argument("--quiet", action="store_true", help="print no notes about what was left out")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if the text is truncated")


def run(options: Namespace) -> int:
    try:
        with open_input(options.file) as source:
            source_text = scenario_text(source.read(), conversion())
        anonymised = anonymise(source_text.text, LIMITS)
    except ScenarioError as error:
        raise Unusable("\n".join(f"{options.file}: {line}" for line in str(error).splitlines())) from None
    if options.mapping:
        try:
            with open(os.open(options.mapping, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(
                    {"names": anonymised.mapping, "label keys": anonymised.label_keys},
                    file,
                    indent=1,
                    ensure_ascii=False,
                )
        except OSError as error:
            raise Unusable(f"cannot write {options.mapping}: {error.strerror}") from None
    if not options.quiet:
        sys.stderr.writelines(f"{options.file}: {note}\n" for note in source_text.notes)
    sys.stdout.write(anonymised.text)
    return int(options.strict and source_text.cut)
