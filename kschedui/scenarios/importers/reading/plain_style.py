"""The data of YAML lines in kubectl's plain block style, many times faster than a parser builds it.

What is not plainly of that style, an error too, is `Unsure`: then the lines are parsed, and the parser tells.
`static/js/intake/plain_style.js` does the same in the browser; a test holds the two to the same output.
"""

from __future__ import annotations

import re
from typing import Any

from kschedui.scenarios.importers.reading.line_filter import KEY, Unsure
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.scenario.reading.yaml_composer import resolve_plain

UNUSUAL = re.compile(r"[^\n -~]")  # tabs, characters that only some readers take for line ends
SINGLE = re.compile(r"'((?:[^']|'')*)' *$")
DOUBLE = re.compile(r'"([^"\\]*)" *$')
LIKE_STRUCTURE = re.compile(r"^-(?: |$)|: | #|:$")
EMPTY = {"{}": dict, "[]": list}
LONGEST_NUMBER = 64
DEEPEST = 40


def composed(lines: list[str]) -> Manifest:
    """The mapping that the lines are; raises Unsure."""
    if UNUSUAL.search("\n".join(lines)):
        raise Unsure
    reader = _Reader(lines)
    start = reader.content(0)
    if start == len(lines) or reader.depth(start):
        raise Unsure
    found, end = reader.mapping(start, 0, 0)
    if end != len(lines):
        raise Unsure
    return found


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines[:]  # of which some are changed on the way

    def depth(self, i: int) -> int:
        line = self.lines[i]
        return len(line) - len(line.lstrip(" "))

    def content(self, i: int) -> int:
        """The next line that is neither blank nor a comment."""
        while i < len(self.lines) and self.lines[i].lstrip(" ")[:1] in ("", "#"):
            i += 1
        return i

    def mapping(self, i: int, indent: int, level: int) -> tuple[Manifest, int]:
        """A mapping whose first key is at line `i`, and the line after it."""
        found: Manifest = {}
        if level > DEEPEST:
            raise Unsure
        while i < len(self.lines):
            depth = self.depth(i)
            if depth < indent:
                break
            match = KEY.match(self.lines[i], indent) if depth == indent else None
            if match is None:
                raise Unsure
            key = match[1][1:-1] if match[1][0] in "\"'" else resolve_plain(match[1])
            if type(key) is not str or key in found:
                raise Unsure
            found[key], i = self.value(match[2] or "", self.content(i + 1), indent, level)
        return found, i

    def value(self, text: str, i: int, indent: int, level: int) -> tuple[Any, int]:
        """What follows a key, on its line or from line `i` on."""
        depth = self.depth(i) if i < len(self.lines) else -1
        if text:
            if depth > indent:
                raise Unsure
            return scalar(text), i
        if depth >= indent and self.lines[i].startswith("-", depth):
            return self.sequence(i, depth, level + 1)
        return self.mapping(i, depth, level + 1) if depth > indent else (None, i)

    def sequence(self, i: int, dash: int, level: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        while i < len(self.lines):
            line, depth = self.lines[i], self.depth(i)
            if depth < dash or (depth == dash and not line.startswith("-", dash)):
                break
            content = line[dash + 1 :].lstrip(" ")
            if depth > dash or not line.startswith("- ", dash) or not content:
                raise Unsure
            inner = len(line) - len(content)
            if KEY.match(content):
                self.lines[i] = " " * inner + content
                item, i = self.mapping(i, inner, level + 1)
            else:
                item, i = self.value(content, self.content(i + 1), dash, level)
            found.append(item)
        return found, i


def scalar(text: str) -> Any:
    """A value that stands on one line; raises Unsure."""
    text = text.rstrip(" ")
    if (first := text[0]) == "'":
        if match := SINGLE.match(text):
            return match[1].replace("''", "'")
    elif first == '"':
        if match := DOUBLE.match(text):
            return match[1]
    elif text in EMPTY:
        return EMPTY[text]()
    elif first not in "&*!?|>%@`{}[],#:" and not LIKE_STRUCTURE.search(text):
        return text if len(text) > LONGEST_NUMBER else resolve_plain(text)
    raise Unsure
