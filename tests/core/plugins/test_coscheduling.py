"""Coscheduling: the pods of a group wait at Permit until enough of them fit, and are bound together."""

from __future__ import annotations

from scheduler_core.simulation.simulation import simulate
from scheduler_core.trace.events import (
    CycleStarted,
    PermitDecided,
    PermitEvaluated,
    PodActivated,
    PodBound,
    PodUnreserved,
    RunFinished,
    SchedulingFailed,
)
from tests.builders import configuration, node, parse, pod

LABEL = "scheduling.x-k8s.io/pod-group"


# Without a pod group's backoff, and with pods popped before theirs is over, a group that does not fit is tried for ever
# at one instant: each member that waits activates the others.
WAITS = {"SchedulerPopFromBackoffQ": False}


def group(name="gang", members=3, **spec):
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minMember": members, **spec},
    }


def member(name, cpu="1", group="gang", **fields):
    return pod(name, cpu=cpu, labels={LABEL: group}, **fields)


def coscheduling(**args):
    """Return a profile with Coscheduling, which also sorts the queue."""
    queue_sort = {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]}
    plugins = {"queueSort": queue_sort, "multiPoint": {"enabled": [{"name": "Coscheduling"}]}}
    profile = {"schedulerName": "default-scheduler", "plugins": plugins}
    if args:
        profile["pluginConfig"] = [{"name": "Coscheduling", "args": args}]
    return configuration(profiles=[profile])


def run(*objects, args=None, **spec):
    return list(simulate(parse(coscheduling(**(args or {})), *objects, **spec)))


def only(kind, events):
    return [event for event in events if isinstance(event, kind)]


def messages(events):
    return {event.pod: event.message for event in only(SchedulingFailed, events)}


def test_members_wait_at_permit_until_the_last_one_lets_all_go():
    events = run(group(), node("n", cpu=8), member("a"), member("b"), member("c"))
    assert [(e.pod, e.code) for e in only(PermitEvaluated, events)] == [
        ("default/a", "Wait"),
        ("default/b", "Wait"),
        ("default/c", "Success"),
    ]
    assert [(e.pod, e.decision) for e in only(PermitDecided, events)] == [
        ("default/a", "allowed"),
        ("default/b", "allowed"),
    ]
    assert {e.pod for e in only(PodBound, events)} == {"default/a", "default/b", "default/c"}


def test_pods_without_a_group_do_not_wait():
    events = run(group(), node("n", cpu=8), pod("alone", cpu=1))
    assert [e.pod for e in only(PodBound, events)] == ["default/alone"]


def test_more_members_than_the_minimum_follow_without_waiting():
    events = run(group(members=2), node("n", cpu=8), member("a"), member("b"), member("c"))
    assert [e.code for e in only(PermitEvaluated, events)] == ["Wait", "Success", "Success"]


def test_a_group_with_too_few_pods_is_refused_before_filtering():
    events = run(group(members=3), node("n", cpu=8), member("a"), member("b"))
    assert not only(PodBound, events)
    assert messages(events)["default/a"].startswith(
        "0/1 nodes are available: pre-filter pod a cannot find enough sibling pods, "
        "current pods number: 2, minMember of group: 3."
    )


def test_a_gated_member_holds_its_group_back():
    events = run(group(members=2), node("n", cpu=8), member("a"), member("b", gates=["wait"]))
    assert "pre-filter pod a cannot proceed due to gated pods in the same PodGroup" in messages(events)["default/a"]


def test_a_label_without_a_group_object_is_refused_at_permit():
    events = run(node("n", cpu=8), member("a"))
    assert "PodGroup not found" in messages(events)["default/a"]
    assert only(PodUnreserved, events)


def test_one_member_without_room_sends_the_waiting_ones_away():
    events = run(group(), node("n", cpu=2), member("a"), member("b"), member("c"), untilSeconds=1, featureGates=WAITS)
    decided = [(e.pod, e.decision, e.message) for e in only(PermitDecided, events)]
    assert decided[:2] == [
        ("default/a", "rejected", "optimistic rejection in PostFilter"),
        ("default/b", "rejected", "optimistic rejection in PostFilter"),
    ]
    assert not only(PodBound, events)
    reason = "PodGroup default/gang gets rejected due to Pod c is unschedulable even after PostFilter"
    assert reason in messages(events)["default/c"]


