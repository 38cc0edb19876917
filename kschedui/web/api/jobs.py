"""CPU-bound work for visitors, executed by the processes of `kschedui.work` with plain data as input and output.

Sentences are formatted in the active language, since templates are not transferred.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple, cast

import msgspec

from kschedui.ask.pod_histories import pods_named, run_history
from kschedui.ask.replay_words import reason
from kschedui.ask.unlike import first_unlike
from kschedui.ask.words import cause_words
from kschedui.experiments import plan as experiments
from kschedui.language import in_language, language
from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.trace_files import TraceFile
from kschedui.scenarios import diff, engine, file_text, yaml_text
from kschedui.scenarios.compact_yaml import write_all
from kschedui.scenarios.digest import Digest, as_scenario, digest_of, digest_of_read
from kschedui.scenarios.file_text import TooLong, refusal
from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.importers import simulator_export
from kschedui.scenarios.intake import import_source
from kschedui.scenarios.outside_plugins import registry
from kschedui.waiting.analysis import Follower, LeftBehind, may_leave_behind
from kschedui.waiting.others import has_messages
from kschedui.web.http import body_limit
from kschedui.work import progress
from kschedui.work.fetched import Fetched, packed
from scheduler_core import RunEnded
from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message, NotAnswerable
from scheduler_core.ask.challenge import AnswerVerdict, BadVariant, answer_in, variant_text, with_challenge
from scheduler_core.ask.challenge import judge as judge_answer
from scheduler_core.ask.compare import compare as runs_compared
from scheduler_core.ask.durations import Cause, Durations
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.text import set_seed as with_seed
from scheduler_core.ask.histories import Histories
from scheduler_core.ask.moments.moment import at_end
from scheduler_core.ask.replay.replaying import replay
from scheduler_core.ask.rule_values import evaluate_rules
from scheduler_core.ask.selector_matches import match_selectors
from scheduler_core.ask.without_cause import run_without
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.challenge import Challenge, Variant
from scheduler_core.scenario.parse import ParseWarning, Scenario, ScenarioErrors
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.keyframe import encode
from scheduler_core.trace.summaries import node_summary, pod_summary

LONGEST_MESSAGES = 200_000  # bytes of a text whose messages are explained
ONLY_MESSAGES = Message(
    "the text has no objects of a cluster, but messages of a scheduler or an autoscaler, which can be explained"
)
MAX_PART = 1024 * 1024  # bytes
READING, WRITING = 0.8, 0.88  # of the time of an import: until all is read, and until the text is written


class Refused(Exception):
    """An error with an HTTP status, and the errors as rows of a response."""

    def __init__(self, status: int, rows: list[dict[str, Any]]) -> None:
        super().__init__(status, rows)
        self.status = status
        self.rows = rows


@contextmanager
def refusing() -> Iterator[None]:
    """Convert errors in a text, a run or a question to Refused."""
    try:
        yield
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    except (BadVariant, NotPossible, RunEnded) as error:
        raise Refused(422, [{"message": in_language(error.sentence)}]) from None
    except NotAnswerable as error:
        raise Refused(404, [{"message": in_language(error.sentence)}]) from None


def check(text: str, pod: str = "") -> bytes:
    """Return the JSON of `POST /api/v1/check`; an invalid text is a result, not a failure."""
    try:
        read = as_scenario(text)
    except ScenarioErrors as errors:
        return refused_text(text, errors)
    return msgspec.json.encode(check_result(read.scenario, pod, read.imported.notes))


def refused_text(text: str, errors: ScenarioErrors) -> bytes:
    """Return the JSON for an invalid text."""
    summary: dict[str, Any] = {"nodes": [], "pods": []}
    rows = [engine.error_row(error) for error in simulator_export.name_format(errors, text, engine.limits())]
    warnings = [engine.warning_row(warning) for warning in errors.warnings]
    return msgspec.json.encode({"errors": rows, "warnings": warnings, "summary": summary})


def check_result(scenario: Scenario, pod: str = "", notes: Iterable[Message] = ()) -> dict[str, object]:
    """Return the result for a valid text; rules are evaluated for `pod`, or for the first pod to be scheduled.

    `notes`: the changes made to convert the text, which become warnings without a line.
    """
    nodes, pods = engine.nodes_and_pods(scenario)
    summary = {
        "nodes": [node_summary(node) for node in nodes],
        "pods": [pod_summary(item) for item in pods],
    }
    of_conversion = [ParseWarning(0, 0, "", note) for note in notes]
    warnings = [engine.warning_row(warning) for warning in (*of_conversion, *scenario.warnings)]
    values = evaluate_rules(scenario, pod, registry())
    selectors = match_selectors(scenario)
    evaluated = {**({"rules": values} if values else {}), **({"selectors": selectors} if selectors else {})}
    return {"errors": [], "warnings": warnings, "summary": summary, **evaluated}


def digest(text: str) -> Digest:
    """Return the data stored with a text. Raises Refused."""
    with refusing():
        return digest_of(text)


def digest_of_copy(text: str) -> Digest:
    """Return the digest of a stored text; its own text is left out if it equals the stored one. Raises Refused."""
    stored = digest(text)
    return stored._replace(text="", packed=b"") if stored.text == text else stored


class Converted(NamedTuple):
    """A dump converted to a scenario: its text, notes on the changes, the JSON of `check`, and the digest if it is
    valid.
    """

    text: str
    notes: list[str]
    checked: bytes
    digest: Digest | None


def convert(path: str, most: int) -> Converted:
    """Convert a dump in a file. Raises Refused."""
    with refusing():
        try:
            with open(path, "rb") as source, progress.within(0, READING):
                imported = import_source(cast(BinaryIO, ReadWithProgress(source)), Conversion(engine.limits(), most))
        except TooLong:
            raise Refused(413, [{"message": in_language(body_limit.too_large(most))}]) from None
        except ScenarioErrors:
            if has_only_messages(path):
                raise Refused(422, [{**engine.error_rows(refusal(ONLY_MESSAGES))[0], "explains": True}]) from None
            raise
    notes = [in_language(note) for note in imported.notes]
    try:
        with progress.within(WRITING, 1):
            parsed = engine.read(imported.text)
    except ScenarioErrors as errors:
        return Converted(imported.text, notes, refused_text(imported.text, errors), None)
    return Converted(
        imported.text, notes, msgspec.json.encode(check_result(parsed)), digest_of_read(imported.text, parsed)
    )


def has_only_messages(path: str) -> bool:
    """Return whether a short file contains messages that the page /decode/ explains."""
    with suppress(ScenarioErrors), open(path, "rb") as source:
        return has_messages("".join(file_text.texts(source, LONGEST_MESSAGES)))
    return False


class ReadWithProgress:
    """A file that reports the progress of reading it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = os.fstat(file.fileno()).st_size

    def read(self, size: int) -> bytes:
        """Return the next bytes of the file."""
        block = self.file.read(size)
        progress.report(self.file.tell() / max(1, self.size))
        return block


