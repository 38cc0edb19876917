"""The bytes of a chunk as they are stored and sent: a 32-byte header and the chunk's JSON, compressed in zlib's format.

    offset  0  4 bytes  "KSU1"
            4  u16      SCHEMA_VERSION of the trace
            6  u16      flags; bit 0: the run's last chunk, bit 1: there is a checksum
            8  u32      seq, number of the chunk from 0
           12  u32      step of its first event
           16  u32      number of events
           20  u32      length of the JSON
           24  u32      CRC-32 of the first 24 bytes and of everything after the header
           28  4 bytes  zero

All little-endian. Level 1 of isal takes a sixth of zlib's time and fewer bytes; higher levels save little more. Stored
frames may be older: schema 1 has complete keyframes and is compressed by zlib, and before engine 0.7.0 there was no
checksum. Their events are read in the same way.
"""

import struct
import zlib
from typing import NamedTuple

import msgspec
from isal import isal_zlib

from scheduler_core.trace.events import SCHEMA_VERSION, AnyEvent
from scheduler_core.trace.keyframe import TraceChunk, encode, events_in

HEADER = struct.Struct("<4sHHIIIII4x")
COVERED = 24  # bytes of the header that the checksum covers
MAGIC = b"KSU1"
LAST, CHECKED = 1, 2
LEVEL = 1
MEDIA_TYPE = "application/vnd.kschedui.chunk"


class DamagedFrame(ValueError):
    """The bytes are not a frame, or were changed after it was stored."""


class Header(NamedTuple):
    """The fields of a frame's header."""

    magic: bytes
    schema: int
    flags: int
    seq: int
    first_step: int
    events: int
    raw_length: int
    checksum: int


def pack(chunk: TraceChunk) -> bytes:
    """Return the frame of a chunk; equal chunks have equal bytes."""
    raw = encode(chunk)
    body = isal_zlib.compress(raw, LEVEL)
    flags = CHECKED | (LAST if chunk.last else 0)
    header = (MAGIC, SCHEMA_VERSION, flags, chunk.seq, chunk.first_step, len(chunk.events), len(raw))
    return HEADER.pack(*header, checksum_of(HEADER.pack(*header, 0), body)) + body


def checksum_of(header: bytes | memoryview, body: bytes | memoryview) -> int:
    """Return the checksum of the header's first fields and the body."""
    return zlib.crc32(body, zlib.crc32(header[:COVERED]))


def header_of(frame: bytes) -> Header:
    """Return the header. Raises DamagedFrame."""
    if len(frame) < HEADER.size or not frame.startswith(MAGIC):
        raise DamagedFrame("not a chunk frame")
    return Header._make(HEADER.unpack_from(frame))


def require_whole(frame: bytes) -> None:
    """Require that the frame is intact. Raises DamagedFrame.

    An older frame has no checksum, so it is decompressed instead: zlib's format contains one.
    """
    header = header_of(frame)
    if not header.flags & CHECKED:
        decompress(frame)
        return
    view = memoryview(frame)
    if checksum_of(view, view[HEADER.size :]) != header.checksum:
        raise DamagedFrame("a chunk frame of another checksum than its header says")


def decompress(frame: bytes) -> bytes:
    """Return the chunk's JSON; the frame's checksum is not checked. Raises DamagedFrame."""
    header = header_of(frame)
    reader = isal_zlib.decompressobj()
    try:
        raw: bytes = reader.decompress(memoryview(frame)[HEADER.size :], header.raw_length + 1)
    except isal_zlib.error as error:  # type: ignore[misc] # isal's types give an instance
        raise DamagedFrame(str(error)) from None
    if len(raw) != header.raw_length or not reader.eof:
        raise DamagedFrame("a chunk frame of another length than its header says")
    return raw


def body_of(frame: bytes) -> bytes:
    """Return the chunk's JSON, after checking the frame's checksum if it has one. Raises DamagedFrame."""
    if header_of(frame).flags & CHECKED:
        require_whole(frame)
    return decompress(frame)


def events_of(frame: bytes) -> list[AnyEvent]:
    """Return the events in a frame. Raises DamagedFrame."""
    raw = body_of(frame)
    try:
        return events_in(raw)
    except msgspec.DecodeError as error:
        raise DamagedFrame(str(error)) from None
