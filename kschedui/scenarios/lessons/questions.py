"""What a scenario asks before its player shows it: `kschedui.io/questions`. The answer comes from the trace, in the
browser (static/js/learn/answers.js), and is never written here."""

from typing import Any, Literal

import msgspec

from scheduler_core.scenario.parse import Limits
from scheduler_core.scenario.reading.yaml_composer import Composer, DocumentError

LONGEST_QUESTION = 300
MOST_QUESTIONS = 40

Kind = Literal["node", "pod", "number", "choice"]

ASKED: dict[str, tuple[Kind, ...]] = {
    "CycleStarted": ("pod",),
    "PreFilterFinished": ("choice",),
    "NodesFiltered": ("node", "number", "choice"),
    "ScoresComputed": ("node", "number"),
    "HostSelected": ("node",),
    "PreemptionEvaluated": ("node", "pod", "number", "choice"),
    "PermitEvaluated": ("choice",),
    "PermitDecided": ("choice",),
    "BindingFailed": ("choice",),
    "PodEnqueued": ("choice", "number", "pod"),
    "PodGated": ("choice",),
    "AttemptFinished": ("choice",),
}
"""The events that can be asked about, and how (README.md says what is asked)."""


class Question(msgspec.Struct, frozen=True):
    """What is asked before one event of one attempt; `about` names the node, pod or plugin if the event has several."""

    attempt: int
    event: str
    kind: Kind
    en: str
    zh: str = ""
    frame: int | None = None
    about: str = ""


def asked(text: str) -> list[Question]:
    """The list in the annotation; entries of another shape are left out."""
    try:
        found = Composer(text, Limits(depth=4), 0).documents()
    except DocumentError:
        return []
    entries = found[0] if found and isinstance(found[0], list) else []
    return [kept for entry in entries[:MOST_QUESTIONS] if (kept := question(entry))]


def question(entry: Any) -> Question | None:
    """One entry, its texts cut to a size that fits on the screen."""
    try:
        read = msgspec.convert(entry, Question)
    except msgspec.ValidationError:
        return None
    if read.kind not in ASKED.get(read.event, ()):
        return None
    en, zh, about = (part.replace("\0", "")[:LONGEST_QUESTION] for part in (read.en, read.zh, read.about))
    return msgspec.structs.replace(read, en=en, zh=zh, about=about)
