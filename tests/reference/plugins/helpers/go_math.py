"""Arithmetic as Go does it."""

from __future__ import annotations

import math


def divided(numerator: int, denominator: int) -> int:
    """Divide integers, truncating towards zero."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def round_half_away(value: float) -> int:
    whole = math.floor(value)
    return whole + 1 if value - whole >= 0.5 else whole


def log(number: int) -> float:
    """Return Go's math.Log (FreeBSD's e_log.c), which may differ in the last bit from the C library's."""
    fraction, exponent = math.frexp(float(number))
    if fraction < math.sqrt(2) / 2:
        fraction, exponent = fraction * 2, exponent - 1
    f, k = fraction - 1, float(exponent)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    odd = s2 * (
        6.666666666666735130e-01
        + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01))
    )
    even = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01))
    half_square = 0.5 * f * f
    return k * 6.93147180369123816490e-01 - (
        (half_square - (s * (half_square + (odd + even)) + k * 1.90821492927058770002e-10)) - f
    )
