"""One scenario on every release: its outcome, and the first decision that differs from the next newer release."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import msgspec

from kschedui.language import in_language
from kschedui.scenarios import engine
from scheduler_core import RunEnded, decisions
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import ScenarioErrors

MAX_ATTEMPTS = 400  # of each release; a longer run is opened instead
FIELDS = ("time", "pod", "outcome", "node", "message", "preemption", "totals", "scores", "filter")

Record = dict[str, Any]


class Outcome(msgspec.Struct):
    """The outcome of a scenario on a release. `letters`: the initial of each attempt's outcome, such as Scheduled.

    `refused`: the reason why the release rejects the scenario, or why its run ended early. `differs`: the number of the
    first attempt that differs from the next newer release (0: none); `pod`: its pod; `before` and `after`: its node or
    outcome on the newer release and on this one ("-": no such attempt), and `placed_alike`: whether these are equal.
    `cut`: only the first attempts were compared, and no pods were counted.
    """

    version: str
    letters: str = ""
    bound: int = 0
    waiting: int = 0
    deleted: int = 0
    refused: str = ""
    differs: int = 0
    pod: str = ""
    before: str = ""
    after: str = ""
    placed_alike: bool = True
    cut: bool = False


def outcomes(text: str) -> list[Outcome]:
    """Return the outcome on every release, newest first."""
    results: list[Outcome] = []
    newer: list[Record] = []
    for version in reversed(RELEASES):
        outcome = Outcome(version)
        records = _records(text, outcome)
        if results and not outcome.refused and not results[-1].refused:
            _compare(outcome, newer, records)
        results.append(outcome)
        newer = records
    return results


def _records(text: str, outcome: Outcome) -> list[Record]:
    """Return the attempts of a run on the outcome's release, and set the outcome's counts, letters or refusal."""
    records: list[Record] = []
    try:
        for record in decisions(engine.simulate(engine.read(text, outcome.version))):
            if "final" in record:
                final = record["final"]
                outcome.bound, outcome.deleted = len(final["bound"]), len(final["deleted"])
                outcome.waiting = len(final["pending"])
            elif len(records) == MAX_ATTEMPTS:
                outcome.cut = True
                break
            elif "attempt" in record:  # and no pod group's, whose members have attempts
                records.append(record)
    except ScenarioErrors as errors:
        outcome.refused = in_language(errors.errors[0].message)
    except RunEnded as error:
        outcome.refused = in_language(error.sentence)
    outcome.letters = "".join(record["outcome"][0] for record in records)
    return records


def _compare(outcome: Outcome, newer: list[Record], older: list[Record]) -> None:
    """Set the fields of the outcome about its first attempt that differs from the next newer release."""
    nothing: Record = {}
    for number, (new, other) in enumerate(zip_longest(newer, older, fillvalue=nothing), 1):
        if any(new.get(name) != other.get(name) for name in FIELDS):
            outcome.differs, outcome.pod = number, str(other.get("pod") or new.get("pod"))
            outcome.before, outcome.after = _outcome_text(new), _outcome_text(other)
            outcome.placed_alike = outcome.before == outcome.after
            return


def _outcome_text(record: Record) -> str:
    if not record:
        return "-"
    return str(record.get("node") or record["outcome"])
