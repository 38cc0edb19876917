"""A FailedScheduling message in words: each part with its plugin, its meaning, and whether preemption helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from kschedui.waiting.message import FailedMessage
from kschedui.waiting.reasons import (
    PREDICATE_FAILURES,
    declarations,
    note_meaning,
    plugin_of_predicate,
    preemption_meaning,
    reason_of,
)
from scheduler_core.plugins import REGISTRY

Say = Callable[[str], str]  # translates a sentence into the reader's language


class Row(msgspec.Struct, frozen=True):
    """A part in words.

    `total`: the number of all nodes; `lesson`: the slug of a lesson about it; `page`: whether the plugin has a page.
    `helps`: evicting pods could resolve it; `tried`: it could, but the message includes the result of preemption.
    """

    count: int
    total: int
    reason: str
    plugin: str = ""
    meaning: str = ""
    unsaid: str = ""
    helps: bool = False
    tried: bool = False
    lesson: str = ""
    page: bool = False


def in_words(message: FailedMessage, say: Say = str) -> dict[str, Any]:
    """Return `message`, `rows` and `preemption` [Row], `note`, `overlap` (nodes counted twice), `cut`, `helps`."""
    tried = message.preemption is not None
    rows = [row(part.count, message.total, part.reason, say, tried=tried) for part in message.parts]
    preemption = [
        Row(part.count, message.total, part.reason, meaning=say(preemption_meaning(part.reason) or ""))
        for part in message.preemption or ()
    ]
    overlap = sum(part.count for part in message.parts) - message.total
    helps = sum(part.count for part in rows if part.helps)
    unfinished = message.understood and (-message.total < overlap < 0 or not _is_whole(message.parts[-1].reason))
    texts = {
        "message": message,
        "rows": rows,
        "preemption": preemption,
        "note": say(note_meaning(message.rest) or ""),
        "cut": message.end == "..." or (not message.end and unfinished),
    }
    return {**texts, "overlap": max(overlap, 0), "helps": helps}


def _is_whole(reason: str) -> bool:
    return reason in PREDICATE_FAILURES or plugin_of_predicate(reason) != "" or reason_of(reason) is not None


def row(number: int, total: int, reason: str, say: Say = str, *, tried: bool = False) -> Row:
    """Return a part of a message in words. `tried`: the message includes the result of preemption."""
    meaning = reason_of(PREDICATE_FAILURES.get(reason, reason))
    if meaning is None:
        plugin = plugin_of_predicate(reason)
        blocker = declarations()[plugin].blocker if plugin else None
        return Row(number, total, reason, plugin, say(blocker.message(resources=reason)) if blocker else "")
    about = meaning.reason
    return Row(
        number,
        total,
        reason,
        plugin=meaning.plugin,
        meaning=say(about.meaning.message()),
        unsaid=say(about.unsaid.message()),
        helps=about.preemption_helps and not tried,
        tried=about.preemption_helps and tried,
        lesson=about.lesson,
        page=meaning.plugin in REGISTRY,
    )
