"""Kubernetes quantities ("500m", "2Gi", "1e3") as exact integers (apimachinery's `resource.ParseQuantity`).

A quantity is stored in nano units: Kubernetes rounds anything finer up to nano. `Value()` and `MilliValue()` round up,
away from zero, and nothing is larger than 2^63 - 1.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

MAX_INT64 = 2**63 - 1

_NANO = 10**9
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_PATTERN = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]{1,9})", re.ASCII)
_EXPONENT = re.compile("[eE][+-]?[0-9]+$")
_SUFFIX_OF = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_MAX_LENGTH = 200  # characters of a quantity; real ones are far shorter


class QuantityError(ValueError):
    """The text is not a valid quantity."""


Format = Literal["BinarySI", "DecimalSI", "DecimalExponent"]


class Quantity(msgspec.Struct, frozen=True):
    """A quantity that can be formatted again: its amount in nano units and its original format."""

    nano: int
    format: Format = "DecimalSI"

    @staticmethod
    def parse(text: str) -> Quantity:
        """Return the quantity that the text states. Raises QuantityError."""
        nano = parse_nano(text)
        if text.endswith("i"):
            return Quantity(nano, "BinarySI")
        return Quantity(nano, "DecimalExponent" if _EXPONENT.search(text) else "DecimalSI")

    @property
    def value(self) -> int:
        """Return whole units, rounded away from zero (`Quantity.Value`)."""
        return value(self.nano)

    def __str__(self) -> str:
        """Return the canonical form (`Quantity.CanonicalizeBytes`): with the largest suffix that leaves an integer."""
        whole, remainder = divmod(self.nano, _NANO)
        if self.format == "BinarySI" and not remainder and abs(whole) >= 1024:
            return format_bytes(whole)
        mantissa, exponent = self.nano, -9
        while mantissa and mantissa % 1000 == 0 and exponent < 18:
            mantissa, exponent = mantissa // 1000, exponent + 3
        if not mantissa:
            return "0"
        if self.format == "DecimalExponent":
            return f"{mantissa}e{exponent}" if exponent else str(mantissa)
        return f"{mantissa}{_SUFFIX_OF[exponent]}"


@lru_cache(maxsize=65536)
def parse_nano(text: str) -> int:
    """Parse a quantity to nano units, rounded away from zero, at most 2^63 - 1 units in size. Raises QuantityError."""
    match = _PATTERN.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None:
        raise QuantityError(text)
    sign, whole, fraction, suffix = match[1], match[2], match[3] or "", match[4]
    if not whole and not fraction:
        raise QuantityError(text)
    nano = min(_scaled(int(whole + fraction or "0"), len(fraction), suffix), MAX_INT64 * _NANO)
    return -nano if sign == "-" else nano


def value(nano: int) -> int:
    """Return whole units, rounded away from zero (`Quantity.Value`)."""
    return _divide_away_from_zero(nano, _NANO)


def milli_value(nano: int) -> int:
    """Return thousandths, rounded away from zero (`Quantity.MilliValue`), at most 2^63 - 1."""
    return min(_divide_away_from_zero(nano, 10**6), MAX_INT64)


def format_bytes(number: int) -> str:
    """Format bytes as `Quantity.String` does: with the largest binary suffix that leaves an integer, or without one."""
    for suffix, bits in reversed(_BINARY.items()):
        if number and number % (1 << bits) == 0:
            return f"{number >> bits}{suffix}"
    return str(number)


def format_cpu(millicores: int) -> str:
    """Format millicores as `Quantity.String` prints a cpu quantity: "2" or "1500m"."""
    return str(millicores // 1000) if millicores % 1000 == 0 else f"{millicores}m"


def show_amount(name: str, amount: int) -> str:
    """Format an amount of a resource in base units: cpu, and resources in bytes, as `Quantity.String` does."""
    if name == "cpu":
        return format_cpu(amount)
    is_bytes = name in ("memory", "ephemeral-storage") or name.startswith("hugepages-")
    return format_bytes(amount) if is_bytes else str(amount)


def _scaled(digits: int, decimals: int, suffix: str) -> int:
    """Return `digits` / 10^`decimals` with the suffix applied, in nano units, rounded up."""
    if suffix in _BINARY:
        return _ceil_div((digits << _BINARY[suffix]) * _NANO, 10**decimals)
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    exponent += 9 - decimals
    if exponent >= 0:
        # A number above 10^40 exceeds the maximum, whatever its digits.
        return int(digits * 10 ** min(exponent, 40))
    if -exponent > _MAX_LENGTH + 40:
        return 1 if digits else 0
    return _ceil_div(digits, 10**-exponent)


def _ceil_div(number: int, divisor: int) -> int:
    return -(-number // divisor)


def _divide_away_from_zero(number: int, divisor: int) -> int:
    return _ceil_div(number, divisor) if number >= 0 else -_ceil_div(-number, divisor)
