"""What takes long enough to be done in a process of its own (`kschedui.web.heavy`): plain data in and out.

Sentences come out in the language that is active, since templates do not travel.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from kschedui.ask.unlike import first_unlike
from kschedui.ask.words import cause_words
from kschedui.experiments import plan as experiments
from kschedui.language import spoken
from kschedui.runs import frames
from kschedui.scenarios import diff, engine, importers, yaml_text
from kschedui.scenarios.across_releases import Outcome, outcomes
from kschedui.scenarios.digest import Digest, digest_of
from kschedui.scenarios.importers import simulator_export
from kschedui.scenarios.importers.reading.file_text import TooLong
from kschedui.waiting.analysis import Follower, dumped_messages
from kschedui.web.http import body_limit
from scheduler_core import RunEnded
from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.ask.compare import compare as runs_compared
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.text import seeded as with_seed
from scheduler_core.scenario.parse import Scenario, ScenarioErrors
from scheduler_core.trace.summaries import node_summary, pod_summary


class Refused(Exception):
    """A status and what goes with it as `errors`."""

    def __init__(self, status: int, rows: list[dict[str, Any]]) -> None:
        super().__init__(status, rows)
        self.status = status
        self.rows = rows


def check(text: str) -> bytes:
    """The JSON that `POST /api/v1/check` answers; a text that is refused is an answer, not a failure."""
    try:
        return msgspec.json.encode(checked(engine.read(text)))
    except ScenarioErrors as errors:
        summary: dict[str, Any] = {"nodes": [], "pods": []}
        rows = [engine.error_row(error) for error in simulator_export.named(errors, text, engine.limits())]
        return msgspec.json.encode({"errors": rows, "warnings": [], "summary": summary})


def checked(scenario: Scenario) -> dict[str, object]:
    """The answer for a good text."""
    nodes, pods = engine.nodes_and_pods(scenario)
    summary = {
        "nodes": [node_summary(node) for node in nodes],
        "pods": [pod_summary(pod) for pod in pods],
    }
    return {"errors": [], "warnings": [engine.warning_row(found) for found in scenario.warnings], "summary": summary}


def digest(text: str) -> Digest:
    """What is kept beside a text; raises Refused."""
    try:
        return digest_of(text)
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None


def convert(path: str, most: int) -> tuple[str, list[str]]:
    """A dump in a file as a scenario's text, and notes; raises Refused."""
    try:
        with open(path, "rb") as source:
            found = importers.convert(source, engine.limits(), most)
    except TooLong:
        raise Refused(413, [{"message": spoken(body_limit.too_large(most))}]) from None
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    return found.text, [spoken(note) for note in found.notes]


def compare(before: str, after: str) -> list[dict[str, Any]]:
    """The rows of `diff.compare`."""
    return list(diff.compare(before, after))


def compared(before: str, after: str) -> bytes:
    """The JSON that `POST .../compare` answers."""
    rows = compare(before, after) if diff.comparable(before, after) else None
    return msgspec.json.encode({"text": before, "rows": rows})


def across_releases(text: str) -> list[Outcome]:
    """What comes of the text on every release, newest first."""
    return outcomes(text)


def explain(text: str, attempt: int, nodes: Sequence[str], kubernetes: str) -> bytes:
    """The JSON of an explanation; raises Refused."""
    try:
        return msgspec.json.encode(engine.explain(text, attempt, nodes or None, kubernetes))
    except RunEnded as error:
        raise Refused(422, [{"message": spoken(error.sentence)}]) from None
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    except NotAnswerable as error:
        raise Refused(404, [{"message": spoken(error.sentence)}]) from None


def waiting(run_frames: list[bytes], text: str) -> bytes:
    """The JSON of the pods that a stored run leaves waiting, a list of WaitingPod."""
    follower = Follower()
    events = (event for frame in run_frames for event in frames.events_of(frame))
    for step, event in enumerate(events):
        follower.take(step, event)
    try:
        return msgspec.json.encode(follower.waiting(dumped_messages(engine.read_again(text))))
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None


def compare_runs(*sides: tuple[str, str]) -> bytes:
    """The JSON of the `Comparison` of two runs, each (text, release), its cause in words, and where runs differ that
    decide the same (`unlike`); raises Refused."""
    try:
        runs = [partial(engine.simulate, engine.read_again(*side)) for side in sides]
        found = runs_compared(*runs)
        unlike = first_unlike(*runs) if found.first is None else None
    except RunEnded as error:
        raise Refused(422, [{"message": spoken(error.sentence)}]) from None
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    cause = spoken(cause_words(found.first.cause)) if found.first else ""
    return msgspec.json.encode({"cause": cause, "comparison": found, "unlike": unlike})


def experiment_trouble(text: str, kubernetes: str, factors: Any) -> tuple[str, str, str] | None:
    """The first level that a scenario does not take by itself: its factor, its label, and why not."""
    found = experiments.trouble(text, kubernetes, factors)
    return None if found is None else (found[0], found[1], spoken(found[2]))


def experiment_run(text: str, factors: Any, number: int) -> tuple[str, str]:
    """The text and the release of a run of an experiment; raises Refused."""
    try:
        return experiments.opened(text, factors, number)
    except NotPossible as error:
        raise Refused(422, [{"message": spoken(error.sentence)}]) from None


def offered(text: str) -> dict[str, Any]:
    """What the form of an experiment offers to vary; raises Refused."""
    try:
        return experiments.offered(engine.read_again(text))
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None


def seeded(text: str, seed: int) -> Digest:
    """The digest of a text whose run draws ties with another seed; raises Refused."""
    return digest(with_seed(text, seed, yaml_text.write))


def manifest(text: str, kind: str, namespace: str, name: str) -> str | None:
    """An object's YAML, if the text has it; raises Refused."""
    try:
        found = engine.manifest(text, kind, namespace, name)
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    return None if found is None else yaml_text.write(found)
