"""Arithmetic on numbers, checked for overflow (cel-go's `common/types/overflow.go`)."""

from __future__ import annotations

import math

from scheduler_core.cel.values import MAX_INT, MAX_UINT, MIN_INT, NO_SUCH_OVERLOAD, Error, Uint, Value

_OVERFLOW = Error("integer overflow")
_UNSIGNED_OVERFLOW = Error("unsigned integer overflow")


def add(value: Value, other: Value) -> Value:
    """Return the sum of two numbers of one type, or an Error."""
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) is Uint:
        return _unsigned(value.value + other.value)
    return _signed(value + other)


def subtract(value: Value, other: Value) -> Value:
    """Return the difference of two numbers of one type, or an Error."""
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) is Uint:
        return _unsigned(value.value - other.value)
    return _signed(value - other)


def multiply(value: Value, other: Value) -> Value:
    """Return the product of two numbers of one type, or an Error."""
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) is Uint:
        return _unsigned(value.value * other.value)
    return _signed(value * other)


def negate(value: Value) -> Value:
    """Return the negative of an int or a double, or an Error."""
    return _signed(-value)


def divide(value: Value, other: Value) -> Value:
    """Return the quotient of two numbers, or an Error; integer division truncates towards zero."""
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) is float:
        return _divide_doubles(value, other)
    if type(value) is Uint:
        divisor = other.value
        return Uint(value.value // divisor) if divisor else Error("division by zero")
    if other == 0:
        return Error("division by zero")
    quotient = abs(value) // abs(other)
    return _signed(quotient if (value < 0) == (other < 0) else -quotient)


def modulo(value: Value, other: Value) -> Value:
    """Return the remainder of a division that truncates towards zero, or an Error; it has the sign of `value`."""
    if type(value) is not type(other):
        return NO_SUCH_OVERLOAD
    if type(value) is Uint:
        divisor = other.value
        return Uint(value.value % divisor) if divisor else Error("modulus by zero")
    if other == 0:
        return Error("modulus by zero")
    if value == MIN_INT and other == -1:
        return _OVERFLOW
    remainder = abs(value) % abs(other)
    return remainder if value >= 0 else -remainder


def to_int(number: Value) -> Value:
    """Return a number as an int, or an Error if it overflows; the fraction of a double is dropped."""
    if type(number) is float:
        if math.isnan(number) or number <= MIN_INT or number >= MAX_INT:
            return _OVERFLOW
        return int(number)
    return _signed(number.value) if type(number) is Uint else number


def to_uint(number: Value) -> Value:
    """Return a number as a Uint, or an Error if it is out of range; the fraction of a double is dropped."""
    if type(number) is float:
        if math.isnan(number) or number < 0 or number >= 2.0**64:
            return _UNSIGNED_OVERFLOW
        return Uint(int(number))
    return number if type(number) is Uint else _unsigned(number)


def _signed(number: Value) -> Value:
    if type(number) is float or MIN_INT <= number <= MAX_INT:
        return number
    return _OVERFLOW


def _unsigned(number: int) -> Value:
    return Uint(number) if 0 <= number <= MAX_UINT else _UNSIGNED_OVERFLOW


def _divide_doubles(dividend: float, other: float) -> float:
    if other != 0:
        return dividend / other
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.inf if (math.copysign(1, dividend) > 0) == (math.copysign(1, other) > 0) else -math.inf
