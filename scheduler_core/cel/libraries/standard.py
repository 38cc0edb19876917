"""The standard functions and operators of CEL (cel-go's `common/stdlib/standard.go`, `common/types`)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from scheduler_core.cel import types
from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.libraries import numbers, times
from scheduler_core.cel.libraries.conversions import CONVERSIONS, type_of_value
from scheduler_core.cel.libraries.regex import match
from scheduler_core.cel.types import BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT, CelType
from scheduler_core.cel.values import (
    NO_SUCH_OVERLOAD,
    Accumulator,
    Chain,
    Duration,
    Error,
    Map,
    Timestamp,
    Value,
    allocate,
    check_length,
    compare_numbers,
    equal,
    is_list,
    is_number,
    spend_steps,
)

A, B = types.parameter("A"), types.parameter("B")
_LIST_A = types.list_of(A)
_MAP_AB = types.map_of(A, B)


def _never(*arguments: Value) -> Value:
    return NO_SUCH_OVERLOAD


def _not(value: Value) -> Value:
    return not value if type(value) is bool else NO_SUCH_OVERLOAD


def _not_strictly_false(value: Value) -> Value:
    return value if type(value) is bool else True


def add(value: Value, other: Value) -> Value:
    """Return the sum of numbers, times or durations, or joined strings, bytes or lists; or else an Error."""
    kind = type(value)
    if kind in (str, bytes):
        if type(other) is not kind:
            return NO_SUCH_OVERLOAD
        allocate(len(value) + len(other))
        return value + other
    if is_list(value):
        return _join(value, other)
    if kind in (Duration, Timestamp):
        return times.add(value, other)
    return numbers.add(value, other)


def _join(value: Value, other: Value) -> Value:
    if not is_list(other):
        return NO_SUCH_OVERLOAD
    if type(value) is Accumulator:
        check_length(len(value) + len(other))
        spend_steps(len(other) // 10)
        value.extend(other)
        return value
    if not len(value):
        return other
    return value if not len(other) else Chain(value, other)


def _subtract(value: Value, other: Value) -> Value:
    return times.subtract(value, other) if type(value) in (Duration, Timestamp) else numbers.subtract(value, other)


def _negate(value: Value) -> Value:
    if type(value) is bool:
        return NO_SUCH_OVERLOAD
    return times.negate(value) if type(value) is Duration else numbers.negate(value)


def compare(value: Value, other: Value) -> Value:
    """Compare two values: -1, 0 or 1, or an Error if they have no order."""
    if is_number(value):
        if not is_number(other):
            return NO_SUCH_OVERLOAD
        if value != value or other != other:
            return Error("NaN values cannot be ordered")
        return compare_numbers(value, other)
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) in (Duration, Timestamp):
        value, other = value.nanos, other.nanos
    elif type(value) is str:
        value, other = value.encode(), other.encode()
    return (value > other) - (value < other)


def _comparison(holds: Callable[[int], bool]) -> Implementation:
    def compared(value: Value, other: Value) -> Value:
        order = compare(value, other)
        return order if type(order) is Error else holds(order)

    return compared


def contains(element: Value, collection: Value) -> Value:
    """Look for an element in a list, or for a key in a map. Return a bool, or an Error."""
    if isinstance(collection, Map):
        return collection.contains(element)
    if not is_list(collection):
        return NO_SUCH_OVERLOAD
    spend_steps(len(collection))
    return any(equal(element, each) is True for each in collection)


def _size(value: Value) -> Value:
    return len(value)


def _of_strings(holds: Callable[[str, str], bool]) -> Implementation:
    def test(text: Value, other: Value) -> Value:
        if type(text) is not str or type(other) is not str:
            return NO_SUCH_OVERLOAD
        return holds(text, other)

    return test


def _overloads(prefix: str, of: dict[str, tuple[CelType, ...]], result: CelType | None = None) -> tuple[Overload, ...]:
    """Return an overload for each suffix; the result type is that of the first parameter unless `result` is given."""
    return tuple(
        Overload(f"{prefix}_{suffix}", parameters, result or parameters[0]) for suffix, parameters in of.items()
    )


def _relation(name: str, prefix: str, holds: Callable[[int], bool]) -> Function:
    compared: dict[str, tuple[CelType, ...]] = {
        "bool": (BOOL, BOOL),
        "int64": (INT, INT),
        "int64_double": (INT, DOUBLE),
        "int64_uint64": (INT, UINT),
        "uint64": (UINT, UINT),
        "uint64_double": (UINT, DOUBLE),
        "uint64_int64": (UINT, INT),
        "double": (DOUBLE, DOUBLE),
        "double_int64": (DOUBLE, INT),
        "double_uint64": (DOUBLE, UINT),
        "string": (STRING, STRING),
        "bytes": (BYTES, BYTES),
        "timestamp": (TIMESTAMP, TIMESTAMP),
        "duration": (DURATION, DURATION),
    }
    return Function(name, _overloads(prefix, compared, BOOL), _comparison(holds), trait="compare")


_NUMBERS: dict[str, tuple[CelType, ...]] = {"double": (DOUBLE, DOUBLE), "int64": (INT, INT), "uint64": (UINT, UINT)}
_WHOLE: dict[str, tuple[CelType, ...]] = {"int64": (INT, INT), "uint64": (UINT, UINT)}


_ADD = (
    *_overloads(
        "add", {"bytes": (BYTES, BYTES), "double": (DOUBLE, DOUBLE), "duration_duration": (DURATION, DURATION)}
    ),
    Overload("add_duration_timestamp", (DURATION, TIMESTAMP), TIMESTAMP),
    *_overloads(
        "add",
        {
            "timestamp_duration": (TIMESTAMP, DURATION),
            "int64": (INT, INT),
            "list": (_LIST_A, _LIST_A),
            "string": (STRING, STRING),
            "uint64": (UINT, UINT),
        },
    ),
)
_SUBTRACT = (
    *_overloads(
        "subtract",
        {
            "double": (DOUBLE, DOUBLE),
            "duration_duration": (DURATION, DURATION),
            "int64": (INT, INT),
            "timestamp_duration": (TIMESTAMP, DURATION),
        },
    ),
    Overload("subtract_timestamp_timestamp", (TIMESTAMP, TIMESTAMP), DURATION),
    Overload("subtract_uint64", (UINT, UINT), UINT),
)
_IN = (Overload("in_list", (A, _LIST_A), BOOL), Overload("in_map", (A, _MAP_AB), BOOL))
_SIZE = tuple(
    chain.from_iterable(
        (Overload(f"size_{name}", (of,), INT), Overload(f"{name}_size", (of,), INT, member=True))
        for name, of in (("bytes", BYTES), ("list", _LIST_A), ("map", _MAP_AB), ("string", STRING))
    )
)


def _string_test(name: str, overload: str, holds: Callable[[str, str], bool]) -> Function:
    declared = Overload(overload, (STRING, STRING), BOOL, member=True, implementation=_of_strings(holds))
    return Function(name, (declared,), unguarded=True)


STANDARD = Library(
    (
        Function("_?_:_", (Overload("conditional", (BOOL, A, A), A),), _never, accepts_errors=True),
        Function("_&&_", (Overload("logical_and", (BOOL, BOOL), BOOL),), _never, accepts_errors=True),
        Function("_||_", (Overload("logical_or", (BOOL, BOOL), BOOL),), _never, accepts_errors=True),
        Function("!_", (Overload("logical_not", (BOOL,), BOOL),), _not),
        Function(
            "@not_strictly_false",
            (Overload("not_strictly_false", (BOOL,), BOOL),),
            _not_strictly_false,
            accepts_errors=True,
        ),
        Function("_==_", (Overload("equals", (A, A), BOOL),), _never),
        Function("_!=_", (Overload("not_equals", (A, A), BOOL),), _never),
        Function("_+_", _ADD, add, trait="add"),
        Function("_/_", _overloads("divide", _NUMBERS), numbers.divide, trait="divide"),
        Function("_%_", _overloads("modulo", _WHOLE), numbers.modulo, trait="modulo"),
        Function("_*_", _overloads("multiply", _NUMBERS), numbers.multiply, trait="multiply"),
        Function("-_", _overloads("negate", {"double": (DOUBLE,), "int64": (INT,)}), _negate, trait="negate"),
        Function("_-_", _SUBTRACT, _subtract, trait="subtract"),
        _relation("_<_", "less", lambda order: order < 0),
        _relation("_<=_", "less_equals", lambda order: order <= 0),
        _relation("_>_", "greater", lambda order: order > 0),
        _relation("_>=_", "greater_equals", lambda order: order >= 0),
        Function("_[_]", (Overload("index_list", (_LIST_A, INT), A), Overload("index_map", (_MAP_AB, A), B)), _never),
        Function("@in", _IN, contains),
        Function("size", _SIZE, _size, trait="size"),
        Function("type", (Overload("type", (A,), types.type_of_type(A)),), type_of_value),
        *CONVERSIONS,
        Function("dyn", (Overload("to_dyn", (A,), types.DYN),), lambda value: value),
        _string_test("contains", "contains_string", lambda text, part: part in text),
        _string_test("endsWith", "ends_with_string", str.endswith),
        _string_test("startsWith", "starts_with_string", str.startswith),
        Function(
            "matches",
            (
                Overload("matches", (STRING, STRING), BOOL),
                Overload("matches_string", (STRING, STRING), BOOL, member=True),
            ),
            match,
            trait="match",
        ),
        *times.GETTERS,
    )
)
TYPE_NAMES: dict[str, CelType] = {
    each.name: each
    for each in (BOOL, BYTES, DOUBLE, DURATION, INT, _LIST_A, _MAP_AB, types.NULL, STRING, TIMESTAMP, types.TYPE, UINT)
}
