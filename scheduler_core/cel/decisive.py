"""Explains results, with values in place of names.

These are the comparison that made a selector false ("memory 40Gi < 80Gi"), the conditions of a rule, and the
calculation of a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from scheduler_core.cel.check import Checked
from scheduler_core.cel.environment import CompileError, Environment
from scheduler_core.cel.libraries.quantity import Quantity
from scheduler_core.cel.libraries.semver import Semver
from scheduler_core.cel.recursion import deep_recursion
from scheduler_core.cel.syntax import Call, Comprehension, Expr, Ident, ListOf, Literal, Select, Tree, descendants
from scheduler_core.cel.values import Error, Map, Value, is_list, text_of

_OPPOSITES = {"_<_": "≥", "_<=_": ">", "_>_": "≤", "_>=_": "<", "_==_": "≠", "_!=_": "="}
_COMPARISONS = {"isLessThan": "≥", "isGreaterThan": "≤", "isEqualTo": "≠"}
_TURNED = {"_<_": "_>=_", "_<=_": "_>_", "_>_": "_<=_", "_>=_": "_<_", "_==_": "_!=_", "_!=_": "_==_"}
_PRECEDENCE = {"_+_": 1, "_-_": 1, "_*_": 2, "_/_": 2, "_%_": 2}  # of arithmetic operators
_MOST = 80  # characters of a value
_LIMIT = 1_000_000  # cost of a part
_DECIMAL = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def decisive_part(environment: Environment, checked: Checked, variables: dict[str, Value]) -> str:
    """Return the part that makes an expression false; several parts of an `||` are joined with " and "."""
    with deep_recursion():
        reasons = dict.fromkeys(_Reader(environment, checked, variables).reasons(checked.tree.root, wanted=True))
    return " and ".join(_joined(reason) for reason in reasons)


Reason = tuple[str, str, str]
"""The text before a comparison sign, the sign, and the text after it; a reason without a sign is in the first part."""


class Condition(msgspec.Struct, frozen=True):
    """A part of a condition that determines its result, and whether it has the required value."""

    reason: Reason
    holds: bool

    @property
    def text(self) -> str:
        """Return the reason as text."""
        return _joined(self.reason)


def conditions(environment: Environment, checked: Checked, variables: dict[str, Value]) -> list[Condition]:
    """Return the parts of a condition, and whether each holds: all parts of an `&&`, and of an `||` that is false.

    Of an `||` that is true, only the parts that are true are returned. A negation exchanges the two operators.
    """
    with deep_recursion():
        reader = _Reader(environment, checked, variables)
        return list(dict.fromkeys(reader.conditions(checked.tree.root, wanted=True)))


def arithmetic(environment: Environment, checked: Checked, variables: dict[str, Value]) -> list[str]:
    """Return the steps to a number: the branches taken, the values read, the calculation with them, and its result."""
    with deep_recursion():
        return _Reader(environment, checked, variables).arithmetic(checked.tree.root)


def _joined(reason: Reason) -> str:
    return " ".join(part for part in reason if part)


class _Reader(msgspec.Struct):
    environment: Environment
    checked: Checked
    variables: dict[str, Value]
    _values: dict[int, Value] = {}

    def conditions(self, expr: Expr, *, wanted: bool) -> Iterator[Condition]:
        node, value = expr.node, self._value(expr)
        if isinstance(node, Call) and node.function == "!_":
            yield from self.conditions(node.arguments[0], wanted=not wanted)
        elif isinstance(node, Call) and node.function in ("_&&_", "_||_"):
            needs_all = (node.function == "_&&_") == wanted
            for part in node.arguments:
                if needs_all or value is not wanted or self._value(part) is wanted:
                    yield from self.conditions(part, wanted=wanted)
        elif isinstance(node, Call) and node.function == "_?_:_":
            condition, yes, no = node.arguments
            truth = self._value(condition) is True
            yield from self.conditions(condition, wanted=truth)
            yield from self.conditions(yes if truth else no, wanted=wanted)
        else:
            for reason in self.reasons(expr, wanted=value is not True):
                yield Condition(reason, value is wanted)

    def arithmetic(self, expr: Expr) -> list[str]:
        lines: list[str] = []
        while isinstance(expr.node, Call) and expr.node.function == "_?_:_":
            condition, yes, no = expr.node.arguments
            truth = self._value(condition) is True
            reasons = dict.fromkeys(_joined(reason) for reason in self.reasons(condition, wanted=not truth))
            expr = yes if truth else no
            lines.append(f"{', '.join(reasons)} → {self._source(expr)}")
        leaves: dict[str, str] = {}
        calculation = self._filled_in(expr, leaves, 0)
        lines += [f"{source} = {value}" for source, value in leaves.items()]
        value = self._text(expr)
        if value != calculation:
            lines.append(f"{calculation} = {value}")
        return lines or [value]

    def _filled_in(self, expr: Expr, leaves: dict[str, str], above: int) -> str:
        """Return a calculation with values in place of its operands; the text and value of each are added to `leaves`.

        `above`: the precedence of the operator around it, 0 without one.
        """
        node = expr.node
        if isinstance(node, Literal):
            return self._text(expr)
        if isinstance(node, Call) and node.function in _PRECEDENCE:
            precedence = _PRECEDENCE[node.function]
            left, right = node.arguments
            sign = node.function.strip("_")
            filled = self._filled_in(left, leaves, precedence), self._filled_in(right, leaves, precedence + 1)
            calculation = f"{filled[0]} {sign} {filled[1]}"
            return f"({calculation})" if precedence < above else calculation
        value = leaves[self._source(expr)] = self._text(expr)
        return value

    def reasons(self, expr: Expr, *, wanted: bool) -> Iterator[Reason]:
        """Yield the reasons why the expression does not have the value `wanted`."""
        node = expr.node
        if isinstance(node, Call):
            if node.function == "!_":
                yield from self.reasons(node.arguments[0], wanted=not wanted)
                return
            if node.function in ("_&&_", "_||_"):
                yield from self._reasons_of_logic(node, wanted=wanted)
                return
            if node.function == "_?_:_":
                condition, yes, no = node.arguments
                yield from self.reasons(yes if self._value(condition) is True else no, wanted=wanted)
                return
            yield self._reason_of_call(expr, node, wanted=wanted)
            return
        if isinstance(node, Comprehension):
            yield f"{_cut(self._source(expr))} is {_word(not wanted)}", "", ""
            return
        if isinstance(node, Select) and node.test_only:
            field = written(Expr(-1, Select(node.operand, node.field)))
            yield f"{field} {'is missing' if wanted else 'is there'}", "", ""
            return
        yield _name(expr) or written(expr), "=", self._text(expr)

    def _reasons_of_logic(self, node: Call, *, wanted: bool) -> Iterator[Reason]:
        """Yield the reasons of all failing parts if one part would be enough, otherwise of the first failing one."""
        failing = [part for part in node.arguments if self._value(part) is not wanted]
        needs_all = (node.function == "_&&_") == wanted
        for part in failing[:1] if needs_all else failing:
            yield from self.reasons(part, wanted=wanted)

    def _reason_of_call(self, expr: Expr, node: Call, *, wanted: bool) -> Reason:
        function = node.function
        if function in _OPPOSITES:
            return self._reason_of_comparison(node, wanted=wanted)
        if function in _COMPARISONS and node.target is not None and wanted:
            return self._pair(node.target, _COMPARISONS[function], node.arguments[0])
        if function == "@in":
            return self._pair(node.arguments[0], "not in" if wanted else "in", node.arguments[1])
        shown = node
        if node.target is not None and function not in ("orValue", "hasValue"):
            target = Expr(-1, Ident(self._text(node.target)))
            shown = Call(function, [self._as_value(argument) for argument in node.arguments], target)
        name = _name(node.target)
        return f"{name + ' ' if name else ''}{written(Expr(-1, shown))} is {_word(not wanted)}", "", ""

    def _reason_of_comparison(self, node: Call, *, wanted: bool) -> Reason:
        left, right = node.arguments
        function = node.function if wanted else _TURNED[node.function]
        ordered = left.node
        if (
            isinstance(ordered, Call)
            and ordered.function == "compareTo"
            and ordered.target is not None
            and isinstance(right.node, Literal)
            and right.node.value == 0
        ):
            return self._pair(ordered.target, _OPPOSITES[function], ordered.arguments[0])
        return self._pair(left, _OPPOSITES[function], right)

    def _pair(self, left: Expr, sign: str, right: Expr) -> Reason:
        name = _name(left)
        return f"{name + ' ' if name else ''}{self._text(left)}", sign, self._text(right)

    def _source(self, expr: Expr) -> str:
        """Return an expression as text: as in the source if it is the root or has a macro, otherwise as `written`."""
        tree = self.checked.tree
        text = tree.source.text
        if expr is tree.root:
            return " ".join(text.split())
        if not any(isinstance(part.node, Comprehension) for part in descendants(expr)):
            return written(expr)
        offsets = [tree.offsets[part.id] for part in descendants(expr) if part.id in tree.offsets]
        return " ".join(text[min(offsets) : _closing(text, min(offsets), max(offsets))].split())

    def _as_value(self, expr: Expr) -> Expr:
        return Expr(-1, Ident(self._text(expr)))

    def _text(self, expr: Expr) -> str:
        """Return the value as text: an error in parentheses, an expression for a map, and a quantity as written."""
        literal = _quantity_or_version(expr)
        if literal is not None:
            return literal
        value = self._value(expr)
        if isinstance(value, Error):
            return f"({value.message})"
        if isinstance(value, Map):
            return written(expr)
        if value is None:
            return "null"
        return _cut(_value_text(value))

    def _value(self, expr: Expr) -> Value:
        if expr.id not in self._values:
            self._values[expr.id] = self._evaluate(expr)
        return self._values[expr.id]

    def _evaluate(self, expr: Expr) -> Value:
        checked, tree = self.checked, self.checked.tree
        part = Checked(Tree(tree.source, expr, tree.offsets), checked.types, checked.overloads, checked.names)
        try:
            return self.environment.plan(part).evaluate(self.variables, limit=_LIMIT)[0]
        except CompileError as error:
            return Error(str(error))


def _closing(text: str, start: int, last: int) -> int:
    """Return the end of the expression that starts at `start` and whose last part starts at `last`."""
    depth = 0
    quoted = ""
    for at in range(start, len(text)):
        letter = text[at]
        if quoted:
            quoted = "" if letter == quoted and text[at - 1] != "\\" else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth < 0:
                return at
            if depth == 0 and at >= last:
                return at + 1
        elif depth == 0 and at > last and letter in " ?:,&|<>=!+-*/%":
            return at
    return len(text)


def written(expr: Expr) -> str:
    """Return an expression as text; a macro, map or message is shown as three dots."""
    node = expr.node
    if isinstance(node, Literal):
        return _cut(_value_text(node.value))
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select):
        return f"{written(node.operand)}.{node.field}"
    if isinstance(node, ListOf):
        return "[" + ", ".join(written(element) for element in node.elements) + "]"
    if isinstance(node, Call):
        return _call_text(node)
    return "…"


def _call_text(node: Call) -> str:
    arguments = [written(argument) for argument in node.arguments]
    if node.function in ("_[_]", "_[?_]"):
        return f"{arguments[0]}[{arguments[1]}]"
    if node.function == "_?._":
        return f"{arguments[0]}.?{str(arguments[1]).strip(chr(34))}"
    if len(arguments) == 2 and node.target is None and node.function.startswith("_"):
        precedence = _PRECEDENCE.get(node.function, 0)
        left, right = (
            f"({text})" if _precedence(part) < least else text
            for part, text, least in zip(node.arguments, arguments, (precedence, precedence + 1), strict=True)
        )
        return f"{left} {node.function.strip('_')} {right}"
    if node.function == "!_":
        return f"!{arguments[0]}"
    target = f"{written(node.target)}." if node.target is not None else ""
    return f"{target}{node.function}({', '.join(arguments)})"


def _precedence(expr: Expr) -> int:
    """Return the precedence of an arithmetic operator; for other expressions, a higher one."""
    return _PRECEDENCE.get(expr.node.function, 3) if isinstance(expr.node, Call) else 3


def _name(expr: Expr | None) -> str:
    """Return the last name in the path that the expression reads, "" if it reads none or has a macro."""
    if expr is None or any(isinstance(part.node, Comprehension) for part in descendants(expr)):
        return ""
    node = expr.node
    if isinstance(node, Select):
        return node.field
    if isinstance(node, Call):
        if node.function in ("_[_]", "_[?_]", "_?._") and isinstance(node.arguments[1].node, Literal):
            return str(node.arguments[1].node.value)
        if node.target is not None:
            return _name(node.target)
    return ""


def _quantity_or_version(expr: Expr) -> str | None:
    """Return the text of `quantity("80Gi")` or `semver("1.2.3")` as written; None for other expressions."""
    node = expr.node
    if isinstance(node, Call) and node.function in ("quantity", "semver") and node.target is None and node.arguments:
        inner = node.arguments[0].node
        if isinstance(inner, Literal) and isinstance(inner.value, str):
            return inner.value
    return None


def _value_text(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return json.dumps(value, ensure_ascii=False)
    if kind is Quantity:
        return _quantity(value)
    if kind is Semver:
        after = "-" + ".".join(str(part) for part in value.prerelease) if value.prerelease else ""
        return f"{value.major}.{value.minor}.{value.patch}{after}"
    if is_list(value):
        return "[" + ", ".join(_value_text(each) for each in value) + "]"
    return text_of(value)


def _quantity(value: Quantity) -> str:
    """Return the quantity with the suffix that makes it shortest; with an exponent if that is below 0 or above 29."""
    if not 0 <= value.exponent < 30:
        return f"{value.number}e{value.exponent}"
    number = value.number * 10**value.exponent
    texts = [str(number)]
    texts += [f"{number >> 10 * at}{suffix}" for at, suffix in enumerate(_BINARY) if at and not number % (1 << 10 * at)]
    texts += [f"{number // 10**zeros}{suffix}" for suffix, zeros in _DECIMAL.items() if not number % 10**zeros]
    return min(texts, key=len) if number else "0"


def _word(truth: bool) -> str:
    return "true" if truth else "false"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