def compare(before: str, after: str) -> list[dict[str, Any]] | None:
    """Return the rows of `diff.compare`; None if the texts are too long for it."""
    return list(diff.compare(before, after)) if diff.comparable(before, after) else None


def compare_rows(before: str, after: str) -> bytes:
    """Return the JSON of `compare`."""
    return msgspec.json.encode(compare(before, after))


def explain(text: str, attempt: int, nodes: Sequence[str], kubernetes: str) -> bytes:
    """Return the JSON of an explanation. Raises Refused."""
    with refusing():
        return msgspec.json.encode(engine.explain(text, attempt, nodes or None, kubernetes))


def history(rid: str, name: str) -> bytes | None:
    """Return the JSON of a stored run's RunHistory, with the pod or the pods of the workload with this name.

    None if there is no such pod or workload; "" selects no pods.
    """
    histories = Histories()
    for frame in runs.all_frames(runs.by_id(rid)):
        for event in frames.events_of(frame):
            histories.take(event)
    keys = pods_named(name, histories) if name else []
    return None if name and not keys else msgspec.json.encode(run_history(keys, histories, in_language))


def left_behind(rid: str) -> LeftBehind:
    """Return the pods that are pending at the end of a stored run, and other pods worth attention.

    If this engine cannot run it to its end, the nearest nodes and the other pods are left out. Raises Refused.
    """
    follower = Follower()
    run = runs.by_id(rid)
    events = (event for frame in runs.all_frames(run) for event in frames.events_of(frame))
    for step, event in enumerate(events):
        follower.take(step, event)
    with refusing():
        scenario = engine.read_again(run.version.text, run.kubernetes_version)
    moment = None
    if follower.pending or follower.evictions or may_leave_behind(scenario):
        with suppress(RunEnded):
            moment = at_end(scenario, registry())
    return follower.left_behind(scenario, moment)


