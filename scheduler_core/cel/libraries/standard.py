"""The standard functions and operators of CEL (cel-go's `common/stdlib/standard.go`, `common/types`)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from scheduler_core.cel import types
from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.libraries import numbers, times
from scheduler_core.cel.libraries.conversions import CONVERSIONS, type_of_value
from scheduler_core.cel.libraries.regex import match
from scheduler_core.cel.types import BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT, Type
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


def add(one: Value, other: Value) -> Value:
    """Add numbers, times or durations, or join strings, bytes or lists."""
    kind = type(one)
    if kind in (str, bytes):
        if type(other) is not kind:
            return NO_SUCH_OVERLOAD
        allocate(len(one) + len(other))
        return one + other
    if is_list(one):
        return _join(one, other)
    if kind in (Duration, Timestamp):
        return times.add(one, other)
    return numbers.add(one, other)


def _join(one: Value, other: Value) -> Value:
    if not is_list(other):
        return NO_SUCH_OVERLOAD
    if type(one) is Accumulator:
        check_length(len(one) + len(other))
        spend_steps(len(other) // 10)
        one.extend(other)
        return one
    if not len(one):
        return other
    return one if not len(other) else Chain(one, other)


def _subtract(one: Value, other: Value) -> Value:
    return times.subtract(one, other) if type(one) in (Duration, Timestamp) else numbers.subtract(one, other)


def _negate(value: Value) -> Value:
    if type(value) is bool:
        return NO_SUCH_OVERLOAD
    return times.negate(value) if type(value) is Duration else numbers.negate(value)


def compare(one: Value, other: Value) -> Value:
    """Return -1, 0 or 1, or an Error if the two have no order."""
    if is_number(one):
        if not is_number(other):
            return NO_SUCH_OVERLOAD
        if one != one or other != other:
            return Error("NaN values cannot be ordered")
        return compare_numbers(one, other)
    if type(one) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(one) in (Duration, Timestamp):
        one, other = one.nanos, other.nanos
    elif type(one) is str:
        one, other = one.encode(), other.encode()
    return (one > other) - (one < other)


def _comparison(holds: Callable[[int], bool]) -> Implementation:
    def compared(one: Value, other: Value) -> Value:
        order = compare(one, other)
        return order if type(order) is Error else holds(order)

    return compared


def contains(element: Value, collection: Value) -> Value:
    """Return whether a list has an element or a map a key."""
    if isinstance(collection, Map):
        return collection.contains(element)
    if not is_list(collection):
        return NO_SUCH_OVERLOAD
    spend_steps(len(collection))
    return any(equal(element, each) is True for each in collection)


def _size(value: Value) -> Value:
    return len(value)


def _of_strings(holds: Callable[[str, str], bool]) -> Implementation:
    def asked(text: Value, other: Value) -> Value:
        if type(text) is not str or type(other) is not str:
            return NO_SUCH_OVERLOAD
        return holds(text, other)

    return asked


def _overloads(prefix: str, of: dict[str, tuple[Type, ...]], result: Type | None = None) -> tuple[Overload, ...]:
    """Return an overload for each suffix; the result type is that of the first parameter unless `result` is given."""
    return tuple(
        Overload(f"{prefix}_{suffix}", parameters, result or parameters[0]) for suffix, parameters in of.items()
    )


def _relation(name: str, prefix: str, holds: Callable[[int], bool]) -> Function:
    compared: dict[str, tuple[Type, ...]] = {
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


_NUMBERS: dict[str, tuple[Type, ...]] = {"double": (DOUBLE, DOUBLE), "int64": (INT, INT), "uint64": (UINT, UINT)}
_WHOLE: dict[str, tuple[Type, ...]] = {"int64": (INT, INT), "uint64": (UINT, UINT)}


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
TYPE_NAMES: dict[str, Type] = {
    each.name: each
    for each in (BOOL, BYTES, DOUBLE, DURATION, INT, _LIST_A, _MAP_AB, types.NULL, STRING, TIMESTAMP, types.TYPE, UINT)
}
