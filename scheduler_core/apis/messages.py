"""Translatable messages: an English template and its values.

To show a message in another language, translate `template` and format it with `values`; the site uses its gettext
catalogue. The string itself is in English.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Sentence(str):
    """A sentence that can be put into a template, also inside another sentence: `{name:continued}`."""

    def __format__(self, format_spec: str) -> str:
        """Return the text; `continued`: with a lowercase first letter, unless it begins a name such as "CSINode"."""
        if format_spec != "continued":
            return super().__format__(format_spec)
        return str(self) if self[1:2].isupper() else self[:1].lower() + self[1:]


class Message(Sentence):
    """A translatable message: `Message("unknown field {field}", field="podd")`. A value may itself be a Message.

    The template is always written out where the message is created, so that a test can collect all templates.
    """

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, /, **values: object) -> Message:
        message = super().__new__(cls, template.format(**values))
        message.template = template
        message.values = values
        return message

    def as_data(self) -> list[Any]:
        """Return [template, values] as plain data for JSON."""
        values = {name: value.as_data() if isinstance(value, Message) else value for name, value in self.values.items()}
        return [self.template, values]

    @classmethod
    def from_data(cls, data: list[Any]) -> Message:
        """Return the Message from the result of `as_data`."""
        template, values = data
        return cls(
            template,
            **{name: cls.from_data(value) if isinstance(value, list) else value for name, value in values.items()},
        )


class Text(NamedTuple):
    """A text in both languages; `{name}` is a placeholder, the same in both."""

    en: str
    zh: str

    def message(self, **values: object) -> TranslatedMessage:
        """Return the text with its placeholders filled in."""
        return TranslatedMessage(self.en, chinese=self.zh, **values)


class TranslatedMessage(Message):
    """A Message with its own Chinese template instead of an entry in the site's catalogue."""

    chinese: str

    def __new__(cls, template: str, /, *, chinese: str = "", **values: object) -> TranslatedMessage:
        translated_message = super().__new__(cls, template, **values)
        assert isinstance(translated_message, TranslatedMessage)
        translated_message.chinese = chinese
        return translated_message


class WithSentence(Exception):
    """The base of errors with a sentence for users."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class NotAnswerable(WithSentence):
    """The question cannot be answered for this run, for example because an attempt or node does not exist."""


class RunEnded(WithSentence):
    """The run cannot continue."""
