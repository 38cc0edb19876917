"""Observed decisions next to simulated ones: verdicts, times, and weights that would explain them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.ask.replay.placing import place_decisions
from scheduler_core.ask.replay.replaying import Replay, replay
from scheduler_core.trace.events import PodBound
from tests.builders import node, parse, pod

IMAGE = "registry.example/model:1"
LARGE = 900 * 1024 * 1024
NODES = [node("cached", cpu=4, images={IMAGE: LARGE}), *(node(f"empty-{k}", cpu=8 * k) for k in (1, 2, 3))]


def weighted(weights: Mapping[str, int]) -> dict[str, Any]:
    """Return a configuration with these weights of score plugins."""
    enabled = [{"name": name, "weight": weight} for name, weight in weights.items()]
    profile = {"plugins": {"score": {"disabled": [{"name": name} for name in weights], "enabled": enabled}}}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }


def recorded(weights: Mapping[str, int]) -> Replay:
    """Return the replay, with the default configuration, of the decisions of a scheduler with these weights."""
    names = [f"job-{number}" for number in range(6)]
    arrivals = [{"at": 10 * (number + 1), "create": pod(name, cpu=1, image=IMAGE)} for number, name in enumerate(names)]
    decided = simulate(parse(*NODES, weighted(weights), events=arrivals))
    nodes = {event.pod: event.node for event in decided if isinstance(event, PodBound)}
    assert len(nodes) == len(names)
    observed = [
        {"at": 10 * (number + 1) + 0.5, "pod": f"default/{name}", "node": nodes[f"default/{name}"]}
        for number, name in enumerate(names)
    ]
    return replay(simulate(place_decisions(parse(*NODES, events=arrivals, observed=observed))))


def test_the_weights_of_the_cluster_explain_its_choices_better() -> None:
    result = recorded({"ImageLocality": 10})
    assert result.verdicts["different"] > 0
    assert result.scored == len(result.decisions) == 6
    assert result.other_weight is not None
    assert result.other_weight.plugin == "ImageLocality"
    assert result.other_weight.explained == 6 > result.explained


def test_no_other_weight_is_proposed_where_the_default_explains_everything() -> None:
    result = recorded({"ImageLocality": 1})
    assert result.verdicts == {"equal": 6} or set(result.verdicts) == {"equal", "tie"}
    assert (result.explained, result.other_weight) == (6, None)


@pytest.mark.parametrize("delay", [0.05, 5])
def test_a_decision_is_placed_before_the_changes_that_came_between(delay: float) -> None:
    """The better node was added after the decision, but before the binding was observed."""
    events = [{"at": 1, "create": pod("a", cpu=1)}, {"at": 1 + delay, "create": node("large", cpu=64)}]
    observed = [{"at": 1 + 2 * delay, "pod": "default/a", "node": "small"}]
    placed = place_decisions(parse(node("small", cpu=4), events=events, observed=observed))
    assert 1 <= placed.observed[0].at < 1 + delay
    assert replay(simulate(placed)).verdicts == {"equal": 1}


def test_a_pod_stays_bound_though_it_is_seen_without_its_node_later() -> None:
    """The binding takes effect at the time of the decision; the pod's own status is observed later."""
    waiting = {**pod("a", cpu=1), "status": {"nominatedNodeName": "n1"}}
    events = [{"at": 1, "create": pod("a", cpu=1)}, {"at": 2, "update": waiting}, {"at": 3, "create": pod("b", cpu=1)}]
    observed = [
        {"at": 1.5, "pod": "default/a", "node": "n1"},
        {"at": 3.5, "pod": "default/b", "message": "0/1 nodes are available: 1 Insufficient cpu."},
    ]
    result = replay(simulate(parse(node("n1", cpu=1), events=events, observed=observed)))
    first, second = (decision.event for decision in result.decisions)
    assert first.verdict == "equal"
    assert second.simulated_message.startswith("0/1 nodes are available: 1 Insufficient cpu.")


def test_a_question_about_an_observed_attempt_of_a_group_member_or_a_deleted_pod_stops_before_it() -> None:
    """A recording carries out each attempt of the cluster alone: it skips no pod, and tries no group together."""
    group = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }
    leaving = pod("leaving", cpu=9)
    leaving["metadata"] |= {"deletionTimestamp": "2025-01-01T00:00:00Z", "finalizers": ["example.com/f"]}
    waiting = [leaving, *(pod(name, cpu=9, schedulingGroup={"podGroupName": "g"}) for name in ("a", "b"))]
    names = ["leaving", "a", "b", "a"]
    observed = [
        {"at": 10 + number, "pod": f"default/{name}", "message": "0/1 nodes are available: 1 Insufficient cpu."}
        for number, name in enumerate(names)
    ]
    gates = {"GenericWorkload": True, "GangScheduling": True}
    scenario = parse(node("n1", cpu=1), group, *waiting, observed=observed, featureGates=gates)
    moments = [before_attempt(scenario, number) for number in range(1, 5)]
    assert [(moment.pod.name, moment.number, moment.time) for moment in moments if moment.pod] == [
        ("leaving", 1, 10.0),
        ("a", 1, 11.0),
        ("b", 1, 12.0),
        ("a", 2, 13.0),
    ]
