"""Errors and warnings with document, line, column and field path.

While a document is read, only the path is tracked; the line is looked up when a problem occurs, so that files without
problems are read faster.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.types import ParseWarning

Path = tuple[str | int, ...]

MAX_PROBLEMS = 100  # the number of errors at which parsing stops, and the largest number of warnings


class ScenarioError(ValueError):
    """An error of a scenario. `document`, `line` and `column` count from 1.

    `document` 0: unknown; `line` 0: the error is about the whole file.
    """

    def __init__(self, path: str, line: int, message: Message, document: int = 0, column: int = 1) -> None:
        super().__init__(path, line, message, document, column)
        self.path = path
        self.line = line
        self.message = message
        self.document = document
        self.column = column

    def __str__(self) -> str:
        place = [f"document {self.document}"] if self.document else []
        if self.line:
            place.append(f"line {self.line}")
        if self.path:
            place.append(self.path)
        return f"{', '.join(place)}: {self.message}" if place else self.message


class ScenarioErrors(ScenarioError):
    """The errors of a scenario file in document order, and its warnings, except those at the place of an error.

    There is at least one error, and there are at most MAX_PROBLEMS. The other attributes are those of the first one.
    """

    def __init__(self, errors: Iterable[ScenarioError], warnings: Iterable[ParseWarning] = ()) -> None:
        self.errors = tuple(errors)
        wrong = {(error.document, error.path) for error in self.errors}
        self.warnings = tuple(warning for warning in warnings if (warning.document, warning.path) not in wrong)
        first = self.errors[0]
        super().__init__(first.path, first.line, first.message, first.document, first.column)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class Place(msgspec.Struct, frozen=True):
    """The place of a path in the file: the number of the document, line and column, all from 1."""

    document: int
    line: int
    column: int


class PlacedText(Protocol):
    """The text of a document, in which the places of paths can be found."""

    def places(self, paths: set[Path]) -> dict[Path, Place]: ...

    def inside(self, place: Place, line: int, column: int) -> Place: ...


class TooManyProblems(Exception):
    """Raised when the number of errors reaches `MAX_PROBLEMS`; parsing stops."""


class Problems:
    """Collects the problems of a file. Paths are relative to the object being read, which `enter` sets."""

    def __init__(self) -> None:
        self._errors: list[ScenarioError] = []  # errors whose place is known
        self._unplaced_errors: list[tuple[PlacedText, Path, Message]] = []  # errors whose place is looked up later
        # By index into `_unplaced_errors`: the line and column in the value.
        self._within_values: dict[int, tuple[int, int]] = {}
        self._unplaced_warnings: list[tuple[PlacedText, Path, Message]] = []  # warnings, likewise
        self._text: PlacedText | None = None
        self._prefix: Path = ()

    def enter(self, text: PlacedText, prefix: Path = ()) -> None:
        """Begin the object at `prefix` of a document."""
        self._text = text
        self._prefix = prefix

    @contextmanager
    def inside(self, path: Path) -> Iterator[None]:
        """Make paths within the block relative to this part of the object."""
        prefix, self._prefix = self._prefix, self._prefix + path
        try:
            yield
        finally:
            self._prefix = prefix

    def error(self, path: Path, message: Message, within: tuple[int, int] | None = None) -> None:
        """Add an error at a path; `within`: its line and column (from 1) in the string that is the value.

        Without an object, line and document are 0. Raises TooManyProblems.
        """
        if self._text is None:
            self.add(ScenarioError(render_path(path), 0, message))
        else:
            self._unplaced_errors.append((self._text, self._prefix + path, message))
            if within is not None:
                self._within_values[len(self._unplaced_errors) - 1] = within
            self._stop_if_many()

    def add(self, error: ScenarioError) -> None:
        """Add an error whose place is known. Raises TooManyProblems."""
        self._errors.append(error)
        self._stop_if_many()

    def warn(self, path: Path, message: Message) -> None:
        """Add a warning at a path; nothing is added after MAX_PROBLEMS warnings, or before an object is entered."""
        if self._text is not None and len(self._unplaced_warnings) < MAX_PROBLEMS:
            self._unplaced_warnings.append((self._text, self._prefix + path, message))

    @property
    def count(self) -> int:
        """Return the number of errors so far."""
        return len(self._errors) + len(self._unplaced_errors)

    def _stop_if_many(self) -> None:
        if self.count >= MAX_PROBLEMS:
            raise TooManyProblems

    def errors(self) -> list[ScenarioError]:
        """Return the errors, sorted by document and line."""
        located = [
            ScenarioError(render_path(path), place.line, message, place.document, place.column)
            for path, message, place in self._located()
        ]
        return sorted(self._errors + located, key=lambda error: (error.document, error.line))

    def _located(self) -> Iterator[tuple[Path, Message, Place]]:
        for number, (path, message, place) in enumerate(_locate(self._unplaced_errors)):
            if number in self._within_values:
                yield path, message, self._unplaced_errors[number][0].inside(place, *self._within_values[number])
            else:
                yield path, message, place

    def warnings(self) -> list[ParseWarning]:
        """Return the warnings, sorted by document and line."""
        warnings = [
            ParseWarning(place.document, place.line, render_path(path), message)
            for path, message, place in _locate(self._unplaced_warnings)
        ]
        return sorted(warnings, key=lambda warning: (warning.document, warning.line))


def _locate(unplaced: list[tuple[PlacedText, Path, Message]]) -> Iterator[tuple[Path, Message, Place]]:
    """Yield (path, message, place) of each entry, in order; each text is searched once."""
    paths: dict[int, tuple[PlacedText, set[Path]]] = {}
    for text, path, _ in unplaced:
        paths.setdefault(id(text), (text, set()))[1].add(path)
    places = {key: text.places(sub_paths) for key, (text, sub_paths) in paths.items()}
    for text, path, message in unplaced:
        yield path, message, places[id(text)][path]


def render_path(path: Path) -> str:
    """Format a path as kube-apiserver does: spec.containers[0].resources.requests[example.com/gpu]."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier() or (part.isascii() and part.replace("-", "").isalnum()):
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text


