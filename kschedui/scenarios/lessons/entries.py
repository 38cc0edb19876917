"""An annotation that is a YAML list: its entries, and a sentence for each that is left out."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits
from scheduler_core.scenario.reading.yaml_composer import Composer, DocumentError

Entry = TypeVar("Entry")


class BadEntry(ValueError):
    """The text is what is wrong with it, and what was expected."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def shaped(entry: Any, kind: type[Entry], example: str) -> Entry:
    """The entry as a struct; raises BadEntry, which shows the example."""
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError as error:
        raise BadEntry(Message("{problem}; expected {example}", problem=str(error), example=example)) from None


def read(text: str, most: int, entry: Callable[[Any], Entry]) -> tuple[list[Entry], list[Message]]:
    """What `entry` makes of each; it raises BadEntry."""
    if not text.strip():
        return [], []
    try:
        documents = Composer(text, Limits(depth=4), 0).documents()
    except DocumentError as error:
        return [], [Message("this is no YAML list: {reason}", reason=error.message)]
    found = documents[0] if documents else None
    if not isinstance(found, list):
        return [], [Message("expected a YAML list, of which each entry begins with a dash")]
    kept: list[Entry] = []
    problems = []
    for number, one in enumerate(found[:most], start=1):
        try:
            kept.append(entry(one))
        except BadEntry as error:
            problems.append(Message("entry {number} is left out: {reason}", number=number, reason=error.sentence))
    if len(found) > most:
        problems.append(Message("only the first {most} of {n} entries are used", most=most, n=len(found)))
    return kept, problems
