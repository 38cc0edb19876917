"""Converts the lesson of an older scenario, which is in annotations of the Scenario document.

`kschedui.io/captions` and `kschedui.io/questions` contain YAML lists. Invalid entries are left out with a warning, so
that stored scenarios can still be opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.lesson_fields import (
    CAPTION,
    LEVELS,
    LONGEST_TEXT,
    MAX_CAPTIONS,
    MAX_QUESTIONS,
    QUESTION,
    TOPICS,
    caption_problems,
    question_problems,
)
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Problems, render_path
from scheduler_core.scenario.reading.yaml_composer import Composer, DocumentError

Manifest = Mapping[str, Any]

PREFIX = "kschedui.io/"
TEXTS = ("title", "description")
_LISTS = {
    "captions": (MAX_CAPTIONS, CAPTION, caption_problems),
    "questions": (MAX_QUESTIONS, QUESTION, question_problems),
}


def convert_annotations(spec: Manifest, annotations: Mapping[str, str], problems: Problems) -> Manifest:
    """Return the spec with title, description and lesson from the annotations; fields in the spec take precedence."""
    texts_by_name = {
        key.removeprefix(PREFIX): text.strip() for key, text in annotations.items() if key.startswith(PREFIX)
    }
    if "notes" in texts_by_name:
        message = Message("everyone who can see the scenario can read this; write private notes in the speaker view")
        problems.warn(("metadata", "annotations", PREFIX + "notes"), message)
    lesson: dict[str, Any] = {
        "level": texts_by_name.get("level"),
        "topics": [topic for topic in map(str.strip, texts_by_name.get("topics", "").split(",")) if topic in TOPICS],
        "lookAt": {"en": texts_by_name.get("look-at"), "zh": texts_by_name.get("look-at-zh")},
        **{name: list(_entries(name, texts_by_name[name], problems)) for name in _LISTS if name in texts_by_name},
    }
    if lesson["level"] not in LEVELS:
        del lesson["level"]
    texts = {
        name: _with_chinese(spec.get(name) or texts_by_name.get(name), texts_by_name.get(f"{name}-zh"))
        for name in TEXTS
    }
    return {**spec, **texts, "lesson": {**lesson, **(spec.get("lesson") or {})}}


def _with_chinese(text: str | Manifest | None, chinese: str | None) -> str | Manifest | None:
    return {"en": text, "zh": chinese} if chinese and not isinstance(text, Mapping) else text


def _entries(name: str, text: str, problems: Problems) -> Iterator[Manifest]:
    """Yield the valid ones of the first entries of an annotation, with texts of at most LONGEST_TEXT characters."""
    path = ("metadata", "annotations", PREFIX + name)
    most, table, rules = _LISTS[name]
    try:
        documents = Composer(text.replace("\0", ""), Limits(depth=4), 0).documents()
    except DocumentError as error:
        problems.warn(path, Message("this is not a YAML list: {reason}", reason=error.message))
        return
    if not documents or documents[0] is None:
        return
    if not isinstance(documents[0], list):
        problems.warn(path, Message("expected a YAML list, in which each entry begins with a dash"))
        return
    for number, entry in enumerate(documents[0][:most], start=1):
        shortened = _shortened(entry)
        misfits = [(below, message) for below, message, unknown in table.check(shortened) or () if not unknown]
        if misfit := next(iter(misfits or rules(shortened)), None):
            below, message = misfit
            reason = Message("{path}: {problem}", path=render_path(below), problem=message) if below else message
            problems.warn(path, Message("entry {number} is left out: {reason}", number=number, reason=reason))
        else:
            yield shortened
    if len(documents[0]) > most:
        message = Message("only the first {most} of {n} entries are used", most=most, n=len(documents[0]))
        problems.warn(path, message)


def _shortened(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value[:LONGEST_TEXT] if isinstance(value, str) else value for key, value in entry.items()}