def times(rid: str, pods: Sequence[PodKey]) -> bytes:
    """Return the JSON of the Durations of pods in a stored run, in this order; pods that are not measured are
    left out.
    """
    durations = Durations()
    events = (event for frame in runs.all_frames(runs.by_id(rid)) for event in frames.events_of(frame))
    for step, event in enumerate(events):
        durations.take(step, event)
    return msgspec.json.encode([durations.of[pod] for pod in pods if pod in durations.of])


def times_without(text: str, kubernetes: str, pod: PodKey, cause: Cause) -> bytes:
    """Return the JSON of a WithoutCause. Raises Refused."""

    def run(changed: str) -> Iterator[AnyEvent]:
        return engine.simulate(engine.read(changed, kubernetes))

    with refusing():
        return msgspec.json.encode(run_without(cause, pod, text, run, write_all))


def replay_result(rid: str) -> bytes:
    """Return the JSON of a stored replay.

    `decisions` [{pod, time, verdict, node, nominated, message, reason, step}], and `scored`, `explained` and `weight`
    ({plugin, weight, explained} or null) of `replaying.Replay`.
    """
    result = replay(event for frame in runs.all_frames(runs.by_id(rid)) for event in frames.events_of(frame))
    decisions = [
        {
            "pod": decision.event.pod,
            "time": decision.event.seen,
            "verdict": decision.event.verdict,
            "node": decision.event.node,
            "nominated": decision.event.nominated_node,
            "message": decision.event.message,
            "reason": in_language(reason(decision.event)),
            "step": decision.step,
        }
        for decision in result.decisions
    ]
    weight = result.other_weight
    return msgspec.json.encode(
        {"decisions": decisions, "scored": result.scored, "explained": result.explained, "weight": weight}
    )


def part_of_file(file: TraceFile, run_frames: list[bytes], start: int, last: bool) -> tuple[Fetched, bytes, int]:
    """Return the file, packed, its next part, and the number of events of these frames that it now contains (0: all of
    them).

    A part ends after MAX_PART bytes: longer ones would block the web process.
    """
    body = bytearray()
    events = chain.from_iterable(map(frames.events_of, run_frames))
    for number, event in enumerate(islice(events, start, None), start + 1):
        for piece in file.take(event):
            body += piece
        if len(body) >= MAX_PART:
            return packed(file), bytes(body), number
    for piece in file.end() if last else ():
        body += piece
    return packed(file), bytes(body), 0


def part_of_chunk(frame: bytes, step: int, server_sent: bool) -> tuple[bytes, int]:
    """Return events of a chunk from a step on, and the step that follows them.

    One per line, or as server-sent events with their steps as ids; their JSON contains no line breaks. A part ends
    after MAX_PART bytes.
    """
    body, header = bytearray(), frames.header_of(frame)
    for at, event in enumerate(frames.events_of(frame), start=header.first_step):
        if at >= step:
            data = encode(event)
            body += b"id: %d\nevent: trace\ndata: %s\n\n" % (at, data) if server_sent else data + b"\n"
        if len(body) >= MAX_PART:
            return bytes(body), at + 1
    return bytes(body), header.first_step + header.events


