"""JSON dumps, also several one after another: the items of a List are parsed one by one to limit memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.source import Source
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioError, ScenarioErrors

Take = Callable[[Any, dict[str, Any] | None], None]
SPACE = re.compile(r"[ \t\r\n]*")
DEPTH = 100
LONGEST_ESCAPE = 6  # as in \u00e9


class _Cut(Exception):
    """The text ends in the middle of a value."""


def read(source: Source, take: Take, left_out: LeftOut) -> None:
    """Call `take` with every object of the JSON value that begins here. Raises ScenarioErrors."""
    reader = _Reader(source, take)
    try:
        reader.value()
    except _Cut:
        left_out.cut = [source.last_line, reader.taken]
        source.at = len(source.text)
    except RecursionError:
        raise _refused(
            source, source.at, Message("nested deeper than {depth} levels; that is the limit", depth=DEPTH)
        ) from None
    except json.JSONDecodeError as error:
        raise _refused(source, error.pos, Message("this is not JSON: {reason}", reason=error.msg)) from None


def _refused(source: Source, at: int, message: Message) -> ScenarioErrors:
    column = at - source.text.rfind("\n", 0, at)
    return ScenarioErrors([ScenarioError("", source.line_of(at), message, 0, column)])


class _Reader:
    """Reads the JSON value that begins at the current position of the source."""

    def __init__(self, source: Source, take: Take) -> None:
        self.source = source
        self.take = take
        self.taken = 0
        self.decode = json.JSONDecoder().raw_decode

    def value(self) -> None:
        """Take an object, or those of a List or an array. Raises _Cut where the text ends, and JSONDecodeError."""
        if self.peek() == "[":
            return self.items({"kind": "List"}, [])
        mapping: dict[str, Any] = {}
        waiting: list[Any] = []  # items that came before the kind of their list, and have none of their own
        self.step()
        while self.peek() != "}":
            key = self.read_value()
            if not isinstance(key, str):
                raise self.unexpected("Expecting property name")
            if self.peek() != ":":
                raise self.unexpected("Expecting ':' delimiter")
            self.step()
            if key == "items" and self.peek() == "[":
                self.items(mapping, waiting)
                mapping[key] = []
            else:
                mapping[key] = self.read_value()
            self.next("}")
        for item in waiting:
            self.add(item, mapping)
        if mapping.get("items") != [] or not str(mapping.get("kind", "")).endswith("List"):
            self.add(mapping, None)
        self.step()

    def items(self, parent: dict[str, Any], waiting: list[Any]) -> None:
        self.step()
        while self.peek() != "]":
            item = self.read_value()
            if isinstance(item, dict) and "kind" not in item and "kind" not in parent:
                waiting.append(item)
            else:
                self.add(item, parent)
            self.next("]")
        self.step()

    def add(self, item: Any, parent: dict[str, Any] | None) -> None:
        self.take(item, parent)
        self.taken += 1

    def read_value(self) -> Any:
        """Return the complete value that begins here; load more of the source if necessary.

        Raises _Cut if the text ends before it is complete, and JSONDecodeError.
        """
        self.peek()
        source = self.source
        while True:
            try:
                value, end = self.decode(source.text, source.at)
            except json.JSONDecodeError as error:
                if self.is_near_the_end(error) and source.more():
                    continue
                if self.is_cut(error):
                    raise _Cut from None
                raise
            if end < len(source.text) or not source.more():
                source.at = end
                return value

    def is_near_the_end(self, error: json.JSONDecodeError) -> bool:
        """Return whether more text could complete the value."""
        return error.pos + LONGEST_ESCAPE > len(self.source.text) or self.is_cut(error)

    def is_cut(self, error: json.JSONDecodeError) -> bool:
        """Return whether the text in memory ends within the value."""
        text = self.source.text.rstrip()
        last = text[error.pos :]  # `tru`, `nul` and the like
        return not last or error.msg.startswith("Unterminated string") or (len(last) < 5 and last.isalpha())

    def peek(self) -> str:
        """Skip spaces and return the next character, without consuming it. Raises _Cut at the end of the text."""
        source = self.source
        while True:
            match = SPACE.match(source.text, source.at)
            source.at = match.end() if match else source.at
            if source.at < len(source.text):
                return source.text[source.at]
            if not source.more():
                raise _Cut

    def next(self, last: str) -> None:
        """Consume the comma before the next entry; do nothing before `last`. Raises JSONDecodeError at
        anything else.
        """
        if self.peek() == ",":
            self.step()
        elif self.peek() != last:
            raise self.unexpected("Expecting ',' delimiter")

    def step(self) -> None:
        self.source.at += 1

    def unexpected(self, message: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(message, self.source.text, self.source.at)
