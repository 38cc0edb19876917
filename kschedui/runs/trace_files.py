"""A run's trace as the lines of a file, generated piece by piece.

Each class processes events in order and yields the bytes that they complete; its state in between is plain data, so
that the next piece can be generated in another process.
"""

from collections.abc import Iterator

import msgspec

from kschedui.runs import perfetto
from scheduler_core.trace.decisions import DecisionReader
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.keyframe import encode


class EventLines:
    """One event per line."""

    def take(self, event: AnyEvent) -> Iterator[bytes]:
        yield encode(event) + b"\n"

    def end(self) -> Iterator[bytes]:
        yield from ()


class DecisionLines:
    """One decision record per line (scheduler_core/trace/decisions.py)."""

    def __init__(self) -> None:
        self.reader = DecisionReader()

    def take(self, event: AnyEvent) -> Iterator[bytes]:
        for record in self.reader.take(event):
            yield msgspec.json.encode(record) + b"\n"

    def end(self) -> Iterator[bytes]:
        yield from ()


class PerfettoFile:
    """A trace for ui.perfetto.dev."""

    def __init__(self) -> None:
        self.trace = perfetto.Trace()
        self.before = '{"displayTimeUnit":"ms","traceEvents":[\n'

    def take(self, event: AnyEvent) -> Iterator[bytes]:
        for row in self.trace.take(event):
            yield self.write_part(row)

    def end(self) -> Iterator[bytes]:
        for row in self.trace.end():
            yield self.write_part(row)
        if self.before != ",\n":
            yield self.before.encode()
        yield b"\n]}\n"

    def write_part(self, row: perfetto.Row) -> bytes:
        before, self.before = self.before, ",\n"
        return before.encode() + msgspec.json.encode(row)


TraceFile = EventLines | DecisionLines | PerfettoFile
