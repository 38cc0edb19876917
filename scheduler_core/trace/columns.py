"""Columns: one integer per node of an event, packed for the trace.

A column is one int (the same for all); or a string "u1:", "u2:", "i4:" or "i8:" followed by base64 of little-endian
integers; or, for increasing integers, "d1:", the first one, ":" and base64 of the differences. `feed.js` reads the
same format.
"""

from __future__ import annotations

import base64
from binascii import b2a_base64
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = int | str

_DTYPES: dict[str, np.dtype[Any]] = {
    "u1": np.dtype("<u1"),
    "u2": np.dtype("<u2"),
    "i4": np.dtype("<i4"),
    "i8": np.dtype("<i8"),
}


def lowest(values: NDArray[np.integer[Any]]) -> int:
    """Return the smallest of at least one integer; several times faster than `min`."""
    value: int = values.item(values.argmin())
    return value


def highest(values: NDArray[np.integer[Any]]) -> int:
    """Return the largest of at least one integer; several times faster than `max`."""
    value: int = values.item(values.argmax())
    return value


def encode_column(values: NDArray[np.integer[Any]]) -> Column:
    """Return one integer per node, encoded; an empty column is 0."""
    if not len(values):
        return 0
    low, high = lowest(values), highest(values)
    if low == high:
        return low
    return _pack(_smallest_type(low, high), values)


def _smallest_type(low: int, high: int) -> str:
    """Return the name of the smallest type of a column that holds integers from `low` to `high`."""
    if low < -(2**31) or high >= 2**31:
        return "i8"
    if low < 0 or high >= 2**16:
        return "i4"
    return "u2" if high >= 256 else "u1"


def encode_small(values: NDArray[np.integer[Any]]) -> Column:
    """Return values from 0 to 255, at least one, encoded."""
    packed = values.astype(_DTYPES["u1"]).tobytes()
    if packed.count(packed[0]) == len(packed):
        return packed[0]
    return f"u1:{b2a_base64(packed, newline=False).decode('ascii')}"


def _pack(name: str, values: NDArray[np.integer[Any]]) -> str:
    return f"{name}:{b2a_base64(values.astype(_DTYPES[name]).tobytes(), newline=False).decode('ascii')}"


@lru_cache(maxsize=64)
def _ones(count: int) -> str:
    """Return the encoded differences of consecutive numbers."""
    return b2a_base64(b"\x01" * count, newline=False).decode("ascii")


def encode_run(first: int, count: int) -> Column:
    """Return `count` consecutive row numbers from `first`, encoded."""
    return f"d1:{first}:{_ones(count - 1)}" if count > 1 else first


def encode_rows(rows: NDArray[np.integer[Any]]) -> Column:
    """Return encoded row numbers, as differences if they increase by less than 256, so that long runs are short."""
    if len(rows) > 1:
        steps = rows[1:] - rows[:-1]
        if lowest(steps) > 0 and highest(steps) < 256:
            packed = b2a_base64(steps.astype(_DTYPES["u1"]).tobytes(), newline=False).decode("ascii")
            return f"d1:{rows[0]}:{packed}"
    return encode_column(rows)


def decode_column(column: Column, count: int) -> NDArray[np.int64]:
    """Return the `count` integers of a column."""
    if isinstance(column, int):
        return np.full(count, column, np.int64)
    name, _, data = column.partition(":")
    if name == "d1":
        first, _, steps = data.partition(":")
        rises = np.frombuffer(base64.b64decode(steps), _DTYPES["u1"])
        return int(first) + np.concatenate((np.zeros(1, np.int64), np.cumsum(rises, dtype=np.int64)))
    numbers: NDArray[np.integer[Any]] = np.frombuffer(base64.b64decode(data), _DTYPES[name])
    return numbers.astype(np.int64)
