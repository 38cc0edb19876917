"""Splits a YAML text into its objects by lines: at `---`, at the items of a List, and where the next dump follows
directly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

DASH = re.compile(r"( *)-( +)(?=[^ #])")
ITEMS = re.compile(r"items:\s*(#.*)?$")
KIND = re.compile(r"kind: *[\"']?([A-Za-z]*List)[\"']?\s*$")
ANCHOR = re.compile(r"[-:] +&\w")  # other items may refer to it
MARKER = re.compile(r"---(?=[ \t]|$)")
JSON = re.compile(r"\{\s*(\"|$)|\[\s*(\{|$)")  # at the start of a line: what follows is no YAML

# Of an object that an API server printed, whose keys kubectl sorts: what comes early in it, and what comes last.
PRINTED = re.compile(r"  (?:managedFields|resourceVersion|selfLink):| {4}\S+/last-applied-configuration:")
LAST = {
    "Pod": "  phase:",
    "Node": "  nodeInfo:",
    "Deployment": "status:",
    "ReplicaSet": "status:",
    "StatefulSet": "status:",
}


class Piece(msgspec.Struct):
    """Lines of one object; `first_line` counts from 1.

    `cut`: the text is truncated in it.
    """

    lines: list[str]
    first_line: int
    cut: bool = False

    @property
    def last_line(self) -> int:
        return self.first_line + len(self.lines) - 1


class _Open(msgspec.Struct):
    """The document that is being read."""

    lines: list[str] = []
    first_line: int = 1
    in_items: bool = False
    dash: int = -1  # the indentation of the items
    kind: str = ""
    keys: set[str] = set()
    waiting: list[Piece] = []  # items that say no kind of their own


def pieces(lines: Iterator[str], first: int = 1, at_json: Callable[[], None] | None = None) -> Iterator[Piece]:
    """Yield the objects in order; an item is moved to the left margin. `first`: the number of the first line.

    If `at_json` is set, the function ends, and calls it, at a line where a JSON dump begins.
    """
    now = _Open(first_line=first)
    printed = False
    for number, line in enumerate(lines, first):
        if line[:1] == " " and now.dash == 0:  # within an item: most lines of a dump
            now.lines.append(line)
        elif at_json and JSON.match(line) and _may_end(now):
            at_json()
            break
        elif MARKER.match(line):
            printed = printed or _is_printed(now.lines)
            yield from _end(now)
            now = _Open(first_line=number)
            if line[3:].strip() and not line[3:].lstrip().startswith("#"):
                now.lines.append("   " + line[3:])
        elif _starts_another(now, line):
            yield from _end(now)
            now = _Open([line], number)
            _note_key(now, line)
        elif now.in_items:
            yield from _in_items(now, line, number)
        elif ITEMS.match(line) and not line.startswith(" "):
            now.in_items, now.lines, now.first_line = True, [], number + 1
            now.keys.add("items")
        else:
            if not now.lines:
                now.first_line = number
            _note_key(now, line)
            now.lines.append(line)
    yield from _end(now, at_end=True, printed=printed)


def _may_end(now: _Open) -> bool:
    """Return whether another document may begin here without a marker."""
    return "kind" in now.keys or not any(line.strip() and not line.startswith("#") for line in now.lines)


def _starts_another(now: _Open, line: str) -> bool:
    """Return whether a dump begins here without a marker, such as a second one appended to the file."""
    return (line.startswith("apiVersion:") and "apiVersion" in now.keys) or (
        line.startswith("{") and "kind" in now.keys
    )


def _note_key(now: _Open, line: str) -> None:
    if line[:1].isalpha():
        now.keys.add(line.partition(":")[0])
        if match := KIND.match(line):
            now.kind = match[1]


def _in_items(now: _Open, line: str, number: int) -> Iterator[Piece]:
    match = DASH.match(line)
    if match and now.dash in (-1, len(match[1])) and not _has_anchor(now):
        if now.lines:
            yield from _item(now)
        now.dash = len(match[1])
        now.lines, now.first_line = [line], number
    elif line[:1] not in ("", " ", "#", "-"):
        if now.lines:
            yield from _item(now)
        now.in_items, now.lines, now.first_line = False, [], number
        _note_key(now, line)
    else:
        now.lines.append(line)


def _has_anchor(now: _Open) -> bool:
    return any("&" in line and ANCHOR.search(line) for line in now.lines)


def _item(now: _Open) -> Iterator[Piece]:
    """Yield the complete item, moved to the left; an item without a kind waits for that of its list.

    If anchors are used, all following items are included.
    """
    if _has_anchor(now):
        yield Piece([f"kind: {now.kind or 'List'}", "items:", *now.lines], now.first_line - 2)
        return
    match = DASH.match(now.lines[0])
    inner = match.end() if match else 0
    moved = [" " * inner + now.lines[0][inner:], *now.lines[1:]]
    whole = all(not line[:inner].strip() for line in moved)
    piece = Piece([line[inner:] for line in moved] if whole else now.lines, now.first_line)
    if any(line.startswith("kind:") for line in piece.lines):
        yield piece
    else:
        now.waiting.append(piece)


def _end(now: _Open, *, at_end: bool = False, printed: bool = False) -> Iterator[Piece]:
    if now.in_items:
        if at_end and "kind" not in now.keys:
            yield Piece(now.lines, now.first_line, cut=True)
        elif now.lines:
            yield from _item(now)
    elif "items" not in now.keys and any(line.strip() for line in now.lines):
        yield Piece(now.lines, now.first_line, cut=at_end and _is_unfinished(now.lines, printed=printed))
    for piece in now.waiting:
        if kind := now.kind.removesuffix("List"):
            piece = Piece([f"kind: {kind}", *piece.lines], piece.first_line - 1)
        yield piece


def _is_printed(lines: list[str]) -> bool:
    return any(PRINTED.match(line) for line in lines)


def _is_unfinished(lines: list[str], *, printed: bool) -> bool:
    """Return whether the last object lacks the usual end of an API server's output. `printed`: others had it."""
    kind = next((line[6:].strip() for line in lines if line.startswith("kind: ")), "")
    wanted = ("  name:", "spec:" if kind in LAST else "") if printed else ()
    if _is_printed(lines):
        if next(line for line in reversed(lines) if line.strip()).rstrip().endswith(":"):
            return True  # a name whose value is missing
        if any(line.startswith("spec:") for line in lines) and not any(line.startswith("  uid:") for line in lines):
            return False  # somebody took out what an API server always writes, and perhaps its status
        wanted = ("  uid:", LAST.get(kind, ""))
    return not all(any(line.startswith(last) for line in lines) for last in wanted)
