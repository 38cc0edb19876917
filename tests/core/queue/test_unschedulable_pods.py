"""Unschedulable pods are indexed by the plugins that rejected them; events of an attempt are not kept forever."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.cluster_event import ASSIGNED_POD_ADD
from scheduler_core.queue.active_queue import ActiveQueue
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.unschedulable_pods import UnschedulablePods
from tests.builders import node, parse, pod
from tests.core.runs import run


def waiting(name: str, *rejectors: str) -> QueuedPod:
    found = parse(pod(name)).objects[-1]
    assert isinstance(found, Pod)
    return QueuedPod(found, 0.0, 0, unschedulable_plugins=dict.fromkeys(rejectors))


def names(pods: list[QueuedPod]) -> list[str]:
    return [queued.pod.name for queued in pods]


def test_pods_are_found_by_the_plugins_that_rejected_them_in_order_of_arrival():
    pods = UnschedulablePods()
    for queued in (waiting("c", "Fit"), waiting("b", "Spread"), waiting("a", "Fit", "Spread"), waiting("d")):
        pods.put(queued)
    assert names(pods.rejected_by(["Fit"])) == ["c", "a", "d"]
    assert names(pods.rejected_by(["Spread", "Fit"])) == ["c", "b", "a", "d"]
    assert names(pods.rejected_by(["Ports"])) == ["d"]


def test_a_pod_that_another_plugin_rejects_too_keeps_its_place_and_leaves_it_whole():
    pods = UnschedulablePods()
    first = waiting("first", "Fit")
    for queued in (first, waiting("second", "Gate")):
        pods.put(queued)
    first.unschedulable_plugins["Gate"] = None
    pods.put(first)
    assert names(pods.rejected_by(["Gate"])) == ["first", "second"]
    assert pods.pop("default/first") is first
    assert pods.pop("default/first") is None
    assert names(pods.rejected_by(["Gate", "Fit"])) == names(list(pods)) == ["second"]


def test_a_binding_asks_no_pod_whose_rejecting_plugin_did_not_register_it(monkeypatch):
    asked: list[str] = []
    ask = SchedulingQueue._worth_requeuing

    def noting(queue, queued, event, old, new):
        asked.append(event.label)
        return ask(queue, queued, event, old, new)

    monkeypatch.setattr(SchedulingQueue, "_worth_requeuing", noting)
    run(node("n"), *(pod(f"big-{i}", cpu=99, priority=1) for i in range(5)), *(pod(f"small-{i}") for i in range(5)))
    assert ASSIGNED_POD_ADD.label not in asked


def test_events_are_kept_as_long_as_an_older_pod_is_in_flight():
    active = ActiveQueue(lambda queued: (queued.sequence,))
    for name in ("a", "b"):
        active.start_attempt(waiting(name))
        active.record(ASSIGNED_POD_ADD, None, name)
    assert [seen.new for seen in active.events_for("default/a")] == ["a", "b"]
    active.done("default/a")
    active.done("default/a")
    assert [seen.new for seen in active.events_for("default/b")] == ["b"]
    active.start_attempt(waiting("c"))
    active.done("default/b")
    active.record(ASSIGNED_POD_ADD, None, "c")
    assert [seen.new for seen in active.events_for("default/c")] == ["c"]
    assert len(active._events) == 1
