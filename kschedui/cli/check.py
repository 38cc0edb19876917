"""`kschedui check FILE ...`: checks that files are valid and their runs meet `spec.expect`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

import msgspec

from kschedui.cli import inputs
from kschedui.cli.inputs import LIMITS, Input
from kschedui.cli.progress import show_progress
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins, simulate
from scheduler_core import RunEnded, Scenario, parse_scenario, unmet_expectations
from scheduler_core.ask.challenge import BadVariant, answer_in, judge, split_challenge
from scheduler_core.trace.events import AnyEvent

FORMATS = ("table", "json", "jsonl", "junit")


class Checked(msgspec.Struct, frozen=True):
    """The result of a file: `failures` are unmet expectations, `errors` the reasons why it could not run."""

    file: str
    promises: int = 0
    failures: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: int = 0
    release: str = ""  # of kube-scheduler; "" for a file that could not be read

    @property
    def good(self) -> bool:
        return not self.failures and not self.errors


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser, several=True)
    parser.add_argument("--format", choices=FORMATS, default="table")
    parser.add_argument(
        "--syntax", action="store_true", help="only parse the files: needs no spec.expect, runs nothing"
    )
    parser.add_argument("--summary", action="store_true", help="print only the number of files that pass")


def run(options: Namespace) -> int:
    files = [check_file(name, options) for name in options.files]
    write(files, options)
    if any(file.errors for file in files):
        return 2
    return int(any(not file.good or (file.warnings and options.strict) for file in files))


def check_file(name: str, options: Namespace) -> Checked:
    """Return the result of checking one file; an invalid file has a result with errors."""
    try:
        source = inputs.read(name, options.kubernetes_version)
    except Unusable as error:
        return Checked(name, errors=tuple(str(error).splitlines()))
    warnings = inputs.say_warnings(source, quiet=options.quiet)
    if options.syntax:
        return Checked(name, warnings=warnings, release=source.scenario.release.version)
    try:
        check = check_challenge if source.scenario.challenge else check_expectations
        promises, failures = check(source, quiet=options.quiet)
    except (RunEnded, BadVariant) as error:
        return Checked(name, errors=(str(error),), warnings=warnings, release=source.scenario.release.version)
    return Checked(name, promises, tuple(failures), (), warnings, source.scenario.release.version)


def check_expectations(source: Input, *, quiet: bool) -> tuple[int, list[str]]:
    """Return the number of expectations, and a sentence for each that is not met.

    For a file without expectations, the only sentence says so.
    """
    expect = source.scenario.expect
    promises = len(expect.pods) + len(expect.least_available) + (expect.victims is not None) if expect else 0
    if not expect or not promises:
        return 0, ["spec.expect of the Scenario document promises nothing, so nothing can be checked"]
    unmet = unmet_expectations(source.scenario, show_progress(simulate(source.scenario), quiet=quiet))
    return promises, list(map(str, unmet))


def check_challenge(source: Input, *, quiet: bool) -> tuple[int, list[str]]:
    """Return the number of variants, and the errors of a challenge.

    Its solution must pass in all variants, and the documents with which it starts must not.
    """
    challenge = source.scenario.challenge
    assert challenge is not None
    text, _ = split_challenge(source.scenario)
    release = source.scenario.release

    def read(text: str) -> Scenario:
        return parse_scenario(text, LIMITS, known_plugins(outside_plugins()), release)

    def run(scenario: Scenario) -> Iterable[AnyEvent]:
        return show_progress(simulate(scenario), quiet=quiet)

    if not challenge.solution.strip():
        return 0, ["the challenge has no solution, so it cannot be checked"]
    solved = list(judge(text, challenge, challenge.solution, read, run))
    wrong = [
        f"variant {verdict.number + 1}: the solution fails: {reason}" for verdict in solved for reason in verdict.unmet
    ]
    begun = judge(text, challenge, answer_in(text, challenge.asks), read, run)
    if not wrong and all(verdict.holds for verdict in begun):
        wrong = ["the challenge is solved by what it starts with"]
    return len(solved), wrong


def write(files: list[Checked], options: Namespace) -> None:
    if options.format == "junit":
        sys.stdout.write(junit(files))
    elif options.format == "json":
        sys.stdout.write(json.dumps([row(file) for file in files], indent=1) + "\n")
    elif options.format == "jsonl":
        sys.stdout.writelines(json.dumps(row(file)) + "\n" for file in files)
    else:
        for file in () if options.summary else files:
            release = f" (kube-scheduler {file.release})" if file.release else ""
            sys.stdout.write(f"{'ok  ' if file.good else 'FAIL'} {file.file}{release}\n")
            sys.stdout.writelines(f"     {line}\n" for line in (*file.errors, *file.failures))
        good = sum(file.good for file in files)
        sys.stdout.write(f"{good} of {len(files)} as expected\n")


def row(file: Checked) -> dict[str, object]:
    return {
        "file": file.file,
        "ok": file.good,
        "promises": file.promises,
        "failures": file.failures,
        "errors": file.errors,
        "warnings": file.warnings,
        "kubernetesVersion": file.release,
    }


def junit(files: list[Checked]) -> str:
    """Return the results as JUnit XML for CI systems, one test case per file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    failures, errors = sum(bool(file.failures) for file in files), sum(bool(file.errors) for file in files)
    lines.append(f'<testsuite name="kschedui check" tests="{len(files)}" failures="{failures}" errors="{errors}">')
    for file in files:
        lines.append(f'  <testcase classname="kschedui" name={quoteattr(file.file)}>')
        for tag, texts in (("error", file.errors), ("failure", file.failures)):
            if texts:
                lines.append(f"    <{tag} message={quoteattr(texts[0])}>{escape(chr(10).join(texts))}</{tag}>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>", ""])
