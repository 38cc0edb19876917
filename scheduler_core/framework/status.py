"""Results of plugins: `Status` for one node, `Verdicts` for many (kube-scheduler: framework.Status)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import force_setattr
from numpy.typing import NDArray

from scheduler_core.trace.records import StatusCode

Rows = slice | NDArray[np.intp]  # node rows: a contiguous run of the snapshot, or row numbers in evaluation order


class Code(IntEnum):
    """The code of a status (framework.Code), with kube-scheduler's numbers, which fit a uint8 column."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNSCHEDULABLE_AND_UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6

    __hash__ = int.__hash__  # faster than Enum's, which is a Python function

    @property
    def label(self) -> StatusCode:
        """Return the name in kube-scheduler and the trace, such as "UnschedulableAndUnresolvable"."""
        return _LABELS[self]


# Before Python 3.12, a member is looked up ten times as fast by a name as in its enum.
_SUCCESS, _ERROR, _UNSCHEDULABLE, _UNRESOLVABLE, _WAIT, _SKIP, _PENDING = Code

_LABELS: tuple[StatusCode, ...] = (
    "Success",
    "Error",
    "Unschedulable",
    "UnschedulableAndUnresolvable",
    "Wait",
    "Skip",
    "Pending",
)


class Status(msgspec.Struct, frozen=True):
    """The result of a plugin. `reasons` are kube-scheduler's texts; the runtime sets `plugin`."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    is_success: bool = True  # these two follow from the code, and are read many times in each attempt
    is_skip: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "is_success", self.code is _SUCCESS)
        force_setattr(self, "is_skip", self.code is _SKIP)

    @property
    def is_error(self) -> bool:
        return self.code is _ERROR

    @property
    def is_wait(self) -> bool:
        return self.code is _WAIT

    @property
    def is_pending(self) -> bool:
        return self.code is _PENDING

    @property
    def is_rejected(self) -> bool:
        """Return whether the code is Unschedulable, UnschedulableAndUnresolvable or Pending."""
        return self.code in (_UNSCHEDULABLE, _UNRESOLVABLE, _PENDING)

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)

    def by(self, plugin: str) -> Status:
        """Return the status with the plugin's name."""
        return _by(self, plugin)


