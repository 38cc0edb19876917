"""Messages about pending pods that are not kube-scheduler's: of autoscalers, and of schedulers of batch jobs."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from kschedui.waiting.message import GENERAL
from kschedui.waiting.reasons import reason_of
from scheduler_core.apis.messages import Message

Say = Callable[[Message], str]
Meanings = tuple[tuple[str, Message], ...]  # a regular expression for the beginning of a reason, and its meaning


class ForeignPart(msgspec.Struct, frozen=True):
    """A reason. `count` is a number of node groups; 0: the reason applies to `group`, or to the pod."""

    reason: str
    count: int = 0
    group: str = ""
    meaning: str = ""


class ForeignMessage(msgspec.Struct, frozen=True):
    """A message of another program about a pending pod, from an event or from the program's log."""

    source: str
    message: str
    meaning: str
    parts: list[ForeignPart] = []


def build_part(reason: str, meanings: Meanings, say: Say, *, count: int = 0, group: str = "") -> ForeignPart:
    """Return a reason with its meaning, which may be that of one of kube-scheduler's plugins."""
    single = [words for words in reason.split(", ") if not GENERAL.fullmatch(words)]
    known = reason_of(reason) or reason_of(single[0] if single else reason)  # of several, as in a log, the first
    meaning = next((words for pattern, words in meanings if re.search(pattern, reason)), None)
    if meaning is None and known is not None:
        meaning = known.reason.meaning.message()
    return ForeignPart(reason, count, group, say(meaning) if meaning is not None else "")
