"""The source of a plugin, shown next to its decisions: its file, its explanations, and the plugin modules it imports.

Only files of known plugins can be requested. For a plugin from another package this is the file of its class; a
compiled module has no source, and then nothing is shown.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import keyword
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from types import ModuleType

import msgspec
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from kschedui.abouts import about_of
from kschedui.scenarios.outside_plugins import outside_plugins
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import Release

UPSTREAM = "https://github.com/kubernetes/kubernetes/tree/v{patch}/pkg/scheduler/framework/plugins/"
_SHOWN = "scheduler_core.plugins."
_POINTS = (
    "key", "pre_enqueue", "pre_filter", "filter", "post_filter", "pre_score", "score", "normalize", "reserve",
    "permit", "pre_bind", "bind", "post_bind", "explain_filter", "explain_score",
)  # fmt: skip


class SourceLine(msgspec.Struct, frozen=True):
    """A line of source code.

    `pieces` are (kind, text), kind "comment", "string", "keyword" or "". `method`: the method that starts here. `rule`:
    whether the line is part of Filter or Score.
    """

    number: int
    pieces: list[tuple[str, str]]
    method: str = ""
    rule: bool = False


class File(msgspec.Struct, frozen=True):
    """A file: its name as in its package, its lines as HTML, and the first paragraph of its docstring."""

    name: str
    lines: SafeString
    about: str


class PluginSource(msgspec.Struct, frozen=True):
    """The source of a plugin. `methods` are (name, line) of the first file; `rest` is collapsed."""

    name: str
    files: list[File]
    rest: list[File]
    methods: list[tuple[str, int]]


def upstream_of(name: str, release: Release) -> str:
    """Return the URL of the plugin in the release's Go source.

    "" for a plugin that kube-scheduler does not have.
    """
    if name in outside_plugins() or name not in REGISTRY:
        return ""
    upstream = about_of(REGISTRY[name]).upstream or name.lower()
    return upstream if upstream.startswith("https:") else UPSTREAM.format(patch=release.patch) + upstream


def source_of(name: str) -> PluginSource | None:
    """Return the source; None if the name is unknown, or there is no source."""
    return read(name) if name in outside_plugins() or name in REGISTRY else None


@cache
def read(name: str) -> PluginSource | None:
    """Return the source of a known plugin, or None if it cannot be read. Only known names reach this cache."""
    plugin = outside_plugins().get(name) or REGISTRY[name]
    module = inspect.getmodule(plugin)
    text = text_of(module) if module else None
    if module is None or text is None:
        return None
    methods = dict(methods_of(text, plugin.__name__))
    below = modules_below(text, package=module.__package__)
    explaining = [file for file in below if short(file) == "explain"]
    rest = [file for file in below if file not in explaining]
    return PluginSource(
        name=name,
        files=[file_of(module, "", methods), *(file_of(file, f"{short(file)}-", {}) for file in explaining)],
        rest=[file_of(file, f"{short(file)}-", {}) for file in rest],
        methods=[(method, span[0]) for method, span in methods.items()],
    )


def text_of(module: ModuleType) -> str | None:
    """Return the source of the module; None if there is none to read."""
    try:
        return inspect.getsource(module)
    except (OSError, TypeError):
        return None


def short(module: ModuleType) -> str:
    """Return the module's name without its packages."""
    return module.__name__.rpartition(".")[2]


def modules_below(text: str, *, package: str | None) -> list[ModuleType]:
    """Return the project's modules that a file imports, and those that its neighbours in the package import, nearest
    first.
    """
    modules: dict[str, ModuleType] = {}
    names = imported_by(text)
    while names:
        fresh = {name: importlib.import_module(name) for name in names if name not in modules}
        modules |= fresh
        beside = [module for module in fresh.values() if module.__package__ == package]
        names = [name for module in beside for name in imported_by(text_of(module) or "")]
    return list(modules.values())


def imported_by(text: str) -> list[str]:
    """Return the names of modules that a file imports, in order, from the packages whose source is shown."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            # What is imported from a module is a module, too, or a name in it.
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in dict.fromkeys(names) if name.startswith(_SHOWN) and is_module(name)]


def is_module(name: str) -> bool:
    """Return whether this is the name of a module, not of a package or of a name within a module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # its parent is a module, not a package
        return False
    return spec is not None and spec.submodule_search_locations is None


def methods_of(text: str, name: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the methods of the class that the scheduler calls, each as name, (first line, last line)."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name in _POINTS:
                    yield method.name, (method.lineno, method.end_lineno or method.lineno)


def file_of(module: ModuleType, prefix: str, methods: dict[str, tuple[int, int]]) -> File:
    """Return the file of the module. `prefix` precedes the line numbers in the page's anchors."""
    text = text_of(module) or ""
    opens = {first: name for name, (first, _) in methods.items()}
    spans = [methods[name] for name in ("filter", "score") if name in methods]
    decides = {number for first, last in spans for number in range(first, last + 1)}
    lines = [
        SourceLine(number, pieces, opens.get(number, ""), number in decides)
        for number, pieces in enumerate(highlight(text), start=1)
    ]
    about = (inspect.getdoc(module) or "").split("\n\n")[0]
    name = module.__name__.replace(".", "/") + ".py"
    return File(name, render_to_string("plugin_lines.html", {"name": name, "prefix": prefix, "lines": lines}), about)


def highlight(text: str) -> list[list[tuple[str, str]]]:
    """Split each line into comments, strings, keywords and the rest."""
    source = text.splitlines()
    lines: list[list[tuple[str, str]]] = [[] for _ in source]
    done = [0] * len(source)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = kind_of(token)
        for row in range(token.start[0] - 1, min(token.end[0], len(source))) if kind else ():
            start = token.start[1] if row == token.start[0] - 1 else 0
            end = token.end[1] if row == token.end[0] - 1 else len(source[row])
            lines[row] += [("", source[row][done[row] : start]), (kind, source[row][start:end])]
            done[row] = end
    return [[*pieces, ("", line[at:])] for pieces, line, at in zip(lines, source, done, strict=True)]


def kind_of(token: tokenize.TokenInfo) -> str:
    """Return the kind of a token, which determines its colour; "" for most tokens."""
    if token.type == tokenize.COMMENT:
        return "comment"
    if token.type == tokenize.STRING:
        return "string"
    return "keyword" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else ""
