"""The texts of a scenario for readers: title, description, captions and questions, in English and Chinese."""

from __future__ import annotations

from typing import Literal

import msgspec

QuestionKind = Literal["node", "pod", "number", "choice"]


class Caption(msgspec.Struct, frozen=True):
    """A teacher's sentence at one event of one attempt.

    `about`: the pod, node, workload or node group of the event, if the attempt has several such events; "" if not.
    """

    attempt: int
    event: str
    en: str
    zh: str = ""
    about: str = ""


class Question(msgspec.Struct, frozen=True):
    """A question before an event of an attempt; the browser takes the answer from the trace.

    `about`: the node, pod or plugin that the question is about, if the event has several; otherwise as in a caption.
    `frame`: the first frame that stays hidden until the reader answers; None: the default of the kind of question.
    `yes_or_no`: the options begin with yes and no.
    """

    attempt: int
    event: str
    kind: QuestionKind
    en: str
    zh: str = ""
    frame: int | None = None
    about: str = ""
    yes_or_no: bool = False


class Lesson(msgspec.Struct, frozen=True):
    """The texts of a scenario; "" and () if it has none. `description` is Markdown."""

    title: str = ""
    title_zh: str = ""
    description: str = ""
    description_zh: str = ""
    look_at: str = ""
    look_at_zh: str = ""
    topics: tuple[str, ...] = ()
    level: str = ""
    captions: tuple[Caption, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def has_words(self) -> bool:
        """Return whether there are texts besides the title: description, look_at, captions or questions."""
        return bool(self.description or self.look_at or self.captions or self.questions)

    def text(self, field: str, language: str) -> str:
        """Return title, description or look_at in a language, a tag such as zh-hans; in English if not translated."""
        translated: str = getattr(self, f"{field}_zh") if is_chinese(language) else ""
        return translated or getattr(self, field)


NO_LESSON = Lesson()


def is_chinese(language: str) -> bool:
    """Return whether a language tag such as zh-hans is Chinese."""
    return language.split("-")[0] == "zh"
