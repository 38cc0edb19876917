"""A sentence for people that can still be said in another language: its English template, and the values in it.

Whoever shows it translates `template` and formats it with `values`; the site does so through its gettext catalogue.
Everybody else reads the string itself, which is English.
"""

from __future__ import annotations

from typing import Any


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
        """The opposite of `as_data`."""
        template, values = data
        return cls(
            template, **{name: cls.from_data(one) if isinstance(one, list) else one for name, one in values.items()}
        )


class NotAnswerable(Exception):
    """A run has nothing to say about what was asked: no such attempt, no such node then; the sentence says why."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class RunEnded(Exception):
    """A run cannot go on; the sentence says why."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence
