"""Pods are reprieved by counting where only counters matter; the result is that of the filters."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.framework.runtime.filters import Filters
from scheduler_core.simulation.simulation import simulate
from scheduler_core.trace.keyframe import encode
from tests.builders import node, parse, pod


def crowded(seed: int) -> list[bytes]:
    """Return the trace of a run of several preemptors on full nodes."""
    random = Random(seed)
    nodes = [node(f"n{i}", cpu=4, memory="8Gi") for i in range(5)]
    running = [
        pod(f"r{i}", cpu=f"{random.randint(1, 20)}00m", priority=random.randint(0, 4), node=f"n{i % 5}")
        for i in range(20)
    ]
    waiting = [pod(f"p{i}", cpu=random.randint(1, 4), priority=random.randint(3, 9)) for i in range(6)]
    return [encode(event) for event in simulate(parse(*nodes, *running, *waiting))]


@pytest.mark.parametrize("seed", range(12))
def test_counters_decide_as_the_filters_do(seed, monkeypatch):
    asked = []
    counter_limits = Filters.counter_limits
    monkeypatch.setattr(
        Filters, "counter_limits", lambda self, *given: asked.append(counter_limits(self, *given)) or asked[-1]
    )
    by_counters = crowded(seed)
    assert any(found is not None for found in asked)
    monkeypatch.setattr(Filters, "counter_limits", lambda self, *given: None)
    assert crowded(seed) == by_counters
