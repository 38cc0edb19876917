"""Find regular expressions whose work grows faster than the text, and count the steps that they take.

A pattern becomes an automaton with one state for each position that matches a character. If one word leads from a state
back to it in two different ways, the work doubles with each repetition (exponential). If a word leads from a state back
to it, from it to another state, and from that back to itself, the work grows with the square of the text. Both give a
text to try. The steps that a backtracking matcher takes on that text decide, for three numbers of repetitions. The time
that `re` takes is not measured, because its shortcuts change from version to version.

Counted repetitions with a limit above 3 count as unlimited, so `x{1,64}` counts as `x+`. The text that a backreference
repeats is ignored. Lookarounds count as matched while texts are looked for, but are evaluated while steps are counted.
"""

import re
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

GENERIC = "\x00!aZ09_ \t\n.,:-/\"'\\x#=()[]{}é\u00b5\u2028"
MAX_POSITIONS = 2_000
EXPANDED = 3  # most copies of a counted repetition's body
TIMES = 12  # repetitions of a word in the shortest text
MAX_STEPS = 300_000
EXPONENTIAL, QUADRATIC = "exponential", "quadratic"
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class Attack(NamedTuple):
    """A text whose work grows by `degree` with the number of `word`s between `prefix` and `suffix`."""

    degree: str
    prefix: str
    word: str
    suffix: str

    def text(self, times: int) -> str:
        return self.prefix + self.word * times + self.suffix


class TooManySteps(Exception):
    """The matcher took more than MAX_STEPS steps."""


# --- One character ------------------------------------------------------------------------------------------------

CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: lambda c: bool(re.match(r"\d", c)),
    op.CATEGORY_NOT_DIGIT: lambda c: not re.match(r"\d", c),
    op.CATEGORY_SPACE: lambda c: bool(re.match(r"\s", c)),
    op.CATEGORY_NOT_SPACE: lambda c: not re.match(r"\s", c),
    op.CATEGORY_WORD: lambda c: bool(re.match(r"\w", c)),
    op.CATEGORY_NOT_WORD: lambda c: not re.match(r"\w", c),
}


def takes(node: tuple[Any, Any], char: str, flags: int) -> bool:
    """Return whether a node of the parse tree that matches one character matches this one."""
    kind, value = node
    if kind is op.ANY:
        return bool(flags & re.DOTALL) or char != "\n"
    forms = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
    if kind is op.LITERAL:
        return any(ord(form) == value for form in forms if len(form) == 1)
    if kind is op.NOT_LITERAL:
        return all(ord(form) != value for form in forms if len(form) == 1)
    negated = value[0][0] is op.NEGATE
    return negated != any(in_set(part, form) for part in value for form in forms if len(form) == 1)


def in_set(part: tuple[Any, Any], char: str) -> bool:
    kind, value = part
    if kind is op.LITERAL:
        return ord(char) == value
    if kind is op.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return kind is op.CATEGORY and CATEGORIES[value](char)


