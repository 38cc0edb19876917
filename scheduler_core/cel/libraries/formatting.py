"""`string.format` (cel-go's `ext/formatting.go`): the clauses of a format, and the text of a value for each clause."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial

import msgspec

from scheduler_core.cel.libraries import times
from scheduler_core.cel.libraries.quotes import quote
from scheduler_core.cel.types import Kind
from scheduler_core.cel.values import (
    MAX_INT,
    Duration,
    Error,
    Map,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    check_length,
    format_double,
    is_list,
    spend_steps,
    type_of,
)

_DEFAULT_PRECISION = 6
_MAX_PRECISION = 1000
_CLAUSE = re.compile(r"%(?:\.([0-9]*))?(.?)", re.DOTALL)
_SPECIAL = ("NaN", "Infinity", "-Infinity")
NUMBERS = (Kind.INT, Kind.UINT)
_TEXTUAL = (
    Kind.LIST, Kind.MAP, Kind.INT, Kind.UINT, Kind.DOUBLE, Kind.BOOL, Kind.STRING,
    Kind.TIMESTAMP, Kind.BYTES, Kind.DURATION, Kind.TYPE, Kind.NULL,
)  # fmt: skip
# The types that each clause accepts, and the error for other types.
ACCEPTED: dict[str, tuple[tuple[Kind, ...], str]] = {
    "s": (
        _TEXTUAL,
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, "
        "and timestamps, was given {}",
    ),
    "d": (NUMBERS, "decimal clause can only be used on integers, was given {}"),
    "f": ((Kind.DOUBLE, Kind.STRING), "fixed-point clause can only be used on doubles, was given {}"),
    "e": ((Kind.DOUBLE, Kind.STRING), "scientific clause can only be used on doubles, was given {}"),
    "b": ((*NUMBERS, Kind.BOOL), "only integers and bools can be formatted as binary, was given {}"),
    "x": (
        (*NUMBERS, Kind.STRING, Kind.BYTES),
        "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    ),
    "o": (NUMBERS, "octal clause can only be used on integers, was given {}"),
}


class FormatError(ValueError):
    """An invalid format or value; the message is cel-go's."""


class Clause(msgspec.Struct, frozen=True):
    """One clause of a format, and its precision if it has one."""

    letter: str
    precision: int | None


def read_format(text: str, take: Callable[[int, Callable[[], Clause]], str]) -> str:
    """Return the text with its clauses replaced. Raises FormatError.

    `take(index, read)` returns the text for an argument; `read` returns the clause. cel-go checks that the argument
    exists before it reads the clause.
    """
    pieces: list[str] = []
    at = index = length = 0
    while at < len(text):
        percent = text.find("%", at)
        if percent < 0:
            pieces.append(text[at:])
            break
        pieces.append(text[at:percent])
        if text.startswith("%%", percent):
            pieces.append("%")
            at = percent + 2
            continue
        clause = _CLAUSE.match(text, percent)
        assert clause is not None
        pieces.append(take(index, partial(_read_clause, clause, percent + 1 >= len(text))))
        length += len(pieces[-1])
        check_length(length)
        at = clause.end()
        index += 1
    return "".join(pieces)


def _read_clause(match: re.Match[str], at_end: bool) -> Clause:
    if at_end:
        raise FormatError("unexpected end of string")
    wrong = "could not parse formatting clause: "
    digits, letter = match[1], match[2]
    if digits is not None:
        if not letter:
            raise FormatError(f"{wrong}error while parsing precision: could not find end of precision specifier")
        significant = digits.lstrip("0")
        if not digits or len(significant) > 19 or int(significant or "0") > MAX_INT:
            problem = "value out of range" if digits else "invalid syntax"
            raise FormatError(
                f"{wrong}error while parsing precision: error while converting precision to integer: "
                f'strconv.Atoi: parsing "{digits}": {problem}'
            )
    if letter.lower() not in ACCEPTED or letter in "SDFEBO":
        raise FormatError(f'{wrong}unrecognized formatting clause "{letter}"')
    precision = None if digits is None else min(int(digits[:9]), _MAX_PRECISION)
    return Clause(letter, precision)


