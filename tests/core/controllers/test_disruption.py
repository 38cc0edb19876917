"""The disruption controller: pods without a controller."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.controllers.worlds import node, rows, template, workload


def budget(**spec: Any) -> dict[str, Any]:
    expressions = [
        {"key": "app", "operator": "In", "values": ["web", "api"]},
        {"key": "old", "operator": "DoesNotExist"},
    ]
    selector = {"matchLabels": {"tier": "front"}, "matchExpressions": expressions}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": selector, **spec},
    }


@pytest.mark.parametrize(
    ("spec", "unmanaged"),
    [({"maxUnavailable": 1}, True), ({"minAvailable": "50%"}, True), ({"minAvailable": 1}, False)],
)
def test_pods_without_a_controller_are_named_where_the_size_of_controllers_counts(
    spec: dict[str, Any], unmanaged: bool
) -> None:
    bare = {"apiVersion": "v1", "kind": "Pod", **template("web")}
    bare["metadata"] = {"name": "web", "labels": {"app": "web", "tier": "front"}}
    found = rows(node("n1"), budget(**spec), bare, workload("Deployment", "x", replicas=1), untilSeconds=5)
    recorded = [row["details"] for row in found if row["what"] == "event"]
    messages = {details["message"] for details in recorded if details["reason"] == "UnmanagedPods"}
    assert bool(messages) is unmanaged
    selector = (
        "&LabelSelector{MatchLabels:map[string]string{tier: front,},MatchExpressions:[]LabelSelectorRequirement{"
        "LabelSelectorRequirement{Key:app,Operator:In,Values:[api web],},"
        "LabelSelectorRequirement{Key:old,Operator:DoesNotExist,Values:[],},},}"
    )
    assert all(f"(selector: {selector})" in message for message in messages)
