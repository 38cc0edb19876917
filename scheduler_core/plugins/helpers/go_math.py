"""Go's float functions, for cases in which the last bit can affect a score."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_HALF_SQRT2 = 0.70710678118654752440
_LN2_HI, _LN2_LO = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_L1, _L2, _L3, _L4 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
)
_L5, _L6, _L7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01


@lru_cache
def log(x: float) -> float:
    """Return Go's `math.Log` for a finite x > 0: FreeBSD's e_log.c, in its order of operations.

    The C library behind Python's `math.log` may round its last bit differently.
    """
    fraction, exponent = math.frexp(x)
    if fraction < _HALF_SQRT2:
        fraction *= 2
        exponent -= 1
    f = fraction - 1
    k = float(exponent)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (_L1 + s4 * (_L3 + s4 * (_L5 + s4 * _L7)))
    t2 = s4 * (_L2 + s4 * (_L4 + s4 * _L6))
    half_square = 0.5 * f * f
    return k * _LN2_HI - ((half_square - (s * (half_square + (t1 + t2)) + k * _LN2_LO)) - f)


def round_half_away(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return Go's `math.Round` for values >= 0, as integers (numpy's own rounds halves to even)."""
    whole = np.floor(values)
    whole += (values - whole) >= 0.5
    return whole.astype(np.int64)