def format_text(text: str, arguments: Value) -> Value:
    """Return the text with its clauses replaced by the arguments, or an Error."""

    def take(index: int, read: Callable[[], Clause]) -> str:
        if index >= len(arguments):
            raise FormatError(f"index {index} out of range")
        clause = read()
        try:
            return _format(clause, arguments[index])
        except FormatError as error:
            raise FormatError(f"error during formatting: {error}") from None

    try:
        return read_format(text, take)
    except FormatError as error:
        return Error(str(error))


def _format(clause: Clause, value: Value) -> str:
    letter = clause.letter
    kinds, message = ACCEPTED[letter.lower()]
    kind = type_of(value).kind
    precision = _DEFAULT_PRECISION if clause.precision is None else clause.precision
    if letter in "fe" and kind is Kind.STRING and value not in _SPECIAL:
        kind = Kind.ERROR
    if kind not in kinds:
        raise FormatError(message.format(type_of(value).name))
    if letter == "s":
        return format_string(value)
    if letter == "d":
        return _whole(value, "d")
    if letter in "fe":
        return _format_double(value, letter, precision)
    if type(value) is bool:
        return "1" if value else "0"
    if type(value) in (str, bytes):
        raw = value.encode() if type(value) is str else value
        return raw.hex().upper() if letter == "X" else raw.hex()
    return _whole(value, letter)


def _whole(value: Value, letter: str) -> str:
    return format(value.value if type(value) is Uint else value, letter)


def _format_double(value: Value, letter: str, precision: int) -> str:
    number = float(value.replace("Infinity", "inf")) if type(value) is str else value
    assert isinstance(number, float)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    if letter == "f":
        whole, point, decimals = f"{number:.{precision}f}".partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        return f"{sign}{int(digits):,}{point}{decimals}"
    mantissa, _, exponent = f"{number:.{precision}e}".partition("e")
    superscript = str(abs(int(exponent))).rjust(2, "0").translate(_SUPERSCRIPT)
    return f"{mantissa}\u202f×\u202f10{'⁻' if int(exponent) < 0 else ''}{superscript}"


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_string(value: Value) -> str:
    """Return the text of a value for %s. Raises FormatError."""
    spend_steps(1)
    if is_list(value):
        return "[" + ", ".join(_format_inner(each) for each in value) + "]"
    if isinstance(value, Map):
        return _format_map(value)
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is bytes:
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise FormatError(
                'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
            ) from None
    if type(value) is float:
        return format_double(value)
    if type(value) is Timestamp:
        return times.format_timestamp(value)
    if type(value) is Duration:
        return times.format_duration(value)
    if type(value) is TypeValue:
        return value.name
    if type(value) is Uint:
        return str(value.value)
    if type(value) in (int, str):
        return str(value)
    raise FormatError(ACCEPTED["s"][1].format(type_of(value).name))


def _format_inner(value: Value) -> str:
    """Return the text of a value within a list or map. Raises FormatError."""
    kind = type_of(value).kind
    if type(value) is str:
        return quote(value)
    if type(value) is bytes:
        return "b" + quote(format_string(value))
    if type(value) is float:
        text = f"{value:.6f}"
        if math.isinf(value) or math.isnan(value):
            return quote("NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf")
        return text
    if type(value) is Timestamp:
        return f"timestamp({quote(times.format_timestamp(value))})"
    if type(value) is Duration:
        return f"duration({quote(times.format_duration(value))})"
    if kind not in ACCEPTED["s"][0]:
        raise FormatError(f"no formatting function for {type_of(value).name}")
    return format_string(value)


def _format_map(value: Map) -> str:
    entries: list[tuple[str, str]] = []
    for key in value.keys_of():
        if type(key) not in (str, bool, int, Uint):
            raise FormatError(f"no formatting function for map key of type {type_of(key).name}")
        entries.append((_format_inner(key), _format_inner(value.find(key))))
    return "{" + ", ".join(f"{key}:{inner}" for key, inner in sorted(entries, key=lambda entry: entry[0])) + "}"