def compare_runs(*sides: tuple[str, str]) -> bytes:
    """Return the JSON {cause, comparison, unlike} for two runs, each given as (text, release). Raises Refused.

    `cause` explains the first different decision in words; "" if all are the same. `unlike` is then the first other
    difference, null if there is none.
    """
    with refusing():
        simulations = [partial(engine.simulate, engine.read_again(*side)) for side in sides]
        comparison = runs_compared(*simulations)
        unlike = first_unlike(*simulations) if comparison.first is None else None
    cause = in_language(cause_words(comparison.first.cause)) if comparison.first else ""
    return msgspec.json.encode({"cause": cause, "comparison": comparison, "unlike": unlike})


def refused_releases(text: str) -> dict[str, str]:
    """Return the releases that reject a text, with the first error of each."""
    refused = {}
    for release in RELEASES:
        try:
            engine.read_again(text, release)
        except ScenarioErrors as errors:
            first = engine.error_rows(errors)[0]
            refused[release] = f"{first['path']}: {first['message']}" if first["path"] else first["message"]
    return refused


def experiment_trouble(text: str, kubernetes: str, factors: Any) -> tuple[str, str, str] | None:
    """Return the first level that is invalid for the scenario on its own: its factor, its label, the error; None if all
    are valid.
    """
    trouble = experiments.first_invalid_level(text, kubernetes, factors)
    return None if trouble is None else (trouble[0], trouble[1], in_language(trouble[2]))


def experiment_run(text: str, factors: Any, number: int) -> tuple[Digest | None, str]:
    """Return the digest of the text of an experiment's run (None: it is the scenario's own text), and the run's
    release.

    Raises Refused.
    """
    with refusing():
        cell_text, release = experiments.text_of_cell(text, factors, number)
        return digest_of(cell_text) if cell_text != text else None, release


def list_choices(text: str) -> dict[str, Any]:
    """Return everything that the form of an experiment can vary. Raises Refused."""
    with refusing():
        return experiments.list_choices(engine.read_again(text))


def judge(text: str, challenge: str, answer: str) -> dict[str, Any]:
    """Return the result of an answer to a challenge for each variant (shapes.Judged). Raises Refused.

    Only the answer's documents of the requested kinds are used.
    """
    with refusing():
        engine.read(answer)
    parsed = engine.read(with_challenge(text, challenge)).challenge
    assert parsed is not None
    documents = answer_in(answer, parsed.asks)
    with refusing():
        verdicts = list(judge_answer(text, parsed, documents, engine.read, engine.simulate))
    first = next((verdict for verdict in verdicts if not verdict.holds), None)
    rows = [
        {
            "number": verdict.number + 1,
            "title": _title(verdict.variant) if verdict.holds or verdict is first else "",
            "holds": verdict.holds,
            "held": verdict.held,
            "seeds": verdict.seeds,
        }
        for verdict in verdicts
    ]
    return {
        "solved": first is None,
        "held": sum(verdict.holds for verdict in verdicts),
        "variants": rows,
        "first": None if first is None else _failure(text, parsed, documents, first),
    }


def _title(variant: Variant | None) -> str:
    if variant is None:
        return ""
    return (variant.title_zh if language() != "en" else "") or variant.title


def _failure(text: str, challenge: Challenge, answer: str, verdict: AnswerVerdict) -> dict[str, Any]:
    """Return {number, seed, unmet, text} of the first variant that fails; the text can be run."""
    played = variant_text(text, challenge, answer, verdict.variant, verdict.seed, lambda data: write_all([data]))
    reasons = [in_language(sentence) for sentence in verdict.unmet]
    return {"number": verdict.number + 1, "seed": verdict.seed, "unmet": reasons, "text": played}


def digest_with_seed(text: str, seed: int) -> Digest:
    """Return the digest of a text with another seed for ties. Raises Refused."""
    return digest(with_seed(text, seed, yaml_text.write))


def manifest(text: str, kind: str, namespace: str, name: str) -> str | None:
    """Return an object's YAML; None if the text does not contain it. Raises Refused."""
    try:
        document = engine.manifest(text, kind, namespace, name)
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    return None if document is None else yaml_text.write(document)
