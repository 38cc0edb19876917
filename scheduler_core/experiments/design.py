"""What an experiment varies: factors with levels, and the numbered cells that their combinations are."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import msgspec

from scheduler_core.ask.editing.edits import Edit


class Level(msgspec.Struct, frozen=True, omit_defaults=True):
    """One value of a factor: edits of the scenario, a seed, or the release whose kube-scheduler decides."""

    label: str
    edits: tuple[Edit, ...] = ()
    seed: int | None = None
    release: str = ""


class Factor(msgspec.Struct, frozen=True):
    """Something that differs between runs."""

    name: str
    levels: tuple[Level, ...]


class Cell(msgspec.Struct, frozen=True):
    """What one run is made from: `edits` in the order of the factors. None, "": as the scenario says."""

    edits: tuple[Edit, ...] = ()
    seed: int | None = None
    release: str = ""


class Design(msgspec.Struct, frozen=True):
    """The factors, seeds last: of neighbouring cells the last factor differs first, and only a seed needs no reading
    of the scenario anew."""

    factors: tuple[Factor, ...]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return prod(len(factor.levels) for factor in self.factors)

    def levels(self, number: int) -> list[Level]:
        """Of a cell, one for each factor; cells count from 1."""
        found: list[Level] = []
        number -= 1
        for factor in reversed(self.factors):
            number, index = divmod(number, len(factor.levels))
            found.append(factor.levels[index])
        return found[::-1]

    def cell(self, number: int) -> Cell:
        """What the run of that number is made from."""
        levels = self.levels(number)
        seed = next((level.seed for level in levels if level.seed is not None), None)
        release = next((level.release for level in levels if level.release), "")
        return Cell(tuple(edit for level in levels for edit in level.edits), seed, release)


def design_of(factors: Sequence[Factor]) -> Design:
    """The factors in the order in which cells are numbered: releases, everything else as given, seeds."""
    return Design(tuple(sorted(factors, key=_place)))


def _place(factor: Factor) -> int:
    first = factor.levels[0]
    return 0 if first.release else 2 if first.seed is not None else 1
