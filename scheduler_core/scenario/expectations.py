"""The expectations of a scenario (`spec.expect`), checked against its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.events import AnyEvent, RunFinished, RunStarted, SchedulingFailed
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import bound_at_the_end, pods_of, standing


def unmet_expectations(scenario: Scenario, events: Iterable[AnyEvent]) -> list[Message]:
    """Return one sentence for each expectation that the run does not meet."""
    expect = scenario.expect
    if expect is None:
        return []
    messages: dict[str, str] = {}
    victims: list[str] = []
    began: dict[str, str] = {}
    bound: dict[str, str] = {}
    for event in events:
        if isinstance(event, RunStarted):
            began = standing(pods_of(event))
        elif isinstance(event, SchedulingFailed):
            messages[event.pod] = event.message
        elif isinstance(event, VictimEvicted):
            victims.append(event.pod)
        elif isinstance(event, RunFinished):
            bound = bound_at_the_end(began, event)
    unmet: list[Message] = []
    for key, promised in expect.pods.items():
        node_name = bound.get(key, "")
        if node_name != promised.node:
            places = {"expected": _place(promised.node), "found": _place(node_name)}
            unmet.append(Message("{pod}: expected {expected}, but it is {found}", pod=key, **places))
        if promised.reason not in messages.get(key, "" if promised.reason else promised.reason):
            texts = {"expected": repr(promised.reason), "found": repr(messages.get(key, ""))}
            unmet.append(Message("{pod}: expected a message with {expected}, got {found}", pod=key, **texts))
    if expect.victims is not None and sorted(expect.victims) != sorted(victims):
        names = {"expected": _names(expect.victims), "found": _names(victims)}
        unmet.append(Message("victims: expected {expected}, got {found}", **names))
    return unmet


def _place(node_name: str) -> Message:
    return Message("on {node}", node=node_name) if node_name else Message("pending")


def _names(victims: Sequence[str]) -> object:
    return ", ".join(victims) or Message("none")
