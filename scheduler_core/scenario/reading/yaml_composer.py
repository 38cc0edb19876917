"""One YAML document to plain data: dicts with string keys, lists, strings, numbers, booleans and None.

libyaml parses; this module builds, so that limits hold before anything is built: nesting, and how much an alias may
add. Plain scalars are read as sigs.k8s.io/yaml (go-yaml v2) reads them, which is what kubectl uses: 0755 is octal,
`yes` is a boolean, a timestamp stays a string, 1e3 is a number.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import show

_INTEGER = re.compile(r"[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_STRING_TAGS = ("tag:yaml.org,2002:str", "!")
_PLAIN_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_COLLECTION_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LONGEST_NUMBER = 64  # longer plain scalars are text, and are not worth remembering
_MERGE = object()  # the key <<


# What libyaml says, to be said in other languages too; other sentences of its stay as they are.
_LIBYAML = {
    str(known): known
    for known in (
        Message("while parsing a block mapping"),
        Message("while parsing a block collection"),
        Message("while parsing a flow mapping"),
        Message("while parsing a flow sequence"),
        Message("while parsing a node"),
        Message("while parsing a block node"),
        Message("while parsing a flow node"),
        Message("while scanning a simple key"),
        Message("while scanning a quoted scalar"),
        Message("while parsing a quoted scalar"),
        Message("while scanning a block scalar"),
        Message("while scanning for the next token"),
        Message("while scanning an alias"),
        Message("while scanning an anchor"),
        Message("while scanning a directive"),
        Message("did not find expected key"),
        Message("did not find expected '-' indicator"),
        Message("did not find expected ',' or '}}'"),
        Message("did not find expected ',' or ']'"),
        Message("did not find expected node content"),
        Message("did not find expected <document start>"),
        Message("did not find expected alphabetic or numeric character"),
        Message("mapping values are not allowed in this context"),
        Message("mapping keys are not allowed in this context"),
        Message("block sequence entries are not allowed in this context"),
        Message("could not find expected ':'"),
        Message("found character that cannot start any token"),
        Message("found unexpected end of stream"),
        Message("found unexpected document indicator"),
        Message("found unknown escape character"),
        Message("found undefined tag handle"),
    )
}


class DocumentError(Exception):
    """The text cannot be read; `line` and `column` count from 0 within the text given."""

    def __init__(self, message: Message, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@lru_cache(maxsize=65536)
def resolve_plain(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar (go-yaml v2's `resolve`)."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def _integer(text: str) -> int | str:
    """Go's `ParseInt(text, 0, 64)`: a leading 0 means octal."""
    digits = text.replace("_", "").lower()
    try:
        octal = re.fullmatch(r"[-+]?0[0-9]+", digits) is not None
        return int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        return text


