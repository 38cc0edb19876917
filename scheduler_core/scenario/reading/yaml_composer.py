"""Converts a YAML document to plain data: dicts with string keys, lists, strings, numbers, booleans and None.

libyaml parses; this module builds the data, so that limits on nesting and aliases are checked first. Plain scalars are
interpreted as by sigs.k8s.io/yaml (go-yaml v2), which kubectl uses: 0755 is octal, `yes` is a boolean, a timestamp
stays a string, 1e3 is a number. Differences: y and n are strings, so that a label `app: y`, which kubectl rejects, can
be read; so are digits that are no valid octal number, such as 08, and scalars of more than 64 characters.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
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
_LETTERS = ("y", "Y", "n", "N")
_STRING_TAGS = ("tag:yaml.org,2002:str", "!")
_PLAIN_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_COLLECTION_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LONGEST_NUMBER = 64  # longer plain scalars are text, and are not cached
_MERGE = object()  # the key <<


# Messages of libyaml that can be translated; its other messages stay in English.
_LIBYAML = {
    str(text): text
    for text in (
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
    """The text cannot be parsed; `line` and `column` count from 0 within the text."""

    def __init__(self, message: Message, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@lru_cache(maxsize=65536)
def resolve_plain(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar (go-yaml v2's `resolve`): None for null, ~ and an empty one."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    plain = text if text[0] == "." else text.replace("_", "")
    if _FLOAT.fullmatch(plain):
        number = float(plain)
        return number if math.isfinite(number) else text
    return text


def _integer(text: str) -> int | str:
    """Parse an integer like Go's `ParseInt(text, 0, 64)`, but of any size: a leading 0 means octal.

    Decimal digits that are not octal, such as 08, are a decimal number: go-yaml reads them as a float, whose JSON is 8.
    A text that is not a number, such as 0b2, is returned as it is.
    """
    digits = text.replace("_", "").lower()
    try:
        if re.fullmatch(r"[-+]?0[0-9]+", digits):
            return int(digits, 10 if re.search("[89]", digits) else 8)
        return int(digits, 0)
    except ValueError:
        return text


class Composer:
    """Builds the documents of one text; `expanded` is the number of values that aliases have added so far."""

    def __init__(self, text: str, limits: Limits, alias_nodes: int) -> None:
        """Set the limit `alias_nodes`: the number of values that the aliases of this text may add."""
        self._text = text
        self._parser = yaml.CSafeLoader(text)
        self._limits = limits
        self._alias_nodes = alias_nodes
        self._values = 0
        self._anchors: dict[str, Any] = {}
        self.expanded = 0

    def documents(self) -> list[Any]:
        """Return the plain data of every document of the text. Raises DocumentError."""
        documents: list[Any] = []
        try:
            while not isinstance(event := self._parser.get_event(), StreamEndEvent):
                if isinstance(event, DocumentStartEvent):
                    self._anchors.clear()
                    documents.append(self._node(self._parser.get_event(), 0))
        except yaml.MarkedYAMLError as error:
            raise _from_yaml(error, self._text) from None
        except (yaml.YAMLError, UnicodeError) as error:
            raise DocumentError(Message("not valid YAML: {problem}", problem=" ".join(str(error).split()))) from None
        finally:
            self._parser.dispose()
        return documents

    def _node(self, event: Any, depth: int) -> Any:
        """Return the value that starts with `event`. Raises DocumentError."""
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth >= self._limits.depth:
            raise _at(event, Message("nested deeper than {depth} levels", depth=self._limits.depth))
        if event.tag and event.tag not in _COLLECTION_TAGS:
            raise _at(event, Message("the YAML tag {tag} is not supported", tag=event.tag))
        value = self._sequence(depth + 1) if kind is SequenceStartEvent else self._mapping(depth + 1)
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _scalar(self, event: ScalarEvent) -> Any:
        tag = event.tag
        if event.implicit[0]:
            is_text = len(event.value) > _LONGEST_NUMBER or event.value in _LETTERS
            value: Any = event.value if is_text else resolve_plain(event.value)
        elif tag is None or event.implicit[1] or tag in _STRING_TAGS:
            value = event.value
        elif tag in _PLAIN_TAGS:
            value = resolve_plain(event.value[:_LONGEST_NUMBER])
        else:
            raise _at(event, Message("the YAML tag {tag} is not supported", tag=tag))
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _alias(self, event: AliasEvent) -> Any:
        if event.anchor not in self._anchors:
            raise _at(
                event,
                Message(
                    "the alias *{anchor} refers to an anchor that is not above it in this document", anchor=event.anchor
                ),
            )
        value = self._anchors[event.anchor]
        self.expanded += _count_nodes(value)
        if self.expanded > self._alias_nodes:
            raise _at(
                event, Message("aliases add more than {alias_nodes} values", alias_nodes=self._limits.alias_nodes)
            )
        return value

    def _sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        next_event, node = self._parser.get_event, self._node
        while type(event := next_event()) is not SequenceEndEvent:
            self._values += 1
            if self._values > self._limits.values:
                raise self._too_many(event)
            items.append(node(event, depth))
        return items

    def _mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[Any] = []
        next_event, node, most = self._parser.get_event, self._node, self._limits.values
        while type(event := next_event()) is not MappingEndEvent:
            self._values += 1  # a key and its value count once, an item of a list too
            if self._values > most:
                raise self._too_many(event)
            key = self._key(event)
            value = node(next_event(), depth)
            if key is _MERGE:
                merged.append((event, value))
            elif key in result:
                raise _at(event, Message("the key {key} occurs twice in one mapping", key=show(key)))
            else:
                result[key] = value
        for event, value in merged:
            _merge(event, value, result)
        return result

    def _too_many(self, event: Any) -> DocumentError:
        return _at(event, Message("more than {values:,} values; that is the limit", values=self._limits.values))

    def _key(self, event: Any) -> Any:
        """Return a key as text, also one that is a boolean or a number; _MERGE for `<<`. Raises DocumentError."""
        if type(event) is ScalarEvent:
            if event.value == "<<" and event.implicit[0]:
                return _MERGE
            value = self._scalar(event)
            if type(value) is str:
                return value
        elif type(event) is AliasEvent:
            value = self._alias(event)
        else:
            if self._is_template(event.start_mark.line):
                raise _at(event, _TEMPLATE)
            raise _at(event, Message("a key must be a string, not a list or a mapping"))
        if value is None or isinstance(value, list | dict):
            raise _at(event, Message("a key must be a string"))
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _is_template(self, line: int) -> bool:
        """Return whether a line has an action of a Helm template."""
        return "{{" in _line(self._text, line)


_TEMPLATE = Message("this is a template; paste what `helm template` prints")


_NEAR = 500  # the number of lines that are searched for one with the same indentation


def _line(text: str, line: int) -> str:
    """Return the text of a line, counted from 0; "" if there is none."""
    return "".join(text.split("\n", line + 1)[line : line + 1])


def _indentation(text: str, line: int) -> Message | None:
    """Return a description of the line's invalid indentation; None if the indentation is not the cause of the error."""
    near = text.split("\n", line + 1)[: line + 1][-_NEAR:]
    written = [content for content in near if content.strip() and not content.lstrip().startswith("#")]
    if len(written) < 2:
        return None
    *earlier, before, here = [(len(content) - len(content.lstrip(" ")), content.strip()) for content in written]
    deeper = here[0] - before[0]
    if deeper > 0 and not before[1].endswith((":", "|", ">", "-", "|-", ">-")):
        return Message("this line is indented {n} deeper than the line above", n=deeper)
    levels = [indent for indent, _ in (*earlier, before)]
    if deeper < 0 and here[0] not in levels:
        return Message("no line above is indented by {n}, as this one is", n=here[0])
    return None


