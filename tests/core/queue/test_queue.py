"""The scheduling queue: where pods wait and what moves them."""

from __future__ import annotations

import pytest

from scheduler_core.queue.backoff_queue import Backoff
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.trace.events import PodEnqueued, PodGated, PodIgnored, PodsKeptWaiting
from tests.builders import configuration, node, parse, pod
from tests.core.runs import attempts, bound, final, moves, only, run


def test_the_highest_priority_leaves_first_then_the_oldest():
    events = run(node("n"), pod("a"), pod("b", priority=5), pod("c"), pod("d", priority=9))
    assert [name for _, name, _ in attempts(events)] == ["d", "b", "a", "c"]


def test_a_rejected_pod_waits_in_unschedulable_pods():
    events = run(node("n", cpu=1), pod("big", cpu=2))
    assert moves(events, "big") == [("active", "UnschedulablePodAdd"), ("unschedulable", "ScheduleAttemptFailure")]
    assert final(events).pending == ["default/big"]


def test_a_new_node_wakes_a_pod_that_fits_it_and_says_which_plugin_said_so():
    events = run(node("n", cpu=1), pod("big", cpu=2), events=[{"at": 5, "create": node("m", cpu=4)}])
    woken = only(PodEnqueued, events, "big")[-1]
    assert (woken.queue, woken.event) == ("active", "NodeAdd")
    assert [(hint.plugin, hint.hint) for hint in woken.hints] == [("NodeResourcesFit", "Queue")]
    assert bound(events) == {"big": "m"}


def test_a_new_node_that_is_too_small_wakes_nobody():
    events = run(node("n", cpu=1), pod("big", cpu=2), events=[{"at": 5, "create": node("m", cpu=1)}])
    assert len(attempts(events)) == 1


def test_a_pod_that_is_still_backing_off_goes_to_backoff_and_is_popped_from_there_by_an_idle_scheduler():
    events = run(node("n", cpu=1), pod("big", cpu=2), events=[{"at": 0.5, "create": node("m", cpu=4)}])
    assert moves(events, "big")[-1] == ("backoff", "NodeAdd")
    assert attempts(events)[-1] == (0.5, "big", "Scheduled")


def test_without_popping_from_backoff_the_pod_waits_for_the_flush():
    gates = {"SchedulerPopFromBackoffQ": False}
    change = [{"at": 0.5, "create": node("m", cpu=4)}]
    events = run(node("n", cpu=1), pod("big", cpu=2), events=change, featureGates=gates)
    assert moves(events, "big")[-2:] == [("backoff", "NodeAdd"), ("active", "BackoffComplete")]
    assert attempts(events)[-1] == (2, "big", "Scheduled")


def test_backoff_doubles_up_to_its_maximum_and_is_cut_to_the_second():
    backoff = Backoff(1.0, 10.0, aligned=True)
    assert [backoff.duration(count) for count in range(7)] == [0.0, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    (found,) = [one for one in parse(pod("a")).objects if one.name == "a"]
    queued = QueuedPod(found, timestamp=0.7, sequence=1, unschedulable_count=2)
    assert backoff.expiration(queued) == 2.0
    assert backoff.is_backing_off(queued, 2.0)
    assert not backoff.is_backing_off(queued, 3.0)


def test_backoff_settings_of_the_configuration_count():
    settings = configuration(podInitialBackoffSeconds=4, podMaxBackoffSeconds=4)
    events = run(settings, pod("lonely"), untilSeconds=14)
    assert [time for time, _, _ in attempts(events)] == [0, 5, 10]


def test_without_any_node_the_pod_is_retried_with_growing_error_backoff():
    events = run(pod("lonely"))
    assert [time for time, _, _ in attempts(events)] == [0, 2, 5, 10, 19, 30, 41, 52]
    assert all(e.error_backoff for e in only(PodEnqueued, events) if e.queue == "backoff")


def test_pods_that_waited_for_more_than_five_minutes_are_tried_again_by_the_flush():
    events = run(node("n", cpu=1), pod("big", cpu=2), untilSeconds=400)
    assert [time for time, _, _ in attempts(events)] == [0, 330]
    assert ("active", "UnschedulableTimeout") in moves(events, "big")


def test_a_gated_pod_stays_out_until_its_gates_are_gone():
    gone = {"at": 3, "update": pod("held")}
    events = run(node("n"), pod("held", gates=["wait"]), events=[gone])
    (gated,) = only(PodGated, events)
    assert (gated.plugin, gated.message) == ("SchedulingGates", "waiting for scheduling gates: [wait]")
    assert attempts(events) == [(3, "held", "Scheduled")]


def test_deleting_a_waiting_pod_takes_it_out_of_the_queue():
    change = [{"at": 1, "delete": {"kind": "Pod", "name": "big"}}, {"at": 2, "create": node("m", cpu=4)}]
    events = run(node("n", cpu=1), pod("big", cpu=2), events=change)
    assert len(attempts(events)) == 1
    assert final(events).deleted == ["default/big"]


def test_a_pod_of_another_scheduler_is_left_alone():
    events = run(node("n"), pod("other", schedulerName="mine"))
    assert [event.scheduler for event in only(PodIgnored, events)] == ["mine"]
    assert final(events).pending == ["default/other"]


@pytest.mark.parametrize("queue", ["active", "backoff", "unschedulable"])
def test_every_move_carries_the_time_and_sequence_that_order_the_queue(queue):
    change = [{"at": 0.5, "create": node("m", cpu=4)}]
    events = run(node("n", cpu=1), pod("big", cpu=2), pod("huge", cpu=9), events=change)
    found = [event for event in only(PodEnqueued, events) if event.queue == queue]
    assert found
    assert all(event.sequence > 0 for event in found)


def test_an_event_that_helps_nobody_says_whom_and_what_each_plugin_answered():
    change = [{"at": 2, "create": node("tiny", cpu=1)}]
    events = run(node("n", cpu=1), pod("big", cpu=2), pod("huge", cpu=9), events=change)
    (kept,) = only(PodsKeptWaiting, events)
    assert (kept.event, kept.count) == ("NodeAdd", 2)
    assert [(one.pod, [(hint.plugin, hint.hint) for hint in one.hints]) for one in kept.pods] == [
        ("default/big", [("NodeResourcesFit", "QueueSkip")]),
        ("default/huge", [("NodeResourcesFit", "QueueSkip")]),
    ]
    assert len(attempts(events)) == 2
