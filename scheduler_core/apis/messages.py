"""Translatable sentences: an English template and its values.

Whoever shows it translates `template` and formats it with `values`; the site does so through its gettext catalogue.
Everybody else reads the string itself, which is English.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Message(str):
    """`Message("unknown field {field}", field="podd")`. A value may be a Message too, a part of it.

    The template is always written out where the message is made, so that a test can collect all of them.
    """

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, /, **values: object) -> Message:
        made = super().__new__(cls, template.format(**values))
        made.template = template
        made.values = values
        return made

    def as_data(self) -> list[Any]:
        """[template, values] as plain data, for JSON."""
        values = {name: value.as_data() if isinstance(value, Message) else value for name, value in self.values.items()}
        return [self.template, values]

    @classmethod
    def from_data(cls, data: list[Any]) -> Message:
        """Return the Message that `as_data` has converted."""
        template, values = data
        return cls(
            template, **{name: cls.from_data(one) if isinstance(one, list) else one for name, one in values.items()}
        )


class Text(NamedTuple):
    """A text in both languages; `{name}` is a placeholder, the same in both."""

    en: str
    zh: str

    def message(self, **values: object) -> TranslatedMessage:
        """Return the text with its placeholders filled in."""
        return TranslatedMessage(self.en, chinese=self.zh, **values)


class TranslatedMessage(Message):
    """A Message with its own Chinese template instead of one from the site's catalogue."""

    chinese: str

    def __new__(cls, template: str, /, *, chinese: str = "", **values: object) -> TranslatedMessage:
        made = super().__new__(cls, template, **values)
        assert isinstance(made, TranslatedMessage)
        made.chinese = chinese
        return made


class NotAnswerable(Exception):
    """The run cannot answer the question, for example because there is no such attempt or node."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class RunEnded(Exception):
    """The run cannot continue."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence
