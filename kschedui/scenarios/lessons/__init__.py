"""The words of a lesson, read from the annotations of a scenario's `kind: Scenario` document (see README.md)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from kschedui.scenarios.lessons import entries
from kschedui.scenarios.lessons.questions import MOST_QUESTIONS, Question, asked, question
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Scenario

PREFIX = "kschedui.io/"
LONGEST_CAPTION = 400
MOST_CAPTIONS = 200
CAPTION_SHAPE = "{attempt: 1, event: PodBound, en: ...}"

TOPICS = {
    "queue": _("Queue"),
    "filtering": _("Filtering"),
    "scoring": _("Scoring"),
    "preemption": _("Preemption"),
    "spreading": _("Spreading"),
    "affinity": _("Affinity"),
    "volumes": _("Volumes"),
    "binding": _("Binding"),
    "configuration": _("Configuration"),
    "scale": _("Scale"),
}
LEVELS = {"beginner": _("Beginner"), "intermediate": _("Intermediate"), "advanced": _("Advanced")}
OTHER_LANGUAGES = {"zh-hans": "zh"}  # Django's code -> the annotations' suffix


class Caption(msgspec.Struct, frozen=True):
    """The teacher's words at one event of one attempt."""

    attempt: int
    event: str
    en: str
    zh: str = ""


class Lesson(msgspec.Struct, frozen=True):
    """What cards and the player say of a scenario, in both languages; empty where the file does not say it."""

    title: str = ""
    title_zh: str = ""
    description: str = ""  # Markdown
    description_zh: str = ""
    look_at: str = ""
    look_at_zh: str = ""
    topics: list[str] = []
    level: str = ""
    captions: list[Caption] = []
    questions: list[Question] = []

    @property
    def says_something(self) -> bool:
        """Beside its title."""
        return bool(self.description or self.look_at or self.captions or self.questions)

    def text(self, field: str, language: str) -> str:
        """The field in the language, in English where there is no translation."""
        suffix = OTHER_LANGUAGES.get(language)
        translated: str = getattr(self, f"{field}_{suffix}") if suffix else ""
        return translated or getattr(self, field)


def said(one: Caption | Question, language: str) -> str:
    """A caption or a question in the language, in English where there is no translation."""
    return (one.zh if language in OTHER_LANGUAGES else "") or one.en


def read(scenario: Scenario) -> Lesson:
    """Any scenario's words; a malformed annotation counts as absent, since it is only decoration."""

    def note(name: str) -> str:
        return clean(scenario.annotations.get(PREFIX + name, "")).strip()

    return Lesson(
        title=clean(scenario.title) or note("title"),
        title_zh=note("title-zh"),
        description=clean(scenario.description),
        description_zh=note("description-zh"),
        look_at=note("look-at"),
        look_at_zh=note("look-at-zh"),
        topics=[topic for topic in map(str.strip, note("topics").split(",")) if topic in TOPICS],
        level=note("level") if note("level") in LEVELS else "",
        captions=captions(note("captions")),
        questions=asked(note("questions")),
    )


def clean(text: str) -> str:
    """Without NUL, which YAML can escape and PostgreSQL cannot keep."""
    return text.replace("\0", "")


def captions(text: str) -> list[Caption]:
    """The list in the annotation; entries of another shape are left out."""
    return entries.read(text, MOST_CAPTIONS, caption)[0]


def caption(entry: Any) -> Caption:
    """One entry, its texts cut to a size that fits on the screen; raises BadEntry."""
    read = entries.shaped(entry, Caption, CAPTION_SHAPE)
    event, en, zh = clean(read.event)[:40], clean(read.en)[:LONGEST_CAPTION], clean(read.zh)[:LONGEST_CAPTION]
    return Caption(read.attempt, event, en, zh)


def problems(annotations: Mapping[str, str]) -> Iterator[tuple[str, Message]]:
    """What is wrong with a scenario's annotations of ours, each with its annotation."""
    lists = {"captions": (MOST_CAPTIONS, caption), "questions": (MOST_QUESTIONS, question)}
    for name, (most, entry) in lists.items():
        key = PREFIX + name
        for problem in entries.read(clean(annotations.get(key, "")), most, entry)[1]:
            yield key, problem
    if PREFIX + "notes" in annotations:
        yield (
            PREFIX + "notes",
            Message("whoever sees the scenario reads its text; private notes belong into the speaker view"),
        )


def load(words: dict[str, Any]) -> Lesson:
    """A lesson as `engine.summary` stored it."""
    return msgspec.convert(words, Lesson)
