"""Reserve, Permit and the binding cycle: faults roll back, bindings that take time overlap with later attempts."""

from __future__ import annotations

import pytest

from scheduler_core.trace.events import (
    BindingFailed,
    ClockAdvanced,
    PodAssumed,
    PodBound,
    PodEnqueued,
    PodUnreserved,
    SchedulingFailed,
)
from tests.builders import node, pod
from tests.core.runs import attempts, bound, moves, only, run


def fault(point, times=1, pod="default/a"):
    return {"pod": pod, "point": point, "times": times, "message": "disk on fire"}


@pytest.mark.parametrize("point", ["Reserve", "Permit", "PreBind", "Bind"])
def test_a_fault_rolls_the_pod_back_and_the_next_attempt_binds_it(point):
    events = run(node("n"), pod("a", cpu=1), faults=[fault(point)])
    (failed,) = only(BindingFailed, events)
    assert (failed.point, failed.plugin, failed.node) == (point, "Fault", "n")
    assert [event.node for event in only(PodUnreserved, events)] == ["n"]
    assert [outcome for _, _, outcome in attempts(events)] == ["Error", "Scheduled"]
    assert bound(events) == {"a": "n"}


def test_a_fault_is_an_error_so_the_pod_waits_for_its_error_backoff():
    events = run(node("n"), pod("a"), faults=[fault("Bind", times=2)])
    (failed, again) = only(SchedulingFailed, events)
    assert (failed.reason, failed.message) == ("SchedulerError", 'running Bind plugin "Fault": disk on fire')
    assert again.unschedulable_plugins == []
    assert [time for time, _, _ in attempts(events)] == [0, 2, 5]


def test_what_a_failed_binding_had_taken_is_free_again():
    events = run(node("n", cpu=2), pod("a", cpu=2, priority=1), pod("b", cpu=2), faults=[fault("PreBind", times=9)])
    assert bound(events)["b"] == "n"


def test_a_failed_binding_wakes_pods_that_lacked_the_room():
    faults = [fault("Bind", times=9)]
    events = run(node("n", cpu=2), pod("a", cpu=2, priority=1), pod("b", cpu=2), faults=faults, bindingSeconds=0.5)
    assert ("backoff", "AssignedPodDelete") in moves(events, "b")
    assert bound(events)["b"] == "n"


def test_bindings_that_take_time_overlap_with_later_attempts():
    events = run(node("n"), pod("a"), pod("b"), bindingSeconds=0.5)
    kinds = [(type(event).__name__, event.pod) for event in events if isinstance(event, PodAssumed | PodBound)]
    assert kinds == [
        ("PodAssumed", "default/a"),
        ("PodAssumed", "default/b"),
        ("PodBound", "default/a"),
        ("PodBound", "default/b"),
    ]
    assert [(event.time, event.cause) for event in only(ClockAdvanced, events)] == [(0.5, "binding")]


def test_an_assumed_pod_takes_its_room_before_it_is_bound():
    events = run(node("n", cpu=2), pod("a", cpu=2), pod("b", cpu=2), bindingSeconds=3)
    assert [outcome for _, _, outcome in attempts(events)] == ["Scheduled", "Unschedulable"]


def test_the_room_of_a_pod_deleted_while_it_is_being_bound_wakes_others():
    gone = [{"at": 1, "delete": {"kind": "Pod", "name": "a"}}]
    events = run(node("n", cpu=2), pod("a", cpu=2), pod("b", cpu=2), bindingSeconds=3, events=gone)
    assert attempts(events) == [(0, "a", "Scheduled"), (0, "b", "Unschedulable"), (1, "b", "Scheduled")]


def test_a_pod_that_comes_again_under_its_name_is_not_bound_by_the_first_ones_cycle():
    again = [{"at": 1, "delete": {"kind": "Pod", "name": "a"}}, {"at": 1, "create": pod("a")}]
    events = run(node("n"), pod("a"), bindingSeconds=3, events=again)
    assert [time for time, _, outcome in attempts(events) if outcome == "Scheduled"] == [0, 1]
    assert bound(events) == {"a": "n"}
    assert len(only(PodBound, events)) == 1


def test_a_pod_deleted_while_it_is_being_bound_never_runs():
    events = run(node("n"), pod("a"), bindingSeconds=2, events=[{"at": 1, "delete": {"kind": "Pod", "name": "a"}}])
    assert not only(PodBound, events)
    assert not [event for event in only(PodEnqueued, events) if event.event == "ScheduleAttemptFailure"]
