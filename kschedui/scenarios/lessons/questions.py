"""What a scenario asks before its player shows it: `kschedui.io/questions`. The answer comes from the trace, in the
browser (static/js/learn/answers.js), and is never written here."""

from typing import Any, Literal

import msgspec

from kschedui.scenarios.lessons import entries
from kschedui.scenarios.lessons.entries import BadEntry
from scheduler_core.apis.messages import Message

LONGEST_QUESTION = 300
MOST_QUESTIONS = 40
SHAPE = "{attempt: 1, event: ScoresComputed, kind: node, en: ...}"

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
    return entries.read(text, MOST_QUESTIONS, question)[0]


def question(entry: Any) -> Question:
    """One entry, its texts cut to a size that fits on the screen; raises BadEntry."""
    read = entries.shaped(entry, Question, SHAPE)
    if read.event not in ASKED:
        event, known = read.event[:40], ", ".join(ASKED)
        raise BadEntry(Message("nothing can be asked of {event}; expected one of {known}", event=event, known=known))
    if read.kind not in ASKED[read.event]:
        event, kind, known = read.event, read.kind, ", ".join(ASKED[read.event])
        raise BadEntry(
            Message("of {event} no {kind} can be asked; expected {known}", event=event, kind=kind, known=known)
        )
    en, zh, about = (part.replace("\0", "")[:LONGEST_QUESTION] for part in (read.en, read.zh, read.about))
    return msgspec.structs.replace(read, en=en, zh=zh, about=about)
