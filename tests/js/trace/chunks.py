"""Print the chunks of scenarios as JSON lines `{"file", "chunk"}`, cut small: each kind of event meets an edge."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from scheduler_core import chunked, parse_scenario, simulate

SIZES = (7,) * 100


def main(files: list[str]) -> None:
    for file in files:
        for chunk in chunked(simulate(parse_scenario(Path(file).read_text())), SIZES):
            sys.stdout.write(msgspec.json.encode({"file": file, "chunk": chunk}).decode() + "\n")


main(sys.argv[1:])
