"""Bytes or text to the objects that are read of them: YAML or JSON, several dumps one after another, gzip, cut off.

Only what is kept is ever held as data: an object of a dump loses what scheduling does not read before the next is read.
"""

from __future__ import annotations

import codecs
import io
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from kschedui.scenarios.importers.reading import json_dump
from kschedui.scenarios.importers.reading.left_out import KIND as LEFT_OUT
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.line_filter import Unsure, kept_lines
from kschedui.scenarios.importers.reading.pruning import Manifest, pruned
from kschedui.scenarios.importers.reading.yaml_pieces import Piece, pieces
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits, ScenarioError, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems, TooManyProblems

GZIP = b"\x1f\x8b"
BLOCK = 1 << 20


class TooLong(ScenarioErrors):
    """The text has more bytes than are read."""


@dataclass
class Dump:
    """What was read, and what was left out."""

    objects: list[Manifest] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)

    def take(self, found: Any, parent: Manifest | None = None) -> None:
        """An object, an item of a list, or the counts that the browser sends along."""
        if not isinstance(found, dict):
            return
        if parent and "kind" not in found and str(parent.get("kind", "")).endswith("List"):
            kind = str(parent["kind"]).removesuffix("List")
            found = {"apiVersion": parent.get("apiVersion"), "kind": kind, **found}
        if found.get("kind") == LEFT_OUT:
            self.left_out.add(found)
        elif isinstance(found.get("items"), list) and str(found.get("kind", "")).endswith("List"):
            for item in found["items"]:
                self.take(item, found)
        elif kept := pruned(found, self.left_out):
            self.objects.append(kept)


def read_dump(source: str | BinaryIO, limits: Limits) -> Dump:
    """Everything that is read of a dump; raises ScenarioErrors. `limits.bytes` is of the text, unpacked."""
    dump = Dump()
    blocks = _texts(source, limits.bytes)
    first = next((block for block in blocks if block.strip()), "")
    whole = _joined(first, blocks)
    if first.lstrip()[:1] in ("{", "["):
        rest = json_dump.read("".join(whole), dump.take, dump.left_out)
        whole = iter([rest])
    _read_yaml(_lines(whole), dump, limits)
    if len(dump.objects) > limits.documents:
        sentence = Message("more than {documents:,} documents; that is the limit", documents=limits.documents)
        raise refusal(sentence)
    return dump


def refusal(sentence: Message, line: int = 0) -> ScenarioErrors:
    """A refusal of the whole text, or of a line."""
    return ScenarioErrors([ScenarioError("", line, sentence)])


def _joined(first: str, blocks: Iterable[str]) -> Iterator[str]:
    yield first
    yield from blocks


def _texts(source: str | BinaryIO, most: int) -> Iterator[str]:
    """The text in blocks; raises ScenarioErrors when it is no text or too long."""
    if isinstance(source, str):
        size = len(source.encode("utf-8", "replace")) if not source.isascii() else len(source)
        _check_size(size, most)
        yield source.removeprefix("\ufeff")
        return
    decoder = io.IncrementalNewlineDecoder(_utf8(), translate=False)
    size = 0
    for block in _unpacked(source):
        size += len(block)
        _check_size(size, most)
        try:
            yield decoder.decode(block)
        except UnicodeDecodeError:
            raise refusal(Message("this is no text in UTF-8")) from None
    try:
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return  # cut off within a character


def _utf8() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8-sig")()


def _check_size(size: int, most: int) -> None:
    if size > most:
        message = Message("the text has more than {most:,} bytes; that is the limit", most=most)
        raise TooLong([ScenarioError("", 0, message)])


def _unpacked(source: BinaryIO) -> Iterator[bytes]:
    """Blocks of the file, unpacked if gzip packed it; a packed file that is cut off gives what there is of it."""
    block = source.read(BLOCK)
    if not block.startswith(GZIP):
        while block:
            yield block
            block = source.read(BLOCK)
        return
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    while block:
        try:
            yield unpacker.decompress(block, BLOCK * 4)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, BLOCK * 4)
        except zlib.error:
            raise refusal(Message("this is packed by gzip, and it is damaged")) from None
        if unpacker.eof and unpacker.unused_data:
            block, unpacker = unpacker.unused_data, zlib.decompressobj(16 + zlib.MAX_WBITS)
        else:
            block = source.read(BLOCK)


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """Lines without their ends."""
    rest = ""
    for block in blocks:
        parts = (rest + block).split("\n")
        rest = parts.pop()
        for line in parts:
            yield line[:-1] if line.endswith("\r") else line
    if rest:
        yield rest


def _read_yaml(lines: Iterator[str], dump: Dump, limits: Limits) -> None:
    """YAML documents; a document in JSON among them too."""
    kept: list[str] = []
    numbers = array("L")  # of each kept line in the file
    whole = 0
    last: Piece | None = None
    for piece in pieces(lines):
        last = piece
        if piece.cut:
            dump.left_out.cut = [piece.last_line, whole + len(dump.objects)]
            continue
        made = _kept(piece, dump.left_out)
        if made is None:
            continue
        whole += 1
        kept.append("---")
        kept.extend(made[0])
        numbers.append(piece.first_line)
        numbers.extend(piece.first_line + number for number in made[1])
    problems = Problems()
    documents = []
    with suppress(TooManyProblems):
        documents = read_documents("\n".join(kept), limits, problems)
    if errors := problems.errors():
        raise ScenarioErrors([_placed(error, numbers, last) for error in errors])
    del kept
    for document in documents:
        dump.take(document.data)


def _kept(piece: Piece, left_out: LeftOut) -> tuple[list[str], Iterable[int]] | None:
    """The lines that are read, with their numbers in the piece; all of them where only parsing can tell."""
    if piece.typed:
        try:
            return kept_lines(piece.lines, left_out, piece.parent_kind)
        except Unsure:
            pass
    return piece.lines, range(len(piece.lines))


def _placed(error: ScenarioError, numbers: array[int], last: Piece | None) -> ScenarioError:
    """The error at its line of the file; one at the very end is that of a text which is cut off."""
    line = numbers[min(error.line, len(numbers)) - 1] if error.line and numbers else error.line
    if last is not None and line >= last.last_line and last.last_line > 1:
        message = Message("the text is cut off here, or not finished: {reason}", reason=error.message)
        return ScenarioError(error.path, line, message, error.document, error.column)
    return ScenarioError(error.path, line, error.message, error.document, error.column)
