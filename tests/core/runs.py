"""Run small scenarios, and read their events."""

from __future__ import annotations

from typing import Any, TypeVar

from scheduler_core import attempt_records, simulate
from scheduler_core.trace.events import AnyEvent, PodBound, PodEnqueued, RunFinished, RunStarted, SchedulingFailed
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, pods_of
from tests.builders import Manifest, parse

E = TypeVar("E")


def run(*objects: Manifest, **spec: Any) -> list[AnyEvent]:
    """Return all events of the scenario's run."""
    return list(simulate(parse(*objects, **spec)))


def only(kind: type[E], events: list[AnyEvent], pod: str = "") -> list[E]:
    """Return the events of a kind, of one pod if it is named."""
    found = [event for event in events if isinstance(event, kind)]
    return [event for event in found if not pod or getattr(event, "pod", "") == f"default/{pod}"]


def attempts(events: list[AnyEvent]) -> list[tuple[float, str, str]]:
    """Return (time, pod, outcome) of each attempt, in order."""
    records = attempt_records(events)
    return [(record["time"], record["pod"].removeprefix("default/"), record["outcome"]) for record in records]


def bound(events: list[AnyEvent]) -> dict[str, str]:
    """Return the node of each pod that the scheduler bound."""
    return {event.pod.removeprefix("default/"): event.node for event in only(PodBound, events)}


def moves(events: list[AnyEvent], pod: str) -> list[tuple[str, str]]:
    """Return (queue, event) of each of the pod's moves."""
    return [(event.queue, event.event) for event in only(PodEnqueued, events, pod)]


def standing_at_the_end(events: list[AnyEvent]) -> dict[str, str]:
    """Return the node of each pod that is bound at the end, including those bound at the beginning."""
    (started,) = only(RunStarted, events)
    return bound_at_the_end(initial_nodes(pods_of(started)), final(events))


def final(events: list[AnyEvent]) -> RunFinished:
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last


def message(events: list[AnyEvent], pod: str) -> str:
    """Return the message of the pod's last failed attempt."""
    return only(SchedulingFailed, events, pod)[-1].message
