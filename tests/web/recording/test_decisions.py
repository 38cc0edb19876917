"""The decisions of a scheduler, read from what it writes."""

from __future__ import annotations

from typing import Any

import pytest

from kschedui.ask.replay_words import NOTES
from kschedui.recording.api_server import ApiError
from kschedui.recording.decisions import BEFORE, IN_A_GAP, Decision, DecisionReader
from kschedui.recording.resources import Resource, resource_of

KEY = "default/web"
INSUFFICIENT = "0/1 nodes are available: 1 Insufficient cpu."


def pod_state(*, node: str = "", nominated: str = "", message: str = "") -> dict[str, Any]:
    """Return a pod as the API server returns it, without its name."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    status = {"nominatedNodeName": nominated, "conditions": [condition] if message else []}
    return {"metadata": {"uid": "u1"}, "spec": {"nodeName": node} if node else {}, "status": status}


def failed(message: str, count: int = 1) -> dict[str, Any]:
    return {"reason": "FailedScheduling", "pod": KEY, "uid": "u1", "message": message, "count": count, "scheduler": ""}


def preempted(victim: str) -> dict[str, Any]:
    about = {"pod": victim, "uid": "u2", "count": 1, "scheduler": ""}
    return {**about, "reason": "Preempted", "message": "Preempted by pod u1 on node n1"}


def read(*states: tuple[float, dict[str, Any]]) -> list[Decision]:
    """Return the decisions that are read from (time, state of the pod or event)."""
    reader = DecisionReader()
    for order, (time, item) in enumerate(states, 1):
        if "reason" in item:
            reader.event_applied(f"{item['reason']} {item['pod']}", item, order, time)
        else:
            reader.pod_applied(KEY, item, order, time)
    return reader.decisions()


def test_a_nomination_before_devices_are_prepared_is_the_moment_of_the_binding() -> None:
    (decision,) = read((1, pod_state()), (2, pod_state(nominated="n1")), (5, pod_state(nominated="n1", node="n1")))
    assert (decision.node, decision.time, decision.nominated_node) == ("n1", 2, "")


def test_such_a_nomination_may_follow_a_failed_attempt_with_the_same_condition() -> None:
    failure, binding = read(
        (1, pod_state()),
        (2, failed(INSUFFICIENT)),
        (2, pod_state(message=INSUFFICIENT)),
        (4, pod_state(message=INSUFFICIENT, nominated="n1")),
        (5, pod_state(message=INSUFFICIENT, nominated="n1", node="n1")),
    )
    assert (failure.message, failure.nominated_node) == (INSUFFICIENT, "")
    assert (binding.node, binding.time) == ("n1", 4)


def test_a_nomination_with_victims_belongs_to_the_failed_attempt() -> None:
    failure, binding = read(
        (1, pod_state()),
        (2, failed(INSUFFICIENT)),
        (2, pod_state(message=INSUFFICIENT)),
        (4, pod_state(message=INSUFFICIENT, nominated="n1")),
        (4, preempted("default/low")),
        (5, pod_state(message=INSUFFICIENT, nominated="n1", node="n1")),
    )
    assert (failure.nominated_node, failure.victims) == ("n1", ["default/low"])
    assert (binding.node, binding.time) == ("n1", 5)


def test_notes_of_a_recording_are_known_to_the_page() -> None:
    assert set(NOTES) == {BEFORE, IN_A_GAP}


def test_an_older_version_is_read_where_the_newest_is_not_served() -> None:
    asked = []

    def list_path(resource: Resource) -> str:
        asked.append(resource.path())
        if resource.group_version != "resource.k8s.io/v1beta1":
            raise ApiError(404, "NotFound", "404 page not found")
        return resource.group_version

    claims = resource_of("resource.k8s.io/v1", "ResourceClaim", ("resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"))
    assert claims.read_served(list_path) == "resource.k8s.io/v1beta1"
    assert asked == [f"/apis/resource.k8s.io/{version}/resourceclaims" for version in ("v1", "v1beta2", "v1beta1")]
    with pytest.raises(ApiError):
        resource_of("v1", "Pod").read_served(list_path)
