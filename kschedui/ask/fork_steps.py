"""The step at which the run of a fork shows the effect of its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kschedui.scenarios import engine
from scheduler_core.trace.autoscaling_events import ScaleDownEvaluated, ScaleUpEvaluated
from scheduler_core.trace.events import AnyEvent, ClockAdvanced


def step_at(text: str, kubernetes: str, time: float) -> int:
    """Return the first step of the text's run at this time (seconds) or later; 0 if there is none."""
    clock = 0.0

    def is_late_enough(event: AnyEvent) -> bool:
        nonlocal clock
        if not isinstance(event, ClockAdvanced):
            return clock >= time
        clock = event.time
        return False

    return _first_step(engine.simulate(engine.read_again(text, kubernetes)), is_late_enough)


def step_of_pass(text: str, kubernetes: str) -> int:
    """Return the step of the first pass of an autoscaler in the text's run; 0 if there is none."""
    events = engine.simulate(engine.read_again(text, kubernetes))
    return _first_step(events, lambda event: isinstance(event, ScaleUpEvaluated | ScaleDownEvaluated))


def _first_step(events: Iterable[AnyEvent], holds: Callable[[AnyEvent], bool]) -> int:
    return next((step for step, event in enumerate(events) if holds(event)), 0)
