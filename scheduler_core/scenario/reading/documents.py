"""Splits a text into documents at `---` and decodes each as JSON or YAML; Lists are expanded.

Line numbers are determined only when they are needed (`line_finder`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.line_finder import find_marks
from scheduler_core.scenario.reading.problems import Path, Place, Problems, ScenarioError
from scheduler_core.scenario.reading.yaml_composer import Composer, DocumentError

# The pattern begins with the dashes, since the regex engine finds a literal fast.
_SEPARATOR = re.compile(r"---(?<=^---)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile(r"\\u[dD][89abAB]")  # an escaped half of a surrogate pair
_JSON_START = re.compile(r"\s*\{")
_CONTENT = re.compile(r"^[ \t]*[^ \t\r\n#%]", re.MULTILINE)  # a line other than a comment or directive
_LONGEST_PREFIX = 4  # parts of the path to a List in a List in a List: "items" and an index, twice


class Chunk(msgspec.Struct, frozen=True):
    """The text from one document marker to the next; `first_line` is the line of the file (from 0) where it starts."""

    text: str
    number: int  # the number of the document, from 1, without empty documents
    first_line: int

    def places(self, paths: set[Path]) -> dict[Path, Place]:
        """Return the place of each path, of the deepest part of it that exists, or else of the first content."""
        places = {}
        for path, mark in find_marks(self.text, paths).items():
            line, column = mark or _first_content(self.text)
            places[path] = Place(self.number, self.first_line + line + 1, column + 1)
        return places

    def inside(self, place: Place, line: int, column: int) -> Place:
        """Return the place in the file of a line and column (from 1) of a string whose key is at `place`.

        `place` itself is returned for a further line of a string without a block indicator, or beyond the text.
        """
        lines = self.text.split("\n")
        at = place.line - self.first_line - 1
        key, colon, value = lines[at][place.column - 1 :].partition(": ")
        if colon and value.strip()[:1] not in ("", "|", ">"):
            quoted = value.lstrip()[0] in "\"'"
            before = place.column + len(key) + 2 + len(value) - len(value.lstrip()) + quoted
            return Place(self.number, place.line, before + column - 1) if line == 1 else place
        at += line
        if at >= len(lines):
            return place
        first = lines[place.line - self.first_line]
        return Place(self.number, self.first_line + at + 1, len(first) - len(first.lstrip()) + column)


class Embedded(Chunk, frozen=True):
    """A document that another document contains as text, in the value at `path`."""

    outer: Chunk
    path: Path

    def places(self, paths: set[Path]) -> dict[Path, Place]:
        """Return the place in the file of each path of the inner document."""
        value = self.outer.places({self.path})[self.path]
        own = Chunk.places(self, paths)
        return {path: self.outer.inside(value, place.line, place.column) for path, place in own.items()}


class Document(msgspec.Struct, frozen=True):
    """An object of the file: its plain data, and its place in its chunk (items of a List have a prefix)."""

    data: dict[str, Any]
    chunk: Chunk
    prefix: Path = ()


def read_documents(
    text: str, limits: Limits, problems: Problems, report_progress: Callable[[float], None] = lambda part: None
) -> list[Document]:
    """Return all objects of the text in order; invalid documents are reported and skipped.

    A text that is too long or has a forbidden character has no objects, and reading stops at the limit of documents.
    `report_progress` is called after each document with the progress, from 0 to 1.
    """
    if (size := len(text.encode("utf-8", "replace"))) > limits.bytes:
        problems.add(
            ScenarioError(
                "", 0, Message("the file has {size:,} bytes; the limit is {bytes:,}", size=size, bytes=limits.bytes)
            )
        )
        return []
    if match := _FORBIDDEN.search(text):
        problems.add(_forbidden_character(text, match.start()))
        return []
    documents: list[Document] = []
    alias_nodes = length = 0
    for chunk in split(text):
        composed, expanded = _decode(chunk, limits, limits.alias_nodes - alias_nodes, problems)
        alias_nodes += expanded
        for data in composed:
            problems.enter(chunk)
            documents.extend(_objects(data, chunk, (), problems))
        length += len(chunk.text)
        report_progress(length / len(text))
        if len(documents) > limits.documents:
            message = Message("more than {documents:,} documents; that is the limit", documents=limits.documents)
            problems.add(ScenarioError("", chunk.first_line + 1, message, chunk.number))
            break
    return documents


def read_embedded(outer: Document, path: Path, limits: Limits, problems: Problems) -> list[Document]:
    """Return the objects of the text at `path` of a document; their errors are reported at their lines of the file."""
    text: Any = outer.data
    for part in path:
        text = text[part]
    at, inner = (*outer.prefix, *path), Problems()
    documents = read_documents(text, limits, inner)
    for error in inner.errors():
        problems.error(path, error.message, (max(error.line, 1), error.column))
    return [
        Document(
            document.data,
            Embedded(document.chunk.text, outer.chunk.number, document.chunk.first_line, outer.chunk, at),
            document.prefix,
        )
        for document in documents
    ]


def data_of(text: str) -> dict[str, Any] | None:
    """Return the data of a text that is one document; None if it is invalid, no mapping, or several documents."""
    composed, _ = _decode(Chunk(text, 1, 0), Limits(), Limits().alias_nodes, Problems())
    return composed[0] if len(composed) == 1 and isinstance(composed[0], dict) else None


def split(text: str) -> Iterator[Chunk]:
    """Yield the chunks that have content. `---` at the start of a line always begins a chunk (YAML 1.2, 9.1)."""
    text = text.removeprefix("\ufeff")
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    number = line = 0
    for start, end in pairwise(starts):
        part = text[start:end]
        body = "   " + part[3:] if part.startswith("---") else part
        if _CONTENT.search(body):
            number += 1
            yield Chunk(body, number, line)
        line += part.count("\n")


def _decode(chunk: Chunk, limits: Limits, alias_nodes: int, problems: Problems) -> tuple[list[Any], int]:
    """Return the documents of a chunk (several if it contains `...`), and the number of values added by aliases.

    An invalid chunk has no documents; its error is reported. `alias_nodes`: the number of values that aliases may add.
    """
    if _JSON_START.match(chunk.text):
        try:
            return [_decode_json(chunk.text, limits.depth)], 0
        except (ValueError, RecursionError):
            pass  # YAML in flow style, or an error; the YAML parser reports its place
    composer = Composer(chunk.text, limits, alias_nodes)
    try:
        return composer.documents(), composer.expanded
    except DocumentError as error:
        line = chunk.first_line + min(error.line, chunk.text.rstrip().count("\n")) + 1
        problems.add(ScenarioError("", line, error.message, chunk.number, error.column + 1))
        return [], composer.expanded


def _decode_json(text: str, depth: int) -> Any:
    """Parse strict JSON.

    Raises ValueError for invalid or trailing text, duplicate keys, nesting deeper than `depth`, half a surrogate pair,
    and numbers that are not finite; RecursionError for very deep nesting.
    """
    data = _JSON.decode(text)
    if _SURROGATE.search(text):
        json.dumps(data, ensure_ascii=False).encode()  # raises ValueError for half of a surrogate pair
    if text.count("{") + text.count("[") > depth:  # otherwise it cannot be too deep
        _check_depth(data, depth)
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("duplicate key")
    return result


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("too large")
    return number


_JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite)


def _check_depth(data: Any, depth: int) -> None:
    level = [data]
    while level := [item for node in level for item in (node.values() if isinstance(node, dict) else node)]:
        level = [node for node in level if isinstance(node, dict | list)]
        depth -= 1
        if depth < 0:
            raise ValueError("too deep")


def _objects(data: Any, chunk: Chunk, prefix: Path, problems: Problems) -> Iterator[Document]:
    """Yield the object of a document, or the objects of a List or of a typed list such as PodList; none for null."""
    if data is None:
        return
    if not isinstance(data, dict):
        problems.error(prefix, Message("a document must be a mapping with apiVersion and kind"))
        return
    kind, items = data.get("kind"), data.get("items")
    if not (isinstance(kind, str) and kind.endswith("List") and (items is None or isinstance(items, list))):
        yield Document(data, chunk, prefix)
        return
    if len(prefix) > _LONGEST_PREFIX:
        problems.error(prefix, Message("a List in a List in a List is not read"))
        return
    for index, item in enumerate(items or ()):
        typed = _with_item_type(item, data, kind)
        yield from _objects(typed, chunk, (*prefix, "items", index), problems)


def _with_item_type(item: Any, parent: dict[str, Any], kind: str) -> Any:
    """Return an item of a list; in a typed list such as PodList, with apiVersion and kind if it has no kind."""
    if kind == "List" or not isinstance(item, dict) or "kind" in item:
        return item
    return {"apiVersion": parent.get("apiVersion"), "kind": kind.removesuffix("List"), **item}


def _forbidden_character(text: str, position: int) -> ScenarioError:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return ScenarioError(
        "", line, Message("the character U+{code:04X} is not allowed in YAML", code=ord(text[position])), 0, column
    )


def _first_content(text: str) -> tuple[int, int]:
    """Return line and column, from 0, of the first text that is not a comment; (0, 0) if there is none."""
    for number, line in enumerate(text.split("\n")):
        if (content := line.lstrip()) and not content.startswith("#"):
            return number, len(line) - len(content)
    return 0, 0
