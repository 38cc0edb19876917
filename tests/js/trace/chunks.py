"""Print the chunks of scenarios as JSON lines `{"file", "chunk"}`, so small that each kind of event is next to a
boundary."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from scheduler_core import chunked, parse_scenario, simulate
from scheduler_core.releases import RELEASES

SIZES = (7,) * 100


def main(files: list[str]) -> None:
    for file in files:
        release = RELEASES["1.18"] if Path(file).parent.name == "older" else None
        scenario = parse_scenario(Path(file).read_text(), release=release)
        for chunk in chunked(simulate(scenario), SIZES):
            sys.stdout.write(msgspec.json.encode({"file": file, "chunk": chunk}).decode() + "\n")


main(sys.argv[1:])
