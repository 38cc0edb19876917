"""`kschedui.ask.answers` as jobs of a heavy process: plain data in and out, refusals as sentences.

Each answers None where the moment is not kept in its process and no text was sent.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from kschedui.ask import answers, moments
from kschedui.ask.moments import Name
from kschedui.language import spoken
from kschedui.scenarios import engine
from kschedui.scenarios.digest import Digest
from kschedui.web.api.jobs import Refused, digest
from scheduler_core import RunEnded
from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.scenario.parse import ScenarioErrors

Edits = Sequence[Mapping[str, Any]]


def answered(work: Callable[[], Any]) -> Any:
    """The answer; what cannot be answered is refused with a sentence."""
    try:
        return work()
    except moments.NotHere:
        return None
    except MemoryError:
        moments.forget()
        raise
    except (NotPossible, RunEnded) as error:
        raise Refused(422, [{"message": spoken(error.sentence)}]) from None
    except ScenarioErrors as errors:
        raise Refused(422, engine.error_rows(errors)) from None
    except NotAnswerable as error:
        raise Refused(404, [{"message": spoken(error.sentence)}]) from None


def about(name: Name, text: str | None) -> bytes | None:
    """The JSON of an About."""
    return encoded(answered(lambda: answers.about(name, text)))


def what_if(name: Name, text: str | None, edits: Edits) -> bytes | None:
    """The JSON of a Judgement."""
    found: bytes | None = answered(lambda: answers.what_if(name, text, edits))
    return found


def smallest(name: Name, text: str | None) -> bytes | None:
    """The JSON of Changes."""
    return encoded(answered(lambda: answers.smallest(name, text)))


def weights(name: Name, text: str | None, node: str) -> bytes | None:
    """The JSON of a list of WeightChange."""
    found: bytes | None = answered(lambda: answers.weights(name, text, node))
    return found


def how_many(name: Name, text: str | None, pod: str, wanted: int | None) -> bytes | None:
    """The JSON of a Capacity."""
    return encoded(answered(lambda: answers.how_many(name, text, pod, wanted)))


def pods(name: Name, text: str | None) -> bytes | None:
    """The JSON of a list of pods."""
    return encoded(answered(lambda: answers.pods(name, text)))


def keep(name: Name, text: str, edits: Edits) -> tuple[Digest, int, str]:
    """The digest of the text with the edits, the step of the same attempt in its run, the edits in words."""
    made = answered(lambda: answers.kept(name, text, edits))
    return digest(made.text), made.step, made.words


def encoded(found: Any) -> bytes | None:
    """As JSON."""
    return None if found is None else msgspec.json.encode(found)
