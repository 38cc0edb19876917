"""Additional checks of Kubernetes for well-typed expressions (cel-go's `cel/validator.go`, `ext/formatting.go`)."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.cel import types
from scheduler_core.cel.check import Checked
from scheduler_core.cel.libraries import times
from scheduler_core.cel.libraries.formatting import ACCEPTED, Clause, FormatError, read_format
from scheduler_core.cel.libraries.regex import PatternError, compile_pattern
from scheduler_core.cel.source import Issues
from scheduler_core.cel.syntax import Call, Expr, ListOf, Literal, MapOf, children, descendants
from scheduler_core.cel.types import CelType, Kind, format_type, is_equivalent
from scheduler_core.cel.values import Error


def validate(checked: Checked) -> Issues:
    """Return the issues: invalid literals of durations, times, patterns and formats; lists and maps of mixed types."""
    issues = Issues(checked.tree.source)
    _check_elements(checked, issues)
    calls = [(expr, expr.node) for expr in descendants(checked.tree.root) if isinstance(expr.node, Call)]
    for function, fits in (("duration", _is_duration), ("timestamp", _is_timestamp), ("matches", _is_pattern)):
        for _, call in calls:
            if call.function == function and call.arguments:
                literal = call.arguments[0]
                if isinstance(literal.node, Literal) and not fits(literal.node.value):
                    issues.add(checked.position(literal.id), f"invalid {function} argument")
    for expr, call in calls:
        _check_format(checked, expr, call, issues)
    return issues


def _is_duration(value: object) -> bool:
    return type(value) is str and times.parse_duration(value) is not None


def _is_timestamp(value: object) -> bool:
    if type(value) is int:
        return type(times.timestamp_of_seconds(value)) is not Error
    if type(value) is not str:
        return False
    parsed = times.parse_timestamp(value)
    return parsed is not None and type(parsed) is not Error


def _is_pattern(value: object) -> bool:
    if type(value) is not str:
        return True
    try:
        compile_pattern(value)
    except PatternError:
        return False
    return True


def _check_elements(checked: Checked, issues: Issues) -> None:
    """Check that the elements of a list, and the keys and values of a map, have one type, except within `format`."""
    lists: list[Expr] = []
    maps: list[Expr] = []
    waiting = [checked.tree.root]
    while waiting:
        expr = waiting.pop()
        if isinstance(expr.node, Call) and expr.node.function == "format":
            continue
        if isinstance(expr.node, ListOf):
            lists.append(expr)
        elif isinstance(expr.node, MapOf):
            maps.append(expr)
        waiting.extend(reversed(children(expr)))

    def report(at: Expr, expected: CelType, given: CelType) -> None:
        message = f"expected type '{format_type(expected)}' but found '{format_type(given)}'"
        issues.add(checked.position(at.id), message)

    for expr in lists:
        assert isinstance(expr.node, ListOf)
        first: CelType | None = None
        for index, element in enumerate(expr.node.elements):
            type_ = _value_type(checked.types[element.id], optional=index in expr.node.optional)
            if first is None:
                first = type_
            elif not is_equivalent(first, type_):
                report(element, first, type_)
                break
    for expr in maps:
        assert isinstance(expr.node, MapOf)
        keys: CelType | None = None
        values: CelType | None = None
        for entry in expr.node.entries:
            key = checked.types[entry.key.id]
            value = _value_type(checked.types[entry.value.id], optional=entry.optional)
            if keys is None or values is None:
                keys, values = key, value
                continue
            if not is_equivalent(keys, key):
                report(entry.key, keys, key)
            if not is_equivalent(values, value):
                report(entry.value, values, value)


def _value_type(type_: CelType, *, optional: bool) -> CelType:
    return type_.parameters[0] if optional and type_.parameters else type_


class _WrongArgument(FormatError):
    def __init__(self, id_: int, message: str) -> None:
        super().__init__(message)
        self.id = id_


def _check_format(checked: Checked, expr: Expr, call: Call, issues: Issues) -> None:
    """Check that a literal format matches its literal list of arguments."""
    if call.function != "format" or call.target is None or len(call.arguments) != 1:
        return
    text, given = call.target.node, call.arguments[0].node
    if not isinstance(text, Literal) or type(text.value) is not str or not isinstance(given, ListOf):
        return
    requested = 0

    def take(index: int, read: Callable[[], Clause]) -> str:
        nonlocal requested
        requested += 1
        clause = read()
        if index >= len(given.elements):
            raise FormatError(f"index {index} out of range")
        try:
            _check_argument(checked, clause, given.elements[index])
        except _WrongArgument as error:
            raise _WrongArgument(error.id, f"error during formatting: {error}") from None
        return ""

    try:
        read_format(text.value, take)
    except FormatError as error:
        at = error.id if isinstance(error, _WrongArgument) else expr.id
        issues.add(checked.position(at), str(error))
        return
    if len(given.elements) > requested:
        message = f"too many arguments supplied to string.format (expected {requested}, got {len(given.elements)})"
        issues.add(checked.position(expr.id), message)


def _check_argument(checked: Checked, clause: Clause, argument: Expr) -> None:
    kinds, message = ACCEPTED[clause.letter.lower()]
    wrong = _first_unlike(checked, argument, kinds, deep=clause.letter == "s")
    if wrong is not None:
        raise _WrongArgument(wrong, message.format(checked.types[wrong].name))


def _first_unlike(checked: Checked, expr: Expr, kinds: tuple[Kind, ...], *, deep: bool) -> int | None:
    type_ = checked.types[expr.id]
    if type_ != types.DYN and type_.kind not in kinds:
        return expr.id
    if deep and isinstance(expr.node, ListOf | MapOf):
        for each in children(expr):
            wrong = _first_unlike(checked, each, kinds, deep=True)
            if wrong is not None:
                return wrong
    return None
