"""The texts of a Scenario document: `spec.title`, `spec.description` and `spec.lesson`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.lesson_fields import (
    LONGEST_TEXTS,
    MAX_CAPTIONS,
    MAX_QUESTIONS,
    caption_problems,
    question_problems,
)
from scheduler_core.scenario.lesson import Caption, Lesson, Question, QuestionKind
from scheduler_core.scenario.reading.problems import Path, Problems

Manifest = Mapping[str, Any]
Rules = Callable[[Manifest], Iterator[tuple[Path, Message]]]


def build_lesson(spec: Manifest, problems: Problems) -> Lesson:
    """Build the texts from a spec whose types have been checked; missing fields and invalid combinations are errors."""
    lesson = spec.get("lesson") or {}
    captions, questions = lesson.get("captions") or [], lesson.get("questions") or []
    _check_entries(captions, "captions", MAX_CAPTIONS, caption_problems, problems)
    _check_entries(questions, "questions", MAX_QUESTIONS, question_problems, problems)
    title, title_zh = _shorten(split_languages(spec.get("title")), ("spec", "title"), problems)
    description, description_zh = _shorten(split_languages(spec.get("description")), ("spec", "description"), problems)
    look_at, look_at_zh = _shorten(split_languages(lesson.get("lookAt")), ("spec", "lesson", "lookAt"), problems)
    return Lesson(
        title=title,
        title_zh=title_zh,
        description=description,
        description_zh=description_zh,
        look_at=look_at,
        look_at_zh=look_at_zh,
        topics=tuple(filter(None, lesson.get("topics") or ())),
        level=lesson.get("level") or "",
        captions=tuple(map(_caption, captions)),
        questions=tuple(map(_question, questions)),
    )


def split_languages(value: str | Manifest | None) -> tuple[str, str]:
    """Split a text into English and Chinese; without English, the Chinese is used for both."""
    texts = value if isinstance(value, Mapping) else {"en": value}
    en, zh = _clean(texts.get("en")), _clean(texts.get("zh"))
    return en or zh, zh


def _shorten(texts: tuple[str, str], path: Path, problems: Problems) -> tuple[str, str]:
    """Truncate texts that are longer than pages show, with a warning, so that stored scenarios can still be opened."""
    most = LONGEST_TEXTS[str(path[-1])]
    if max(map(len, texts)) > most:
        problems.warn(path, Message("Too long: only the first {most:,} characters are shown", most=most))
    english, chinese = texts
    return english[:most], chinese[:most]


def _check_entries(entries: list[Manifest], name: str, most: int, rules: Rules, problems: Problems) -> None:
    path: Path = ("spec", "lesson", name)
    if len(entries) > most:
        problems.error(path, Message("Too many: {n}: must have at most {most} items", n=len(entries), most=most))
    for index, entry in enumerate(entries[:most]):
        for below, message in rules(entry):
            problems.error((*path, index, *below), message)


def _caption(entry: Manifest) -> Caption:
    en, zh = split_languages(entry)
    return Caption(entry.get("attempt") or 0, _clean(entry.get("event")), en, zh, _clean(entry.get("about")))


def _question(entry: Manifest) -> Question:
    en, zh = split_languages(entry)
    attempt, event, kind = entry.get("attempt") or 0, _clean(entry.get("event")), cast(QuestionKind, entry.get("kind"))
    about, yes_or_no = _clean(entry.get("about")), bool(entry.get("yesOrNo"))
    return Question(attempt, event, kind, en, zh, entry.get("frame"), about, yes_or_no)


def _clean(text: str | None) -> str:
    """Return a text, "" for None, without NUL, which YAML can escape and PostgreSQL cannot store."""
    return (text or "").replace("\0", "")
