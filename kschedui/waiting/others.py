"""All messages of other programs in a text."""

from __future__ import annotations

import re

from kschedui.waiting.autoscalers import autoscaler_messages
from kschedui.waiting.batch_schedulers import batch_scheduler_messages
from kschedui.waiting.foreign import ForeignMessage, Say
from kschedui.waiting.message import messages, unquote

# An indented line continues the one before, unless it is the next row of a table of events.
WRAPPED = re.compile(r"\n[ \t]++(?!(?:Normal|Warning)\s|\d+[smhdy]\S*\s)")


def has_messages(text: str) -> bool:
    """Return whether a text has a message that the decoder explains."""
    return any(message.understood for message in messages(text)) or bool(foreign_messages(text))


def foreign_messages(text: str, say: Say = str) -> list[ForeignMessage]:
    """Return all distinct messages of autoscalers and batch schedulers in a text."""
    text = text.replace("\r\n", "\n")  # as forms send it
    lines = "\n".join(line.rstrip(" \t|") for line in unquote(text).split("\n"))
    plain = WRAPPED.sub(" ", lines)
    all_messages = [*autoscaler_messages(text, plain, say), *batch_scheduler_messages(plain, say)]
    return list({(message.source, message.message): message for message in all_messages}.values())
