"""`kschedui experiment FILE`: runs an experiment on this machine and prints a table of measures."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import monotonic
from typing import Any

from kschedui.cli import inputs
from kschedui.cli.progress import PAUSE
from kschedui.cli.unusable import Unusable
from kschedui.csv_rows import csv_row
from kschedui.scenarios import yaml_text
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins, simulate
from scheduler_core import ScenarioErrors
from scheduler_core.experiments.cells import BaseText, Cells, Row, find_invalid_level
from scheduler_core.experiments.design import Design
from scheduler_core.experiments.reading import read_file
from scheduler_core.experiments.table import header, record, values_of

MAX_BATCH = 50  # cells that a process takes at once
Rows = Iterable[tuple[int, Row]]
cells: Cells  # of a process of the pool
design: Design


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser, several=False, content="an experiment; its scenario is found from where it is")
    parser.add_argument("--format", choices=("csv", "json"), default="csv")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="the number of processes (default: that of processors)"
    )


def run(options: Namespace) -> int:
    name = options.files[0]
    scenario_name, planned = read_design(name)
    beside = "" if name == "-" else os.path.dirname(name)
    source = inputs.read(os.path.join(beside, scenario_name), options.kubernetes_version)
    warned = inputs.say_warnings(source, quiet=options.quiet)
    count = (os.cpu_count() or 1) if options.processes is None else options.processes
    if count < 1:
        raise Unusable("--processes is a number from 1")
    begin(source.scenario.text, planned, options.kubernetes_version or "")
    if refused := find_invalid_level(cells, planned):
        raise Unusable(f"{name}: {refused[0]}, {refused[1]}: {refused[2]}")
    rows = show_progress(
        run_cells(source.scenario.text, planned, options.kubernetes_version or "", count), planned, options
    )
    without = write_csv(planned, rows) if options.format == "csv" else write_json(planned, rows)
    return int(bool(without or (warned and options.strict)))


def read_design(name: str) -> tuple[str, Design]:
    """Return the scenario's file and the design. Raises Unusable."""
    try:
        with inputs.open_input(name) as source:
            return read_file(source.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unusable(f"{name}: the input is not text in UTF-8") from None
    except OSError as error:
        raise Unusable(f"cannot read {name}: {error.strerror}") from None
    except ScenarioErrors as errors:
        raise Unusable("\n".join(f"{name}: {error}" for error in errors.errors)) from None


def run_cells(text: str, planned: Design, release: str, count: int) -> Iterator[tuple[int, Row]]:
    """Yield every cell's row in order, computed by `count` processes."""
    size = max(1, min(MAX_BATCH, planned.size // (4 * count)))
    batches = [range(first, min(first + size, planned.size + 1)) for first in range(1, planned.size + 1, size)]
    if count == 1:
        for batch in batches:
            yield from work(batch)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(min(count, len(batches)), context, begin, (text, planned, release)) as pool:
        for rows in pool.map(work, batches):
            yield from rows


def begin(text: str, planned: Design, release: str) -> None:
    """Prepare a process of the pool before its first batch."""
    global cells, design
    plugins = known_plugins(outside_plugins())
    cells = Cells(BaseText(text, yaml_text.write, inputs.LIMITS, plugins, release), simulate)
    design = planned


def work(numbers: Iterable[int]) -> list[tuple[int, Row]]:
    """Return the rows of a batch."""
    return [(number, cells.row(design.cell(number))) for number in numbers]


def show_progress(rows: Rows, planned: Design, options: Namespace) -> Iterator[tuple[int, Row]]:
    """Yield the rows, and show their number on a terminal."""
    shows, due = not options.quiet and sys.stderr.isatty(), 0.0
    for number, row in rows:
        if shows and (monotonic() > due or number == planned.size):
            sys.stderr.write(f"\r{number:,} of {planned.size:,} runs ")
            sys.stderr.flush()
            due = monotonic() + PAUSE
        yield number, row
    if shows:
        sys.stderr.write("\r\033[K")


def row_values(planned: Design, number: int, row: Row) -> list[Any]:
    values = values_of(row.measures) if row.measures else None
    return record(planned, number, values, row.error or "")


def write_csv(planned: Design, rows: Rows) -> int:
    """Write rows to standard output as they arrive. Return the number of rows without measures."""
    sys.stdout.write(csv_row(header(planned)))
    without = 0
    for number, row in rows:
        sys.stdout.write(csv_row(row_values(planned, number, row)))
        without += row.measures is None
    return without


def write_json(planned: Design, rows: Rows) -> int:
    """Write rows as a JSON list, one object per line. Return the number of rows without measures."""
    names, without = header(planned), 0
    for number, row in rows:
        line = json.dumps(dict(zip(names, row_values(planned, number, row), strict=True)), separators=(",", ":"))
        sys.stdout.write(("[" if number == 1 else ",\n") + line)
        without += row.measures is None
    sys.stdout.write("]\n")
    return without
