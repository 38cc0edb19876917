"""The field tables of `spec.lesson` in a Scenario document, and the rules for its captions and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.schema import BOOLEAN, INT32, LOCALIZED, STRING, Enum, Fields, ListOf, strings
from scheduler_core.scenario.lesson import QuestionKind
from scheduler_core.scenario.reading.problems import Path, invalid, not_supported, one_of, required
from scheduler_core.trace.events import AnyEvent

TOPICS = (
    "queue", "filtering", "scoring", "preemption", "spreading", "affinity", "volumes", "binding", "configuration",
    "scale", "devices", "workloads", "nodes", "autoscaling",
)  # fmt: skip
LEVELS = ("beginner", "intermediate", "advanced")
# The events at which the options of a choice can begin with yes and no.
YES_OR_NO = ("PreemptionEvaluated", "AttemptFinished")
QUESTION_KINDS: tuple[str, ...] = get_args(QuestionKind)
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "CycleStarted": ("pod",),
    "PreFilterFinished": ("choice",),
    "NodesFiltered": ("node", "number", "choice"),
    "DevicesSearched": ("number", "choice"),
    "ScoresComputed": ("node", "number"),
    "HostSelected": ("node",),
    "PreemptionEvaluated": ("node", "pod", "number", "choice"),
    "PermitEvaluated": ("choice",),
    "PermitDecided": ("choice",),
    "BindingFailed": ("choice",),
    "PodEnqueued": ("choice", "number", "pod"),
    "PodGated": ("choice",),
    "AttemptFinished": ("choice",),
    "ObjectApplied": ("node", "number", "choice"),
    "ObjectDeleted": ("node", "choice"),
    "PodDeletionRequested": ("pod", "number", "choice"),
    "PodFinished": ("pod", "number", "choice"),
    "EvictionAnswered": ("choice",),
    "NodeConditionChanged": ("node", "number"),
    "NodeGroupResized": ("node", "number", "choice"),
    "ScaleUpEvaluated": ("number", "choice"),
    "ScaleDownEvaluated": ("node", "choice"),
}
"""The kinds of question that can be asked at each event; static/js/learn/answers.js finds their answers."""

LONGEST_TEXT = 400  # characters of a caption or a question, in each language
LONGEST_TEXTS = {"title": 1_000, "description": 20_000, "lookAt": 1_000}  # characters in each language
MAX_CAPTIONS = 200
MAX_QUESTIONS = 40

_EVENTS = tuple(event.__name__ for event in get_args(AnyEvent))
_HINTS = {
    "attempt": "the last scheduling attempt that has begun, counted from 1 over the whole run; 0: before the first",
    "event": "the event of that attempt, or after it, at which it is shown",
    "about": "the pod, node, workload or node group of the event, if there are several",
    "en": "English",
    "zh": "Simplified Chinese",
}
CAPTION = Fields("Caption", {"attempt": INT32, "event": Enum(_EVENTS, "event"), **strings("about en zh")}, _HINTS)
QUESTION = Fields(
    "Question",
    {
        "attempt": INT32,
        "event": Enum(tuple(QUESTIONS), "event"),
        "kind": Enum(QUESTION_KINDS, "kind of question"),
        "about": STRING,
        "frame": INT32,
        "yesOrNo": BOOLEAN,
        **strings("en zh"),
    },
    {
        **_HINTS,
        "event": "the event that the reader predicts",
        "kind": "what the reader answers with",
        "about": "the node, pod or plugin that is meant, where the event has several, or as for a caption",
        "frame": "the first frame that stays hidden until the reader answers",
        "yesOrNo": "the options begin with yes and no",
    },
)
LESSON = Fields(
    "Lesson",
    {
        "level": Enum(LEVELS, "level"),
        "topics": ListOf(Enum(TOPICS, "topic")),
        "lookAt": LOCALIZED,
        "captions": ListOf(CAPTION),
        "questions": ListOf(QUESTION),
    },
    {
        "topics": "what the library files it under",
        "lookAt": "one sentence: what to watch for",
        "captions": "sentences that the player shows at an event",
        "questions": "questions that the reader answers before the player shows an event",
    },
)


def caption_problems(caption: Mapping[str, Any]) -> Iterator[tuple[Path, Message]]:
    """Yield (path below the caption, error) of a caption whose fields have valid types."""
    if (attempt := caption.get("attempt")) is None:
        yield ("attempt",), required(Message("the number of the attempt, from 1"))
    elif attempt < 0:
        yield ("attempt",), invalid(attempt, Message("must be 0 or greater"))
    if not caption.get("event"):
        yield ("event",), required(Message("an event of the attempt, such as {example}", example="PodBound"))
    if not (caption.get("en") or caption.get("zh")):
        yield ("en",), required(Message("the sentence, in English (en), Chinese (zh) or both"))
    for language in ("en", "zh"):
        if len(caption.get(language) or "") > LONGEST_TEXT:
            yield (language,), Message("Too long: may not be more than {most} characters", most=LONGEST_TEXT)


def question_problems(question: Mapping[str, Any]) -> Iterator[tuple[Path, Message]]:
    """Yield (path below the question, error) of a question whose fields have valid types."""
    yield from caption_problems(question)
    event, kind = question.get("event") or "", question.get("kind") or ""
    if not kind:
        yield ("kind",), required(one_of(QUESTION_KINDS))
    elif event and kind not in QUESTIONS[event]:
        yield ("kind",), not_supported(kind, QUESTIONS[event])
    if (frame := question.get("frame")) is not None and frame < 0:
        yield ("frame",), invalid(frame, Message("must be 0 or greater"))
    if question.get("yesOrNo") and not (kind == "choice" and event in YES_OR_NO):
        yield ("event",), not_supported(event, YES_OR_NO)
