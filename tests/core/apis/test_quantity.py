"""Quantities: the texts that Kubernetes accepts, and their integer values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.apis.quantity import (
    MAX_INT64,
    QuantityError,
    format_bytes,
    format_cpu,
    milli_value,
    parse_nano,
    value,
)

SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9}


@pytest.mark.parametrize(
    ("text", "whole", "thousandths"),
    [
        ("500m", 1, 500),
        ("2", 2, 2000),
        ("2Gi", 2 * 1024**3, 2 * 1024**3 * 1000),
        ("1.5Gi", 1610612736, 1610612736000),
        ("1e3", 1000, 1_000_000),
        ("1E3", 1000, 1_000_000),
        ("12e-3", 1, 12),
        ("0.1", 1, 100),
        (".5", 1, 500),
        ("5.", 5, 5000),
        ("+1", 1, 1000),
        ("-1.5", -2, -1500),
        ("100n", 1, 1),
        ("0.0000000001", 1, 1),
        ("0", 0, 0),
        ("1E", 10**18, MAX_INT64),
        ("99999E", MAX_INT64, MAX_INT64),
        ("1e99999", MAX_INT64, MAX_INT64),
        ("1e-99999", 1, 1),
    ],
)
def test_quantity_rounds_away_from_zero_and_is_capped(text: str, whole: int, thousandths: int) -> None:
    nano = parse_nano(text)
    assert (value(nano), milli_value(nano)) == (whole, thousandths)


@pytest.mark.parametrize(
    "text", ["", ".", "m", "1 core", "1KiB", "1ki", "0x1", "1_0", "1e", "--1", "1.2.3", "١", "1" * 300]
)
def test_text_that_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_nano(text)


@given(st.integers(0, 9 * 10**9), st.integers(0, 9), st.sampled_from(sorted(SUFFIXES)))
def test_value_is_the_exact_number_rounded_up(digits: int, decimals: int, suffix: str) -> None:
    text = f"{digits // 10**decimals}.{digits % 10**decimals:0{decimals}d}" if decimals else str(digits)
    exact = Fraction(digits, 10**decimals) * Fraction(10) ** SUFFIXES[suffix]
    nano = parse_nano(text + suffix)
    assert nano == -(-(exact * 10**9).numerator // (exact * 10**9).denominator)
    assert value(nano) - 1 < Fraction(nano, 10**9) <= value(nano)


def test_quantities_print_as_kubectl_prints_them() -> None:
    assert [format_bytes(number) for number in (3 * 1024**3, 1536, 1000, 0)] == ["3Gi", "1536", "1000", "0"]
    assert [format_cpu(number) for number in (2000, 1500, 0)] == ["2", "1500m", "0"]
