"""Conversions between types (`ConvertToType` of cel-go's value types)."""

from __future__ import annotations

import re
from collections.abc import Callable

from scheduler_core.cel.declarations import Function, Overload
from scheduler_core.cel.libraries import numbers, times
from scheduler_core.cel.literals import decimal
from scheduler_core.cel.types import BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT, CelType
from scheduler_core.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    Error,
    TypeValue,
    Uint,
    Value,
    format_double,
    type_of,
)

_INT = re.compile(r"[+-]?[0-9]+", re.ASCII)
_UINT = re.compile(r"[0-9]+", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)", re.ASCII | re.I)
_HEX_DOUBLE = re.compile(r"[+-]?0x(?:[0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)p[+-]?[0-9]+", re.ASCII | re.I)
_TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
_FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))


def type_of_value(value: Value) -> Value:
    """Return the type of a value, itself as a value (`type()`)."""
    return TypeValue(type_of(value).name)


def _no_conversion(to: CelType) -> Error:
    return Error(f"type conversion error from 'string' to '{to.name}'")


def _int_of(text: Value) -> Value:
    if not _INT.fullmatch(text):
        return _no_conversion(INT)
    number = decimal(text.lstrip("+-")) * (-1 if text.startswith("-") else 1)
    return number if MIN_INT <= number <= MAX_INT else _no_conversion(INT)


def _uint_of(text: Value) -> Value:
    if not _UINT.fullmatch(text) or (number := decimal(text)) > MAX_UINT:
        return _no_conversion(UINT)
    return Uint(number)


def _double_of(text: Value) -> Value:
    assert isinstance(text, str)
    if _HEX_DOUBLE.fullmatch(text):
        try:
            return float.fromhex(text)
        except OverflowError:
            return _no_conversion(DOUBLE)
    if not _DOUBLE.fullmatch(text):
        return _no_conversion(DOUBLE)
    number = float(text)
    if number in (float("inf"), float("-inf")) and "i" not in text.lower():
        return _no_conversion(DOUBLE)
    return number


def _bool_of(text: Value) -> Value:
    if text in _TRUE:
        return True
    return False if text in _FALSE else _no_conversion(BOOL)


def _text_of_bytes(value: Value) -> Value:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Error("invalid UTF-8 in bytes, cannot convert to string")


def _same(value: Value) -> Value:
    return value


def _double_of_number(value: Value) -> Value:
    return float(value.value if type(value) is Uint else value)


def _conversion(name: str, result: CelType, *of: tuple[str, CelType, Callable[[Value], Value]]) -> Function:
    return Function(name, tuple(Overload(id_, (source,), result, False, convert) for id_, source, convert in of))


CONVERSIONS = (
    _conversion("bool", BOOL, ("bool_to_bool", BOOL, _same), ("string_to_bool", STRING, _bool_of)),
    _conversion(
        "bytes", BYTES, ("bytes_to_bytes", BYTES, _same), ("string_to_bytes", STRING, lambda text: text.encode())
    ),
    _conversion(
        "double",
        DOUBLE,
        ("double_to_double", DOUBLE, _same),
        ("int64_to_double", INT, _double_of_number),
        ("string_to_double", STRING, _double_of),
        ("uint64_to_double", UINT, _double_of_number),
    ),
    _conversion(
        "duration",
        DURATION,
        ("duration_to_duration", DURATION, _same),
        ("int64_to_duration", INT, lambda value: Error(f"type conversion error from 'int' to '{DURATION.name}'")),
        ("string_to_duration", STRING, lambda text: times.parse_duration(text) or _no_conversion(DURATION)),
    ),
    _conversion(
        "int",
        INT,
        ("int64_to_int64", INT, _same),
        ("double_to_int64", DOUBLE, numbers.to_int),
        ("duration_to_int64", DURATION, lambda duration: duration.nanos),
        ("string_to_int64", STRING, _int_of),
        ("timestamp_to_int64", TIMESTAMP, lambda timestamp: timestamp.nanos // 10**9),
        ("uint64_to_int64", UINT, numbers.to_int),
    ),
    _conversion(
        "string",
        STRING,
        ("string_to_string", STRING, _same),
        ("bool_to_string", BOOL, lambda value: "true" if value else "false"),
        ("bytes_to_string", BYTES, _text_of_bytes),
        ("double_to_string", DOUBLE, format_double),
        ("duration_to_string", DURATION, times.format_duration),
        ("int64_to_string", INT, str),
        ("timestamp_to_string", TIMESTAMP, times.format_timestamp),
        ("uint64_to_string", UINT, lambda value: str(value.value)),
    ),
    _conversion(
        "timestamp",
        TIMESTAMP,
        ("timestamp_to_timestamp", TIMESTAMP, _same),
        ("int64_to_timestamp", INT, times.timestamp_of_seconds),
        ("string_to_timestamp", STRING, lambda text: times.parse_timestamp(text) or _no_conversion(TIMESTAMP)),
    ),
    _conversion(
        "uint",
        UINT,
        ("uint64_to_uint64", UINT, _same),
        ("double_to_uint64", DOUBLE, numbers.to_uint),
        ("int64_to_uint64", INT, numbers.to_uint),
        ("string_to_uint64", STRING, _uint_of),
    ),
)
