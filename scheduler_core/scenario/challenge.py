"""A challenge: a scenario that asks for rules, settings or objects, and the variants that evaluate the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

AnswerKind = Literal["SchedulerPlugin", "KubeSchedulerConfiguration", "Deployment", "PodDisruptionBudget"]
RULES_AND_SETTINGS: tuple[AnswerKind, ...] = ("SchedulerPlugin", "KubeSchedulerConfiguration")
"""The kinds of documents that a challenge without `asks` asks for."""


class ObjectName(NamedTuple):
    """The name of an object; `namespace` is "" for kinds without a namespace, and for the namespace default."""

    kind: str
    namespace: str
    name: str


class Variant(msgspec.Struct, frozen=True):
    """The scenario with `objects` added, or in place of those of the same name. These and `expect` are as written."""

    title: str
    title_zh: str
    objects: tuple[Mapping[str, Any], ...]
    removed: tuple[ObjectName, ...]
    expect: Mapping[str, Any]


class Challenge(msgspec.Struct, frozen=True):
    """A challenge: the kinds of documents that it asks for, its solution, and its variants.

    `asks` are the kinds of the answer's documents; `seeds` are () for the scenario's own. `text` is the challenge's
    document, and `first_line` (from 0) the line of the file on which it starts.
    """

    asks: tuple[AnswerKind, ...]
    seeds: tuple[int, ...]
    variants: tuple[Variant, ...]
    solution: str
    text: str
    first_line: int
