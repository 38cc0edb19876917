"""Parses messages to a class; a ValueError says in a sentence what was expected."""

import re
from typing import Any

from kschedui.classrooms.store import Question, RightAnswer, Shown
from kschedui.web.live.connection import read_number

LARGEST = 2**31
MAX_MESSAGES = 2**31
MAX_CHOICES = 20
QUESTION = re.compile(r"[0-9A-Za-z._:-]{1,64}")
LONGEST_NAME, LONGEST_TEXT = 320, 400


def read_place(message: dict[str, Any]) -> dict[str, Any]:
    """Parse {step, frame, order, selection, by}: the teacher's position, and the window. Raises ValueError."""
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
    """Return whether the value names a pod or a node."""
    if not isinstance(selection, dict) or set(selection) != {"kind", "name"}:
        return False
    name = selection["name"]
    return selection["kind"] in ("pod", "node") and isinstance(name, str) and len(name) <= LONGEST_NAME


def read_shown(message: dict[str, Any]) -> Shown:
    """Parse {by, step, frame, order, selection, paused, gathered, question}. Raises ValueError."""
    if not isinstance(message.get("paused"), bool):
        raise ValueError("`paused` is true or false.")
    gathered = read_number(message, "gathered", MAX_MESSAGES)
    return Shown(read_place(message), message["paused"], gathered, read_question(message.get("question")))


def read_question(question: Any) -> Question | None:
    """Parse {id, choices}, with right, text and labels if it is being revealed.

    Return None for null. Raises ValueError for anything else.
    """
    if question is None:
        return None
    if not isinstance(question, dict):
        raise ValueError("`question` is null or {id, choices}.")
    choices = read_number(question, "choices", MAX_CHOICES + 1)
    answer = read_answer(question, choices) if "right" in question else None
    return Question(read_id(question, "id"), choices, answer)


def read_id(message: dict[str, Any], name: str) -> str:
    """Parse a question's id. Raises ValueError."""
    question = message.get(name)
    if not isinstance(question, str) or not QUESTION.fullmatch(question):
        raise ValueError(f"`{name}` is the id of a question.")
    return question


def read_answer(question: dict[str, Any], choices: int) -> RightAnswer:
    """Parse the right choice, the text of the question, and the texts of the choices. Raises ValueError."""
    labels = question.get("labels")
    if not isinstance(labels, list) or len(labels) > MAX_CHOICES:
        raise ValueError("`labels` are the choices in words.")
    words = [str(label)[:LONGEST_TEXT] for label in labels]
    return RightAnswer(read_number(question, "right", choices), str(question.get("text", ""))[:LONGEST_TEXT], words)
