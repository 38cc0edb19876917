"""The expectations of a scenario (`spec.expect`), checked against its run."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.events import AnyEvent, RunFinished, RunStarted, SchedulingFailed
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import bound_at_the_end, pods_of, standing


def unmet_expectations(scenario: Scenario, events: Iterable[AnyEvent]) -> list[str]:
    """Return one sentence for each promise that the run does not keep."""
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
    unmet = []
    for key, promised in expect.pods.items():
        node_name = bound.get(key, "")
        if node_name != promised.node:
            unmet.append(f"{key}: expected {_place(promised.node)}, but it is {_place(node_name)}")
        if promised.reason not in messages.get(key, "" if promised.reason else promised.reason):
            unmet.append(f"{key}: expected a message with {promised.reason!r}, got {messages.get(key, '')!r}")
    if expect.victims is not None and sorted(expect.victims) != sorted(victims):
        unmet.append(f"victims: expected {', '.join(expect.victims) or 'none'}, got {', '.join(victims) or 'none'}")
    return unmet


def _place(node_name: str) -> str:
    return f"on {node_name}" if node_name else "pending"
