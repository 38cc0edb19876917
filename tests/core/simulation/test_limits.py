"""Limits of a run: its steps, attempts and virtual time, for every caller."""

from collections import deque

import pytest

from scheduler_core import LimitReached, Limits, explain, parse_scenario, simulate
from scheduler_core.ask.moments.moment import at_end, before_attempt
from scheduler_core.scenario.types import Limit, RunLimits, Scenario
from tests.builders import node, pod, scenario

# Three pods that never fit, and something that happens in ten years: they are tried until then, every five minutes.
ENDLESS = scenario(
    node("n1", cpu=1), *(pod(f"p{i}", cpu=2) for i in range(3)), events=[{"at": 3e8, "create": pod("late", cpu=1)}]
)
QUIET = scenario(node("n1"), pod("early"), events=[{"at": 3e8, "create": pod("late")}])


def limited(text: str, **limits: int) -> Scenario:
    run = RunLimits(**{name: Limit(most, f"MAX_{name}") for name, most in limits.items()})
    return parse_scenario(text, Limits(run=run))


@pytest.mark.parametrize(
    ("limit", "most", "sentence"),
    [
        ("steps", 500, "The run was stopped after 500 steps, which is the limit (MAX_steps)."),
        (
            "attempts",
            20,
            "The run was stopped after 20 attempts to schedule a pod, which is the limit (MAX_attempts).",
        ),
        (
            "virtual_seconds",
            1000,
            "The run was stopped at 1,000 s of virtual time, which is the limit (MAX_virtual_seconds).",
        ),
    ],
)
def test_a_run_ends_at_each_limit_and_says_which(limit: str, most: int, sentence: str) -> None:
    with pytest.raises(LimitReached) as met:
        deque(simulate(limited(ENDLESS, **{limit: most})), maxlen=0)
    assert str(met.value.sentence) == sentence


def test_pods_that_controllers_make_are_limited_too() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 10**9, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    text = scenario(node("n1"), deployment, controllers=["deployment", "replicaset"])
    with pytest.raises(LimitReached) as met:
        deque(simulate(limited(text, pods=700)), maxlen=0)
    assert str(met.value.sentence).startswith(
        "The run was stopped when its cluster had more than 700 pods, which is the limit (MAX_pods)."
    )


def test_events_before_the_limit_are_those_of_the_whole_run() -> None:
    ended, whole = simulate(limited(ENDLESS, steps=500)), simulate(parse_scenario(ENDLESS))
    count = 0
    with pytest.raises(LimitReached):  # noqa: PT012
        for event in ended:
            assert event == next(whole)
            count += 1
    assert 300 < count <= 500


def test_questions_about_a_run_meet_the_same_limits() -> None:
    with pytest.raises(LimitReached):
        before_attempt(limited(ENDLESS, steps=500), 1_000_000)
    with pytest.raises(LimitReached):
        at_end(limited(ENDLESS, steps=500))
    with pytest.raises(LimitReached):
        explain(limited(ENDLESS, steps=500), 1_000_000)


def test_time_in_which_nothing_happens_costs_nothing() -> None:
    events = list(simulate(limited(QUIET, steps=60, attempts=2)))
    assert len(events) < 60
