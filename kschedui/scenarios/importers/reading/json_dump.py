"""JSON dumps, also several one after another: the items of a List one by one, so that it is never whole data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from kschedui.scenarios.importers.reading.left_out import LeftOut
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioError, ScenarioErrors

Take = Callable[[Any, dict[str, Any] | None], None]
SPACE = re.compile(r"[ \t\r\n]*")
BETWEEN = re.compile(r"[ \t\r\n]*(?:^---[ \t]*$[ \t\r\n]*)*", re.MULTILINE)
DEPTH = 100


class _Cut(Exception):
    """The text ends in the middle of a value."""


def read(text: str, take: Take, left_out: LeftOut) -> str:
    """Hands every object to `take`; returns what follows and is no JSON. Raises ScenarioErrors."""
    reader = _Reader(text, take)
    at = _after(BETWEEN, text, 0)
    try:
        while at < len(text) and text[at] in "{[":
            at = _after(BETWEEN, text, reader.value(at))
    except _Cut:
        left_out.cut = [text.count("\n") + (not text.endswith("\n")), reader.taken]
        return ""
    except RecursionError:
        raise _refused(text, at, Message("deeper than {depth} levels; that is the limit", depth=DEPTH)) from None
    except json.JSONDecodeError as error:
        raise _refused(text, error.pos, Message("this is not JSON: {reason}", reason=error.msg)) from None
    return text[at:]


def _refused(text: str, at: int, message: Message) -> ScenarioErrors:
    column = at - text.rfind("\n", 0, at)
    return ScenarioErrors([ScenarioError("", text.count("\n", 0, at) + 1, message, 0, column)])


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


class _Reader:
    def __init__(self, text: str, take: Take) -> None:
        self.text = text
        self.end = len(text.rstrip())
        self.take = take
        self.taken = 0
        self.decode = json.JSONDecoder().raw_decode

    def value(self, at: int) -> int:
        """An object, a List or an array of them; the position after it."""
        if self.text[at] == "[":
            return self.items(at, {"kind": "List"}, [])
        found: dict[str, Any] = {}
        waiting: list[Any] = []  # items that came before the kind of their list, and say none of their own
        at = self.skip(at + 1)
        while self.peek(at) != "}":
            key, at = self.one(at)
            if not isinstance(key, str):
                raise json.JSONDecodeError("Expecting property name", self.text, at)
            at = self.expect(":", at)
            if key == "items" and self.peek(at) == "[":
                at = self.items(at, found, waiting)
                found[key] = []
            else:
                found[key], at = self.one(at)
            at = self.skip(at)
            if self.peek(at) == ",":
                at = self.skip(at + 1)
            elif self.peek(at) != "}":
                raise json.JSONDecodeError("Expecting ',' delimiter", self.text, at)
        for item in waiting:
            self.hand(item, found)
        if found.get("items") != [] or not str(found.get("kind", "")).endswith("List"):
            self.hand(found, None)
        return at + 1

    def items(self, at: int, parent: dict[str, Any], waiting: list[Any]) -> int:
        at = self.skip(at + 1)
        while self.peek(at) != "]":
            item, at = self.one(at)
            if isinstance(item, dict) and "kind" not in item and "kind" not in parent:
                waiting.append(item)
            else:
                self.hand(item, parent)
            at = self.skip(at)
            if self.peek(at) == ",":
                at = self.skip(at + 1)
            elif self.peek(at) != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", self.text, at)
        return at + 1

    def hand(self, item: Any, parent: dict[str, Any] | None) -> None:
        self.take(item, parent)
        self.taken += 1

    def one(self, at: int) -> tuple[Any, int]:
        try:
            return self.decode(self.text, at)
        except json.JSONDecodeError as error:
            if error.pos >= self.end or error.msg.startswith("Unterminated string") or self.is_cut_word(error.pos):
                raise _Cut from None
            raise

    def is_cut_word(self, at: int) -> bool:
        """`tru`, `nul` and the like, last in the text."""
        return self.end - at < 5 and self.text[at : self.end].isalpha()

    def peek(self, at: int) -> str:
        if at >= self.end:
            raise _Cut
        return self.text[at]

    def skip(self, at: int) -> int:
        return _after(SPACE, self.text, at)

    def expect(self, mark: str, at: int) -> int:
        at = self.skip(at)
        if self.peek(at) != mark:
            raise json.JSONDecodeError(f"Expecting '{mark}' delimiter", self.text, at)
        return self.skip(at + 1)