def alphabet(tree: Any) -> list[str]:
    """Return characters that a pattern may distinguish."""
    found = set(GENERIC)

    def see(items: Iterable[Any]) -> None:
        for item in items:
            if isinstance(item, tuple) and len(item) == 2 and item[0] in (op.LITERAL, op.NOT_LITERAL):
                found.add(chr(item[1]))
            elif isinstance(item, tuple) and len(item) == 2 and item[0] is op.RANGE:
                low, high = item[1]
                found.update(chr(code) for code in {low, high, (low + high) // 2})
            elif isinstance(item, tuple | list | parser.SubPattern):
                see(item)

    see(tree)
    return sorted(found)


# --- The automaton ------------------------------------------------------------------------------------------------


class Automaton:
    """A nondeterministic automaton for a pattern.

    Its states are `start` and the positions of the pattern that match one character. `next[a]` maps each position that
    may follow state `a` to the number of ways to it without another character; 2 stands for more than one.
    """

    def __init__(self, pattern: str | bytes, flags: int, *, search: bool) -> None:
        tree = parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.letters = alphabet(tree)
        self.sets: list[int] = []  # by position: the letters that it matches, as bits
        self.empty: list[list[int]] = []  # by joint: the joints that follow without a character
        self.char: list[tuple[int, int, int]] = []  # (from joint, to joint, position)
        first = self.joint()
        if search:
            again = self.joint()
            self.position(first, again, (1 << len(self.letters)) - 1)
            self.empty[again].append(first)
        self.last = self.build(tree, first)
        self.start = len(self.sets)
        into = {position: to for _, to, position in self.char} | {self.start: first}
        out = {position: source for source, _, position in self.char}
        self.next = {position: self.followers(joint, out) for position, joint in into.items()}

    def joint(self) -> int:
        self.empty.append([])
        return len(self.empty) - 1

    def kinds(self) -> list[str]:
        """Return one letter of each set of letters that the pattern does not distinguish."""
        same: dict[tuple[int, ...], str] = {}
        for bit, letter in enumerate(self.letters):
            same.setdefault(tuple(one >> bit & 1 for one in self.sets), letter)
        return list(same.values())

    def letter(self, chars: int) -> str:
        """Return the first letter of a bit set."""
        return self.letters[(chars & -chars).bit_length() - 1]

    def position(self, source: int, to: int, chars: int) -> None:
        if len(self.sets) >= MAX_POSITIONS:
            raise ValueError("a pattern of too many characters")
        self.char.append((source, to, len(self.sets)))
        self.sets.append(chars)

    def build(self, items: Any, at: int) -> int:
        for kind, value in items:
            if kind in REPEATS:
                at = self.repeat(value, at)
            elif kind is op.BRANCH:
                end = self.joint()
                for branch in value[1]:
                    begin = self.joint()
                    self.empty[at].append(begin)
                    self.empty[self.build(branch, begin)].append(end)
                at = end
            elif kind is op.SUBPATTERN:
                at = self.build(value[3], at)
            elif kind is op.ATOMIC_GROUP:
                at = self.build(value, at)
            elif kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
                to = self.joint()
                fitting = (takes((kind, value), letter, self.flags) for letter in self.letters)
                self.position(at, to, sum(1 << bit for bit, fits in enumerate(fitting) if fits))
                at = to
            elif kind not in (op.AT, op.ASSERT, op.ASSERT_NOT, op.GROUPREF):
                raise ValueError(f"{kind} is not analysed")
        return at

    def repeat(self, value: Any, at: int) -> int:
        least, most, body = value
        for _ in range(min(least, EXPANDED)):
            at = self.build(body, at)
        if most > EXPANDED:
            loop, end = self.joint(), self.joint()
            self.empty[at] += [loop, end]
            done = self.build(body, loop)
            self.empty[done] += [loop, end]
            return end
        end = self.joint()
        for _ in range(most - min(least, EXPANDED)):
            self.empty[at].append(end)
            at = self.build(body, at)
        self.empty[at].append(end)
        return end

    def followers(self, joint: int, out: dict[int, int]) -> dict[int, int]:
        ways: dict[int, int] = {}

        def walk(at: int, seen: frozenset[int]) -> None:
            ways[at] = min(2, ways.get(at, 0) + 1)
            if ways[at] == 2 and at in seen:
                return
            for to in self.empty[at]:
                if to not in seen and ways.get(to, 0) < 2:
                    walk(to, seen | {to})

        walk(joint, frozenset({joint}))
        return {position: ways[source] for position, source in out.items() if source in ways}


def shortest(begin: Hashable, goal: Callable[[Any], bool], steps: Callable[[Any], Iterator[tuple[str, Any]]]) -> str:
    """Return the shortest word of at least one character that leads to the goal. Raise LookupError if there is none."""
    seen: dict[Any, tuple[str, Any]] = {}
    queue = deque([begin])
    while queue:
        at = queue.popleft()
        for letter, to in steps(at):
            if to in seen:
                continue
            seen[to] = (letter, at)
            if goal(to):
                word, here = letter, at
                while here != begin:
                    one, here = seen[here]
                    word = one + word
                return word
            queue.append(to)
    raise LookupError


def candidates(automaton: Automaton) -> Iterator[tuple[str, str, str]]:
    """Yield (degree, prefix, word) for texts that may take more than linear work."""
    sets, letter = automaton.sets, automaton.letter
    following = {at: {to: ways for to, ways in after.items() if sets[to]} for at, after in automaton.next.items()}

    def single(at: int) -> Iterator[tuple[str, int]]:
        for to in following[at]:
            yield letter(sets[to]), to

    def several(at: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
        for one in following[at[0]]:
            for other in following[at[1]]:
                if not (common := sets[one] & sets[other]):
                    continue
                if len(at) == 2:
                    yield letter(common), (one, other)
                    continue
                for third in following[at[2]]:
                    if common & sets[third]:
                        yield letter(common & sets[third]), (one, other, third)

    def prefix_of(state: int) -> str:
        return shortest(automaton.start, lambda at: at == state, single)

    looping = [state for state in range(len(sets)) if state in reached(state, following)]
    back_to = {state: reached(state, following) for state in looping}
    for state in looping:
        for to, ways in following[state].items():
            if ways > 1 and (to == state or state in reached(to, following)):
                back = "" if to == state else shortest(to, lambda at, state=state: at == state, single)  # type: ignore[misc]
                yield EXPONENTIAL, prefix_of(state), letter(sets[to]) + back
        try:
            yield EXPONENTIAL, prefix_of(state), doubled(state, several)
        except LookupError:
            continue
    for one, other in product(looping, looping):
        if one != other and other in back_to[one] and not (one in back_to[other] and one != other):
            try:
                goal = (one, other, other)
                word = shortest((one, one, other), lambda at, goal=goal: at == goal, several)  # type: ignore[misc]
                yield QUADRATIC, prefix_of(one), word
            except LookupError:
                continue


def reached(state: int, following: dict[int, dict[int, int]]) -> set[int]:
    """Return the states that can follow after one character or more."""
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        more = set(following[waiting.pop()]) - seen
        seen |= more
        waiting += more
    return seen


def doubled(state: int, several: Callable[[Any], Iterator[tuple[str, Any]]]) -> str:
    """Return a word that leads from the state back to it in two different ways. Raise LookupError if there is none."""

    def parted(at: tuple[int, int, bool]) -> Iterator[tuple[str, tuple[int, int, bool]]]:
        for letter, (one, other) in several(at[:2]):
            yield letter, (one, other, at[2] or one != other)

    return shortest((state, state, False), lambda at: at == (state, state, True), parted)


# --- The count ----------------------------------------------------------------------------------------------------


class Counter:
    """A backtracking matcher that counts its steps. It matches groups, but does not capture them."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.tree = parser.parse(pattern, flags)
        self.flags = self.tree.state.flags
        self.text = ""
        self.steps = 0

    def count(self, text: str, use: str) -> int:
        """Return the number of steps until it is known whether the text matches. Raise TooManySteps."""
        self.text, self.steps = text, 0
        starts = range(len(text) + 1) if use == "search" else range(1)
        whole = use == "fullmatch"
        for start in starts:
            if self.match(list(self.tree), 0, start, lambda at: not whole or at == len(text)):
                break
        return self.steps

    def match(self, items: list[Any], index: int, at: int, then: Callable[[int], bool]) -> bool:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManySteps
        if index == len(items):
            return then(at)
        kind, value = items[index]

        def rest(end: int) -> bool:
            return self.match(items, index + 1, end, then)

        if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return at < len(self.text) and takes((kind, value), self.text[at], self.flags) and rest(at + 1)
        if kind is op.BRANCH:
            return any(self.match(list(branch), 0, at, rest) for branch in value[1])
        if kind is op.SUBPATTERN:
            return self.match(list(value[3]), 0, at, rest)
        if kind is op.ATOMIC_GROUP:
            end = self.first(list(value), at)
            return end is not None and rest(end)
        if kind is op.POSSESSIVE_REPEAT:
            return self.possessive(value, at, rest)
        if kind in REPEATS:
            return self.repeated(value, at, 0, rest, lazy=kind is op.MIN_REPEAT)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            if value[0] < 0:  # behind: of a fixed length
                at_least = at - value[1].getwidth()[0]
                behind = at_least >= 0 and self.first(list(value[1]), at_least) == at
                return behind == (kind is op.ASSERT) and rest(at)
            return (self.first(list(value[1]), at) is not None) == (kind is op.ASSERT) and rest(at)
        return (kind is op.GROUPREF or self.stands(value, at)) and rest(at)

    def first(self, items: list[Any], at: int) -> int | None:
        found: list[int] = []

        def take(end: int) -> bool:
            found.append(end)
            return True

        return found[0] if self.match(items, 0, at, take) else None

    def possessive(self, value: Any, at: int, rest: Callable[[int], bool]) -> bool:
        least, most, body = value
        times = 0
        while times < most and (end := self.first(list(body), at)) is not None and end > at:
            at, times = end, times + 1
        return times >= least and rest(at)

    def repeated(self, value: Any, at: int, times: int, rest: Callable[[int], bool], *, lazy: bool) -> bool:
        least, most, body = value

        def once_more() -> bool:
            return times < most and self.match(
                list(body),
                0,
                at,
                lambda end: (end > at or times < least) and self.repeated(value, end, times + 1, rest, lazy=lazy),
            )

        if times < least:
            return once_more()
        return (rest(at) or once_more()) if lazy else (once_more() or rest(at))

    def stands(self, value: Any, at: int) -> bool:
        text = self.text
        if value is op.AT_BEGINNING_STRING or (value is op.AT_BEGINNING and not self.flags & re.MULTILINE):
            return at == 0
        if value is op.AT_BEGINNING:
            return at == 0 or text[at - 1] == "\n"
        if value is op.AT_END_STRING:
            return at == len(text)
        if value is op.AT_END:
            ends = at == len(text) or (at == len(text) - 1 and text[at] == "\n")
            return ends or (bool(self.flags & re.MULTILINE) and text[at] == "\n")
        return True  # boundaries of words


def attacks(pattern: str | bytes, flags: int = 0, use: str = "fullmatch") -> list[Attack]:
    """Return at most one text for each degree that takes more than linear work.

    `use` is "search" (from anywhere), "match" (from the start) or "fullmatch".
    """
    sys.setrecursionlimit(20_000)
    automaton, counter = Automaton(pattern, flags, search=use == "search"), Counter(pattern, flags)
    found: dict[str, Attack] = {}
    for degree, prefix, word in candidates(automaton):
        for suffix in ("", *automaton.kinds()):
            attack = Attack(degree, prefix, word, suffix)
            if degree not in found and (grown := growth(counter, attack, use)):
                found[grown] = attack._replace(degree=grown)
        if EXPONENTIAL in found:
            break
    return list(found.values())


def growth(counter: Counter, attack: Attack, use: str) -> str:
    """Return how the number of steps grows with the text: EXPONENTIAL, QUADRATIC, or "" if it grows in proportion."""
    try:
        few = counter.count(attack.text(TIMES), use)
        more = counter.count(attack.text(2 * TIMES), use)
        if more < 2.05 * few:
            return ""
        most = counter.count(attack.text(4 * TIMES), use)
    except TooManySteps:
        return EXPONENTIAL
    if most - more > 3 * (more - few) and more - few > 2 * TIMES:
        return QUADRATIC
    return ""
