"""Compares two texts line by line, in time proportional to their length: patience diff with a limited depth.

Lines that occur once in both texts, in the same order, are matched, and so are equal lines around them; then the search
is repeated between them. difflib finds slightly more, and needs hours for some texts.
"""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, NamedTuple

DEEPEST = 12  # levels of search
CONTEXT = 4  # unchanged lines shown around a change
LONGEST_COMPARED = 2_000_000  # characters of both texts
MAX_LINES_COMPARED = 30_000

Tag = Literal["replace", "delete", "insert", "equal"]
Opcode = tuple[Tag, int, int, int, int]


class Block(NamedTuple):
    """A block of equal lines: `size` lines from `old` on and from `new` on."""

    old: int
    new: int
    size: int


class Grouping(difflib.SequenceMatcher[str]):
    """difflib's grouping of changes with their context, applied to our opcodes."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        super().__init__(None, "", "")
        self._opcodes = opcodes(old, new)

    def get_opcodes(self) -> list[Opcode]:
        """Return the opcodes to group."""
        return self._opcodes


def comparable(*texts: str) -> bool:
    """Return whether the texts are short enough to compare; longer ones would not be readable on a page."""
    return sum(map(len, texts)) <= LONGEST_COMPARED and sum(text.count("\n") for text in texts) <= MAX_LINES_COMPARED


def compare(before: str, after: str) -> Iterator[dict[str, Any]]:
    """Yield rows {mark, old, new, text}; mark: "+" added, "-" removed, " " equal, "@" the beginning of a group.

    `old` and `new` are line numbers, None where the row is not in that text.
    """
    old, new = before.splitlines(), after.splitlines()
    for group in Grouping(old, new).get_grouped_opcodes(CONTEXT):
        yield {"mark": "@", "old": None, "new": None, "text": ""}
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                    yield {"mark": " ", "old": i + 1, "new": j + 1, "text": old[i]}
                continue
            yield from ({"mark": "-", "old": i + 1, "new": None, "text": old[i]} for i in range(i1, i2))
            yield from ({"mark": "+", "old": None, "new": j + 1, "text": new[j]} for j in range(j1, j2))


def opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    """Return the opcodes in difflib's format."""
    ends = [Block(0, 0, 0), *blocks(old, new), Block(len(old), len(new), 0)]
    changes: list[Opcode] = []
    for last, block in pairwise(ends):
        i, j = last.old + last.size, last.new + last.size
        if i < block.old or j < block.new:
            tag: Tag = "insert" if i == block.old else "delete" if j == block.new else "replace"
            changes.append((tag, i, block.old, j, block.new))
        if block.size:
            changes.append(("equal", block.old, block.old + block.size, block.new, block.new + block.size))
    return changes


def blocks(old: list[str], new: list[str]) -> list[Block]:
    """Return the blocks of equal lines, in order."""
    equal_blocks: list[Block] = []
    gaps = [(0, len(old), 0, len(new), 0)]
    while gaps:
        i1, i2, j1, j2, depth = gaps.pop()
        start = 0
        while i1 + start < i2 and j1 + start < j2 and old[i1 + start] == new[j1 + start]:
            start += 1
        end = 0
        while i1 + start < i2 - end and j1 + start < j2 - end and old[i2 - end - 1] == new[j2 - end - 1]:
            end += 1
        equal_blocks += [block for block in (Block(i1, j1, start), Block(i2 - end, j2 - end, end)) if block.size]
        inner = i1 + start, i2 - end, j1 + start, j2 - end
        if depth < DEEPEST and inner[0] < inner[1] and inner[2] < inner[3]:
            gaps += between(old, new, *inner, depth=depth + 1)
    return join_blocks(sorted(equal_blocks))


def join_blocks(equal_blocks: list[Block]) -> list[Block]:
    """Merge blocks that follow each other in both texts."""
    whole: list[Block] = []
    for block in equal_blocks:
        last = whole[-1] if whole else Block(0, 0, 0)
        if (last.old + last.size, last.new + last.size) == (block.old, block.new) and whole:
            whole[-1] = Block(last.old, last.new, last.size + block.size)
        else:
            whole.append(block)
    return whole


def between(
    old: list[str], new: list[str], i1: int, i2: int, j1: int, j2: int, *, depth: int
) -> list[tuple[int, int, int, int, int]]:
    """Return the gaps (i1, i2, j1, j2, depth), each from an anchor to the next; [] if there are no anchors."""
    anchors = longest_rising(pairs(old[i1:i2], new[j1:j2]))
    if not anchors:
        return []
    cuts = [(i1, j1), *((i1 + i, j1 + j) for i, j in anchors), (i2, j2)]
    return [(i, next_i, j, next_j, depth) for (i, j), (next_i, next_j) in pairwise(cuts) if i < next_i and j < next_j]


def pairs(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return the (old, new) positions of the lines that occur once in each text, in the order of the old one."""
    once = {line for line, times in Counter(new).items() if times == 1}
    times = Counter(old)
    places = {line: j for j, line in enumerate(new) if line in once}
    return [(i, places[line]) for i, line in enumerate(old) if times[line] == 1 and line in places]


def longest_rising(positions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of positions that increase in both texts (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []  # the index of each top in `positions`
    before: list[int] = []
    for index, (_, j) in enumerate(positions):
        pile = bisect_left(tops, j)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        ends[pile : pile + 1] = [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(positions[index])
        index = before[index]
    return chain[::-1]
