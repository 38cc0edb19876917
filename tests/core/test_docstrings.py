"""The first line of a docstring says what the thing does or is, and agrees with the signature about the result."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import scheduler_core

ROOT = Path(scheduler_core.__file__).parents[1]
PACKAGES = ("scheduler_core", "kschedui", "tests")
OTHERS = {"grammar", "migrations"}  # generated
VAGUE = re.compile(
    r"(What|Who|Whose|Whoever|Whatever|Which|Those|Where|When|Why|How|Of|As|Whether|Until|It|Its|They|Their|By|So|And"
    r"|Somebody|Someone|Nobody|Everybody) "
)
STILTED = re.compile(r"(?:^|\. )Return (?:what|who) |\bso many (?!that\b)|\bwhoever\b")

BOOL = re.compile(r"\bbool|\bFlags\b|\bMask\b|TypeGuard|TypeIs")  # also arrays of bool, and their aliases
RETURN = re.compile(r"(?:^|\. )Return (?!True\b|False\b)")  # also in a later sentence: "Count the pod. Return ..."
NONE = re.compile(r"\bNone\b")
SEVERAL = re.compile(r"Return the (?:nodes|pods|rows|names|shares|amounts)\b")


def first_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, first line) of each docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            statement = node.body[0]
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Constant)
            yield statement.lineno, str(statement.value.value).strip().splitlines()[0]


def vague_lines(source: str) -> list[tuple[int, str]]:
    """Return (line number, line) of each first line that begins with a vague word or contains a stilted phrase."""
    return [(number, line) for number, line in first_lines(source) if VAGUE.match(line) or STILTED.search(line)]


def test_a_docstring_does_not_begin_with_a_relative_clause() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if OTHERS.isdisjoint(path.parts)]
    assert len(files) > 600
    found = {str(path.relative_to(ROOT)): lines for path in files if (lines := vague_lines(path.read_text("utf-8")))}
    assert not found


def test_the_check_sees_modules_classes_and_functions() -> None:
    source = '"""Rules."""\nclass A:\n    """What it is."""\n    def b(self):\n        """Those that fit."""\n'
    assert [line for _, line in vague_lines(source)] == ["What it is.", "Those that fit."]


@pytest.mark.parametrize("line", ["Return what it costs.", "Start so many processes.", "Reserve it, whoever asks."])
def test_the_check_sees_clauses_in_place_of_nouns(line: str) -> None:
    assert vague_lines(f'def a():\n    """{line}"""\n')


def contradictions(source: str) -> list[tuple[int, str]]:
    """Return the first paragraphs of docstrings that say something else is returned than the signature does."""
    return [
        (function.lineno, text)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (docstring := ast.get_docstring(function))
        and function.returns is not None
        and contradicts(text := docstring.split("\n\n")[0], ast.unparse(function.returns), yields=yields(function))
    ]


def contradicts(text: str, returned: str, *, yields: bool) -> bool:
    """Return whether the text of a docstring and the annotation of what is returned disagree."""
    if yields:
        return text.startswith("Return ")
    if text.startswith("Yield "):
        return "Iterator" not in returned
    if returned in ("None", "NoReturn"):
        return text.startswith("Return ")
    if returned == "bool":
        return bool(RETURN.search(text)) and "whether" not in text
    if returned in ("int", "float"):
        return SEVERAL.match(text) is not None
    return text.startswith("Return whether ") and BOOL.search(returned) is None


def silent_about_none(source: str) -> list[tuple[int, str]]:
    """Return the docstrings that do not say when the function returns None, although the signature has it."""
    return [
        (function.lineno, function.name)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (docstring := ast.get_docstring(function))
        and "None" in (members := members_of(function.returns))
        and len(members) > 1
        and not NONE.search(docstring)
    ]


def members_of(annotation: ast.expr | None) -> list[str]:
    """Return the members of a union such as `int | None`; a single type is its only member."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return [*members_of(annotation.left), *members_of(annotation.right)]
    return [] if annotation is None else [ast.unparse(annotation)]


def yields(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the function itself has a yield."""
    inner = list(function.body)
    while inner:
        node = inner.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner += ast.iter_child_nodes(node)
    return False


def test_a_docstring_and_the_signature_agree_about_what_is_returned() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if OTHERS.isdisjoint(path.parts)]
    wrong = {str(path.relative_to(ROOT)): lines for path in files if (lines := contradictions(path.read_text("utf-8")))}
    assert not wrong


def test_a_docstring_says_when_the_result_is_none() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if OTHERS.isdisjoint(path.parts)]
    silent = {
        str(path.relative_to(ROOT)): names for path in files if (names := silent_about_none(path.read_text("utf-8")))
    }
    assert not silent


def test_the_check_sees_a_docstring_that_is_silent_about_none() -> None:
    source = (
        'def a() -> int | None:\n    """Return the row."""\n'
        'def b() -> int | None:\n    """Return the row, or None if there is none."""\n'
        'def c() -> int:\n    """Return the row."""\n'
        'def d() -> None:\n    """Add a row."""\n'
    )
    assert [name for _, name in silent_about_none(source)] == ["a"]


@pytest.mark.parametrize(
    "function",
    [
        'def a() -> list[str]:\n    """Return whether it fits."""',
        'def a() -> bool:\n    """Return the rows."""',
        'def a() -> None:\n    """Return the rows."""',
        'def a() -> bool:\n    """Count it. Return the first budget."""',
        'def a() -> int:\n    """Return the nodes that come."""',
        'def a() -> Iterator[int]:\n    """Return the rows."""\n    yield 1',
        'async def a() -> list[int]:\n    """Yield the rows."""',
    ],
)
def test_the_check_sees_what_is_not_returned(function: str) -> None:
    assert len(contradictions(function)) == 1


def test_the_check_accepts_what_is_returned() -> None:
    source = (
        'def a() -> NDArray[np.bool_]:\n    """Return whether each fits."""\n'
        'def b() -> Iterator[int]:\n    """Yield the rows."""\n    yield 1\n'
        'def c() -> list[int]:\n    """Return the rows."""\n    def d() -> Iterator[int]:\n        yield 1\n'
    )
    assert not contradictions(source)
