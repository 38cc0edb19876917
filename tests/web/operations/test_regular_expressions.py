"""Each of our regular expressions takes time in proportion to the text; SHORT lists exceptions for short texts."""

import ast
import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from django.urls import get_resolver

from kschedui.waiting import autoscalers, reasons
from tests.backtracking import EXPONENTIAL, QUADRATIC, attacks
from tests.conftest import ROOT

FUNCTIONS = {"compile", "search", "match", "fullmatch", "split", "sub", "subn", "findall", "finditer"}
ANYWHERE = {"search", "split", "sub", "subn", "findall", "finditer", "test", "exec", "replace", "matchAll"}
# File -> a function that returns the patterns of its tables, which are not written where they are used.
TABLES: dict[str, Callable[[Any], list[str]]] = {
    "kschedui/waiting/message.py": lambda module: [pattern.pattern for pattern, _ in module.SAME],
    "kschedui/waiting/foreign.py": lambda module: [pattern for pattern, _ in autoscalers.MEANINGS],
    "kschedui/waiting/autoscalers.py": lambda module: [module.AT_MAXIMUM, module.IN_BACKOFF],
    "kschedui/waiting/batch_schedulers.py": lambda module: [
        *(pattern for _, pattern, _ in module.MESSAGES),
        *(pattern for pattern, _ in module.OF_A_FLAVOR),
    ],
    "kschedui/web/pages/cards.py": lambda module: list(module.PLACE.values()),
    "kschedui/waiting/reasons.py": lambda module: [note.pattern for note in reasons.post_filter_notes()],
    "kschedui/abouts.py": lambda module: [one.reason.pattern for one in reasons.known_reasons()],
}
# Quadratic patterns, and why their texts are short.
SHORT = {
    "## Release by rule\n": "a page of ours, written by a command",
    r"[^\s#]\S{0,80} ?)?[$%>#] (?:kubectl|oc) ": "80 characters at each place",
}


MANY = 400  # characters; longer patterns take seconds each to analyse


class Pattern(NamedTuple):
    """A regular expression: its place in the source, and its use (search, match or fullmatch)."""

    file: str
    line: int
    source: str
    flags: int
    use: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line} {self.use} {self.source!r}"


def sources() -> list[Path]:
    found = [*ROOT.glob("kschedui/**/*.py"), *ROOT.glob("scheduler_core/**/*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@lru_cache(maxsize=1)
def methods() -> dict[str, set[str]]:
    """Return the functions that are called on each pattern, by its variable's name, in any file."""
    found: dict[str, set[str]] = {}
    for path in sources():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
                of = node.value
                name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
                found.setdefault(name, set()).add(node.attr)
    return found


def calls(path: Path) -> Iterator[tuple[ast.Call, str, list[str]]]:
    """Yield each call of `re`, its function, and the variables that its result is assigned to."""
    tree = tree_of(path)
    names: dict[ast.AST, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = [t for one in node.targets for t in (one.elts if isinstance(one, ast.Tuple) else [one])]
            for value, target in zip(values, targets, strict=False):
                if isinstance(target, ast.Name):
                    names[value] = [target.id]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function)) if function in FUNCTIONS:
                yield node, function, names.get(node, [])


def python_patterns() -> Iterator[Pattern]:
    for path in sources():
        file = str(path.relative_to(ROOT))
        found = list(calls(path))
        if not found:
            continue
        module = importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for call, function, names in found:
            for source in values_of(file, module, call.args[0]):
                place = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2}.get(function, 9)
                flags = value_of(module, call.args[place]) if len(call.args) > place else 0
                used = (
                    {one for name in names for one in methods().get(name, ())} if function == "compile" else {function}
                )
                yield Pattern(file, call.lineno, source, int(flags), use_of(used))


def use_of(functions: set[str]) -> str:
    """Return the use that takes the most work: search, match or fullmatch."""
    if functions & ANYWHERE or not functions:
        return "search"
    return "fullmatch" if functions == {"fullmatch"} else "match"


