"""Data stored with a text: parsed once, as plain data that another process can read."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from kschedui.scenarios import engine, importers, kinds_of_text
from kschedui.scenarios.imported import IMPORTED
from kschedui.scenarios.importers.origins import errors_at_source
from kschedui.scenarios.importers.reading import raw_text
from kschedui.scenarios.prose import clean_title, markdown_html
from kschedui.work import progress
from scheduler_core.apis.messages import Message
from scheduler_core.ask.challenge import split_challenge
from scheduler_core.scenario.lesson import Lesson
from scheduler_core.scenario.parse import Scenario, ScenarioErrors

CLEANING = 0.8  # of the time of a text that a cluster printed


class Digest(NamedTuple):
    """A parsed text.

    `text` lacks the fields of a cluster's output that scheduling does not read, and its `challenge`.
    """

    text: str
    title: str  # "" when it has none
    hidden: bool  # a cluster printed it: it is private
    summary: dict[str, Any]  # engine.summary
    pods: int  # at the start
    lesson: dict[str, Any]  # the scenario's texts
    description: dict[str, str]  # their description as safe HTML, by language
    challenge: str = ""
    packed: bytes = b""  # engine.pack


class ScenarioText(NamedTuple):
    """A text as a scenario. `notes`: the changes made to convert it; [] if it is already one."""

    text: str
    scenario: Scenario
    notes: Sequence[Message]


def as_scenario(text: str) -> ScenarioText:
    """Read a text as all commands do: output of a cluster is converted, and workloads get their pods.

    Raises ScenarioErrors, with the lines of the text itself if it has errors of its own.
    """
    printed = kinds_of_text.was_printed(text)
    if not kinds_of_text.is_dump(text) or (printed and kinds_of_text.has_scenario(text)):
        cleaning = CLEANING if printed else 0
        with progress.within(0, cleaning):
            text = raw_text.reduce_text(text, engine.limits())
        with progress.within(cleaning, 1):
            return ScenarioText(text, engine.read_again(text), ())
    converted = ""
    try:
        of_cluster = printed or kinds_of_text.is_export(text)
        with progress.within(0, CLEANING):
            imported = importers.convert(text, engine.limits(), of_cluster=of_cluster)
            converted = imported.text
        with progress.within(CLEANING, 1):
            return ScenarioText(imported.text, engine.read_again(imported.text), imported.notes)
    except ScenarioErrors as errors:
        engine.read(text)
        raise (errors_at_source(errors, converted, text, engine.limits()) if converted else errors) from None


def digest_of(text: str) -> Digest:
    """Return the digest of a text. Raises ScenarioErrors."""
    scenario = as_scenario(text)
    return digest_of_read(scenario.text, scenario.scenario, hidden=kinds_of_text.was_printed(text))


def digest_of_read(text: str, parsed: Scenario, *, hidden: bool = False) -> Digest:
    """Return the digest of a text that is already parsed and stored unchanged."""
    title = clean_title(parsed.title or parsed.name)
    hidden = hidden or IMPORTED in parsed.annotations
    digest = Digest(
        text,
        title,
        hidden,
        engine.summary(parsed),
        len(engine.nodes_and_pods(parsed)[1]),
        msgspec.to_builtins(parsed.lesson),
        description_html(parsed.lesson),
    )
    if parsed.challenge is not None:
        text, challenge = split_challenge(parsed)
        return digest._replace(text=text, challenge=challenge)
    return digest._replace(packed=engine.pack(parsed))


def description_html(lesson: Lesson) -> dict[str, str]:
    """Return the description as safe HTML: {en, zh}, without those that are empty."""
    texts = {"en": lesson.description, "zh": lesson.description_zh}
    return {language: markdown_html(text) for language, text in texts.items() if text}
