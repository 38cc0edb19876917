"""The first line of a docstring says what the thing does or is, without the need to read its body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import scheduler_core

ROOT = Path(scheduler_core.__file__).parents[1]
PACKAGES = ("scheduler_core", "kschedui")
OTHERS = {"grammar", "migrations"}  # generated
VAGUE = re.compile(r"(What|Who|Whose|Whoever|Whatever|Which|Those|Where|When|Why|How|Of|As) ")


def first_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, first line) of each docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            statement = node.body[0]
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Constant)
            yield statement.lineno, str(statement.value.value).strip().splitlines()[0]


def vague_lines(source: str) -> list[tuple[int, str]]:
    """Return the first lines that begin with a word that says nothing about the kind of thing."""
    return [(number, line) for number, line in first_lines(source) if VAGUE.match(line)]


def test_a_docstring_does_not_begin_with_a_relative_clause() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if OTHERS.isdisjoint(path.parts)]
    assert len(files) > 600
    found = {str(path.relative_to(ROOT)): lines for path in files if (lines := vague_lines(path.read_text("utf-8")))}
    assert not found


def test_the_check_sees_modules_classes_and_functions() -> None:
    source = '"""Rules."""\nclass A:\n    """What it is."""\n    def b(self):\n        """Those that fit."""\n'
    assert [line for _, line in vague_lines(source)] == ["What it is.", "Those that fit."]
