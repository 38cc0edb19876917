"""Values at run time, their types, and the operations on all values: size and equality.

null, bool, int, double, string, bytes and list are Python's None, bool, int, float, str, bytes and list; a map is a
`Map`. An error is a value (`Error`), as in cel-go: `&&` and `||` may absorb it, and operations on it still have a cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, TypeAlias

import msgspec

from scheduler_core.cel import types
from scheduler_core.cel.types import CelType

Value: TypeAlias = Any

MIN_INT, MAX_INT, MAX_UINT = -(2**63), 2**63 - 1, 2**64 - 1
MAX_STEPS = 2_000_000  # comparisons, copies and similar work of one evaluation that has no cost in Kubernetes
MAX_LENGTH = 5_000_000  # characters of a string, elements of a list


class Cancelled(Exception):
    """Raised when an evaluation is cancelled; the message is the reason."""


_steps: ContextVar[int] = ContextVar("steps", default=MAX_STEPS)


def grant_steps() -> None:
    """Start an evaluation with its full number of steps."""
    _steps.set(MAX_STEPS)


def steps_spent() -> int:
    """Return the number of steps that the evaluation has used."""
    return MAX_STEPS - _steps.get()


def spend_steps(number: int) -> None:
    """Count work whose cost Kubernetes counts too late or not at all. Raises Cancelled if it is too much."""
    left = _steps.get() - number
    if left < 0:
        raise Cancelled("operation cancelled: actual cost limit exceeded")
    _steps.set(left)


def check_length(length: int) -> None:
    """Raise Cancelled for a string or list that no evaluation within the cost limit could traverse."""
    if length > MAX_LENGTH:
        raise Cancelled("operation cancelled: actual cost limit exceeded")


def allocate(length: int) -> None:
    """Count the work of a new string or list. Raises Cancelled if it is too long, or the work too much."""
    check_length(length)
    spend_steps(length // 10)


class Error(msgspec.Struct, frozen=True):
    """The error of an evaluation."""

    message: str


ZERO_TIME = -62_135_596_800 * 10**9  # nanoseconds; 0001-01-01T00:00:00Z, the zero value of Go's time.Time
NO_SUCH_OVERLOAD = Error("no such overload")


class Uint(msgspec.Struct, frozen=True):
    """A 64-bit unsigned integer."""

    value: int


class Duration(msgspec.Struct, frozen=True):
    """A duration in nanoseconds."""

    nanos: int


class Timestamp(msgspec.Struct, frozen=True):
    """A time in nanoseconds since 1970, and the UTC offset in seconds with which it was written."""

    nanos: int
    offset: int = 0


class TypeValue(msgspec.Struct, frozen=True):
    """A type as a value: the result of `type(x)`."""

    name: str


class Optional(msgspec.Struct, frozen=True):
    """A value, or none."""

    value: Value = None
    present: bool = False


NONE = Optional()


class Map(dict[object, Value]):
    """A map whose keys distinguish types (`key_of`).

    `default` is the value of unknown keys, None if they have none. The keys of a `named` map are strings as they are.
    `zeros` returns the value of an absent field, as in a Go struct; `has` still reports it as absent.
    """

    __slots__ = ("default", "named", "zeros")

    def __init__(
        self,
        entries: Mapping[Any, Value] | None = None,
        default: Value = None,
        *,
        named: bool = False,
        zeros: Mapping[Any, Callable[[], Value]] | None = None,
    ) -> None:
        super().__init__(entries or {})
        self.default = default
        self.named = named
        self.zeros = zeros

    def find(self, key: Value) -> Value:
        """Return the value of a key, a zero value or the default, or MISSING; numeric keys match across types."""
        for candidate in self._candidates(key):
            value = self.get(candidate, MISSING)
            if value is not MISSING:
                return value
        if self.zeros is not None and type(key) is str and key in self.zeros:
            return self.zeros[key]()
        return MISSING if self.default is None else self.default

    def lacks(self, key: Value) -> bool:
        """Return whether a map with `zeros` has no entry for a key; False for other maps."""
        return self.zeros is not None and key not in self

    def contains(self, key: Value) -> bool:
        """Return whether the map has an entry for a key; zero values and the default do not count."""
        return any(candidate in self for candidate in self._candidates(key))

    def _candidates(self, key: Value) -> Iterator[object]:
        if self.named:
            return iter((key,) if type(key) is str else ())
        return _candidate_keys(key) if self else iter(())

    def keys_of(self) -> Iterator[Value]:
        """Yield the keys as values."""
        for key in self:
            yield key[1] if type(key) is tuple else key


class _Missing:
    __slots__ = ()


MISSING = _Missing()


class Accumulator(list[Value]):
    """The list that a comprehension builds."""

    __slots__ = ()


class MapAccumulator(Map):
    """The map that a comprehension builds."""

    __slots__ = ()


class Chain:
    """Two concatenated lists, which cost nothing to join."""

    __slots__ = ("first", "length", "second")

    def __init__(self, first: Lister, second: Lister) -> None:
        self.first, self.second = first, second
        self.length = len(first) + len(second)
        check_length(self.length)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Value:
        at: Lister = self
        while isinstance(at, Chain):
            if index < len(at.first):
                at = at.first
            else:
                index -= len(at.first)
                at = at.second
        return at[index]

    def __iter__(self) -> Iterator[Value]:
        waiting: list[Lister] = [self]
        while waiting:
            at = waiting.pop()
            if isinstance(at, Chain):
                waiting += [at.second, at.first]
            else:
                spend_steps(len(at))
                yield from at


Lister: TypeAlias = "list[Value] | Chain"


class RuntimeType(msgspec.Struct, frozen=True):
    """The run-time type of a value, and the operations that cel-go supports for it (`traits`)."""

    type: CelType
    traits: frozenset[str]


def _runtime(type_: CelType, *traits: str) -> RuntimeType:
    return RuntimeType(type_, frozenset(traits))


_NUMBER = ("add", "compare", "divide", "multiply", "subtract")
RUNTIME_TYPES: dict[type, RuntimeType] = {
    type(None): _runtime(types.NULL),
    bool: _runtime(types.BOOL, "compare", "negate"),
    int: _runtime(types.INT, *_NUMBER, "modulo", "negate"),
    Uint: _runtime(types.UINT, *_NUMBER, "modulo"),
    float: _runtime(types.DOUBLE, *_NUMBER, "negate"),
    str: _runtime(types.STRING, "add", "compare", "match", "receive", "size"),
    bytes: _runtime(types.BYTES, "add", "compare", "size"),
    list: _runtime(types.LIST, "add", "contain", "index", "iterate", "size"),
    Accumulator: _runtime(types.LIST, "add", "contain", "index", "iterate", "size"),
    Chain: _runtime(types.LIST, "add", "contain", "index", "iterate", "size"),
    Map: _runtime(types.MAP, "contain", "index", "iterate", "size"),
    MapAccumulator: _runtime(types.MAP, "contain", "index", "iterate", "size"),
    Duration: _runtime(types.DURATION, "add", "compare", "negate", "receive", "subtract"),
    Timestamp: _runtime(types.TIMESTAMP, "add", "compare", "receive", "subtract"),
    TypeValue: _runtime(types.TYPE),
    Optional: _runtime(types.OPTIONAL),
    Error: _runtime(types.ERROR),
}
_equality: dict[type, Callable[[Value, Value], Value]] = {}
_sizes: dict[type, Callable[[Value], int]] = {}
_texts: dict[type, Callable[[Value], str]] = {}
_UNHASHABLE: dict[type, str] = {bytes: "types.Bytes"}


def register(
    class_: type,
    type_: CelType,
    *,
    equal: Callable[..., Value],
    size: Callable[..., int] | None = None,
    text: Callable[..., str] | None = None,
    unhashable: str | None = None,
) -> None:
    """Register a library's class as a type of values; `unhashable` is Go's name for one that cannot be a key."""
    if unhashable is not None:
        _UNHASHABLE[class_] = unhashable
    RUNTIME_TYPES[class_] = RuntimeType(type_, frozenset())
    _equality[class_] = equal
    if size is not None:
        _sizes[class_] = size
    if text is not None:
        _texts[class_] = text


def type_of(value: Value) -> CelType:
    """Return the run-time type of a value; that of a list or map has elements of type dyn."""
    return RUNTIME_TYPES[type(value)].type


def has_trait(value: Value, trait: str) -> bool:
    """Return whether cel-go supports an operation for values of this type."""
    return trait in RUNTIME_TYPES[type(value)].traits


def is_list(value: Value) -> bool:
    """Return whether the value is a list, in any of its representations."""
    return type(value) in (list, Accumulator, Chain)


def is_number(value: Value) -> bool:
    """Return whether the value is an int, double or uint."""
    return type(value) in (int, float, Uint)


def key_of(value: Value) -> object:
    """Return the key for a value in a map: Python treats 1, 1.0 and true as the same key."""
    return (type(value), value) if type(value) in (bool, float) else value


def hashable_key(value: Value) -> object:
    """Return the key for any value in a map; that of a value that Go compares by pointer, such as a list, is its id.

    Raises Cancelled for a value that Go cannot hash.
    """
    kind = type(value)
    unhashable = _UNHASHABLE.get(kind)
    if unhashable is not None:
        raise Cancelled(f"internal error: runtime error: hash of unhashable type {unhashable}")
    if kind in (str, bool, int, float, Uint, Duration, Timestamp, TypeValue) or value is None:
        return key_of(value)
    return (kind, value) if kind in _sizes else id(value)


def _candidate_keys(key: Value) -> Iterator[object]:
    """Yield the possible keys of a value: a number also has those of other number types that represent it exactly."""
    kind = type(key)
    if kind is int:
        yield key
        if key >= 0:
            yield Uint(key)
    elif kind is Uint:
        yield key
        if key.value <= MAX_INT:
            yield key.value
    elif kind is float:
        yield (float, key)
        if math.isfinite(key) and key == int(key):
            whole = int(key)
            if MIN_INT < whole <= MAX_INT:
                yield whole
            if 0 <= whole <= MAX_UINT:
                yield Uint(whole)
    else:
        yield hashable_key(key)


def size_of(value: Value) -> int | None:
    """Return the size of a value in cel-go: characters, bytes, elements or entries; None if it has no size."""
    kind = type(value)
    if kind in (str, bytes, list, Map, Accumulator, Chain, MapAccumulator):
        return len(value)
    measure = _sizes.get(kind)
    return None if measure is None else measure(value)


def compare_numbers(value: Value, other: Value) -> int:
    """Compare numbers of any type by value: -1, 0 or 1; doubles are rounded as in cel-go."""
    kind, other_kind = type(value), type(other)
    if kind is float and other_kind is float:
        return _sign(value, other)
    if kind is float:
        return _compare_double(value, other)
    if other_kind is float:
        return -_compare_double(other, value)
    return _sign(value.value if kind is Uint else value, other.value if other_kind is Uint else other)


def _compare_double(double: Value, value: Value) -> int:
    number, low, high = (value.value, 0, MAX_UINT) if type(value) is Uint else (value, MIN_INT, MAX_INT)
    if double < low:
        return -1
    if double > float(high):
        return 1
    return _sign(double, float(number))


def _sign(value: Value, other: Value) -> int:
    return int(value > other) - int(value < other)


def equal(value: Value, other: Value) -> Value:
    """Compare two values. Return a bool, or an Error: Kubernetes' own types cannot be compared with others."""
    kind = type(value)
    if value is None or other is None:
        return value is other
    if kind in (str, bytes, bool, Duration):
        return kind is type(other) and value == other
    if kind in (int, float, Uint):
        if type(other) not in (int, float, Uint):
            return False
        if _is_nan(value) or _is_nan(other):
            return False
        return compare_numbers(value, other) == 0
    if kind in (list, Accumulator, Chain):
        return _equal_lists(value, other)
    if kind in (Map, MapAccumulator):
        return _equal_maps(value, other)
    if kind is Error:
        return value
    if kind is Timestamp:
        return type(other) is Timestamp and value.nanos == other.nanos
    if kind is TypeValue:
        return type(other) is TypeValue and value == other
    if kind is Optional:
        if type(other) is not Optional:
            return False
        if not (value.present and other.present):
            return value.present == other.present
        return equal(value.value, other.value)
    return _equality[kind](value, other)


