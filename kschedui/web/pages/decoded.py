"""An explained FailedScheduling message, as work (`kschedui.work`): plain data as input and output."""

import re
from typing import Any

from kschedui.language import in_language
from kschedui.scenarios.importers import for_people
from kschedui.scenarios.kinds_of_text import is_for_people
from kschedui.waiting import starter
from kschedui.waiting.decoded import in_words
from kschedui.waiting.described import described_pods, other_events
from kschedui.waiting.message import FailedMessage, messages, write_message
from kschedui.waiting.others import foreign_messages

LONGEST = 150_000  # characters, as of the dialog that imports (static/js/intake/dialog.js)
AN_OBJECT = re.compile(
    r"""(?m)^[ \t]{0,40}(?:[{-][ \t]{0,40})?["']?(?:apiVersion|kind)["']?[ \t]{0,9}:[ \t]{0,9}["']?\w"""
)


def decode(text: str) -> dict[str, Any]:
    """Return the context of the page (decoding.py)."""
    reading = for_people.read(text) if is_for_people(text) else for_people.Reading()
    failed_messages = messages(text)
    message = failed_messages[0] if failed_messages else FailedMessage()
    scenario = starter.starter(message, in_language(starter.TITLE))
    context = {
        "text": text,
        "longest": LONGEST,
        **in_words(message, in_language),
        "foreign": foreign_messages(text, in_language),
        "others": [write_message(failed_message) for failed_message in failed_messages[1:]],
        "starter": scenario,
        "with_objects": bool(reading.objects or AN_OBJECT.search(text)),
        "notes": list(map(in_language, reading.notes)),
        "described": described_pods(reading),
        "other_events": other_events(reading),
    }
    return {**context, "starter_message": starter.simulated_message(scenario.text) if scenario.text else ""}
