"""The bytes of a chunk as they are stored and sent: a 32-byte header and the chunk's JSON, compressed by zlib.

    offset  0  4 bytes  "KSU1"
            4  u16      SCHEMA_VERSION of the trace
            6  u16      flags; bit 0: the run's last chunk
            8  u32      seq, number of the chunk from 0
           12  u32      step of its first event
           16  u32      number of events
           20  u32      length of the JSON
           24  8 bytes  zero

All little-endian. Level 1 of isal takes a sixth of zlib's time and fewer bytes; higher levels save little more.
Stored frames may be older: schema 1 has whole keyframes and zlib's bytes. Their events read the same.
"""

import struct
from typing import NamedTuple

from isal import isal_zlib

from scheduler_core.trace.events import SCHEMA_VERSION, AnyEvent
from scheduler_core.trace.keyframe import TraceChunk, encode, events_in

HEADER = struct.Struct("<4sHHIIII8x")
MAGIC = b"KSU1"
LAST = 1
LEVEL = 1
MEDIA_TYPE = "application/vnd.kschedui.chunk"


class Header(NamedTuple):
    """What a frame says of itself before it is opened."""

    magic: bytes
    schema: int
    flags: int
    seq: int
    first_step: int
    events: int
    raw_length: int


def pack(chunk: TraceChunk) -> bytes:
    """The frame of a chunk; equal chunks give equal bytes."""
    raw = encode(chunk)
    header = HEADER.pack(
        MAGIC, SCHEMA_VERSION, LAST if chunk.last else 0, chunk.seq, chunk.first_step, len(chunk.events), len(raw)
    )
    return header + isal_zlib.compress(raw, LEVEL)


def header_of(frame: bytes) -> Header:
    """The header; ValueError when these are not the bytes of a frame."""
    if len(frame) < HEADER.size or not frame.startswith(MAGIC):
        raise ValueError("not a chunk frame")
    return Header._make(HEADER.unpack_from(frame))


def body_of(frame: bytes) -> bytes:
    """The chunk's JSON; ValueError when these are not the bytes of a frame."""
    header = header_of(frame)
    raw = isal_zlib.decompress(memoryview(frame)[HEADER.size :])
    if len(raw) != header.raw_length:
        raise ValueError("a chunk frame of another length than its header says")
    return raw


def events_of(frame: bytes) -> list[AnyEvent]:
    """The events that a frame carries."""
    return events_in(body_of(frame))
