"""Each answer about a whole cluster agrees with a run whose timeline has the operation; budgets are counted
independently."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.editing.text import append_events
from scheduler_core.ask.operations.questions import Drain, carried_out
from scheduler_core.ask.operations.results import OperationResult
from scheduler_core.trace.events import RunFinished
from tests.core.ask.operations import clusters
from tests.core.ask.operations.watched import Watched

CASES = int(os.environ.get("KSCHEDUI_ANSWERS", "60"))
FIRST = int(os.environ.get("KSCHEDUI_ANSWERS_FROM", "0"))
FAILED_ONCE = (730246, 730326)  # an evicted pod preempts another one of the budget


def problems(text: str, question: Any) -> list[str]:
    """Return the differences between the answer and the run."""
    answer, timeline = carried_out(parse_scenario(text), question)
    applied = parse_scenario(append_events(text, timeline, json.dumps)) if timeline else parse_scenario(text)
    events = list(simulate(applied))
    budgets = [one for one in map(json.loads, text.split("\n---\n")) if one["kind"] == "PodDisruptionBudget"]
    drained = set(question.nodes) if isinstance(question, Drain) and not question.remove else set()
    watched = Watched(budgets, drained)
    watched.take(events)
    final = next(event for event in events if isinstance(event, RunFinished))
    return [*watched.broken, *_differences(answer, watched, final), *_not_blocked(answer, watched)]


def _differences(answer: OperationResult, watched: Watched, final: RunFinished) -> list[str]:
    answered = {one.pod: one.after for one in answer.moved} | {one.pod: "" for one in answer.unplaced}
    found = [
        f"{pod} is on {watched.node.get(pod)!r}, not {node!r}"
        for pod, node in answered.items()
        if watched.node.get(pod) != node
    ]
    found += [f"{pod} is pending, too" for pod in final.pending if pod not in answered]
    found += [
        f"{one.pod} was told {watched.message.get(one.pod)!r}, not {one.message!r}"
        for one in answer.unplaced
        if not one.message.startswith("SchedulingGates") and watched.message.get(one.pod) != one.message
    ]
    uses: dict[str, int] = {}
    for node in watched.node.values():
        uses[node] = uses.get(node, 0) + 1
    found += [
        f"{use.node} has {uses.get(use.node, 0)} pods"
        for use in answer.cluster
        if use.after is not None and use.after["pods"].requested != uses.get(use.node, 0)
    ]
    return found


def _not_blocked(answer: OperationResult, watched: Watched) -> list[str]:
    return [
        f"{one.pod} could be evicted"
        for one in answer.blocked
        if len(watched.covering(one.pod)) == 1 and watched.allowed(watched.covering(one.pod)[0]) > 0
    ]


@pytest.mark.parametrize("seed", [*range(FIRST, FIRST + CASES), *FAILED_ONCE])
def test_what_is_answered_happens_when_it_is_applied(seed: int) -> None:
    text, question = clusters.text(seed), clusters.question(seed)
    found = problems(text, question)
    assert not found, f"{question}: " + "\n".join(found)
