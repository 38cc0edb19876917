"""Kubernetes quantities in expressions (`k8s.io/apiserver/pkg/cel/library/quantity.go`, `apimachinery`'s `resource`).

`asInteger` and `isInteger` depend on the representation of a quantity, not on its value ("1000m" is not an integer), so
it is represented as in Kubernetes: an integer times a power of ten, either a 64-bit one or one of any size.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from scheduler_core.cel.declarations import Function, Library, Overload
from scheduler_core.cel.types import BOOL, DOUBLE, INT, QUANTITY, STRING
from scheduler_core.cel.values import MAX_INT, MIN_INT, NO_SUCH_OVERLOAD, Cancelled, Error, Value, register

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NANO = -9
_PRECISION = 18  # digits that surely fit into 64 bits
_MAX_DIGITS = 4000  # real quantities have far fewer
_MAX_SHIFT = 5000  # powers of ten between two numbers that are added
_TEXT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[+-]?|[+-])[0-9]*|)", re.ASCII)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,18})", re.ASCII)

WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
WRONG_SUFFIX = "unable to parse quantity's suffix"


class Quantity(msgspec.Struct, frozen=True):
    """A quantity: `number` times ten to the power `exponent`.

    `large`: Kubernetes stores it as a number of any size. `computed`: it is the result of `add` or `sub`; `==` with
    such a quantity on its right is an error.
    """

    number: int
    exponent: int
    large: bool = False
    computed: bool = False


class QuantityError(ValueError):
    """The text is not a valid quantity; the message is Kubernetes'."""


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Quantity:
    """Parse a quantity. Raises QuantityError."""
    match = _TEXT.fullmatch(text)
    if not text or match is None:
        raise QuantityError(WRONG_FORMAT)
    sign, whole, fraction, suffix = match[1], match[2].lstrip("0"), match[3] or "", match[4]
    # Kubernetes ignores leading zeros and reads an empty number as 0.
    whole = whole or "0"
    bits, exponent = _interpret(suffix)
    if bits is None:
        precision, mantissa = _PRECISION - len(whole) - len(fraction), 1
    elif not fraction and match[3] is None:
        precision, mantissa = 15 - len(whole) - int(bits * 3 / 10) - 1, 1 << bits
    else:
        precision, mantissa = -1, 1 << bits
    if precision >= 0 and exponent - len(fraction) >= _NANO:
        number = int(whole + fraction) * mantissa
        if number <= MAX_INT:
            return Quantity(-number if sign == "-" else number, exponent - len(fraction))
    return _parse_large(sign, whole, fraction, mantissa, exponent)


def _interpret(suffix: str) -> tuple[int | None, int]:
    """Return the bits of a binary suffix, or None and the power of ten of a decimal one. Raises QuantityError."""
    if suffix in _BINARY:
        return _BINARY[suffix], 0
    if suffix in _DECIMAL:
        return None, _DECIMAL[suffix]
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        raise QuantityError(WRONG_SUFFIX)
    return None, int(match[1])