def values_of(file: str, module: ModuleType, node: ast.expr) -> list[str]:
    """Return the possible patterns of a call: an expression that the module can evaluate, or values of a variable."""
    try:
        return [value_of(module, node)]
    except (NameError, AttributeError):
        if file in TABLES:
            return TABLES[file](module)
    assigned = [
        one.value
        for one in ast.walk(tree_of(ROOT / file))
        if isinstance(one, ast.Assign) and isinstance(node, ast.Name) and node.id in map(ast.unparse, one.targets)
    ]
    assert assigned, f"{file}: {ast.unparse(node)} is not found by this test; name its table in TABLES"
    return [value_of(module, one) for one in assigned]


def value_of(module: ModuleType, node: ast.expr) -> Any:
    return eval(compile(ast.Expression(node), "", "eval"), {**vars(module)})


def addresses(resolver: Any = None) -> Iterator[Pattern]:
    """Yield the patterns of the site's addresses, as Django compiles them, without those of the Django admin."""
    for one in (resolver or get_resolver()).url_patterns:
        if getattr(one, "app_name", "") == "admin":
            continue
        yield Pattern("addresses", 0, one.pattern.regex.pattern, one.pattern.regex.flags & ~re.UNICODE, "match")
        if hasattr(one, "url_patterns"):
            yield from addresses(one)


def browser_patterns() -> Iterator[Pattern]:
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules/typescript").exists():
        pytest.skip("no Node.js, or no typescript")
    listing = subprocess.run([node, "tests/js/list_patterns.mjs"], cwd=ROOT, capture_output=True, text=True, check=True)
    for row in json.loads(listing.stdout):
        flags = sum({"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}.get(flag, 0) for flag in row["flags"])
        source = re.sub(r"\(\?<(?![=!])", "(?P<", row["source"]).replace("[^]", r"[\s\S]")
        source = source.replace(r"\p{L}", r"[^\W\d_]")
        source = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda m: f"\\U{int(m[1], 16):08x}", source)
        yield Pattern(row["file"], row["line"], source, flags, "match" if "y" in row["flags"] else "search")


def trouble(found: Iterator[Pattern]) -> list[str]:
    said = []
    once = {(one.source, one.flags, one.use): one for one in found}
    for pattern in sorted(once.values(), key=lambda one: one.name):
        for attack in attacks(pattern.source, pattern.flags, pattern.use):
            excused = attack.degree == QUADRATIC and any(part in pattern.source for part in SHORT)
            said += [] if excused else [f"{pattern.name}: {attack}"]
    return said


def test_what_takes_more_than_linear_work_is_found() -> None:
    go = r"[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+"
    assert [one.degree for one in attacks(go)] == [EXPONENTIAL]
    assert [one.degree for one in attacks(r"(a*)*b")] == [EXPONENTIAL]
    assert [one.degree for one in attacks(r"(a|b|ab)*c", use="match")] == [EXPONENTIAL]
    assert [one.degree for one in attacks(r"\s+$", use="search")] == [QUADRATIC]
    assert [one.degree for one in attacks(r"[a-z]*[a-z0-9]*!")] == [QUADRATIC]
    assert attacks(r"\d+", use="search") == attacks(r"\s*+$", use="match") == attacks(r"(?:[^']|'')*'") == []


def test_a_text_that_is_found_really_takes_the_engine_so_much() -> None:
    (attack,) = attacks(r"(x|y|xy)*z")
    assert not re.fullmatch(r"(x|y|xy)*z", attack.text(8))


def test_python_patterns_are_linear() -> None:
    assert trouble(one for one in python_patterns() if len(one.source) <= MANY) == []


@pytest.mark.slow
def test_long_patterns_are_linear() -> None:
    long = [one for one in python_patterns() if len(one.source) > MANY]
    assert long
    assert trouble(iter(long)) == []


def test_addresses_are_linear() -> None:
    assert trouble(addresses()) == []


@pytest.mark.filterwarnings("ignore:Possible nested set")  # JavaScript has none
def test_browser_patterns_are_linear() -> None:
    assert trouble(browser_patterns()) == []
