"""Answers about the autoscaler of a scenario: new nodes, refusals, changes that help, and nodes that are removed."""

from __future__ import annotations

import pytest

from scheduler_core.ask.autoscale.answers import Autoscaling
from scheduler_core.ask.autoscale.of_cluster_autoscaler import MOST_CHANGES
from scheduler_core.ask.autoscale.question import autoscale
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import Manifest, budget, node, pod, scenario
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own

ONE = instance_type("one", 1, 0.05)
FOUR = instance_type("four", 4, 0.2)


def group(name: str, most: int, cpu: int, *taints: str) -> Manifest:
    return own(
        "NodeGroup", name, minimum=0, maximum=most, size=0, price=0.5, template=node("of", cpu=cpu, taints=taints)
    )


def asked(*objects: Manifest) -> Autoscaling:
    (answer,) = autoscale(parse_scenario(scenario(*objects)))
    return answer


def test_groups_get_nodes_with_their_price_and_a_run_shows_it() -> None:
    answer = asked(node("n1", cpu=1), pod("a", cpu=3), pod("b", cpu=3), group("big", 5, 4))
    assert [(new.group, new.count) for new in answer.new_nodes] == [("big", 2)]
    assert answer.price == 1.0
    assert {found.outcome for found in answer.pods} == {"new node"}
    assert answer.proof is not None
    assert answer.proof.waiting == []
    assert answer.proof.added == 2


def test_a_group_that_does_not_help_says_why_and_what_would() -> None:
    answer = asked(
        node("n1", cpu=1), pod("a", cpu=3), group("small", 5, 2), group("kept", 5, 4, "for=others:NoSchedule")
    )
    assert answer.new_nodes == []
    (found,) = answer.pods
    assert {refusal.group for refusal in found.refusals} == {"small", "kept"}
    assert "the pod tolerates the taint for=others:NoSchedule" in [str(change) for change in found.changes]
    assert answer.proof is not None
    assert answer.proof.waiting == ["default/a"]


def test_the_maximum_of_a_group_is_a_change() -> None:
    answer = asked(node("n1", cpu=1), pod("a", cpu=3), group("big", 0, 4))
    (found,) = answer.pods
    assert str(found.changes[0]) == "the maximum of big is 1 instead of 0"


def test_of_many_changes_the_first_are_told() -> None:
    (found,) = asked(node("n1", cpu=1), pod("a", cpu=3), *(group(f"g{i}", 0, 4) for i in range(8))).pods
    assert len(found.changes) == MOST_CHANGES


def test_a_drifted_node_stays_if_no_budget_allows_its_disruption() -> None:
    def pool(label: str, nodes: str) -> Manifest:
        spec = {"metadata": {"labels": {"team": label}}, "spec": {"expireAfter": "Never"}}
        return node_pool("p", spec, disruption={"consolidateAfter": "Never", "budgets": [{"nodes": nodes}]})

    blocked = "No allowed disruptions for disruption reason Drifted due to blocking budget"
    for nodes, outcome in (("1", ("replace", "four")), ("0", ("stays", blocked))):
        known = scenario(
            node_class(), pool("a", nodes), karpenter(instanceTypes=[ONE, FOUR]), pod("a", cpu=2),
            events=[{"at": 300, "update": pool("b", nodes)}], untilSeconds=400,
        )  # fmt: skip
        (answer,) = autoscale(parse_scenario(known), at=301, proves=False)
        assert [(found.outcome, found.reason) for found in answer.nodes] == [outcome]


def test_karpenter_reads_the_disruptions_that_a_budget_allows_now() -> None:
    on_demand = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
    spec = {"spec": {"expireAfter": "Never", "requirements": [on_demand]}}
    covered = pod("a", cpu=2, labels={"app": "a"})
    owner = {"kind": "ReplicaSet", "name": "r", "apiVersion": "apps/v1", "uid": "u", "controller": True}
    covered["metadata"]["ownerReferences"] = [owner]
    of_the_file = budget("b", {"app": "a"}, maxUnavailable=1)
    of_the_file["status"] = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 1}
    known = scenario(
        node_class(), node_pool("p", spec, disruption={"consolidateAfter": "0s"}), covered, pod("big", cpu=5),
        karpenter(instanceTypes=[FOUR, instance_type("eight", 8, 0.9)]), of_the_file,
        events=[{"at": 50, "delete": {"kind": "Pod", "name": "big"}}], untilSeconds=100,
    )  # fmt: skip
    (answer,) = autoscale(parse_scenario(known), at=60, proves=False)
    assert [(found.outcome, found.reason.split()[0]) for found in answer.nodes] == [("replace", "four")]


def test_karpenter_buys_the_cheapest_type_and_says_why_not_another() -> None:
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}})
    answer = asked(node_class(), pool, karpenter(instanceTypes=[ONE, FOUR]), pod("a", cpu=2))
    (new,) = answer.new_nodes
    assert (new.group, new.instance_type, new.price) == ("p", "four", 0.2)
    (found,) = answer.pods
    assert [(refused.instance_type, refused.reason) for refused in found.types] == [("one", "resources")]


def test_a_limit_of_a_pool_is_a_change() -> None:
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}}, limits={"cpu": "1"})
    answer = asked(node_class(), pool, karpenter(instanceTypes=[ONE, FOUR]), pod("a", cpu=2))
    (found,) = answer.pods
    assert found.outcome == "none"
    assert "NodePool p has no limit of cpu" in [str(change) for change in found.changes]


def test_without_an_autoscaler_there_is_no_answer() -> None:
    with pytest.raises(NotPossible):
        asked(node("n1"), pod("a"))