def _parse_large(sign: str, whole: str, fraction: str, mantissa: int, exponent: int) -> Quantity:
    """Parse a quantity of any size, rounded up to nano; binary ones are at most 2^63 - 1. Raises QuantityError."""
    if len(whole) + len(fraction) > _MAX_DIGITS:
        raise QuantityError(WRONG_FORMAT)
    number, exponent = int(whole + fraction) * mantissa, exponent - len(fraction)
    if number and exponent < _NANO:
        number = 1 if _NANO - exponent > _MAX_SHIFT else -(-number // 10 ** (_NANO - exponent))
        exponent = _NANO
    if mantissa > 1 and number > MAX_INT * 10 ** max(-exponent, 0):
        number, exponent = MAX_INT, 0
    return Quantity(-number if sign == "-" else number, exponent, large=True)


def compare_quantities(quantity: Quantity, other: Quantity) -> int:
    """Return -1, 0 or 1 if the quantity is smaller than, equal to or larger than the other."""
    sign, other_sign = _sign(quantity.number), _sign(other.number)
    if sign != other_sign:
        return 1 if sign > other_sign else -1
    if not sign:
        return 0
    shift = quantity.exponent - other.exponent
    if abs(shift) > _MAX_SHIFT:
        return sign if shift > 0 else -sign
    left = quantity.number * 10 ** max(shift, 0)
    right = other.number * 10 ** max(-shift, 0)
    return _sign(left - right)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _add(quantity: Quantity, other: Quantity) -> Quantity:
    if not (quantity.large or other.large):
        if not other.number:
            return replace(quantity, computed=True)
        if not quantity.number:
            return replace(other, computed=True)
    exponent = min(quantity.exponent, other.exponent)
    if max(quantity.exponent, other.exponent) - exponent > _MAX_SHIFT:
        raise Cancelled("operation cancelled: actual cost limit exceeded")
    left = quantity.number * 10 ** (quantity.exponent - exponent)
    right = other.number * 10 ** (other.exponent - exponent)
    fits = all(MIN_INT <= number <= MAX_INT for number in (left, right, left + right))
    return Quantity(left + right, exponent, large=quantity.large or other.large or not fits, computed=True)


def _subtract(quantity: Quantity, other: Quantity) -> Quantity:
    if other.number == MIN_INT and not (quantity.large or other.large):
        # In Go the smallest number is its own negative, unless the sum then overflows.
        wrapped = _add(quantity, other)
        if not wrapped.large:
            return wrapped
    return _add(quantity, replace(other, number=-other.number))


def _quantity(text: Value) -> Value:
    try:
        return parse_quantity(text)
    except QuantityError as error:
        return Error(str(error))


def _is_quantity(text: Value) -> Value:
    return type(_quantity(text)) is Quantity


def _integer(quantity: Quantity) -> int | None:
    if quantity.large or quantity.exponent < 0:
        return None
    if quantity.number and quantity.exponent > 18:
        return None
    number = quantity.number * 10 ** min(quantity.exponent, 18)
    return number if MIN_INT <= number <= MAX_INT else None


def _as_integer(quantity: Quantity) -> Value:
    number = _integer(quantity)
    return Error("cannot convert value to integer") if number is None else number


def _as_float(quantity: Quantity) -> Value:
    try:
        base = float(quantity.number)
    except OverflowError:
        base = float("inf") if quantity.number > 0 else float("-inf")
    return base if not quantity.exponent else base * float(f"1e{quantity.exponent}")


def _equal(quantity: Quantity, other: Value) -> Value:
    if type(other) is not Quantity or other.computed:
        return other if type(other) is Error else NO_SUCH_OVERLOAD
    return compare_quantities(quantity, other) == 0


register(Quantity, QUANTITY, equal=_equal)

_TWO = (QUANTITY, QUANTITY)
QUANTITIES = Library(
    (
        Function("quantity", (Overload("string_to_quantity", (STRING,), QUANTITY, False, _quantity),)),
        Function("isQuantity", (Overload("is_quantity_string", (STRING,), BOOL, False, _is_quantity),)),
        Function("sign", (Overload("quantity_sign", (QUANTITY,), INT, False, lambda value: _sign(value.number)),)),
        Function(
            "isGreaterThan",
            (Overload("quantity_is_greater_than", _TWO, BOOL, True, lambda a, b: compare_quantities(a, b) > 0),),
        ),
        Function(
            "isLessThan",
            (Overload("quantity_is_less_than", _TWO, BOOL, True, lambda a, b: compare_quantities(a, b) < 0),),
        ),
        Function("compareTo", (Overload("quantity_compare_to", _TWO, INT, True, compare_quantities),)),
        Function("asApproximateFloat", (Overload("quantity_get_float", (QUANTITY,), DOUBLE, True, _as_float),)),
        Function("asInteger", (Overload("quantity_get_int", (QUANTITY,), INT, True, _as_integer),)),
        Function(
            "isInteger",
            (Overload("quantity_is_integer", (QUANTITY,), BOOL, True, lambda value: _integer(value) is not None),),
        ),
        Function(
            "add",
            (
                Overload("quantity_add", _TWO, QUANTITY, True, _add),
                Overload("quantity_add_int", (QUANTITY, INT), QUANTITY, True, lambda a, b: _add(a, Quantity(b, 0))),
            ),
        ),
        Function(
            "sub",
            (
                Overload("quantity_sub", _TWO, QUANTITY, True, _subtract),
                Overload(
                    "quantity_sub_int", (QUANTITY, INT), QUANTITY, True, lambda a, b: _subtract(a, Quantity(b, 0))
                ),
            ),
        ),
    )
)
