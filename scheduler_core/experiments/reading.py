"""Parses the design of an experiment from its document; errors have the path of the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.experiments.design import Design, Factor, design_of
from scheduler_core.experiments.fields import API_VERSION, EXPERIMENT, FACTOR, KEYS, KIND
from scheduler_core.experiments.levels import MAX_CELLS, READERS, Data
from scheduler_core.experiments.table import RESERVED
from scheduler_core.scenario.fields.schema import ListOf, check
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    ScenarioErrors,
    duplicate,
    invalid,
    one_of,
    required,
)

MAX_FACTORS = 8
LONGEST_NAME = 60  # characters of a factor's name; longer ones are cut
FILE_LIMITS = Limits(bytes=1024 * 1024, values=200_000)


def read_file(text: str) -> tuple[str, Design]:
    """Return the scenario's name and the design in an Experiment document. Raises ScenarioErrors."""
    problems = Problems()
    documents = read_documents(text, FILE_LIMITS, problems)
    name, design = "", None
    if not problems.count:
        if len(documents) != 1:
            problems.error((), Message("expected one document, of kind {kind}", kind=KIND))
        else:
            name, design = _document(documents[0].data, problems)
    return name, _raise_errors(design, problems)


def read_factors(factors: Any) -> Design:
    """Return the design of factors that are given as plain data. Raises ScenarioErrors."""
    problems, path = Problems(), ("factors",)
    valid = check(ListOf(FACTOR), factors, path, problems, strict=True) and not problems.count
    return _raise_errors(_factors(factors, path, problems) if valid else None, problems)


def _raise_errors(design: Design | None, problems: Problems) -> Design:
    """Return the design, which is set if there are no errors. Raises ScenarioErrors if there are."""
    if errors := problems.errors():
        raise ScenarioErrors(errors)
    assert design is not None
    return design


def _document(data: Data, problems: Problems) -> tuple[str, Design | None]:
    if (data.get("apiVersion"), data.get("kind")) != (API_VERSION, KIND):
        expected = f"apiVersion: {API_VERSION}, kind: {KIND}"
        problems.error(("kind",), Message("this is not an experiment; expected {wanted}", wanted=expected))
        return "", None
    if not check(EXPERIMENT, data, (), problems, strict=True) or problems.count:
        return "", None
    spec = data.get("spec") or {}
    if not spec.get("scenario"):
        problems.error(("spec", "scenario"), required(Message("the scenario's file, relative to this file")))
    return spec.get("scenario") or "", _factors(spec.get("factors"), ("spec", "factors"), problems)


def _factors(data: Any, path: Path, problems: Problems) -> Design | None:
    """Return the design for data whose types have been checked; None if there is none because of an error."""
    if not data:
        problems.error(path, required(Message("at least one factor")))
        return None
    if len(data) > MAX_FACTORS:
        problems.error(path, invalid(len(data), Message("at most {most} factors", most=MAX_FACTORS)))
        return None
    factors = [_factor(factor, (*path, index), problems) for index, factor in enumerate(data)]
    if problems.count:
        return None
    design = design_of(_with_unique_names(cast(list[Factor], factors)))
    if design.size > MAX_CELLS:
        reason = Message("the factors' combinations are too many; at most {most:,} runs", most=MAX_CELLS)
        problems.error(path, invalid(design.size, reason))
    if sum(factor.levels[-1].seed is not None for factor in design.factors) > 1:
        problems.error(path, Message("two factors vary the seed; at most one is allowed"))
    if sum(bool(factor.levels[-1].release) for factor in design.factors) > 1:
        problems.error(path, Message("two factors vary the release; at most one is allowed"))
    return design


def _with_unique_names(factors: Sequence[Factor]) -> list[Factor]:
    """Return the factors with unique names, which become column names; a number is added to a repeated name."""
    counts = dict.fromkeys(RESERVED, 1)
    unique = []
    for factor in factors:
        counts[factor.name] = count = counts.get(factor.name, 0) + 1
        unique.append(factor if count == 1 else Factor(f"{factor.name} {count}", factor.levels))
    return unique


def _factor(data: Data, path: Path, problems: Problems) -> Factor | None:
    keys = [key for key in KEYS if data.get(key) is not None]
    if len(keys) != 1:
        problems.error(path, required(Message("one of {keys}", keys=one_of(KEYS))))
        return None
    key = keys[0]
    name, levels = READERS[key](data[key], (*path, key), problems)
    if not levels:
        if not problems.count:
            problems.error((*path, key), required(Message("at least one value")))
        return None
    labels = [level.label for level in levels]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        problems.error((*path, key), duplicate(twice))
        return None
    return Factor((data.get("name") or name)[:LONGEST_NAME], tuple(levels))
