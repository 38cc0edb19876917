"""`kschedui diff A B`: the first difference between two runs, its cause, and moved pods. Status 1 if they differ."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from functools import partial

import msgspec

from kschedui.ask.words import cause_words
from kschedui.cli import inputs
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import simulate
from scheduler_core import RunEnded
from scheduler_core.ask.compare import Comparison, compare

MAX_MOVED = 20
SHARES = ("cpu", "memory", "cpu_spread")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser, several=True)
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: Namespace) -> int:
    if len(options.files) != 2:
        raise Unusable("diff compares two files")
    sources = [inputs.read(name, options.kubernetes_version) for name in options.files]
    releases = [source.scenario.release.version for source in sources]
    warned = sum(inputs.say_warnings(source, quiet=options.quiet) for source in sources)
    try:
        comparison = compare(*(partial(simulate, source.scenario) for source in sources))
    except RunEnded as error:
        raise Unusable(str(error)) from None
    if options.format == "json":
        sys.stdout.buffer.write(msgspec.json.encode({"kubernetesVersions": releases, **short(comparison)}) + b"\n")
    else:
        sys.stdout.write(f"A: kube-scheduler {releases[0]}, B: kube-scheduler {releases[1]}\n")
        write(comparison)
    return int(not comparison.same or bool(warned and options.strict))


def short(comparison: Comparison) -> dict[str, object]:
    """Return the comparison as plain data, without the aligned attempts."""
    names = ("first", "moved", "moved_count", "measures", "differing")
    return {name: msgspec.to_builtins(getattr(comparison, name)) for name in names}


def write(comparison: Comparison) -> None:
    """Print the differences as text."""
    if comparison.first is None:
        sys.stdout.write("Both runs decide the same.\n" if comparison.same else "Every attempt decides the same.\n")
    else:
        first = comparison.first
        shown = first.before or first.after
        assert shown is not None
        sys.stdout.write(f"First difference: {shown.pod}, attempt {shown.pod_attempt}, at {shown.time:g} s\n")
        sys.stdout.write(f"  {cause_words(first.cause)}\n")
        for name, attempt in (("A", first.before), ("B", first.after)):
            outcome = f"{attempt.outcome} {attempt.node or attempt.nominated}" if attempt else "no such attempt"
            sys.stdout.write(f"  {name}: {outcome}\n")
        sys.stdout.write(
            f"Attempts that differ: {comparison.differing:,}. Pods that end elsewhere: {comparison.moved_count:,}\n"
        )
    for pod in comparison.moved[:MAX_MOVED]:
        sys.stdout.write(f"  {pod.pod}: {place(pod.before)} -> {place(pod.after)}\n")
    before, after = (msgspec.to_builtins(measures) for measures in comparison.measures)
    for name, value in before.items():
        if value != after[name]:
            sys.stdout.write(f"  {name}: {number(name, value)} -> {number(name, after[name])}\n")


def place(node: str | None) -> str:
    """Return a node's name, or a text for none."""
    return "(not there)" if node is None else node or "(pending)"


def number(name: str, value: float | None) -> str:
    """Format a measure as text."""
    if value is None:
        return "-"
    return f"{value:.1%}" if name in SHARES else json.dumps(round(value, 2))