@lru_cache(maxsize=1024)
def _by(status: Status, plugin: str) -> Status:
    return Status(status.code, status.reasons, plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


class Verdicts(msgspec.Struct, frozen=True):
    """The verdicts of Filter plugins on rows, in the order of the rows.

    `numbers` is int16[len(rows)]: 0 passes, i > 0 is rejected with `statuses[i - 1]`. If it is empty, every row passes,
    however many there are; a Filter plugin may return that (PASS), the methods that combine verdicts need an array.
    Statuses need not be distinct, but equal rejections should share one.
    """

    numbers: NDArray[np.int16] = np.empty(0, np.int16)
    statuses: Sequence[Status] = ()

    @staticmethod
    def reject(rejected: NDArray[np.bool_], status: Status) -> Verdicts:
        """Return verdicts with `status` for each row where `rejected` is true; PASS if there is none."""
        return Verdicts(rejected.astype(np.int16), (status,)) if np.count_nonzero(rejected) else PASS

    @staticmethod
    def by_code(codes: NDArray[np.integer[Any]], results: Sequence[Status]) -> Verdicts:
        """Return verdicts for an interned column: `results[codes[i]]` for row i; PASS if all rows pass."""
        rejecting = [result for result in results if not result.is_success]
        if not rejecting:
            return PASS
        distinct = list(dict.fromkeys(rejecting))
        number = {status: i + 1 for i, status in enumerate(distinct)}
        numbers = np.array([number.get(result, 0) for result in results], np.int16)[codes]
        return Verdicts(numbers, distinct) if np.count_nonzero(numbers) else PASS

    @staticmethod
    def passing(count: int) -> Verdicts:
        """Return verdicts with which every row passes, as an array."""
        return Verdicts(np.zeros(count, np.int16))

    @staticmethod
    def concat(parts: Sequence[Verdicts]) -> Verdicts:
        """Return the verdicts of all rows of the parts (at least one), one part after the other."""
        if len(parts) == 1:
            return parts[0]
        numbers: list[NDArray[np.int16]] = []
        statuses: list[Status] = []
        for part in parts:
            numbers.append(_shift(part.numbers, len(statuses)))
            statuses += part.statuses
        return Verdicts(np.concatenate(numbers), statuses)

    @property
    def passes(self) -> NDArray[np.bool_]:
        """Return bool[len(rows)]: whether each row passes; empty for PASS."""
        passing: NDArray[np.bool_] = self.numbers == 0
        return passing

    def status(self, position: int) -> Status | None:
        """Return the rejection of the row at this position, None if it passes."""
        number = self.numbers.item(position) if len(self.numbers) else 0
        return self.statuses[number - 1] if number else None

    def counts(self) -> list[tuple[Status, int]]:
        """Return the statuses, each with the number of its rows, which may be 0."""
        _, *rows = np.bincount(self.numbers, minlength=len(self.statuses) + 1).tolist()
        return list(zip(self.statuses, rows, strict=True))

    def failed(self) -> NDArray[np.bool_]:
        """Return bool[len(rows)]: whether a plugin returned an error for each row."""
        return np.array([False, *(status.is_error for status in self.statuses)])[self.numbers]

    def at(self, rows: Rows | NDArray[np.bool_]) -> Verdicts:
        """Return the verdicts of some rows, given as positions or as a mask."""
        return Verdicts(self.numbers[rows], self.statuses)

    def spread(self, rows: Rows, count: int) -> Verdicts:
        """Return verdicts of `count` rows: these at `rows`; all others pass. The reverse of `at`."""
        numbers = np.zeros(count, np.int16)
        numbers[rows] = self.numbers
        return Verdicts(numbers, self.statuses)

    def put(self, rows: Rows, other: Verdicts) -> Verdicts:
        """Return the verdicts with those of `other` at `rows`. Equal statuses share a number."""
        number = {status: i for i, status in enumerate(self.statuses, 1)}
        new = dict.fromkeys(status for status in other.statuses if status not in number)
        number |= {status: i for i, status in enumerate(new, len(self.statuses) + 1)}
        numbers = self.numbers.copy()
        numbers[rows] = np.array([0, *map(number.__getitem__, other.statuses)], np.int16)[other.numbers]
        return Verdicts(numbers, [*self.statuses, *new])

    def override(self, other: Verdicts) -> Verdicts:
        """Return these verdicts, replaced by those of `other` for the rows that it rejects; both have the same rows."""
        if not other.statuses:
            return self
        if not self.statuses:
            return other
        numbers = np.where(other.numbers > 0, other.numbers + len(self.statuses), self.numbers)
        return Verdicts(numbers, [*self.statuses, *other.statuses])

    def compact(self) -> Verdicts:
        """Return the verdicts without unused statuses, and with equal ones merged."""
        return compact(self.numbers, self.statuses)


def compact(numbers: NDArray[np.integer[Any]], statuses: Sequence[Status]) -> Verdicts:
    """Return verdicts without unused statuses, and with equal ones merged; `numbers` need not fit into int16."""
    number: dict[Status, int] = {}
    new_numbers = [0] * (len(statuses) + 1)
    rows_by_number = np.bincount(numbers).tolist()
    for old, rows in enumerate(rows_by_number):
        if old and rows:
            new_numbers[old] = number.setdefault(statuses[old - 1], len(number) + 1)
    if len(number) == len(rows_by_number) - 1:  # each keeps its number
        return Verdicts(numbers.astype(np.int16, copy=False), list(number))
    return Verdicts(np.array(new_numbers, np.int16).take(numbers), list(number))


def _shift(numbers: NDArray[np.int16], by: int) -> NDArray[np.int16]:
    """Return the numbers of the statuses if `by` others come first; 0, for rows that pass, stays 0."""
    return np.where(numbers > 0, numbers + by, numbers) if by else numbers


PASS = Verdicts()
