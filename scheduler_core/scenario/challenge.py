"""A challenge: a scenario that asks for rules, settings or objects, and the variants that evaluate the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

AnswerKind = Literal["SchedulerPlugin", "KubeSchedulerConfiguration", "Deployment", "PodDisruptionBudget"]
RULES_AND_SETTINGS: tuple[AnswerKind, ...] = ("SchedulerPlugin", "KubeSchedulerConfiguration")
"""What a challenge asks for if it does not say."""


class ObjectName(NamedTuple):
    """The name of an object; `namespace` "" for kinds without one, and for the default namespace."""

    kind: str
    namespace: str
    name: str


class Variant(msgspec.Struct, frozen=True):
    """The scenario with other objects. `expect` is as written."""

    title: str
    title_zh: str
    objects: tuple[Mapping[str, Any], ...]
    removed: tuple[ObjectName, ...]
    expect: Mapping[str, Any]


class Challenge(msgspec.Struct, frozen=True):
    """A challenge: the kinds of documents that it asks for, its solution, and its variants.

    `asks` are the kinds of the answer's documents. `text` and `first_line` (from 0) are its place in the file.
    """

    asks: tuple[AnswerKind, ...]
    seeds: tuple[int, ...]
    variants: tuple[Variant, ...]
    solution: str
    text: str
    first_line: int
