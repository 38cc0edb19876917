"""The lines of a YAML object without those that scheduling does not read, as `pruning` would have it, without parsing.

kubectl prints block style: a key a line, values below it deeper. What is not read can be dropped by its indentation,
which is many times faster than parsing it. What is not plainly of that style is `Unsure`: then the object is parsed.

`static/js/intake/line_filter.js` does the same in the browser; a test holds the two to the same output.
"""

from __future__ import annotations

import re

from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import name_of_kind, rule_of, type_of_kind
from kschedui.scenarios.importers.reading.reading_table import DROP, KEEP, Rule

BLANK = 1 << 20  # the indentation of a blank line: it belongs to whatever it stands in
KEY = re.compile(r"""("[^"\\]*"|'[^']*'|[A-Za-z0-9_./$][^\s:#'"{}\[\],&*!|>%@`]*):(?: +(.*))?$""")
SINGLE = re.compile(r"'(?:[^']|'')*'\s*", re.DOTALL)
DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"\s*', re.DOTALL)
HEAD = re.compile(r"""(apiVersion|kind): *([\w./-]+|"[\w./-]+"|'[\w./-]+')\s*$""", re.ASCII)
EMPTY_FLOW = re.compile(r"(?:\{\}|\[\])\s*$")


class Unsure(Exception):
    """The lines are not plainly of the style that can be read without parsing."""


def head_of(lines: list[str]) -> tuple[str, str]:
    """(apiVersion, kind) of an object; "" for what is not there."""
    found = {"apiVersion": "", "kind": ""}
    for line in lines:
        if line[:1] in ("a", "k") and (match := HEAD.match(line)):
            found[match[1]] = match[2].strip("\"'")
    return found["apiVersion"], found["kind"]


def kept_lines(lines: list[str], left_out: LeftOut, parent_kind: str = "") -> tuple[list[str], list[int]] | None:
    """The lines of an object that are read, and their numbers from 0; None when it is left out.

    Raises Unsure, and has counted nothing then.
    """
    version, kind = head_of(lines)
    kind = kind or parent_kind
    if not kind or kind.endswith("List"):  # whose items are read one by one
        raise Unsure
    name = type_of_kind(version, kind)
    if not name:
        left_out.kinds[name_of_kind(version, kind)] += 1
        return None
    counted = LeftOut()
    reader = _Reader(lines, counted)
    if reader.mapping(0, 0, name) != len(lines):
        raise Unsure
    left_out.fields.update(counted.fields)
    left_out.unknown.update(counted.unknown)
    return reader.out, reader.numbers


