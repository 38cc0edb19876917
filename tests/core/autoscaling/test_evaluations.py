"""The findings of a pass as events: options with scores, why groups do not help, and where a drain would place pods."""

from __future__ import annotations

from typing import Any

from scheduler_core import simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.autoscaling_events import MOST_PODS, ScaleDownEvaluated, ScaleUpEvaluated
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own


def group(name: str, cpu: int, **spec: Any) -> Manifest:
    return own("NodeGroup", name, **{"size": 0, "maximum": 9, **spec}, template=node("of", cpu=cpu))


def evaluated(*objects: Manifest, until: float = 60.0) -> tuple[list[ScaleUpEvaluated], list[ScaleDownEvaluated]]:
    events = list(simulate(parse_scenario(scenario(*objects, untilSeconds=until))))
    ups = [event for event in events if isinstance(event, ScaleUpEvaluated)]
    return ups, [event for event in events if isinstance(event, ScaleDownEvaluated)]


ACTOR = own("ClusterAutoscaler", flags=["--expander=least-waste,most-pods"])


def test_the_options_of_a_pass_have_their_scores_and_the_chosen_one_is_first() -> None:
    pods = [pod(f"p{number:02}", cpu=3) for number in range(25)]
    ups, _ = evaluated(*pods, pod("huge", cpu=99), ACTOR, group("wide", 9), group("tight", 3, maximum=90))
    options = ups[0].options
    assert [(option.group, option.chosen, option.pod_count) for option in options] == [
        ("tight", True, 25),
        ("wide", False, 25),
    ]
    assert options[0].scores["least-waste"] < options[1].scores["least-waste"]
    assert options[0].scores["most-pods"] == 25
    assert len(options[0].pods) == MOST_PODS
    assert [(refusal.group, refusal.pods) for refusal in ups[0].refusals] == [
        ("wide", ["default/huge"]),
        ("tight", ["default/huge"]),
    ]


def test_a_pass_that_finds_the_same_is_not_reported_again() -> None:
    ups, downs = evaluated(
        pod("huge", cpu=99), node("n1", cpu=4), own("NodeGroup", "g", nodes=["n1"]), ACTOR, until=300
    )
    assert [[refusal.reason for refusal in up.refusals] for up in ups] == [["Insufficient cpu"]]
    assert len(downs) == 1  # of thirty passes


def test_a_drain_names_the_places_of_the_pods_and_the_one_without() -> None:
    owner = {"kind": "ReplicaSet", "name": "r", "apiVersion": "apps/v1", "uid": "u", "controller": True}

    def running(name: str, on: str, cpu: int) -> Manifest:
        made = pod(name, cpu=cpu, node=on)
        made["metadata"]["ownerReferences"] = [owner]
        return made

    nodes = [node("n1", cpu=10), node("n2", cpu=10), node("n3", cpu=8)]
    pods = [running("small", "n1", 1), running("stuck", "n2", 4), running("full", "n3", 7)]
    _, downs = evaluated(*nodes, *pods, own("NodeGroup", "g", nodes=["n1", "n2", "n3"]), ACTOR)
    judged = {entry.node: entry for entry in downs[0].nodes}
    assert judged["n1"].outcome == "unneeded"
    assert [key for key, _ in judged["n1"].moves] == ["default/small"]
    assert (judged["n2"].outcome, judged["n2"].stranded) == ("stays", "default/stuck")
    assert judged["n3"].reason == "NotUnderutilized"


def test_karpenter_names_the_types_that_are_left_and_what_replaces_a_node() -> None:
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}}, disruption={"consolidateAfter": "0s"})
    types = [instance_type("one", 1, 0.05), instance_type("four", 4, 0.2), instance_type("eight", 8, 0.5)]
    ups, _ = evaluated(pod("a", cpu=2), pod("huge", cpu=99), node_class(), pool, karpenter(instanceTypes=types))
    (option,) = ups[0].options
    assert (option.group, option.types, option.type_count, option.price) == ("p", ["four", "eight"], 2, 0.2)
    assert ups[0].refusals[0].pods == ["default/huge"]


def test_a_run_without_an_autoscaler_has_no_such_event() -> None:
    assert evaluated(pod("a"), node("n1")) == ([], [])
