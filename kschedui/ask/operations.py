"""Questions about a whole cluster for the site: converts plain data and returns the engine's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kschedui.ask.fork_steps import step_at
from kschedui.scenarios import engine, yaml_text
from kschedui.scenarios.outside_plugins import registry
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.text import append_events
from scheduler_core.ask.operations.helping import Helping, helping
from scheduler_core.ask.operations.questions import Add, Drain, Lose, Question, answer, carried_out
from scheduler_core.ask.operations.results import OperationResult
from scheduler_core.ask.operations.upgrade import Upgrade, upgrade

MAX_NODES = 5000  # that a question names


def question_of(row: Mapping[str, Any]) -> Question:
    """Parse a question from plain data. Raises NotPossible with the error."""
    try:
        question: Question = msgspec.convert(row, Question)
    except msgspec.ValidationError as error:
        raise NotPossible(Message("this is not a valid question: {problem}", problem=str(error))) from None
    if isinstance(question, Drain | Lose) and len(question.nodes) > MAX_NODES:
        raise NotPossible(Message("name at most {most:,} nodes", most=MAX_NODES))
    return question


def question_words(question: Question) -> Message:
    """Return the operation in one phrase."""
    match question:
        case Lose(zone=zone) if zone:
            return Message("lose zone {zone}", zone=zone)
        case Drain(nodes=nodes):
            return Message("drain {nodes}", nodes=_first_names(nodes))
        case Lose(nodes=nodes):
            return Message("lose {nodes}", nodes=_first_names(nodes))
        case Add():
            return Message("add {count} nodes like {like}", count=question.count, like=question.like)
        case _:
            return Message("schedule all pods again")


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + ("…" if len(names) > 3 else "")


def operate(text: str, kubernetes: str, row: Mapping[str, Any]) -> OperationResult:
    """Return the outcome of the operation. Raises NotPossible or RunEnded."""
    return answer(engine.read_again(text, kubernetes), question_of(row), registry())


def perform(text: str, kubernetes: str, row: Mapping[str, Any]) -> tuple[str, int]:
    """Return the scenario with the operation in its timeline, and the step at which the operation begins."""
    _, timeline = carried_out(engine.read_again(text, kubernetes), question_of(row), registry())
    scenario = append_events(text, timeline, yaml_text.write)
    return scenario, step_at(scenario, kubernetes, min((float(event["at"]) for event in timeline), default=0.0))


def find_helping_groups(text: str, kubernetes: str) -> Helping:
    """Return the node groups that would help the pending pods."""
    return helping(engine.read_again(text, kubernetes), registry())


def compare_releases(text: str, before: str, after: str) -> Upgrade:
    """Compare the decisions of the releases `before` and `after`."""
    return upgrade(engine.read(text, before), engine.read(text, after), registry())
