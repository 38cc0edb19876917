"""`kschedui.ask.results` as work (`kschedui.work`): plain data as input and output, errors as sentences.

Each function returns None if the moment is not cached in its process and no text was sent.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from kschedui.ask import moments, operations, results
from kschedui.ask.moments import Name
from kschedui.language import in_language
from kschedui.scenarios import engine
from kschedui.scenarios.digest import Digest
from kschedui.web.api.jobs import Refused, digest
from scheduler_core import RunEnded
from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.scenario.parse import ScenarioErrors

Edits = Sequence[Mapping[str, Any]]


def answer(work: Callable[[], Any]) -> Any:
    """Return the answer; errors are raised as refusals with a sentence."""
    try:
        return work()
    except moments.NotHere:
        return None
    except MemoryError:
        moments.forget()
        raise
    except (NotPossible, RunEnded) as error:
        raise Refused(422, [{"message": in_language(error.sentence)}]) from None
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    except NotAnswerable as error:
        raise Refused(404, [{"message": in_language(error.sentence)}]) from None


def about(name: Name, text: str | None) -> bytes | None:
    """Return the JSON of an About."""
    return encode(answer(lambda: results.about(name, text)))


def what_if(name: Name, text: str | None, edits: Edits) -> bytes | None:
    """Return the JSON of a Judgement."""
    judgement: bytes | None = answer(lambda: results.what_if(name, text, edits))
    return judgement


def smallest(name: Name, text: str | None) -> bytes | None:
    """Return the JSON of Changes."""
    return encode(answer(lambda: results.smallest(name, text)))


def weights(name: Name, text: str | None, node: str) -> bytes | None:
    """Return the JSON of a list of WeightChange."""
    changes: bytes | None = answer(lambda: results.weights(name, text, node))
    return changes


def how_many(name: Name, text: str | None, pod: str, wanted: int | None) -> bytes | None:
    """Return the JSON of a Capacity."""
    return encode(answer(lambda: results.how_many(name, text, pod, wanted)))


def pods(name: Name, text: str | None) -> bytes | None:
    """Return the JSON of a list of pods."""
    return encode(answer(lambda: results.pods(name, text)))


def nodes(name: Name, text: str | None) -> bytes | None:
    """Return the JSON of the nodes at the moment: [(name, zone)]."""
    return encode(answer(lambda: results.nodes(name, text)))


def operate(text: str, kubernetes: str, question: Mapping[str, Any]) -> bytes | None:
    """Return the JSON of an OperationResult."""
    return encode(answer(lambda: operations.operate(text, kubernetes, question)))


def help_waiting(text: str, kubernetes: str) -> bytes | None:
    """Return the JSON of a Helping."""
    return encode(answer(lambda: operations.find_helping_groups(text, kubernetes)))


def perform(text: str, kubernetes: str, question: Mapping[str, Any]) -> tuple[Digest, str]:
    """Return the digest of the scenario with the operation in its timeline, and a description of the operation."""
    scenario = answer(lambda: operations.perform(text, kubernetes, question))
    return digest(scenario), in_language(operations.question_words(operations.question_of(question)))


def upgrade(text: str, before: str, after: str) -> bytes | None:
    """Return the JSON of an Upgrade."""
    return encode(answer(lambda: operations.compare_releases(text, before, after)))


def keep(name: Name, text: str, edits: Edits) -> tuple[Digest, int, str]:
    """Return the digest of the text with the edits, the step of the same attempt in its run, the edits in words."""
    scenario = answer(lambda: results.keep_edits(name, text, edits))
    return digest(scenario.text), scenario.step, scenario.words


def encode(value: Any) -> bytes | None:
    """Encode a result as JSON."""
    return None if value is None else msgspec.json.encode(value)
