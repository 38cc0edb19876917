"""Splits a YAML text into its objects by lines: at `---`, at the items of a List, and where another dump begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator

import msgspec

MARGIN = re.compile(r"\n(?! )")  # before a line that is not indented
DASH = re.compile(r"( *)-( +)(?=[^ #])")
ITEMS = re.compile(r"items:\s*(#.*)?$")
KIND = re.compile(r"kind: *[\"']?([A-Za-z]*List)[\"']?\s*$")
ANCHOR = re.compile(r"[-:] +&\w")  # other items may refer to it
MARKER = re.compile(r"---(?=[ \t]|$)")
JSON = re.compile(r"\{\s*(\"|$)|\[\s*(\{|$)")  # at the start of a line: the text after it is not YAML

# Fields of an object that an API server printed, with keys sorted by kubectl: early ones, and (LAST) the last ones.
PRINTED = re.compile(r"\n(?:  (?:managedFields|resourceVersion|selfLink):| {4}\S+/last-applied-configuration:)")
NAME = re.compile(r"""(?:^|[\s{,])["']?(?:name|generateName)["']?\s*:\s*[^\s{]""")
SPEC = re.compile(r"""(?:^|[\s{,])["']?(?:spec|status)["']?\s*:""")
OBJECT_KIND = re.compile(
    r"""^(?:\{ ?(?:["']?apiVersion["']?: ?["']?[\w./-]+["']?, ?)?)?["']?kind["']?: ?["']?([A-Za-z]+)""", re.M
)
LAST = {
    "Pod": "  phase:",
    "Node": "  nodeInfo:",
    "Deployment": "status:",
    "ReplicaSet": "status:",
    "StatefulSet": "status:",
}


class Piece(msgspec.Struct):
    """The text of one object; `first_line` counts from 1.

    `cut`: the text is truncated within it. `lacks`: a missing field that an API server always prints; the text may be
    truncated.
    """

    text: str
    first_line: int
    cut: bool = False
    lacks: str = ""

    @property
    def last_line(self) -> int:
        return self.first_line + self.text.count("\n")


class _Open(msgspec.Struct):
    """The document that is being read."""

    runs: list[str] = []
    first_line: int = 1
    in_items: bool = False
    dash: int = -1  # the indentation of the items
    kind: str = ""
    keys: set[str] = set()
    waiting: list[Piece] = []  # items without a kind of their own

    @property
    def text(self) -> str:
        return "\n".join(self.runs)

    def add(self, run: str, number: int) -> None:
        """Add lines, the first of which has this number."""
        if not self.runs:
            self.first_line = number
        self.runs.append(run)


def runs(text: str) -> Iterator[str]:
    """Yield the lines of a text: lines at the margin one by one, consecutive indented lines together.

    Most lines of a dump are indented, and nearly always belong to the object above them.
    """
    for lines in MARGIN.split(text):
        if not lines.startswith(" "):
            line, more, lines = lines.partition("\n")
            yield line
            if not more:
                continue
        yield lines


def pieces(parts: Iterable[str], first: int = 1, at_json: Callable[[], None] | None = None) -> Iterator[Piece]:
    """Yield the objects in order; an item of a List is moved to the left margin.

    `parts`: lines, or `runs` of them; `first`: the number of the first line. At a line where a JSON dump begins,
    `at_json` is called if it is set, and the generator ends.
    """
    now = _Open(first_line=first)
    number = first
    printed = False
    shortened: set[str] = set()
    for run in parts:
        if run.startswith(" ") and now.in_items and now.dash != 0:
            for at, line in enumerate(run.split("\n"), number):
                yield from _in_items(now, line, at)
        elif run.startswith(" "):
            now.add(run, number)
        elif at_json and JSON.match(run) and _may_end(now):
            at_json()
            break
        elif MARKER.match(run):
            printed = printed or bool(PRINTED.search(now.text))
            if _lacking(now.text):
                shortened.add(_kind_of(now.text))
            yield from _end(now)
            now = _Open(first_line=number)
            if run[3:].strip() and not run[3:].lstrip().startswith("#"):
                now.runs.append("   " + run[3:])
        elif _starts_another(now, run):
            yield from _end(now)
            now = _Open([run], number)
            _note_key(now, run)
        elif now.in_items:
            yield from _in_items(now, run, number)
        elif ITEMS.match(run):
            now.in_items, now.runs, now.first_line = True, [], number + 1
            now.keys.add("items")
        else:
            now.add(run, number)
            _note_key(now, run)
        number += 1 + run.count("\n")
    yield from _end(now, at_end=True, printed=printed, shortened=shortened)


def _may_end(now: _Open) -> bool:
    """Return whether another document may begin here without a marker."""
    return "kind" in now.keys or not any(run.strip() and not run.startswith("#") for run in now.runs)


def _starts_another(now: _Open, line: str) -> bool:
    """Return whether another dump begins here without a marker, such as one appended to the file."""
    return (line.startswith("apiVersion:") and "apiVersion" in now.keys) or (
        line.startswith("{") and "kind" in now.keys
    )


def _note_key(now: _Open, line: str) -> None:
    if line[:1].isalpha():
        now.keys.add(line.partition(":")[0])
        if match := KIND.match(line):
            now.kind = match[1]


def _in_items(now: _Open, line: str, number: int) -> Iterator[Piece]:
    """Add a line inside or after `items`; yield the item before it if the line begins another one or ends the list."""
    match = DASH.match(line)
    if match and now.dash in (-1, len(match[1])) and not _has_anchor(now):
        if now.runs:
            yield from _item(now)
        now.dash = len(match[1])
        now.runs, now.first_line = [line], number
    elif line[:1] not in ("", " ", "#", "-"):
        if now.runs:
            yield from _item(now)
        now.in_items, now.runs, now.first_line = False, [], number
        _note_key(now, line)
    else:
        now.runs.append(line)


def _has_anchor(now: _Open) -> bool:
    return any("&" in run and ANCHOR.search(run) for run in now.runs)


def _item(now: _Open) -> Iterator[Piece]:
    """Yield the complete item, moved to the left; an item without a kind waits for that of its list.

    If an item contains an anchor, all following items are in the same piece, since they may refer to it.
    """
    if _has_anchor(now):
        yield Piece(f"kind: {now.kind or 'List'}\nitems:\n{now.text}", now.first_line - 2)
        return
    match = DASH.match(now.runs[0])
    inner = match.end() if match else 0
    text = _moved(" " * inner + now.text[inner:], inner) or now.text
    piece = Piece(text, now.first_line)
    if text.startswith("kind:") or "\nkind:" in text:
        yield piece
    else:
        now.waiting.append(piece)


def _moved(text: str, columns: int) -> str:
    """Return the text moved to the left by this number of columns; "" if that would cut off characters."""
    start = "\n" + " " * columns
    if text.count(start) == text.count("\n"):
        return text[columns:].replace(start, "\n")
    lines = text.split("\n")  # some are blank
    return "" if any(line[:columns].strip() for line in lines) else "\n".join([line[columns:] for line in lines])


def _end(now: _Open, *, at_end: bool = False, printed: bool = False, shortened: Container[str] = ()) -> Iterator[Piece]:
    """Yield the rest of the document. `shortened`: kinds of which other objects lack the status too."""
    text = now.text
    if now.in_items:
        if at_end and "kind" not in now.keys:
            yield Piece(text, now.first_line, cut=True)
        elif now.runs:
            yield from _item(now)
    elif "items" not in now.keys and text.strip():
        cut = at_end and _is_unfinished(text, printed=printed)
        lacks = "" if cut or not at_end or _kind_of(text) in shortened else _lacking(text)
        yield Piece(text, now.first_line, cut=cut, lacks=lacks)
    for piece in now.waiting:
        if kind := now.kind.removesuffix("List"):
            piece = Piece(f"kind: {kind}\n{piece.text}", piece.first_line - 1)
        yield piece


def _is_unfinished(text: str, *, printed: bool) -> bool:
    """Return whether the last object lacks a part that every object has. `printed`: an API server printed other
    objects.
    """
    if PRINTED.search(text):
        if next(line for line in reversed(text.split("\n")) if line.strip()).rstrip().endswith(":"):
            return True  # a name whose value is missing
    elif not printed:
        return False
    return not NAME.search(text) or (_kind_of(text) in LAST and not SPEC.search(text))


def _lacking(text: str) -> str:
    """Return the last field that an API server always prints, if it printed the object without that field; otherwise
    "".

    If the uid is missing too, somebody has removed fields by hand, and perhaps the status.
    """
    last = LAST.get(_kind_of(text), "")
    if not last or not PRINTED.search(text):
        return ""
    lines = text.split("\n")
    has = [any(line.startswith(start) for line in lines) for start in ("  uid:", last)]
    return last.strip(" :") if has == [True, False] else ""


def _kind_of(text: str) -> str:
    return next((match[1] for match in OBJECT_KIND.finditer(text)), "")
