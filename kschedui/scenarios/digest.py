"""Data stored with a text: parsed once, as plain data that another process can read."""

from typing import Any, NamedTuple

import msgspec

from kschedui.scenarios import engine
from kschedui.scenarios.imported import IMPORTED, Conversion
from kschedui.scenarios.intake import ScenarioText, read_scenario
from kschedui.scenarios.prose import clean_title, markdown_html
from scheduler_core.ask.challenge import split_challenge
from scheduler_core.scenario.lesson import Lesson
from scheduler_core.scenario.parse import Scenario


class Digest(NamedTuple):
    """A parsed text, as it is stored with a version.

    `text` lacks the fields of a cluster's output that scheduling does not read, and the Challenge document, which is in
    `challenge`.
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


def as_scenario(text: str) -> ScenarioText:
    """Read a text within this site's limits (`intake`). Raises ScenarioErrors."""
    return read_scenario(text, Conversion(engine.limits()), engine.read_again)


def digest_of(text: str) -> Digest:
    """Return the digest of a text. Raises ScenarioErrors."""
    read = as_scenario(text)
    return digest_of_read(read.imported.text, read.scenario, hidden=read.imported.kind.is_private)


def digest_of_read(text: str, parsed: Scenario, *, hidden: bool = False) -> Digest:
    """Return the digest of a text that is already parsed; it is stored without its Challenge document."""
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
    """Return the description as safe HTML by language, {en, zh}; a language without a description is missing."""
    texts = {"en": lesson.description, "zh": lesson.description_zh}
    return {language: markdown_html(text) for language, text in texts.items() if text}
