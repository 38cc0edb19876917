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

    __hash__ = int.__hash__  # that of an enum is a function in Python

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
    """The verdicts of a Filter plugin, in the order of the rows.

    `which` is int16[len(rows)]: 0 passes, i > 0 is rejected with `statuses[i - 1]`. `which` None: every row passes.
    Statuses need not be distinct, but equal rejections should share one.
    """

    which: NDArray[np.int16] | None = None
    statuses: Sequence[Status] = ()

    @staticmethod
    def reject(rejected: NDArray[np.bool_], status: Status) -> Verdicts:
        """Return verdicts with `status` for each row where `rejected` is true."""
        return Verdicts(rejected.astype(np.int16), (status,)) if np.count_nonzero(rejected) else PASS

    @staticmethod
    def by_code(codes: NDArray[np.integer[Any]], answers: Sequence[Status]) -> Verdicts:
        """Return verdicts for an interned column: `answers[codes[i]]` for row i."""
        rejecting = [answer for answer in answers if not answer.is_success]
        if not rejecting:
            return PASS
        distinct = list(dict.fromkeys(rejecting))
        number = {status: i + 1 for i, status in enumerate(distinct)}
        which = np.array([number.get(answer, 0) for answer in answers], np.int16)[codes]
        return Verdicts(which, distinct) if np.count_nonzero(which) else PASS


PASS = Verdicts()
