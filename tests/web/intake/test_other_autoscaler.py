"""A scenario with another autoscaler: node groups become NodePools and vice versa, with the same machines."""

from __future__ import annotations

from typing import Any

import pytest

from kschedui.scenarios.other_autoscaler import MOST_GROUPS, autoscaler_of, with_autoscaler
from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.core import Node
from scheduler_core.apis.karpenter import NodeClaim, NodePool
from scheduler_core.ask.autoscale.comparison import compare
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own


def group(name: str, cpu: int, *taints: str, **spec: Any) -> Manifest:
    return own("NodeGroup", name, **{"size": 0, **spec}, template=node("of", cpu=cpu, taints=taints, zone="a"))


POOL = node_pool("p", {"spec": {"expireAfter": "Never"}}, limits={"cpu": "9"})
TYPES = [instance_type("one", 1, 0.05), instance_type("four", 4, 0.2)]


def test_groups_become_a_pool_for_each_set_of_taints_with_their_machines_prices_and_sizes() -> None:
    groups = [
        group("small", 2, price=0.1, maximum=3),
        group("big", 4, price=0.3, maximum=2),
        group("gpu", 8, "g:NoSchedule"),
    ]
    made = parse_scenario(with_autoscaler(scenario(*groups), "karpenter").text)
    pools = {item.name: item for item in made.objects if isinstance(item, NodePool)}
    assert {name: [taint.key for taint in pool.taints] for name, pool in pools.items()} == {"default": [], "gpu": ["g"]}
    assert [pool.limits for pool in pools.values()] == [{"nodes": 5}, None]
    assert [entry.values for entry in pools["default"].requirements] == [("big", "small")]
    (actor,) = made.actors
    assert isinstance(actor, KarpenterSettings)
    offered = {entry.name: (entry.allocatable["cpu"], entry.offerings[0].price) for entry in actor.instance_types}
    assert offered["small"] == (2000, 0.1)
    assert offered["big"] == (4000, 0.3)


def test_nodes_of_groups_become_claims_of_the_pool() -> None:
    text = scenario(node("mine", cpu=4), group("small", 2, size=2), own("NodeGroup", "old", nodes=["mine"]))
    made = parse_scenario(with_autoscaler(text, "karpenter").text)
    claims = {item.node: item.pool for item in made.objects if isinstance(item, NodeClaim)}
    assert claims == {"mine": "default", "small-1": "default", "small-2": "default"}
    assert {item.name for item in made.objects if isinstance(item, Node)} == set(claims)


def test_a_pool_becomes_a_group_for_each_size_and_zone_within_its_limits() -> None:
    text = scenario(node_class(), POOL, karpenter(instanceTypes=TYPES))
    made = parse_scenario(with_autoscaler(text, "cluster-autoscaler").text)
    assert {group.name: (group.maximum, group.price) for group in made.node_groups} == {
        "p-one-a": (9, 0.05),
        "p-one-b": (9, 0.05),
        "p-four-a": (2, 0.2),
        "p-four-b": (2, 0.2),
    }
    assert not any(isinstance(item, NodePool) for item in made.objects)


def test_of_many_types_some_groups_are_made_and_the_others_are_counted() -> None:
    text = scenario(node_class(), node_pool("p", {"spec": {"expireAfter": "Never"}}), karpenter())
    converted = with_autoscaler(text, "cluster-autoscaler")
    groups = parse_scenario(converted.text).node_groups
    assert 1 < len(groups) <= MOST_GROUPS
    assert "others are left out" in str(converted.notes[0])


def test_a_scenario_without_either_gets_groups_like_its_nodes() -> None:
    text = scenario(node("a1", cpu=2, zone="a"), node("a2", cpu=2, zone="a"), node("b1", cpu=4, zone="b"))
    assert autoscaler_of(text) is None
    made = parse_scenario(with_autoscaler(text, "cluster-autoscaler").text)
    assert [group.nodes for group in made.node_groups] == [("a1", "a2"), ("b1",)]


def test_an_autoscaler_that_is_there_stays_as_it_is() -> None:
    text = scenario(node_class(), POOL, karpenter(instanceTypes=TYPES))
    assert with_autoscaler(text, "karpenter").text == text


def test_karpenter_without_pools_is_refused() -> None:
    with pytest.raises(NotPossible):
        with_autoscaler(scenario(karpenter()), "cluster-autoscaler")


@pytest.mark.parametrize(
    "text",
    [
        scenario(pod("a", cpu=3), pod("b", cpu=1), group("small", 2, price=0.1), group("big", 4, price=0.3)),
        scenario(pod("a", cpu=3), pod("b", cpu=1), node_class(), POOL, karpenter(instanceTypes=TYPES)),
        scenario(node("n1", cpu=4, zone="a"), pod("r", cpu=3, node="n1"), pod("a", cpu=3)),
        scenario(pod("a", cpu=3)),
    ],
    ids=["groups", "pools", "neither", "no nodes"],
)
def test_both_get_every_pod_a_node_in_their_runs(text: str) -> None:
    scenarios = {name: parse_scenario(with_autoscaler(text, name).text) for name in ("cluster-autoscaler", "karpenter")}
    compared = compare(scenarios)  # type: ignore[arg-type]
    for outcome in compared.outcomes:
        assert outcome.waiting == [], outcome.actor
        assert outcome.last.pending == 0
        hours = compared.seconds / 3600
        prices = [sample.price for sample in outcome.samples]
        assert min(prices) * hours <= outcome.cost <= max(prices) * hours
    first, second = (outcome.samples[0] for outcome in compared.outcomes)
    assert (first.nodes, first.price) == (second.nodes, pytest.approx(second.price))
