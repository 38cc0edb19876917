"""Reduce a scenario that shows a difference to a minimum by leaving things out.

It reduces the text, not the random choices behind it as Hypothesis would: there are so many of them that it takes half
a minute instead of two seconds, and the text is sixteen times as long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any


def smallest(text: str, fails: Callable[[str], bool]) -> str:
    """Remove documents, events and fields, one at a time, as long as the text still fails. Return the smallest text."""
    documents = [json.loads(part) for part in text.split("\n---\n")]
    found = True
    while found:
        found = False
        for shorter in variants(documents):
            if fails(written(shorter)):
                documents, found = shorter, True
                break
    return written(documents)


def written(documents: list[Any]) -> str:
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
