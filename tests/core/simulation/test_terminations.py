"""Victims with a termination grace period."""

from __future__ import annotations

from tests.builders import node, pod
from tests.core.runs import attempts, final, run

SLOW = {"kschedui.io/termination-seconds": "10"}


def test_the_end_of_a_termination_is_not_meant_for_a_new_pod_of_that_name():
    low = pod("low", cpu=1, node="n", annotations=SLOW)
    events = [{"at": 2, "delete": {"kind": "Pod", "name": "low"}}, {"at": 3, "create": pod("low", cpu="100m")}]
    found = final(run(node("n", cpu=2), low, pod("vip", cpu="1500m", priority=5), events=events, untilSeconds=20))
    assert found.bound == {"default/low": "n", "default/vip": "n"}
    assert found.deleted == ["default/low"]


def test_a_victim_that_was_being_deleted_already_is_not_marked_as_preempted():
    """The preemptor does not wait for the victim, and preempts again (prepareCandidate, PodEligibleToPreemptOthers)."""
    low = pod("low", cpu=1, node="n")
    low["metadata"]["deletionTimestamp"] = "2025-01-01T00:01:00Z"
    other = pod("other", node="n")
    events = run(
        node("n", cpu=1),
        low,
        other,
        pod("vip", cpu=1, priority=5),
        events=[{"at": 3, "delete": {"kind": "Pod", "name": "other"}}],
    )
    assert attempts(events) == [(0, "vip", "Nominated"), (3, "vip", "Nominated")]
    assert final(events).deleted == ["default/other"]