def _equal_lists(value: Value, other: Value) -> Value:
    if not is_list(other) or len(value) != len(other):
        return False
    first_error = None
    for a, b in zip(value, other, strict=True):
        spend_steps(1)
        same = equal(a, b)
        if same is False:
            return False
        if type(value) is Chain and first_error is None and type(same) is Error:
            first_error = same
    return True if first_error is None else first_error


def _equal_maps(first: Map, other: Value) -> Value:
    if not isinstance(other, Map) or len(first) != len(other):
        return False
    for key in first.keys_of():
        spend_steps(1)
        theirs = other.find(key)
        if theirs is MISSING or equal(first.find(key), theirs) is False:
            return False
    return True


def _is_nan(value: Value) -> bool:
    return type(value) is float and math.isnan(value)


def is_zero(value: Value) -> bool:
    """Return whether the value is a zero value for `optional.ofNonZeroValue`."""
    kind = type(value)
    if value is None:
        return True
    if kind in (bool, int, float, str, bytes, list, Map, Accumulator, Chain, MapAccumulator):
        return not value
    if kind is Uint:
        return bool(value.value == 0)
    if kind is Duration:
        return bool(value.nanos == 0)
    return kind is Timestamp and value.nanos == ZERO_TIME


def text_of(value: Value) -> str:
    """Return a value as Go prints it in an error message ("no such key: 1.5"). Raises Cancelled if it is too large."""
    kind = type(value)
    if value is None:
        return "0"
    if kind is bool:
        return "true" if value else "false"
    if kind is Uint:
        return str(value.value)
    if kind is float:
        return format_double(value)
    if kind is bytes:
        return "[" + " ".join(str(byte) for byte in value) + "]"
    if is_list(value):
        spend_steps(len(value))
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    if isinstance(value, Map):
        spend_steps(len(value))
        return "{" + ", ".join(f"{text_of(key)}: {text_of(value.find(key))}" for key in value.keys_of()) + "}"
    if kind is Optional:
        return f"optional({text_of(value.value)})" if value.present else "optional.none()"
    if kind is TypeValue:
        return str(value.name)
    if kind is Error:
        return str(value.message)
    text = _texts.get(kind)
    return str(value) if text is None else text(value)


def format_double(number: float) -> str:
    """Format a double like Go's %g: with the fewest digits that parse to the same value."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, exponent = _shortest(number)
    sign = "-" if number < 0 else ""
    if exponent < -4 or exponent >= 6:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return sign + _place_point(digits, exponent)


def format_double_plainly(number: float) -> str:
    """Format a double like Go's strconv.FormatFloat(number, 'f', -1): without an exponent."""
    if math.isnan(number) or math.isinf(number):
        return format_double(number)
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, exponent = _shortest(number)
    return ("-" if number < 0 else "") + _place_point(digits, exponent)


def _shortest(number: float) -> tuple[str, int]:
    """Return the fewest digits that parse to the same number, and the power of ten of the first digit."""
    head, _, tail = repr(abs(number)).partition("e")
    whole, _, fraction = head.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = int(tail or "0") + len(whole) - 1 - (len(whole + fraction) - len(digits))
    return digits.rstrip("0"), exponent


def _place_point(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"
