"""Parses the text of a dump to objects: YAML or JSON, several dumps one after another, truncated files.

Memory holds only the data that is kept: each object is pruned before the next is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from kschedui.scenarios.file_text import refusal
from kschedui.scenarios.importers.reading import json_dump
from kschedui.scenarios.importers.reading.left_out import KIND as LEFT_OUT
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import Manifest, name_of_kind, prune, type_of_kind
from kschedui.scenarios.importers.reading.source import Source
from kschedui.scenarios.importers.reading.yaml_pieces import Piece, pieces
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits, ScenarioError, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems, TooManyProblems

BETWEEN = re.compile(r"\s*(?:---[ \t]*(?=\r?\n|\Z)\s*)*")
LONGEST_MARKER = 80
JSON = re.compile(r"\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z)")
DESCRIBED = re.compile(r"Name: {2,}\S[^\n]*\n[A-Z][\w ]*: {2,}")
TABLE = re.compile(r"(?:NAMESPACE|NAME|LAST SEEN) {2,}[A-Z]")
HEAD = re.compile(r"""\n(apiVersion|kind): *(["']?)([\w./-]+)\2[^\S\n]*(?=\n|\Z)""", re.ASCII)
MAX_ERRORS = 20


class Dump(msgspec.Struct):
    """The objects that were read, and counts of what was left out."""

    objects: list[Manifest] = []
    left_out: LeftOut = msgspec.field(default_factory=LeftOut)

    def take(self, manifest: Any, parent: Manifest | None = None) -> None:
        """Add an object, the items of a List, or the counts that the browser sends; ignore data of any other form."""
        if not isinstance(manifest, dict):
            return
        if parent and "kind" not in manifest and str(parent.get("kind", "")).endswith("List"):
            kind = str(parent["kind"]).removesuffix("List")
            manifest = {"apiVersion": parent.get("apiVersion"), "kind": kind, **manifest}
        if manifest.get("kind") == LEFT_OUT:
            self.left_out.add(manifest)
        elif isinstance(manifest.get("items"), list) and str(manifest.get("kind", "")).endswith("List"):
            for item in manifest["items"]:
                self.take(item, manifest)
        elif kept := prune(manifest, self.left_out):
            self.objects.append(kept)


def read_dump(blocks: Iterable[str], limits: Limits) -> Dump:
    """Read a dump, whose text comes in blocks. Raises ScenarioErrors."""
    dump = Dump()
    text = Source(blocks, dump.left_out)
    reading = YamlReading(text, dump, limits)
    while has_more(text):
        if TABLE.match(text.text, text.at):
            raise refusal(Message("this is a table; run kubectl with -o yaml or -o json"), text.line_here)
        if DESCRIBED.match(text.text, text.at):
            raise refusal(Message("this is the output of kubectl describe; run kubectl get with -o yaml or -o json"))
        if JSON.match(text.text, text.at):
            json_dump.read(text, dump.take, dump.left_out)
        else:
            reading.read()
        if len(dump.objects) > limits.documents:
            sentence = Message("more than {documents:,} documents; that is the limit", documents=limits.documents)
            raise refusal(sentence)
    reading.finish()
    return dump


def has_more(source: Source) -> bool:
    """Advance to the next character that is neither space nor a document marker. Return False at the end."""
    while True:
        match = BETWEEN.match(source.text, source.at)
        source.at = match.end() if match else source.at
        if source.at < len(source.text) - LONGEST_MARKER:
            return True
        if not source.more():
            return source.at < len(source.text)


class YamlReading:
    """Reads the YAML of a dump, each object on its own, so that an error in one does not affect the others."""

    def __init__(self, source: Source, dump: Dump, limits: Limits) -> None:
        self.source, self.dump, self.limits = source, dump, limits
        self.number = 0  # of objects
        self.errors: list[ScenarioError] = []

    def read(self) -> None:
        """Read the text up to the end of its YAML. Raises ScenarioErrors after more than MAX_ERRORS errors."""
        last: Piece | None = None
        before = len(self.errors)
        for piece in pieces(self.source.runs(), self.source.line_here, self.source.back):
            last = piece
            self.number += 1
            if piece.cut:
                self.dump.left_out.cut = [piece.last_line, len(self.dump.objects)]
            else:
                before_it = len(self.dump.objects)
                self.take(piece)
                if piece.lacks and len(self.dump.objects) > before_it:
                    self.dump.left_out.lacks = [piece.last_line, piece.lacks]
            if len(self.errors) > MAX_ERRORS:
                raise ScenarioErrors(self.errors)
        self.errors[before:] = [_with_place(error, last) for error in self.errors[before:]]

    def take(self, piece: Piece) -> None:
        """Parse an object, unless its kind is not read."""
        version, kind = head_of(piece.text)
        if kind and not kind.endswith("List") and not type_of_kind(version, kind):
            self.dump.left_out.kinds[name_of_kind(version, kind)] += 1
            return
        problems = Problems()
        with suppress(TooManyProblems):
            for document in read_documents(piece.text, self.limits, problems):
                self.dump.take(document.data)
        for error in problems.errors():
            line = piece.first_line + max(error.line, 1) - 1
            self.errors.append(ScenarioError(error.path, line, error.message, self.number, error.column))

    def finish(self) -> None:
        """Raise ScenarioErrors if there were errors."""
        if self.errors:
            raise ScenarioErrors(self.errors)


def head_of(text: str) -> tuple[str, str]:
    """Return (apiVersion, kind) of an object in block style; "" if absent."""
    head = {match[1]: match[3] for match in HEAD.finditer("\n" + text)}
    return head.get("apiVersion", ""), head.get("kind", "")


def _with_place(error: ScenarioError, last: Piece | None) -> ScenarioError:
    """Return the error; at the very end of the text, its message says that the text is truncated."""
    is_unread = isinstance(error.message, Message) and error.message.template.startswith("not valid YAML")
    if last is None or error.line < last.last_line or last.last_line <= 1 or not is_unread:
        return error
    message = Message("the text is truncated or incomplete here: {reason}", reason=error.message)
    return ScenarioError(error.path, error.line, message, error.document, error.column)
