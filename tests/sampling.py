"""Choose which of many similar cases run in `make test`; `make test-all` runs all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def some_quick(every: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Return the cases as parameters of a browser test; the first case in each `every` is marked `quick`."""
    return [_param(case, None if number % every else pytest.mark.quick) for number, case in enumerate(cases)]


def rest_slow(every: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Return the cases as parameters; all but the first case in each `every` are marked `slow`."""
    return [_param(case, pytest.mark.slow if number % every else None) for number, case in enumerate(cases)]


def all_slow(cases: Iterable[Any]) -> list[ParameterSet]:
    """Return the cases as parameters, each marked `slow`."""
    return [_param(case, pytest.mark.slow) for case in cases]


def _param(case: Any, mark: pytest.MarkDecorator | None) -> ParameterSet:
    marks = [mark] if mark else []
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=[*case.marks, *marks], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=marks)
