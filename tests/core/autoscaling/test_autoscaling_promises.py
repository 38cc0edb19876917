"""Promises of autoscalers hold for random clusters: sizes, limits of pools, budgets, and capacity for each pod that
moves.

`make test-autoscaling` tries 3,000 clusters, `make test-all` fewer, `make test` some of these.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from scheduler_core.autoscaling.cloud import Group
from scheduler_core.autoscaling.cluster_autoscaler.scale_down import Planner
from scheduler_core.autoscaling.karpenter.disruption import Disruption
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.controllers import eviction
from tests.core.autoscaling.promises import Watch, scenario_of
from tests.sampling import rest_slow

CASES = int(os.environ.get("KSCHEDUI_PROMISES", "200"))
BATCH = 20
BATCHES = [range(first, min(first + BATCH, CASES)) for first in range(0, CASES, BATCH)]


def watched(seeds: range) -> tuple[list[str], Counter[str]]:
    """Return the broken promises of clusters, and how often each promise was tested."""
    broken, seen = list[str](), Counter[str]()
    for seed in seeds:
        watch = Watch(*scenario_of(seed))
        watch.run()
        broken += [f"{seed}: {words}" for words in watch.broken]
        seen += watch.seen
    return broken, seen


@pytest.mark.parametrize("seeds", rest_slow(10, BATCHES), ids=str)
def test_an_autoscaler_keeps_what_it_promises(seeds: range) -> None:
    broken, _ = watched(seeds)
    assert not broken


MISTAKES = [
    ("has 0 nodes, at least", Group, "minimum", property(lambda group: 0)),
    ("which left", eviction, "_allowed", lambda budget, api: 1),
    ("fit nowhere", Planner, "_move", lambda *given: None),
    ("its limit is", Catalogue, "within", lambda catalogue, types, limits: types),
    ("its budget allows", Disruption, "_budgets", lambda disruption, reason: Counter(p0=99, p1=99)),
]


@pytest.mark.parametrize(("words", "owner", "name", "wrong"), MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_a_mistake_breaks_a_promise(
    words: str, owner: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, wrong)
    assert any(words in broken for seed in range(120) for broken in watched(range(seed, seed + 1))[0])


def test_passes_of_the_same_moment_end() -> None:
    """A pod that is two seconds old, or slightly less in binary fractions, must not cause another pass at the same
    moment."""
    watched(range(75, 76))
