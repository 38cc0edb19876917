"""RE2 regular expressions, which take time proportional to the text (Go's `regexp`)."""

from __future__ import annotations

import re2

from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.types import INT, STRING, list_of
from scheduler_core.cel.values import NO_SUCH_OVERLOAD, Error, Value

_MAX_PATTERN = 10_000
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
# Go's words for RE2's errors.
_GO_WORDS = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "trailing \\": "trailing backslash at end of expression",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
}


class PatternError(ValueError):
    """An invalid pattern; the message is Go's."""


def compile_pattern(pattern: str) -> re2._Regexp:
    """Compile a pattern. Raises PatternError."""
    if len(pattern) > _MAX_PATTERN:
        raise PatternError("error parsing regexp: expression too large")
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        raise PatternError(_message(error)) from None


def match(text: Value, pattern: Value) -> Value:
    """Search a text for a pattern. Return a bool; an Error for an invalid pattern, or arguments that are no strings."""
    if type(pattern) is not str or type(text) is not str:
        return NO_SUCH_OVERLOAD
    try:
        return compile_pattern(pattern).search(text) is not None
    except PatternError as error:
        return Error(str(error))


def find(text: Value, pattern: Value) -> Value:
    """Return the first match of a pattern, or an empty string; an Error for an invalid pattern."""
    assert isinstance(pattern, str)
    try:
        compiled = compile_pattern(pattern)
    except PatternError as error:
        return Error(f"Illegal regex: {error}")
    return _find(compiled, text)


def find_all(text: Value, pattern: Value, limit: Value = -1) -> Value:
    """Return the matches of a pattern, at most `limit` unless it is negative; an Error for an invalid pattern."""
    assert isinstance(pattern, str)
    try:
        compiled = compile_pattern(pattern)
    except PatternError as error:
        return Error(f"Illegal regex: {error}")
    return _find_all(compiled, text, limit)


def compile_match(pattern: str) -> Implementation:
    """Return `matches` for a constant pattern. Raises PatternError."""
    compiled = compile_pattern(pattern)
    return lambda text, _: compiled.search(text) is not None if type(text) is str else NO_SUCH_OVERLOAD


def compile_find(pattern: str) -> Implementation:
    """Return `find` for a constant pattern. Raises PatternError."""
    compiled = compile_pattern(pattern)
    return lambda text, _: _find(compiled, text) if type(text) is str else NO_SUCH_OVERLOAD


def compile_find_all(pattern: str) -> Implementation:
    """Return `findAll` for a constant pattern. Raises PatternError."""
    compiled = compile_pattern(pattern)

    def find_all(text: Value, _: Value, limit: Value = -1) -> Value:
        return _find_all(compiled, text, limit) if type(text) is str else NO_SUCH_OVERLOAD

    return find_all


def _find(compiled: re2._Regexp, text: Value) -> Value:
    match = compiled.search(text)
    return "" if match is None else match.group()


def _find_all(compiled: re2._Regexp, text: Value, limit: Value) -> Value:
    assert isinstance(text, str)
    assert isinstance(limit, int)
    matches: list[Value] = []
    end_of_last = -1
    for each in compiled.finditer(text):
        if 0 <= limit <= len(matches):
            break
        # Go skips an empty match at the end of the previous match.
        if each.start() == each.end() == end_of_last:
            continue
        end_of_last = each.end()
        matches.append(each.group())
    return matches


def _message(error: Exception) -> str:
    text = error.args[0]
    words, _, part = (text.decode(errors="replace") if isinstance(text, bytes) else str(text)).partition(": ")
    return f"error parsing regexp: {_GO_WORDS.get(words, words)}" + (f": `{part}`" if part else "")


REGEX = Library(
    (
        Function("find", (Overload("string_find_string", (STRING, STRING), STRING, True, find),)),
        Function(
            "findAll",
            (
                Overload("string_find_all_string", (STRING, STRING), list_of(STRING), True, find_all),
                Overload(
                    "string_find_all_string_int", (STRING, STRING, INT), list_of(STRING), True, find_all, variadic=True
                ),
            ),
        ),
    )
)
