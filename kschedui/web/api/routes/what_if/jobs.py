"""`kschedui.ask.results` as work (`kschedui.work`): plain data as input and output, errors as sentences.

Each function returns None if the moment is not cached in its process and no text was sent.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgspec

from kschedui.ask import autoscaling, moments, operations, results
from kschedui.ask.fork_steps import step_of_pass
from kschedui.ask.moments import Name
from kschedui.language import in_language
from kschedui.scenarios.digest import Digest
from kschedui.web.api.jobs import digest, refusing
from scheduler_core.ask.autoscale.answers import TITLES

Edits = Sequence[Mapping[str, Any]]
Given = ParamSpec("Given")
Result = TypeVar("Result")


def answering(work: Callable[Given, Result]) -> Callable[Given, Result | None]:
    """Return the work with errors converted to Refused; it returns None instead of raising NotHere."""

    @wraps(work)
    def answer(*args: Given.args, **named: Given.kwargs) -> Result | None:
        try:
            with refusing():
                return work(*args, **named)
        except moments.NotHere:
            return None
        except MemoryError:
            moments.forget()
            raise

    return answer


@answering
def about(name: Name, text: str | None) -> bytes:
    """Return the JSON of an About."""
    return msgspec.json.encode(results.about(name, text))


@answering
def what_if(name: Name, text: str | None, edits: Edits) -> bytes:
    """Return the JSON of a Judgement."""
    return results.what_if(name, text, edits)


@answering
def smallest(name: Name, text: str | None) -> bytes:
    """Return the JSON of Changes."""
    return msgspec.json.encode(results.smallest(name, text))


@answering
def weights(name: Name, text: str | None, node: str) -> bytes:
    """Return the JSON of a list of WeightChange."""
    return results.weights(name, text, node)


@answering
def how_many(name: Name, text: str | None, pod: str, wanted: int | None) -> bytes:
    """Return the JSON of a Capacity."""
    return msgspec.json.encode(results.how_many(name, text, pod, wanted))


@answering
def pods(name: Name, text: str | None) -> bytes:
    """Return the JSON of a list of pods."""
    return msgspec.json.encode(results.pods(name, text))


@answering
def nodes(name: Name, text: str | None) -> bytes:
    """Return the JSON of the nodes at the moment: [(name, zone)]."""
    return msgspec.json.encode(results.nodes(name, text))


@answering
def operate(text: str, kubernetes: str, question: Mapping[str, Any]) -> bytes:
    """Return the JSON of an OperationResult."""
    return msgspec.json.encode(operations.operate(text, kubernetes, question))


@answering
def find_helping_groups(text: str, kubernetes: str) -> bytes:
    """Return the JSON of a Helping: the node groups that would help the pending pods."""
    return msgspec.json.encode(operations.find_helping_groups(text, kubernetes))


@answering
def perform(text: str, kubernetes: str, question: Mapping[str, Any]) -> tuple[Digest, int, str]:
    """Return the digest of the scenario with the operation in its timeline, the step at which it begins, and its
    description.
    """
    scenario, step = operations.perform(text, kubernetes, question)
    words = in_language(operations.question_words(operations.question_of(question)))
    return digest(scenario), step, words


@answering
def upgrade(text: str, before: str, after: str) -> bytes:
    """Return the JSON of an Upgrade."""
    return msgspec.json.encode(operations.compare_releases(text, before, after))


@answering
def autoscale(
    text: str, kubernetes: str, autoscaler: str, pod: str = "", node: str = "", at: float | None = None
) -> bytes:
    """Return the JSON of an Answer about an autoscaler."""
    return msgspec.json.encode(autoscaling.ask(text, kubernetes, autoscaler, pod, node, at), enc_hook=str)


@answering
def compare_autoscalers(text: str, kubernetes: str) -> bytes:
    """Return the JSON of a ComparedAutoscalers."""
    return msgspec.json.encode(autoscaling.compare_both(text, kubernetes))


@answering
def add_autoscaler(text: str, kubernetes: str, autoscaler: str, until: float | None) -> tuple[Digest, int, str]:
    """Return the digest of the scenario with an autoscaler, the step of its first pass, and its name."""
    scenario = autoscaling.scenario_with(text, autoscaler, until)
    return digest(scenario), step_of_pass(scenario, kubernetes), TITLES[autoscaler]


@answering
def keep(name: Name, text: str, edits: Edits) -> tuple[Digest, int, str]:
    """Return the digest of the text with the edits, the step of the same attempt in its run, and the edits in words."""
    scenario = results.keep_edits(name, text, edits)
    return digest(scenario.text), scenario.step, scenario.words