def test_a_group_of_which_only_a_tenth_is_missing_goes_on_waiting():
    members = [member(f"m{i}", cpu="1") for i in range(10)]
    events = run(group(members=10), node("n", cpu=9), *members, untilSeconds=1)
    assert len([e for e in only(PermitEvaluated, events) if e.code == "Wait"]) == 9
    assert not only(PermitDecided, events)


def test_the_share_that_may_be_missing_can_be_set():
    members = [member(f"m{i}", cpu="1") for i in range(10)]
    args = {"podGroupRejectPercentage": 0}
    events = run(group(members=10), node("n", cpu=9), *members, args=args, untilSeconds=1, featureGates=WAITS)
    assert [e.decision for e in only(PermitDecided, events)][:9] == ["rejected"] * 9


def test_waiting_ends_with_the_group_s_own_timeout_and_takes_the_siblings_along():
    events = run(group(scheduleTimeoutSeconds=5), node("n", cpu=2), member("a"), member("b", gates=["g"]), member("c"),
                 member("d"), args={"podGroupRejectPercentage": 100}, untilSeconds=6)  # fmt: skip
    first = next(e for e in only(PermitEvaluated, events) if e.code == "Wait")
    assert first.deadline == 5.0
    decisions = [(e.decision, e.message) for e in only(PermitDecided, events)]
    assert decisions[0] == ("timeout", "rejected due to timeout after waiting at plugin Coscheduling")
    assert ("rejected", "rejection in Unreserve") in decisions or decisions[1][0] == "timeout"
    assert not only(PodBound, events)


def test_without_an_own_timeout_the_plugin_s_counts():
    events = run(group(), node("n", cpu=8), member("a"), member("b"), member("c"), args={"permitWaitingTimeSeconds": 7})
    assert only(PermitEvaluated, events)[0].deadline == 7.0


def test_the_first_member_to_find_a_node_calls_its_siblings():
    events = run(
        group(members=2),
        node("n", cpu=8),
        member("a", nodeSelector={"new": "yes"}),
        member("b", cpu=1),
        events=[{"at": 5, "create": node("m", cpu=8, labels={"new": "yes"})}],
    )
    assert {e.pod for e in only(PodBound, events)} == {"default/a", "default/b"}
    assert only(PodActivated, events)


def test_a_rejected_group_backs_off_as_a_whole():
    events = run(group(members=2), node("n", cpu=1), member("a"), member("b"), args={"podGroupBackoffSeconds": 20},
                 untilSeconds=3)  # fmt: skip
    assert any("podGroup default/gang failed recently" in message for message in messages(events).values())


def test_the_queue_is_sorted_by_priority_then_by_the_age_of_the_group_then_by_name():
    old = {"creationTimestamp": "2024-12-01T00:00:00Z"}
    elder = group("elder", members=1)
    elder["metadata"] |= old
    objects = [elder, group("young", members=1), node("n", cpu=8)]
    pods = [member("z", group="young"), member("y", group="elder"), pod("x", cpu=1), pod("w", cpu=1, priority=5)]
    events = run(*objects, *pods)
    assert [e.pod for e in only(CycleStarted, events)] == ["default/w", "default/y", "default/x", "default/z"]


def test_running_members_count_towards_the_minimum():
    events = run(group(members=2), node("n", cpu=8), member("old", node="n"), member("new"))
    assert [e.code for e in only(PermitEvaluated, events)] == ["Success"]
    assert only(RunFinished, events)[0].pending == []


def test_a_member_is_activated_before_it_moves():
    events = run(
        group(members=2),
        node("n", cpu=8),
        member("a", nodeSelector={"new": "yes"}),
        member("b", cpu=1),
        events=[{"at": 5, "create": node("m", cpu=8, labels={"new": "yes"})}],
    )
    at = next(i for i, event in enumerate(events) if isinstance(event, PodActivated))
    assert events[at + 1].pod == events[at].pod
    assert events[at + 1].event == "ForceActivate"
