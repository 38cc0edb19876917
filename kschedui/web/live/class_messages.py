"""What the messages to a class hold; a ValueError says in a sentence what was expected."""

import re
from typing import Any

from kschedui.web.live.connection import read_number

LARGEST = 2**31
MOST_CHOICES = 20
QUESTION = re.compile(r"[0-9A-Za-z._:-]{1,64}")
LONGEST_NAME, LONGEST_TEXT = 320, 400


def read_place(message: dict[str, Any]) -> dict[str, Any]:
    """{step, frame, order, selection, by}."""
    selection, by = message.get("selection"), message.get("by", "")
    if message.get("order") not in ("plugin", "node"):
        raise ValueError("`order` is plugin or node.")
    if selection is not None and not is_selection(selection):
        raise ValueError("`selection` is null or {kind: pod or node, name}.")
    if not isinstance(by, str) or len(by) > LONGEST_NAME:
        raise ValueError("`by` names the window.")
    step, frame = read_number(message, "step", LARGEST), read_number(message, "frame", LARGEST)
    return {"step": step, "frame": frame, "order": message["order"], "selection": selection, "by": by}


def is_selection(selection: Any) -> bool:
    """A pod or node by its name."""
    if not isinstance(selection, dict) or set(selection) != {"kind", "name"}:
        return False
    name = selection["name"]
    return selection["kind"] in ("pod", "node") and isinstance(name, str) and len(name) <= LONGEST_NAME


def read_question(message: dict[str, Any]) -> str:
    """A question's id."""
    question = message.get("question")
    if not isinstance(question, str) or not QUESTION.fullmatch(question):
        raise ValueError("`question` is the id of a question.")
    return question


def read_answer(message: dict[str, Any]) -> tuple[int, str, list[str]]:
    """The right choice, the question in words, and the choices in words."""
    labels = message.get("labels")
    if not isinstance(labels, list) or len(labels) > MOST_CHOICES:
        raise ValueError("`labels` are the choices in words.")
    words = [str(one)[:LONGEST_TEXT] for one in labels]
    return read_number(message, "right", MOST_CHOICES), str(message.get("text", ""))[:LONGEST_TEXT], words