class Composer:
    """Builds the documents of one text; `expanded` counts the nodes that aliases have added so far."""

    def __init__(self, text: str, limits: Limits, alias_nodes: int) -> None:
        """`alias_nodes`: how many values the aliases of this text may add (what earlier texts left over)."""
        self._text = text
        self._parser = yaml.CSafeLoader(text)
        self._limits = limits
        self._alias_nodes = alias_nodes
        self._values = 0
        self._anchors: dict[str, tuple[Any, int]] = {}
        self.expanded = 0

    def documents(self) -> list[Any]:
        """Plain data of every document of the text; raises DocumentError."""
        found: list[Any] = []
        try:
            while not isinstance(event := self._parser.get_event(), StreamEndEvent):
                if isinstance(event, DocumentStartEvent):
                    self._anchors.clear()
                    found.append(self._node(self._parser.get_event(), 0)[0])
        except yaml.MarkedYAMLError as error:
            raise _from_yaml(error, self._text) from None
        except (yaml.YAMLError, UnicodeError) as error:
            raise DocumentError(Message("not valid YAML: {problem}", problem=" ".join(str(error).split()))) from None
        finally:
            self._parser.dispose()
        return found

    def _node(self, event: Any, depth: int) -> tuple[Any, int]:
        """Return the value that starts with `event`, and how many nodes it has."""
        if type(event) is ScalarEvent:
            return self._scalar(event), 1
        if type(event) is AliasEvent:
            return self._alias(event)
        if depth >= self._limits.depth:
            raise _at(event, Message("nested deeper than {depth} levels", depth=self._limits.depth))
        if event.tag and event.tag not in _COLLECTION_TAGS:
            raise _at(event, Message("the YAML tag {tag} is not supported", tag=event.tag))
        value, size = (self._sequence if type(event) is SequenceStartEvent else self._mapping)(event, depth + 1)
        if event.anchor:
            self._anchors[event.anchor] = (value, size)
        return value, size

    def _scalar(self, event: ScalarEvent) -> Any:
        tag = event.tag
        if event.implicit[0]:
            value: Any = event.value if len(event.value) > _LONGEST_NUMBER else resolve_plain(event.value)
        elif tag is None or event.implicit[1] or tag in _STRING_TAGS:
            value = event.value
        elif tag in _PLAIN_TAGS:
            value = resolve_plain(event.value[:_LONGEST_NUMBER])
        else:
            raise _at(event, Message("the YAML tag {tag} is not supported", tag=tag))
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        return value

    def _alias(self, event: AliasEvent) -> tuple[Any, int]:
        if event.anchor not in self._anchors:
            raise _at(
                event,
                Message(
                    "the alias *{anchor} names an anchor that is not above it in this document", anchor=event.anchor
                ),
            )
        value, size = self._anchors[event.anchor]
        self.expanded += size
        if self.expanded > self._alias_nodes:
            raise _at(
                event, Message("aliases add more than {alias_nodes} values", alias_nodes=self._limits.alias_nodes)
            )
        return value, size

    def _sequence(self, start: NodeEvent, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        total = 1
        while not isinstance(event := self._parser.get_event(), CollectionEndEvent):
            self._count(event)
            value, size = self._node(event, depth)
            items.append(value)
            total += size
        return items, total

    def _count(self, event: Any) -> None:
        """Count a value; keys are counted with their values."""
        self._values += 1
        if self._values > self._limits.values:
            raise _at(event, Message("more than {values:,} values; that is the limit", values=self._limits.values))

    def _mapping(self, start: NodeEvent, depth: int) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        merged: list[Any] = []
        total = 1
        while not isinstance(event := self._parser.get_event(), CollectionEndEvent):
            self._count(event)
            key = self._key(event)
            value, size = self._node(self._parser.get_event(), depth)
            total += 1 + size
            if key is _MERGE:
                merged.append((event, value))
            elif key in result:
                raise _at(event, Message("the key {key} occurs twice in one mapping", key=show(key)))
            else:
                result[key] = value
        for event, value in merged:
            _merge(event, value, result)
        return result, total

    def _key(self, event: Any) -> Any:
        """Return a key as text; go-yaml writes numbers and booleans as JSON does."""
        if type(event) is AliasEvent:
            value, _ = self._alias(event)
        elif type(event) is ScalarEvent:
            if event.value == "<<" and event.implicit[0]:
                return _MERGE
            value = self._scalar(event)
        else:
            raise _at(event, Message("a key must be a string, not a list or a mapping"))
        if type(value) is str:
            return value
        if value is None or isinstance(value, list | dict):
            raise _at(event, Message("a key must be a string"))
        return str(value).lower() if isinstance(value, bool) else str(value)


def _merge(event: Any, value: Any, result: dict[str, Any]) -> None:
    """`<<: *anchor`: the mapping's own keys win, then the earlier of several merged mappings."""
    for source in value if isinstance(value, list) else [value]:
        if not isinstance(source, dict):
            raise _at(event, Message("the merge key << needs a mapping or a list of mappings"))
        for key, item in source.items():
            result.setdefault(key, item)


def _at(event: Any, message: Message) -> DocumentError:
    return DocumentError(message, event.start_mark.line, event.start_mark.column)


def _from_yaml(error: yaml.MarkedYAMLError, text: str) -> DocumentError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    if "".join(text.split("\n", line + 1)[line : line + 1])[column : column + 1] == "\t":
        return DocumentError(Message("a tab stands where YAML wants spaces"), line, column)
    said = [_LIBYAML.get(part, part) for part in (error.context, error.problem) if part]
    if len(said) == 2:
        message = Message("not valid YAML: {context}, {problem}", context=said[0], problem=said[1])
    else:
        message = Message("not valid YAML: {problem}", problem=said[0] if said else "")
    return DocumentError(message, line, column)
