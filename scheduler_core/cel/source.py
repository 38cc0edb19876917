"""The text of an expression, positions in it, and errors with their line and a caret (cel-go's `common/source.go`)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

MAX_ERRORS = 100
_MAX_SNIPPET = 16384


class Position(msgspec.Struct, frozen=True, order=True):
    """A line, counted from 1, and a column in code points, counted from 0; (-1, -1) if there is none."""

    line: int
    column: int


NO_POSITION = Position(-1, -1)


class Source:
    """The text of an expression and the offsets of its lines."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        # A lone surrogate is not a character.
        self.text = text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        self._starts = [at + 1 for at, letter in enumerate(text) if letter == "\n"]
        # The text's end counts as the end of a line; in an empty text, that is before the first letter.
        self._starts.append(len(text) + 1 if text else 0)

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset in code points."""
        line, column = 1, offset
        for start in self._starts:
            if start > offset:
                break
            line += 1
            column = offset - start
        return Position(line, column)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line (from 1) and column (from 0); -1 if there is no such line."""
        if line == 1:
            return column
        if line < 1 or line > len(self._starts):
            return -1
        return self._starts[line - 2] + column

    def line(self, number: int) -> str | None:
        """Return a line's text, or None if there is no such line."""
        if not self.text or number < 1 or number > len(self._starts) + 1:
            return None
        start = 0 if number == 1 else self._starts[number - 2]
        end = self._starts[number - 1] - 1 if number <= len(self._starts) else len(self.text)
        return self.text[start:end]


class Issue(msgspec.Struct, frozen=True):
    """An error message and its position; `known` are existing names to suggest for an unknown one."""

    position: Position
    message: str
    known: tuple[str, ...] = ()


class Issues:
    """The errors of an expression, in the order in which they are found; those after MAX_ERRORS are only counted."""

    __slots__ = ("_count", "_source", "issues")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._count = 0
        self.issues: list[Issue] = []

    def __bool__(self) -> bool:
        return bool(self.issues)

    def add(self, position: Position, message: str, names: Iterable[str] = ()) -> None:
        """Add an error; `names` are known names to suggest."""
        self._count += 1
        if self._count <= MAX_ERRORS:
            self.issues.append(Issue(position, message, tuple(names)))

    def display(self) -> str:
        """Return all messages by position, each with its line and a caret below the position."""
        shown = [_display(self._source, issue) for issue in sorted(self.issues, key=lambda issue: issue.position)]
        if self._count > MAX_ERRORS:
            shown.append(f"{self._count - MAX_ERRORS} more errors were truncated")
        return "\n".join(shown)


def _display(source: Source, issue: Issue) -> str:
    line, column = issue.position.line, issue.position.column
    shown = f"ERROR: <input>:{line}:{column + 1}: {issue.message}"
    snippet = source.line(line)
    if snippet is None or len(snippet.encode()) > _MAX_SNIPPET:
        return shown
    snippet = snippet.replace("\t", " ")
    before = "".join("." if ord(letter) < 128 else "\uff0e" for letter in snippet[: max(column, 0)])
    at = snippet[column] if 0 <= column < len(snippet) else ""
    caret = "\uff3e" if at and ord(at) >= 128 else "^"
    return f"{shown}\n | {snippet}\n | {before}{caret}"
