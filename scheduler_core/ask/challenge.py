"""Evaluates an answer to a challenge: adds it to the scenario and to each variant, and runs them with each seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.scenario.challenge import Challenge, ObjectName, Variant
from scheduler_core.scenario.expectations import unmet_expectations
from scheduler_core.scenario.objects.kinds import CHALLENGE, CONFIGURATION, SCENARIO, SCHEDULER_PLUGIN
from scheduler_core.scenario.parse import Limits, Scenario, ScenarioErrors
from scheduler_core.scenario.reading.documents import Chunk, read_documents
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.trace.events import AnyEvent

ANSWERS = {
    kind[1]: kind
    for kind in (SCHEDULER_PLUGIN, CONFIGURATION, ("apps/v1", "Deployment"), ("policy/v1", "PodDisruptionBudget"))
}
_DOCUMENT = "\n---\n"

Manifest = Mapping[str, Any]
Read = Callable[[str], Scenario]  # parses a text; raises ScenarioErrors
Simulate = Callable[[Scenario], Iterable[AnyEvent]]


class AnswerVerdict(NamedTuple):
    """The result of the scenario (number 0) or a variant with the answer.

    `held` of `seeds` runs met all requirements; `seed` is the first for which a run did not, and `unmet` the reason.
    """

    number: int
    variant: Variant | None
    held: int
    seeds: int
    seed: int | None = None
    unmet: tuple[Message, ...] = ()

    @property
    def holds(self) -> bool:
        """Return whether all runs met the requirements."""
        return self.held == self.seeds


class BadVariant(Exception):
    """A variant that is not a valid scenario, whatever the answer is."""

    def __init__(self, number: int, errors: ScenarioErrors) -> None:
        first = errors.errors[0]
        reason = Message("{path}: {message}", path=first.path, message=first.message) if first.path else first.message
        self.sentence = Message(
            "Variant {number} of the challenge is invalid: {reason}", number=number + 1, reason=reason
        )
        super().__init__(self.sentence)


def split_challenge(scenario: Scenario) -> tuple[str, str]:
    """Return the text without its challenge, and the challenge; "" for a part that does not exist."""
    if scenario.challenge is None:
        return scenario.text, ""
    text, chunk = scenario.text, scenario.challenge.text
    start = int(text.startswith("\ufeff"))
    for _ in range(scenario.challenge.first_line):
        start = text.index("\n", start) + 1
    left = text[:start] + text[start + len(chunk) :]
    return left.removeprefix("\ufeff").removeprefix("---\n") if start < 2 else left, chunk.strip() + "\n"


def with_challenge(text: str, challenge: str) -> str:
    """Return the text with the challenge at the end; `challenge` "": the unchanged text."""
    return f"{text.rstrip()}{_DOCUMENT}{challenge}" if challenge else text


def answer_in(text: str, asks: Sequence[str]) -> str:
    """Return, unchanged, the documents of a text whose kinds an answer to the challenge can contain."""
    kinds = {ANSWERS[kind] for kind in asks}
    chunks: dict[int, Chunk] = {}
    for document in read_documents(text, Limits(), Problems()):
        if (document.data.get("apiVersion"), document.data.get("kind")) in kinds and not document.prefix:
            chunks[document.chunk.first_line] = document.chunk
    return _DOCUMENT.join(chunk.text.strip() for chunk in chunks.values())


def judge(text: str, challenge: Challenge, answer: str, read: Read, simulate: Simulate) -> Iterator[AnswerVerdict]:
    """Yield the verdict on the scenario and on each variant with an answer (`answer_in`). Raises BadVariant."""
    for number, variant in enumerate((None, *challenge.variants)):
        try:
            scenario = read(variant_text(text, challenge, answer, variant, None, json.dumps))
        except ScenarioErrors as errors:
            raise BadVariant(number, errors) from None
        yield _verdict(number, variant, scenario, challenge.seeds or (scenario.seed,), simulate)


def _verdict(
    number: int, variant: Variant | None, scenario: Scenario, seeds: Sequence[int | None], simulate: Simulate
) -> AnswerVerdict:
    held, failed = 0, None
    for seed in seeds:
        unmet = _unmet(replace(scenario, seed=seed), simulate)
        held += not unmet
        if unmet and failed is None:
            failed = seed, tuple(unmet)
    return AnswerVerdict(number, variant, held, len(seeds), *(failed or ()))


def _unmet(scenario: Scenario, simulate: Simulate) -> list[Message]:
    try:
        return unmet_expectations(scenario, simulate(scenario))
    except RunEnded as error:
        return [error.sentence]


def variant_text(
    text: str,
    challenge: Challenge,
    answer: str,
    variant: Variant | None,
    seed: int | None,
    dump: Callable[[Any], str],
) -> str:
    """Return a variant (None: the original) with the answer as a scenario of its own, the answer first."""
    kinds = {ANSWERS[kind] for kind in challenge.asks}
    documents = [
        document.data
        for document in read_documents(text, Limits(), Problems())
        if (document.data.get("apiVersion"), document.data.get("kind")) not in {*kinds, CHALLENGE}
    ]
    all_documents = [*_objects(documents, variant)] if variant else documents
    texts = [dump(_variant_document(document, variant, seed)).strip() for document in all_documents]
    return _DOCUMENT.join(filter(None, [answer, *texts])) + "\n"


def _objects(documents: Sequence[Manifest], variant: Variant) -> Iterator[Manifest]:
    """Yield the documents of a variant: existing objects are replaced in place or removed, and new ones appended."""
    replacements = {_name(document): document for document in variant.objects}
    for document in documents:
        name = _name(document)
        if name in replacements:
            yield replacements.pop(name)
        elif name not in variant.removed:
            yield document
    yield from replacements.values()


def _name(data: Manifest) -> ObjectName:
    metadata = data.get("metadata") or {}
    namespace = metadata.get("namespace") or ""
    return ObjectName(str(data.get("kind")), "" if namespace == "default" else namespace, metadata.get("name") or "")


def _variant_document(data: Manifest, variant: Variant | None, seed: int | None) -> Manifest:
    """Return a document of the variant. Its Scenario contains the requirements, but no texts about the original run."""
    if (data.get("apiVersion"), data.get("kind")) != SCENARIO:
        return data
    spec = {key: value for key, value in (data.get("spec") or {}).items() if key not in ("lesson", "description")}
    if variant is not None:
        spec["expect"] = variant.expect
        if variant.title:
            spec["title"] = {"en": variant.title, "zh": variant.title_zh or variant.title}
    if seed is not None:
        spec["seed"] = seed
    return {**data, "spec": spec}
