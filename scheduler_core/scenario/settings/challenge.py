"""Builds a `Challenge` from its document. The objects of its variants are read when an answer is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.challenge import RULES_AND_SETTINGS, AnswerKind, Challenge, ObjectName, Variant
from scheduler_core.scenario.fields.challenge_fields import CHALLENGE
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import Path, Problems, invalid, required
from scheduler_core.scenario.settings.lesson import split_languages
from scheduler_core.scenario.settings.scenario_document import build_expectation

MAX_VARIANTS = 12
MAX_SEEDS = 5
LONGEST = 100_000  # characters of the document


def build_challenge(document: Document, problems: Problems, *, alone: bool) -> Challenge | None:
    """Return the challenge. `alone`: it is the only object between two lines of `---`.

    None is returned if it is not a document of its own, is too long, or has a field of an invalid type.
    """
    problems.enter(document.chunk, document.prefix)
    if document.prefix or not alone:
        sentence = Message("a Challenge must be a document of its own, between lines of ---: it is stored separately")
        problems.error(("kind",), sentence)
        return None
    if len(document.chunk.text) > LONGEST:
        problems.error((), Message("Too long: may not be more than {most} characters", most=LONGEST))
        return None
    if not check(CHALLENGE, document.data, (), problems, strict=True):
        return None
    spec = document.data.get("spec") or {}
    seeds = tuple(spec.get("seeds") or ())
    _check_number(len(seeds), MAX_SEEDS, ("spec", "seeds"), problems)
    for index, seed in enumerate(seeds):
        if seed < 0:
            problems.error(("spec", "seeds", index), invalid(seed, Message("must be 0 or greater")))
    variants = spec.get("variants") or ()
    _check_number(len(variants), MAX_VARIANTS, ("spec", "variants"), problems)
    kinds = cast(tuple[AnswerKind, ...], tuple(dict.fromkeys(filter(None, spec.get("asks") or ()))))
    return Challenge(
        asks=kinds or RULES_AND_SETTINGS,
        seeds=seeds,
        variants=tuple(
            _variant(variant, ("spec", "variants", index), problems) for index, variant in enumerate(variants)
        ),
        solution=spec.get("solution") or "",
        text=document.chunk.text,
        first_line=document.chunk.first_line,
    )


def _check_number(value: int, most: int, path: Path, problems: Problems) -> None:
    if value > most:
        problems.error(path, Message("Too many: {n}: must have at most {most} items", n=value, most=most))


def _variant(data: Mapping[str, Any], path: Path, problems: Problems) -> Variant:
    expect = data.get("expect") or {}
    if not expect.get("pods") and expect.get("victims") is None:
        problems.error((*path, "expect"), required(Message("the required outcome")))
    build_expectation(expect, (*path, "expect"), problems)
    objects = data.get("objects") or ()
    for index, entry in enumerate(objects):
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("metadata"), dict)
            or not entry["metadata"].get("name")
        ):
            problems.error((*path, "objects", index), required(Message("a whole object, with metadata.name")))
    removed = data.get("remove") or ()
    for index, entry in enumerate(removed):
        if not entry.get("kind") or not entry.get("name"):
            problems.error((*path, "remove", index), required(Message("kind and name of an object of the scenario")))
    title, title_zh = split_languages(data.get("title"))
    return Variant(title, title_zh, tuple(objects), tuple(map(_removed, removed)), expect)


def _removed(data: Mapping[str, Any]) -> ObjectName:
    namespace = data.get("namespace") or ""
    name = data.get("name") or ""
    return ObjectName(data.get("kind") or "", "" if namespace == "default" else namespace, name)
