"""Print the questions and captions of each lesson in both languages, and the chunks of its run, as JSON lines {"slug",
"questions", "captions", "chunks"}."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import msgspec

from scheduler_core import chunked, parse_scenario, simulate

MAX_STEPS = 6000  # a lesson asks about its beginning


def main(files: list[str]) -> None:
    for file in files:
        scenario = parse_scenario(Path(file).read_text(encoding="utf-8"))
        events = itertools.islice(simulate(scenario), MAX_STEPS)
        lesson = scenario.lesson
        row = {"slug": Path(file).stem, "questions": lesson.questions, "captions": lesson.captions}
        row["chunks"] = list(chunked(events))
        sys.stdout.write(msgspec.json.encode(row).decode() + "\n")


main(sys.argv[1:])
