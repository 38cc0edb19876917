"""A challenge: a scenario that asks for rules or settings, and the variants with which the answer is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

AnswerKind = Literal["SchedulerPlugin", "KubeSchedulerConfiguration"]


class ObjectName(NamedTuple):
    """The name of an object; `namespace` "" for kinds without one, and for the default namespace."""

    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Variant:
    """The scenario with other objects. `expect` is as written."""

    title: str
    title_zh: str
    objects: tuple[Mapping[str, Any], ...]
    removed: tuple[ObjectName, ...]
    expect: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge.

    `asks` are the kinds of the answer's documents. `text` and `first_line` (from 0) are its place in the file.
    """

    asks: tuple[AnswerKind, ...]
    seeds: tuple[int, ...]
    variants: tuple[Variant, ...]
    solution: str
    text: str
    first_line: int
