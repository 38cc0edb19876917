"""HorizontalPodAutoscalers: how far and how fast they scale, and what their conditions say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.controllers.worlds import node, rows, template, workload

Manifest = dict[str, Any]
Rows = list[dict[str, Any]]


def autoscaler(**spec: Any) -> Manifest:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    body = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 10, "metrics": [metric], **spec}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": body,
    }


def load(at: float, cpu: str) -> Manifest:
    return {"at": at, "load": {"kind": "Deployment", "name": "web", "usage": {"cpu": cpu}}}


def run(*events: Manifest, replicas: int = 1, of: Any = None, until: int = 120, **spec: Any) -> Rows:
    web = workload("Deployment", "web", of or template("web", "1"), replicas=replicas)
    return rows(node("n1", "64"), autoscaler(**spec), web, events=list(events), untilSeconds=until)


def sizes(found: Rows) -> list[tuple[int, int]]:
    """Return the sizes that were set, each with its second."""
    scaled = [row for row in found if row["what"] == "scaled" and row["kind"] == "Deployment"]
    return [(round(row["t"]), row["details"]["to"]) for row in scaled]


def conditions(found: Rows, name: str) -> list[tuple[int, str]]:
    """Return the reasons of a condition, each with the second in which it was written."""
    mine = [row for row in found if row["what"] == "condition" and row["kind"] == "HorizontalPodAutoscaler"]
    return [(round(row["t"]), row["details"]["reason"]) for row in mine if row["details"]["type"] == name]


def test_without_behavior_the_size_doubles_or_becomes_four() -> None:
    found = run(load(20, "9"))
    assert sizes(found) == [(30, 4), (45, 8), (60, 10)]
    assert conditions(found, "ScalingLimited") == [(30, "ScaleUpLimit"), (60, "TooManyReplicas")]
    assert conditions(found, "ScalingActive") == [(30, "ValidMetricFound")]
    messages = [
        row["details"]["message"]
        for row in found
        if row["what"] == "event" and row["details"]["reason"] == "SuccessfulRescale"
    ]
    assert messages[0] == "New size: 4; reason: cpu resource utilization (percentage of request) above target"


def test_with_behavior_four_pods_more_are_allowed_by_default() -> None:
    assert sizes(run(load(20, "9"), behavior={})) == [(30, 5), (45, 10)]


@pytest.mark.parametrize("spec", [{}, {"behavior": {}}])
def test_the_first_size_is_a_recommendation_for_five_minutes(spec: Manifest) -> None:
    found = run(load(1, "500m"), replicas=4, until=330, **spec)
    assert sizes(found) == [(300, 1)]
    assert conditions(found, "AbleToScale")[:2] == [(0, "SucceededGetScale"), (15, "ScaleDownStabilized")]


def test_a_fast_policy_is_limited_by_what_was_removed_in_its_period() -> None:
    policy = {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}]}
    found = run(load(1, "500m"), replicas=6, behavior={"scaleDown": policy})
    assert sizes(found) == [(15, 4), (45, 2), (75, 1)]
    assert conditions(found, "ScalingLimited")[0] == (15, "ScaleDownLimit")


def test_utilization_is_a_whole_percentage() -> None:
    """559 % of ten requests is 55.9 %, counted as 55 %: 1.1 of the target, which is tolerated."""
    assert sizes(run(load(1, "5590m"), replicas=10, maxReplicas=20)) == []
    assert sizes(run(load(1, "5600m"), replicas=10, maxReplicas=20)) == [(15, 12)]


def test_pods_that_are_not_ready_use_nothing_when_the_others_use_too_much() -> None:
    """Four ready pods use 65 % each; with the fifth it is 52 %."""
    unready = {"at": 5, "ready": {"pod": "web@1/0", "value": False}}
    assert sizes(run(unready, load(6, "2600m"), replicas=5)) == []
    assert sizes(run(load(6, "3250m"), replicas=5)) == [(15, 7)]


@pytest.mark.parametrize(
    ("replicas", "size", "bound"), [(12, 10, "above Spec.MaxReplicas"), (1, 2, "below Spec.MinReplicas")]
)
def test_a_size_beyond_the_limits_is_corrected_without_metrics(replicas: int, size: int, bound: str) -> None:
    found = run(replicas=replicas, minReplicas=2)
    assert [to for _, to in sizes(found)] == [size]
    messages = [row["details"]["message"] for row in found if row["what"] == "event"]
    assert f"New size: {size}; reason: Current number of replicas {bound}" in messages


def test_a_target_of_size_zero_is_left_alone() -> None:
    found = run(load(1, "9"), replicas=0)
    assert (sizes(found), conditions(found, "ScalingActive")) == ([], [(0, "ScalingDisabled")])
