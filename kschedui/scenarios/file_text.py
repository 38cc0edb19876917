"""Decodes a file's bytes to text in blocks: the first stage from a text to a scenario (`intake`).

Gzip is decompressed; other archives and binary formats are rejected by name.

`static/js/intake/file_text.js` does the same in the browser.
"""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from kschedui.scenarios.kinds_of_text import GZIP, UTF_16
from kschedui.work import progress
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioError, ScenarioErrors

BLOCK = 1 << 16
UNPACKED = 1 << 20
# What other archives begin with, and where.
ARCHIVES = (
    ("zip", 0, b"PK\x03\x04"),
    ("bzip2", 0, b"BZh"),
    ("xz", 0, b"\xfd7zXZ"),
    ("zstd", 0, b"\x28\xb5\x2f\xfd"),
    ("tar", 257, b"ustar"),
)


class TooLong(ScenarioErrors):
    """The text is longer than the limit."""


def refusal(sentence: Message, line: int = 0) -> ScenarioErrors:
    """Return an error for the whole text, or for a line."""
    return ScenarioErrors([ScenarioError("", line, sentence)])


def whole_text(source: str | bytes, most: int) -> str:
    """Return the text. Raises ScenarioErrors if it is not text, or TooLong."""
    if isinstance(source, bytes):
        return "".join(texts(io.BytesIO(source), most))
    _check_size(len(source) if source.isascii() else len(source.encode("utf-8", "replace")), most)
    return source.removeprefix("\ufeff")


def blocks_of(text: str) -> Iterator[str]:
    """Yield a text in blocks, and report the progress."""
    for start in range(0, len(text), BLOCK):
        yield text[start : start + BLOCK]
        progress.report(min(1.0, (start + BLOCK) / len(text)))


def texts(source: BinaryIO, most: int) -> Iterator[str]:
    """Yield the text of a file in blocks. Raises ScenarioErrors if it is not text, or TooLong."""
    decoder: io.IncrementalNewlineDecoder | None = None
    size = 0
    for block in _unpack(source):
        size += len(block)
        _check_size(size, most)
        if decoder is None:
            _refuse_archive(block)
            decoder = io.IncrementalNewlineDecoder(_decoder(block), translate=False)
        yield _decode(decoder, block)
    if decoder is not None:
        _decode(decoder, b"", final=True)


def _decoder(start: bytes) -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-16" if start.startswith(UTF_16) else "utf-8-sig")()


def _decode(decoder: io.IncrementalNewlineDecoder, block: bytes, *, final: bool = False) -> str:
    """Return the text of a block. Raises ScenarioErrors if it is not UTF-8 or UTF-16, or ends within a character."""
    try:
        return decoder.decode(block, final=final)
    except UnicodeDecodeError:
        raise refusal(Message("this is not text in UTF-8 or UTF-16")) from None


def _check_size(size: int, most: int) -> None:
    if size > most:
        message = Message("the text has more than {most:,} bytes; that is the limit", most=most)
        raise TooLong([ScenarioError("", 0, message)])


def _refuse_archive(start: bytes) -> None:
    kind = next((name for name, at, mark in ARCHIVES if start[at:].startswith(mark)), "")
    if start.startswith(GZIP):
        kind = "gzip"
    if kind:
        message = Message(
            "this is a {kind} file; extract it first (only a single level of gzip is supported)", kind=kind
        )
        raise refusal(message)


def _unpack(source: BinaryIO) -> Iterator[bytes]:
    """Yield the blocks of the file, decompressed if it is gzip; of a truncated gzip file, yield the part that is there.

    Raises ScenarioErrors for a damaged gzip file.
    """
    block = source.read(BLOCK)
    if not block.startswith(GZIP):
        while block:
            yield block
            block = source.read(BLOCK)
        return
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    while block:
        try:
            if data := unpacker.decompress(block, UNPACKED):
                yield data
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, UNPACKED)
        except zlib.error:
            raise refusal(Message("this gzip file is damaged")) from None
        block = unpacker.unused_data if unpacker.eof and unpacker.unused_data else source.read(BLOCK)
        if unpacker.eof:
            unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