class _Reader:
    """Goes over the lines once; what is kept is in `out`."""

    def __init__(self, lines: list[str], left_out: LeftOut) -> None:
        self.lines = lines[:]  # of which some are changed on the way
        self.indents = [len(line) - len(line.lstrip(" ")) if line.strip() else BLANK for line in lines]
        self.left_out = left_out
        self.out: list[str] = []
        self.numbers: list[int] = []
        self.dropped = 0

    def put(self, line: str, number: int) -> None:
        self.out.append(line)
        self.numbers.append(number)

    def mapping(self, i: int, indent: int, name: str | None, allowed: Rule = None) -> int:
        """Read a block mapping whose keys stand at `indent`; the number of the line after it.

        `name`: the type of its fields; None: `allowed` is the rule of all its values ("m"), or has "k" or "with".
        """
        while i < len(self.lines):
            depth = self.indents[i]
            if depth == BLANK or self.lines[i].startswith("#", depth):
                i += 1
                continue
            if depth < indent:
                return i
            match = KEY.match(self.lines[i], indent) if depth == indent else None
            if match is None:
                raise Unsure
            key, value = match[1], match[2] or ""
            if value.startswith("#"):
                value = ""
            if key[0] in "\"'":
                key = key[1:-1]
            end = self.extent(i, indent, value)
            rule = self.rule(key, name, allowed, i, end)
            if rule is None:
                self.left_out.unknown[key] += 1
            elif rule == DROP:
                self.dropped += 1
                if name is not None:
                    self.left_out.fields[key] += 1
            elif rule == KEEP or value:
                self.keep(i, end, value, rule)
            else:
                before = self.dropped
                self.value(i, end, indent, rule)
                if "k" in rule and self.dropped > before:
                    self.left_out.fields[key] += 1
            i = end
        return i

    def rule(self, key: str, name: str | None, allowed: Rule, i: int, end: int) -> Rule | None:
        if name is not None:
            return rule_of(name, key)
        if "k" in allowed:
            return KEEP if key in allowed["k"] else DROP
        if "with" in allowed:
            text = "\n".join(self.lines[i:end])
            return KEEP if any(wanted in text for wanted in allowed["with"]) else DROP
        return allowed["m"]

    def extent(self, i: int, indent: int, value: str) -> int:
        """The number of the line after a key's value, which starts on the key's line or below it; raises Unsure."""
        first = value[:1]
        if first in ("{", "["):
            if not EMPTY_FLOW.match(value):
                raise Unsure
        elif first and first in "&*!?@`%":
            raise Unsure
        j, count = i + 1, len(self.lines)
        indents, lines = self.indents, self.lines
        if value:
            while j < count and indents[j] > indent:
                j += 1
        else:
            while j < count and (indents[j] > indent or (indents[j] == indent and lines[j].startswith("-", indent))):
                j += 1
        if first == "'" or first == '"':
            whole = value if j == i + 1 else "\n".join([value, *lines[i + 1 : j]])
            if not (SINGLE if first == "'" else DOUBLE).fullmatch(whole):
                raise Unsure
        elif j > i + 1 and value and first not in "|>" and not all(map(_is_plain, lines[i + 1 : j])):
            raise Unsure
        return j

    def keep(self, i: int, end: int, value: str, rule: Rule) -> None:
        """A value as it stands; below a key that is kept whole no anchor may hide."""
        if not value and any(mark in line for line in self.lines[i + 1 : end] for mark in (" &", " *", " !", "\t")):
            raise Unsure
        self.out.extend(self.lines[i:end])
        self.numbers.extend(range(i, end))

    def value(self, i: int, end: int, indent: int, rule: Rule) -> None:
        """A mapping or a list below its key."""
        at = len(self.out)
        self.put(self.lines[i].rstrip(), i)
        start = next((j for j in range(i + 1, end) if self.is_content(j)), end)
        if start == end:
            return
        deeper = self.indents[start]
        is_list = self.lines[start].startswith("-", deeper)
        if is_list != ("l" in rule) or (is_list and deeper < indent) or (not is_list and deeper <= indent):
            raise Unsure
        if is_list:
            last = self.sequence(start, deeper, rule, end)
        else:
            last = self.below(start, deeper, rule)
        if last != end:
            raise Unsure
        if len(self.out) == at + 1:
            self.out[at] += " []" if is_list else " {}"

    def is_content(self, j: int) -> bool:
        return self.indents[j] != BLANK and not self.lines[j].startswith("#", self.indents[j])

    def below(self, i: int, indent: int, rule: Rule) -> int:
        return self.mapping(i, indent, rule["t"]) if "t" in rule else self.mapping(i, indent, None, rule)

    def sequence(self, i: int, dash: int, rule: Rule, end: int) -> int:
        """A block list whose dashes stand at `dash`."""
        item, where = rule["l"], rule.get("where")
        while i < end:
            if not self.is_content(i):
                i += 1
                continue
            line = self.lines[i]
            content = line[dash + 1 :].lstrip(" ")
            if self.indents[i] != dash or not line.startswith("- ", dash) or not content or item in (DROP, KEEP):
                raise Unsure
            inner = len(line) - len(content)
            after = next((j for j in range(i + 1, end) if self.indents[j] <= dash), end)
            if EMPTY_FLOW.match(content):
                if not where:
                    self.put(line, i)
            elif not where or self.is_wanted(i, after, inner, where):
                self.item(i, dash, inner, item, after)
            i = after
        return i

    def item(self, i: int, dash: int, inner: int, rule: Rule, end: int) -> None:
        """One mapping of a list: its dash goes before the first line of it that is kept."""
        if "l" in rule:
            raise Unsure
        at = len(self.out)
        self.lines[i] = " " * inner + self.lines[i][inner:]
        self.indents[i] = inner
        if self.below(i, inner, rule) < end:
            raise Unsure
        if len(self.out) == at:
            self.put(" " * dash + "- {}", i)
        else:
            self.out[at] = f"{' ' * dash}-{self.out[at][dash + 1 :]}"

    def is_wanted(self, i: int, end: int, inner: int, where: list[list[str] | str]) -> bool:
        """Has the item the field with one of the values?"""
        start = f"{where[0]}: "
        for j in range(i, end):
            if (j == i or self.indents[j] == inner) and self.lines[j].startswith(start, inner):
                return self.lines[j][inner + len(start) :].strip().strip("\"'") in where[1]
        return False


def _is_plain(line: str) -> bool:
    """May the line go on with a plain text? Then nothing in it looks like structure."""
    return ": " not in line and not line.rstrip().endswith(":") and " #" not in line
