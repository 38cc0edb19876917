"""Reduce a scenario that shows a difference to a minimum by leaving out parts of it.

The text is reduced, in about two seconds. Hypothesis would reduce the random choices that produced the text, which
takes half a minute and leaves a text sixteen times as long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any


def smallest(text: str, fails: Callable[[str], bool]) -> str:
    """Remove documents, events and fields, one at a time, while the text still fails, and return the shortest text."""
    documents = [json.loads(part) for part in text.split("\n---\n")]
    found = True
    while found:
        found = False
        for shorter in variants(documents):
            if fails(to_text(shorter)):
                documents, found = shorter, True
                break
    return to_text(documents)


def to_text(documents: list[Any]) -> str:
    return "\n---\n".join(map(json.dumps, documents))


def variants(value: Any) -> Iterator[Any]:
    """Yield the value without one of its parts, large parts first: items of lists and fields of mappings, at any
    depth."""
    if isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, item in enumerate(value):
            for shorter in variants(item):
                yield [*value[:index], shorter, *value[index + 1 :]]
    elif isinstance(value, dict):
        for key in value:
            yield {name: item for name, item in value.items() if name != key}
        for key, item in value.items():
            for shorter in variants(item):
                yield {**value, key: shorter}