def _count_nodes(value: Any) -> int:
    """Return the number of values that an alias adds: the value itself, and all keys, items and values below it."""
    total, rest = 0, [value]
    while rest:
        item = rest.pop()
        total += 1
        if type(item) is dict:
            total += len(item)
            rest.extend(item.values())
        elif type(item) is list:
            rest.extend(item)
    return total


def _merge(event: Any, value: Any, result: dict[str, Any]) -> None:
    """Merge `<<: *anchor` into `result`, whose keys take precedence; of several mappings, the first with a key counts.

    Raises DocumentError if the value is neither a mapping nor a list of mappings.
    """
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
    here = _line(text, line)
    if here[column : column + 1] == "\t":
        return DocumentError(Message("a tab where YAML requires spaces"), line, column)
    if "{{" in here:
        return DocumentError(_TEMPLATE, line, column)
    if reason := _indentation(text, line):
        return DocumentError(Message("not valid YAML: {reason}", reason=reason), line, column)
    messages = [_LIBYAML.get(part, part) for part in (error.context, error.problem) if part]
    if len(messages) == 2:
        message = Message("not valid YAML: {context}, {problem}", context=messages[0], problem=messages[1])
    else:
        message = Message("not valid YAML: {problem}", problem=messages[0] if messages else "")
    return DocumentError(message, line, column)
