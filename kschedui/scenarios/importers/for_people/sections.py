"""The parts of a text for people: described objects and tables, without the additions of a terminal or a document.

kubectl: pkg/describe/describe.go writes "Key: value" at the margin, and indents the lines that belong to a key by two
columns per level; pkg/cmd/get writes tables whose columns begin below their heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

# A command after any prompt. Unlike a row of a table, a prompt has no two spaces in a row before its sign.
PROMPT = re.compile(
    r"^\s{0,4}(?:(?:(?!  ).){0,120}?[$%>#\u276f\u279c\u03bb\u00bb](?:\s{1,9}\S{1,80})?\s{1,9}|[$%>#])?"
    r"(?:\w{1,99}=\S{1,200}\s{1,9}){0,4}(?:sudo\s+)?"
    r"(?:kubectl|oc|k|kubecolor|microk8s[. ]kubectl|(?:k3s|minikube) kubectl)\s+[a-z-]"
)
ROW = re.compile(r"[a-z0-9<]")  # a name, a namespace, or an age
FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
COMMENT = re.compile(r"^#(?:\s|$)")
NUMBERED = re.compile(r"^\s{0,6}\d{1,5}(?:[:|\t]\s?|\s{1,2})")
DESCRIBED = re.compile(r"^Name: {2,}\S")
KEY = re.compile(r"[A-Za-z][A-Za-z0-9 ()/_.-]{0,80}:(?=\s|$)")
TABLE = re.compile(r"^(?:NAMESPACE {2,}NAME|NAME|LAST SEEN|NAMESPACE {2,}LAST SEEN) {2,}[A-Z][A-Z ]+")
COLUMN = re.compile(r"\S+(?: \S+)*")
NONE = ("<none>", "<unset>", "")


class Section(msgspec.Struct):
    """A key at the margin, its value, and the indented lines below it."""

    key: str
    value: str
    lines: list[str] = []

    def values(self) -> list[str]:
        """Return the value and the lines below it, as labels and taints are written."""
        return [text for text in (self.value, *(line.strip() for line in self.lines)) if text not in NONE]


class Described(msgspec.Struct):
    """A described object: the lines from `first` up to, but not including, `last`; both count from 0."""

    first: int
    last: int
    sections: list[Section]

    def value(self, key: str) -> str:
        """Return the value of a key; "" if there is none, or it is <none>."""
        value = next((section.value for section in self.sections if section.key == key), "")
        return "" if value in NONE else value

    def section(self, *keys: str) -> Section | None:
        return next((section for section in self.sections if section.key in keys), None)

    def has(self, *keys: str) -> bool:
        return self.section(*keys) is not None


class Table(msgspec.Struct):
    """A table: the heads of its columns, and its rows as mappings from head to cell; `first` and `last` as in
    Described.
    """

    first: int
    last: int
    heads: list[str]
    rows: list[dict[str, str]]


def field_of(line: str) -> tuple[str, str] | None:
    """Return the key and the value ("" if it has none) of a line; None for a line without a key."""
    text = line.strip()
    if KEY.match(text) is None:
        return None
    key, _, value = text.partition(":")
    return key, value.strip()


def parts_of(text: str) -> Iterator[Described | Table]:
    """Yield the described objects and tables of a text in order."""
    lines = _plain(text.expandtabs(8).split("\n"))
    at = 0
    while at < len(lines):
        if DESCRIBED.match(lines[at]):
            end = _end_of_described(lines, at)
            yield Described(at, end, list(_sections(lines[at:end])))
            at = end
        elif TABLE.match(lines[at]):
            end = _end_of_table(lines, at)
            yield _table(lines, at, end)
            at = end
        else:
            at += 1


def _plain(lines: Sequence[str]) -> list[str]:
    """Return the lines without line numbers, prompts and fences; their number does not change."""
    filled = [line for line in lines if line.strip()]
    if filled and sum(bool(NUMBERED.match(line)) for line in filled) > 0.9 * len(filled):
        lines = [NUMBERED.sub("", line, count=1) for line in lines]
    outside = [line.rstrip("\r") for line in lines]
    return ["" if PROMPT.match(line) or FENCE.match(line) or COMMENT.match(line) else line for line in outside]


def _end_of_described(lines: Sequence[str], at: int) -> int:
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if DESCRIBED.match(line) or TABLE.match(line) or line.startswith(("apiVersion:", "---", "{")):
            return end
        if line.strip() and not line.startswith(" ") and not KEY.match(line):
            return end
    return len(lines)


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    section: Section | None = None
    for line in lines:
        match = None if line.startswith(" ") else KEY.match(line)
        if match:
            if section is not None:
                yield section
            key, _, value = line.partition(":")
            section = Section(key.strip(), value.strip())
        elif section is not None and line.strip():
            section.lines.append(line)
    if section is not None:
        yield section


def _end_of_table(lines: Sequence[str], at: int) -> int:
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if (
            not line.strip()
            or not ROW.match(line)
            or line.startswith("apiVersion:")
            or TABLE.match(line)
            or DESCRIBED.match(line)
        ):
            return end
    return len(lines)


def _table(lines: Sequence[str], at: int, end: int) -> Table:
    """Return the table. A cell begins below its head; a longer one shifts the rest of its row."""
    heads = [(match[0], match.start()) for match in COLUMN.finditer(lines[at])]
    rows = [_row(line, heads) for line in lines[at + 1 : end]]
    return Table(at, end, [head for head, _ in heads], rows)


def _row(line: str, heads: Sequence[tuple[str, int]]) -> dict[str, str]:
    aligned = all(start == 0 or (len(line) <= start) or line[start - 1] == " " for _, start in heads)
    if aligned:
        ends = [start for _, start in heads[1:]] + [len(line)]
        return {head: line[start:end].strip() for (head, start), end in zip(heads, ends, strict=True)}
    cells = re.split(r" {2,}", line.strip(), maxsplit=len(heads) - 1)
    return {head: cell for (head, _), cell in zip(heads, cells, strict=False)}
