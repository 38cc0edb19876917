"""Compares autoscalers by running the same load with each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from scheduler_core.ask.autoscale.course import Sample, follow
from scheduler_core.ask.autoscale.question import last_event, with_actor
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario

SECONDS = 1800.0  # after the timeline: unneeded nodes go after ten minutes, but not within ten minutes of an addition
Name = Literal["cluster-autoscaler", "karpenter"]


class Outcome(msgspec.Struct):
    """The result of a run. Prices are per hour, `cost` is for the whole run; times and waits are in seconds.

    `waits`: the sorted waits of the pods that did not get a node at once; those of `waiting` pods last until the end.
    `estimated`: the number of nodes whose price is estimated from their cpu and memory.
    """

    actor: Name
    samples: list[Sample]
    ordered: float | None
    added: int
    removed: int
    evictions: int
    cost: float
    waits: list[float]
    waiting: list[str]
    types: dict[str, int]
    estimated: int

    @property
    def mean_wait(self) -> float:
        """Return the mean of the waits, 0 if there are none."""
        return sum(self.waits) / len(self.waits) if self.waits else 0.0

    @property
    def longest_wait(self) -> float:
        return self.waits[-1] if self.waits else 0.0

    @property
    def last(self) -> Sample:
        """Return the state at the end."""
        return self.samples[-1]


class Comparison(msgspec.Struct):
    """Runs with different autoscalers, each until the same time."""

    seconds: float
    outcomes: list[Outcome]


def compare(
    scenarios: Mapping[Name, Scenario],
    registry: Registry = REGISTRY,
    seconds: float = SECONDS,
    report_progress: Callable[[float], None] = lambda part: None,
) -> Comparison:
    """Return the outcome of each scenario, run until `seconds` after the end of the longest timeline.

    Raises NotPossible or RunEnded.
    """
    outcomes = []
    until = max(map(last_event, scenarios.values())) + seconds
    for number, (name, scenario) in enumerate(scenarios.items()):
        limited = replace(with_actor(scenario), until_seconds=until)
        course = follow(limited, registry, 0.0, lambda done, n=number: report_progress((n + done) / len(scenarios)))  # type: ignore[misc]
        types: dict[str, int] = {}
        for made in course.nodes:
            kind = made.instance_type or made.group
            types[kind] = types.get(kind, 0) + 1
        outcomes.append(
            Outcome(
                name,
                course.samples,
                course.ordered,
                len(course.nodes),
                course.removed,
                course.evictions,
                course.cost,
                sorted(course.waits.values()),
                course.waiting,
                dict(sorted(types.items(), key=lambda pair: (-pair[1], pair[0]))),
                course.estimated,
            )
        )
    return Comparison(until, outcomes)
