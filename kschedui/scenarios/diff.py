"""Two texts line by line, in time that grows as they do: patience diff, with a bound on how deep it looks.

Lines that stand once in both texts, in the same order in both, are taken for the same; so are the lines around them
that are equal, and between them the search begins anew. difflib finds a little more, and needs hours for some texts.
"""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

DEEPEST = 12  # levels of search
CONTEXT = 4  # unchanged lines shown around a change
LONGEST_COMPARED = 2_000_000  # characters of both texts
MOST_LINES_COMPARED = 30_000


class Block(NamedTuple):
    """`size` lines from `old` are those from `new`."""

    old: int
    new: int
    size: int


def comparable(*texts: str) -> bool:
    """Longer ones nobody would read as one page."""
    return sum(map(len, texts)) <= LONGEST_COMPARED and sum(text.count("\n") for text in texts) <= MOST_LINES_COMPARED


def compare(before: str, after: str) -> Iterator[dict[str, Any]]:
    """Yield rows {mark, old, new, text}: "+" added, "-" removed, " " the same, "@" lines left out; numbers or None."""
    old, new = before.splitlines(), after.splitlines()
    grouping = difflib.SequenceMatcher(None, "", "")
    grouping.opcodes = opcodes(old, new)  # type: ignore[attr-defined]
    for group in grouping.get_grouped_opcodes(CONTEXT):
        yield {"mark": "@", "old": None, "new": None, "text": ""}
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                    yield {"mark": " ", "old": i + 1, "new": j + 1, "text": old[i]}
                continue
            yield from ({"mark": "-", "old": i + 1, "new": None, "text": old[i]} for i in range(i1, i2))
            yield from ({"mark": "+", "old": None, "new": j + 1, "text": new[j]} for j in range(j1, j2))


def opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Return the opcodes in difflib's format."""
    ends = [Block(0, 0, 0), *blocks(old, new), Block(len(old), len(new), 0)]
    found = []
    for last, block in pairwise(ends):
        i, j = last.old + last.size, last.new + last.size
        tag = {(True, True): "replace", (True, False): "delete", (False, True): "insert"}.get(
            (i < block.old, j < block.new)
        )
        if tag:
            found.append((tag, i, block.old, j, block.new))
        if block.size:
            found.append(("equal", block.old, block.old + block.size, block.new, block.new + block.size))
    return found


def blocks(old: list[str], new: list[str]) -> list[Block]:
    """Return the lines that are the same, in order."""
    found: list[Block] = []
    gaps = [(0, len(old), 0, len(new), 0)]
    while gaps:
        i1, i2, j1, j2, depth = gaps.pop()
        start = 0
        while i1 + start < i2 and j1 + start < j2 and old[i1 + start] == new[j1 + start]:
            start += 1
        end = 0
        while i1 + start < i2 - end and j1 + start < j2 - end and old[i2 - end - 1] == new[j2 - end - 1]:
            end += 1
        found += [block for block in (Block(i1, j1, start), Block(i2 - end, j2 - end, end)) if block.size]
        inner = i1 + start, i2 - end, j1 + start, j2 - end
        if depth < DEEPEST and inner[0] < inner[1] and inner[2] < inner[3]:
            gaps += between(old, new, *inner, depth=depth + 1)
    return join_blocks(sorted(found))


def join_blocks(found: list[Block]) -> list[Block]:
    """Blocks that follow each other in both texts are one."""
    whole: list[Block] = []
    for block in found:
        last = whole[-1] if whole else Block(0, 0, 0)
        if (last.old + last.size, last.new + last.size) == (block.old, block.new) and whole:
            whole[-1] = Block(last.old, last.new, last.size + block.size)
        else:
            whole.append(block)
    return whole


def between(
    old: list[str], new: list[str], i1: int, i2: int, j1: int, j2: int, *, depth: int
) -> list[tuple[int, int, int, int, int]]:
    """Return the stretches that begin at each anchor of this one; none without an anchor."""
    anchors = longest_rising(pairs(old[i1:i2], new[j1:j2]))
    if not anchors:
        return []
    cuts = [(i1, j1), *((i1 + i, j1 + j) for i, j in anchors), (i2, j2)]
    return [(a, c, b, d, depth) for (a, b), (c, d) in pairwise(cuts) if a < c and b < d]


def pairs(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return where lines that occur once in each text stand, by their place in the old one."""
    once = {line for line, times in Counter(new).items() if times == 1}
    times = Counter(old)
    places = {line: j for j, line in enumerate(new) if line in once}
    return [(i, places[line]) for i, line in enumerate(old) if times[line] == 1 and line in places]


def longest_rising(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most pairs whose second numbers rise as the first do (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []  # which pair each top is
    before: list[int] = []
    for index, (_, j) in enumerate(found):
        pile = bisect_left(tops, j)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        ends[pile : pile + 1] = [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(found[index])
        index = before[index]
    return chain[::-1]
