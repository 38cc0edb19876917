"""Print the chunks of scenarios as JSON lines `{"file", "chunk"}`, cut small: each kind of event meets an edge."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import msgspec

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.fold import apply, empty_keyframe, snapshot
from scheduler_core.trace.keyframe import TraceChunk

EVENTS = 7


def main(files: list[str]) -> None:
    for file in files:
        events = iter(simulate(parse_scenario(Path(file).read_text())))
        keyframe, seq = empty_keyframe(), 0
        while True:
            piece = list(islice(events, EVENTS))
            chunk = TraceChunk(seq, keyframe.step, snapshot(keyframe), piece, last=not piece)
            sys.stdout.write(msgspec.json.encode({"file": file, "chunk": chunk}).decode() + "\n")
            for event in piece:
                apply(keyframe, event)
            if not piece:
                break
            seq += 1


main(sys.argv[1:])
