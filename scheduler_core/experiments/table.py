"""The results of an experiment as a table: one row per run, with the levels of its factors and its measures."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.ask.measures import Measures
from scheduler_core.experiments.design import Design

Measure = float | int | None
Value = Measure | str

COLUMNS: tuple[str, ...] = Measures.__struct_fields__
RESERVED = ("run", *COLUMNS, "error")


def header(design: Design) -> list[str]:
    """Return the names of the columns."""
    return ["run", *(factor.name for factor in design.factors), *COLUMNS, "error"]


def values_of(measures: Measures) -> list[Measure]:
    """Return the measures in the order of COLUMNS."""
    return [getattr(measures, name) for name in COLUMNS]


def complete(measures: Sequence[Measure]) -> list[Measure]:
    """Return stored measures, with None for measures that were added to COLUMNS later."""
    return [*measures, *[None] * (len(COLUMNS) - len(measures))]


def record(design: Design, number: int, measures: Sequence[Measure] | None, error: str) -> list[Value]:
    """Return the row of a run; without measures, `error` is the reason, and the measures are None."""
    labels = [level.label for level in design.levels(number)]
    return [number, *labels, *complete(measures or ()), error]
