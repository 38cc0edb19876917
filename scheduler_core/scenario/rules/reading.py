"""Builds `Rule`s from SchedulerPlugin documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.apis.rules import POINTS, Normalization, Point, Rule
from scheduler_core.releases import RELEASES, Release
from scheduler_core.scenario.fields.scenario_fields import SCHEDULER_PLUGIN
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    did_you_mean,
    duplicate,
    forbidden,
    invalid,
    one_of,
    required,
    show,
)
from scheduler_core.scenario.rules.expression import Expression, RuleError, Use, compile_expression
from scheduler_core.scenario.rules.requeue import EVENTS, derive_events

MAX_RULES = 20  # rules per scenario
MAX_PROBLEMS = 5  # reported problems per expression
MAX_WEIGHT = 1_000_000
_NAME = re.compile("[A-Za-z][A-Za-z0-9-]{0,62}")
_REJECTING: tuple[Point, ...] = ("preEnqueue", "filter", "permit")


def build_rules(
    documents: Sequence[Document], problems: Problems, release: Release, outside_plugins: Iterable[str]
) -> tuple[Rule, ...]:
    """Return the rules in the order of the file; their names must be unique and not those of other plugins.

    Documents with fields of invalid types, and those after MAX_RULES, are left out and reported.
    """
    taken = {*outside_plugins, "Extender"} | {name for other in RELEASES.values() for name in other.plugin_points}
    rules: dict[str, Rule] = {}
    for document in documents:
        problems.enter(document.chunk, document.prefix)
        if not check(SCHEDULER_PLUGIN, document.data, (), problems, strict=True):
            continue
        rule = _build(document.data, problems, int(release.version.partition(".")[2]))
        if rule.name in taken:
            problems.error(("metadata", "name"), invalid(rule.name, Message("a plugin has this name")))
        if rule.name in rules:
            problems.error(("metadata", "name"), duplicate(rule.name))
        if len(rules) == MAX_RULES:
            message = Message("a scenario has at most {most} of them", most=MAX_RULES)
            problems.error(("kind",), forbidden(message))
            break
        rules[rule.name] = rule
    return tuple(rules.values())


def _build(data: Mapping[str, Any], problems: Problems, minor: int) -> Rule:
    spec: Mapping[str, Any] = data.get("spec") or {}
    name = (data.get("metadata") or {}).get("name") or ""
    if not name:
        problems.error(("metadata", "name"), required(Message("the name of the plugin")))
    elif not _NAME.fullmatch(name):
        reason = Message("expected letters, digits and hyphens, at most 63, a letter first")
        problems.error(("metadata", "name"), invalid(name, reason))
    texts: dict[Point, str] = {point: spec[point] for point in POINTS if (spec.get(point) or "").strip()}
    if not texts:
        problems.error(("spec",), required(one_of(POINTS)))
    compiled = {point: _compile(text, point, ("spec", point), problems, minor) for point, text in texts.items()}
    rejecting = [compiled[point] for point in _REJECTING if point in compiled]
    message = spec.get("message") or ""
    if message:
        use: Use = "messageOfPod" if "preEnqueue" in texts else "message"
        rejecting.append(_compile(message, use, ("spec", "message"), problems, minor))
    weight = spec.get("weight")
    if weight is not None and not 1 <= weight <= MAX_WEIGHT:
        reason = Message("a weight is a number from 1 to {most:,}", most=MAX_WEIGHT)
        problems.error(("spec", "weight"), invalid(weight, reason))
    roots = {path[0] for expression in rejecting if expression for path in expression.paths}
    resolvable = spec.get("resolvable")
    requeue = spec.get("requeueOn")
    return Rule(
        name=name,
        expressions=texts,
        message=message,
        resolvable=bool(roots & {"pods", "requested", "cluster"}) if resolvable is None else resolvable,
        normalize=cast(Normalization, spec.get("normalize") or "None"),
        weight=1 if weight is None else weight,
        requeue=(
            derive_events(path for expression in rejecting if expression for path in expression.paths)
            if requeue is None
            else _checked_events(requeue, problems)
        ),
        sums=any(
            path[0] == "cluster"
            for expression in (*compiled.values(), *rejecting)
            if expression
            for path in expression.paths
        ),
        minor=minor,
    )


def _compile(text: str, use: Use, path: Path, problems: Problems, minor: int) -> Expression | None:
    """Return the compiled expression; None if it is invalid, after its first MAX_PROBLEMS errors are reported."""
    try:
        return compile_expression(text, use, minor)
    except RuleError as error:
        for position, sentence in error.problems[:MAX_PROBLEMS]:
            message = Message(
                "line {line}, column {column}: {problem}",
                line=position.line,
                column=position.column,
                problem=sentence,
            )
            problems.error(path, message, (position.line, position.column))
    return None


def _checked_events(names: Sequence[str], problems: Problems) -> tuple[str, ...]:
    for index, name in enumerate(names):
        if name not in EVENTS:
            hint = did_you_mean(name, EVENTS)
            problems.error(("spec", "requeueOn", index), Message("no event {name}{hint}", name=show(name), hint=hint))
    return tuple(names)
