"""The design of an experiment: factors with their levels, and a numbered cell for each combination."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import msgspec

from scheduler_core.ask.editing.edits import Edit


class Level(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of a factor: edits of the scenario, a seed, or a release."""

    label: str
    edits: tuple[Edit, ...] = ()
    seed: int | None = None
    release: str = ""


class Factor(msgspec.Struct, frozen=True):
    """A parameter that varies between runs, with its values."""

    name: str
    levels: tuple[Level, ...]


class Cell(msgspec.Struct, frozen=True):
    """The input of a run: `edits` in the order of the factors; without a seed or a release, the scenario's own."""

    edits: tuple[Edit, ...] = ()
    seed: int | None = None
    release: str = ""


class Design(msgspec.Struct, frozen=True):
    """The factors of an experiment, with the seeds last.

    The last factor varies fastest, so consecutive cells that differ only in their seed can share the parsed scenario.
    """

    factors: tuple[Factor, ...]

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return prod(len(factor.levels) for factor in self.factors)

    def levels(self, number: int) -> list[Level]:
        """Return the level of each factor in a cell; cells are numbered from 1."""
        levels: list[Level] = []
        number -= 1
        for factor in reversed(self.factors):
            number, index = divmod(number, len(factor.levels))
            levels.append(factor.levels[index])
        return levels[::-1]

    def cell(self, number: int) -> Cell:
        """Return the cell with that number, from 1."""
        levels = self.levels(number)
        seed = next((level.seed for level in levels if level.seed is not None), None)
        release = next((level.release for level in levels if level.release), "")
        return Cell(tuple(edit for level in levels for edit in level.edits), seed, release)


def design_of(factors: Sequence[Factor]) -> Design:
    """Return the design with its factors sorted: releases, then other factors as given, then seeds."""
    return Design(tuple(sorted(factors, key=_place)))


def _place(factor: Factor) -> int:
    """Return the sort key of a factor: 0 for releases, 1 for others, 2 for seeds."""
    first = factor.levels[0]
    if first.release:
        return 0
    return 1 if first.seed is None else 2