def show(value: object, limit: int = 60) -> str:
    """Format a value for a message: as JSON, or the name of its type; at most `limit` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def name_of_type(value: Any) -> Message:
    """Return the name of the type of a value from YAML or JSON."""
    match value:
        case None:
            return Message("null")
        case bool():
            return Message("a boolean")
        case int() | float():
            return Message("a number")
        case str():
            return Message("a string")
        case list():
            return Message("a list")
        case _:
            return Message("a mapping")


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a hint if one of `words` is similar, otherwise "". An editor can insert its `instead`."""
    lower = {name.lower(): name for name in words}
    close = difflib.get_close_matches(word.lower()[:100], lower, n=1, cutoff=0.65)
    return Message("; did you mean {instead}?", instead=show(lower[close[0]])) if close else ""


def one_of(words: Iterable[str]) -> Message:
    """Format one or more words as: A, B or C."""
    *rest, last = words
    return Message("{words} or {last}", words=", ".join(rest), last=last) if rest else Message("{word}", word=last)


# The texts of apimachinery's field errors, as kube-apiserver and kube-scheduler return them.


def not_supported(value: object, supported: Iterable[str]) -> Message:
    words = ", ".join(map(show, supported))
    return Message("Unsupported value: {value}: supported values: {supported}", value=show(value), supported=words)


def invalid(value: object, reason: Message) -> Message:
    return Message("Invalid value: {value}: {reason}", value=show(value), reason=reason)


def required(reason: Message | None = None) -> Message:
    return Message("Required value: {reason}", reason=reason) if reason else Message("Required value")


def forbidden(reason: Message) -> Message:
    return Message("Forbidden: {reason}", reason=reason)


def duplicate(value: object) -> Message:
    return Message("Duplicate value: {value}", value=show(value))


def not_found(value: object) -> Message:
    return Message("Not found: {value}", value=show(value))
