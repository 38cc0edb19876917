"""Virtual time, the order of actions at one moment, and that a run depends only on its scenario."""

from __future__ import annotations

import pytest

from scheduler_core import EndlessMoment, chunked, encode, simulate
from scheduler_core.simulation import simulation
from scheduler_core.trace.chunks import first_steps
from scheduler_core.trace.events import (
    HostSelected,
    NodesFiltered,
    ObjectApplied,
    ObjectDeleted,
    PodIgnored,
    RunStarted,
)
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import node_names
from tests.builders import node, parse, pod, priority_class
from tests.core.runs import attempts, bound, final, message, only, run, standing_at_the_end


def busy(**spec):
    """Return a scenario with many features."""
    objects = [
        priority_class("high", 1000),
        *(node(f"n{i}", cpu=2, zone=f"z{i % 2}") for i in range(4)),
        *(pod(f"low-{i}", cpu="1500m", node=f"n{i}", annotations=LINGER) for i in range(4)),
        *(pod(f"p-{i}", cpu="300m") for i in range(12)),
        pod("vip", cpu="1800m", priority_class="high"),
        pod("held", gates=["later"]),
    ]
    change = [{"at": 4, "create": node("n9", cpu=8)}, {"at": 6, "delete": {"kind": "Node", "name": "n1"}}]
    return parse(*objects, events=change, **spec)


LINGER = {"kschedui.io/termination-seconds": "3"}


@pytest.mark.parametrize("seed", [None, 7])
def test_the_same_scenario_gives_the_same_bytes(seed):
    spec = {} if seed is None else {"seed": seed}
    first, second = ([encode(event) for event in simulate(busy(**spec))] for _ in range(2))
    assert first == second


def test_before_1_35_another_seed_chooses_other_nodes_among_the_best():
    nodes, pods = [node(f"n{i}") for i in range(8)], [pod(f"p{i}") for i in range(8)]
    for version, several in (("1.34", True), ("1.35", False)):
        runs = [run(*nodes, *pods, seed=seed, kubernetesVersion=version) for seed in range(5)]
        assert (len({tuple(bound(one).values()) for one in runs}) > 1) is several


def test_without_a_seed_the_first_of_the_best_nodes_is_taken():
    (selected,) = only(HostSelected, run(node("b"), node("a"), pod("p")))
    assert (selected.node, selected.ties, selected.tied) == ("b", ["b", "a"], 2)


def test_chunks_carry_every_event_once_and_the_last_one_says_so():
    events = list(simulate(busy()))
    chunks = list(chunked(events))
    assert [event for chunk in chunks for event in chunk.events] == events
    assert [len(chunk.events) for chunk in chunks[:-1]] == [64, 256, 1024][: len(chunks) - 1]
    assert [chunk.first_step for chunk in chunks] == first_steps(len(chunks))
    assert [chunk.last for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


def test_a_victim_is_gone_after_its_termination_seconds():
    objects = [node("n", cpu=2), pod("low", cpu=2, node="n", annotations=LINGER), pod("vip", cpu=2, priority=9)]
    events = run(*objects)
    (evicted,) = only(VictimEvicted, events)
    assert evicted.gone_at == 3
    assert attempts(events) == [(0, "vip", "Nominated"), (3, "vip", "Scheduled")]
    assert final(events).deleted == ["default/low"]


def test_until_seconds_ends_the_run_there():
    assert final(run(node("n"), pod("a"), untilSeconds=50)).time == 50


def test_the_run_ends_when_nothing_can_happen_any_more():
    assert final(run(node("n"), pod("a"))).time == 0


def test_events_of_the_timeline_happen_in_order_of_time_then_as_written():
    change = [{"at": 2, "create": pod("late")}, {"at": 1, "create": pod("a")}, {"at": 1, "create": pod("b")}]
    assert [name for _, name, _ in attempts(run(node("n"), events=change))] == ["a", "b", "late"]


def test_an_update_of_a_pod_that_is_gone_or_finished_changes_nothing():
    events = [
        {"at": 1, "delete": {"kind": "Pod", "name": "a"}},
        {"at": 2, "update": pod("a", labels={"late": "yes"})},
        {"at": 2, "update": pod("done", node="n1", labels={"late": "yes"})},
    ]
    done = {**pod("done", node="n1"), "status": {"phase": "Succeeded"}}
    trace = run(node("n1"), done, pod("a"), events=events)
    assert len(attempts(trace)) == 1
    assert final(trace).deleted == ["default/a"]
    assert not [event for event in only(ObjectApplied, trace) if event.action == "update"]


def test_nodes_take_turns_by_zone():
    nodes = [node("a1", zone="a"), node("a2", zone="a"), node("b1", zone="b")]
    (started,) = only(RunStarted, run(*nodes))
    assert [node_names(started)[row] for row in started.order] == ["a1", "b1", "a2"]


def test_the_trace_tells_the_new_order_when_a_node_comes_or_goes():
    change = [{"at": 1, "create": node("b1", zone="b")}, {"at": 2, "delete": {"kind": "Node", "name": "a1"}}]
    events = run(node("a1", zone="a"), node("a2", zone="a"), events=change)
    assert only(ObjectApplied, events)[0].order == ["a1", "b1", "a2"]
    assert only(ObjectDeleted, events)[0].order == ["a2", "b1"]


def test_pods_of_a_deleted_node_stay_bound_to_its_name():
    events = run(node("n"), pod("a"), events=[{"at": 1, "delete": {"kind": "Node", "name": "n"}}])
    assert final(events).bound == {"default/a": "n"}


def test_a_large_cluster_is_searched_in_part_and_the_next_search_goes_on_from_there():
    nodes = [node(f"n{i:03}") for i in range(300)]
    first, second = only(NodesFiltered, run(*nodes, pod("a"), pod("b")))
    assert (first.start, first.nodes_to_find, first.feasible, first.total) == (0, 144, 144, 300)
    assert second.start == 144


def test_a_pod_that_fits_nowhere_hears_every_reason():
    objects = [
        node("small", cpu=1),
        node("tainted", taints=["gpu=yes:NoSchedule"]),
        node("cordoned", unschedulable=True),
    ]
    assert message(run(*objects, pod("a", cpu=2)), "a") == (
        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
        "1 node(s) were unschedulable. no new claims to deallocate, preemption: "
        "0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    )


def test_a_pod_that_comes_back_to_its_node_is_reported_as_bound_and_one_that_never_left_is_counted():
    objects = [node("n", cpu=4), *(pod(name, node="n") for name in ("back", "gone", "stays"))]
    gone = [{"at": 1, "delete": {"kind": "Pod", "name": name}} for name in ("back", "gone")]
    events = run(*objects, events=[*gone, {"at": 2, "create": pod("back", node="n")}])
    assert (final(events).bound, final(events).stayed) == ({"default/back": "n"}, 1)
    assert standing_at_the_end(events) == {"default/back": "n", "default/stays": "n"}


def test_a_pod_that_finishes_leaves_its_room_but_counts_as_bound():
    done = {**pod("a", cpu=2, node="n"), "status": {"phase": "Succeeded"}}
    events = run(node("n", cpu=2), pod("a", cpu=2, node="n"), pod("b", cpu=2), events=[{"at": 1, "update": done}])
    assert attempts(events) == [(0, "b", "Unschedulable"), (1, "b", "Scheduled")]
    assert standing_at_the_end(events) == {"default/a": "n", "default/b": "n"}
    assert (final(events).bound, final(events).stayed) == ({"default/b": "n"}, 1)
    assert final(events).deleted == []


def test_a_pod_that_is_tried_without_end_at_one_moment_ends_the_run_with_a_sentence(monkeypatch):
    monkeypatch.setattr(simulation, "MAX_TRIES", 1)  # a preemptor is tried twice at the moment of its nomination
    low, high = pod("low", cpu=2, node="n"), pod("vip", cpu=2, priority_class="high")
    with pytest.raises(EndlessMoment, match="default/vip was tried 1 times at 0 s"):
        run(priority_class("high", 1000), node("n", cpu=2), low, high)


def test_an_update_says_what_it_changed():
    before = node("n", cpu=2, labels={"disk": "hdd", "old": "x"}, taints=["team=data:NoSchedule"])
    after = node("n", cpu=4, labels={"disk": "ssd"}, unschedulable=True)
    events = run(before, events=[{"at": 1, "update": after}])
    (applied,) = only(ObjectApplied, events)
    assert [(one.field, one.name, one.before, one.after) for one in applied.changes] == [
        ("label", "disk", "hdd", "ssd"),
        ("label", "old", "x", None),
        ("taint", "team=data:NoSchedule", "", None),
        ("unschedulable", "", None, ""),
        ("allocatable", "cpu", 2000, 4000),
    ]


def test_a_pod_that_changes_its_scheduler_leaves_the_queue_and_comes_back():
    changes = [
        {"at": 5, "update": pod("a", cpu="2", schedulerName="other")},
        {"at": 6, "create": node("n2")},
        {"at": 8, "update": pod("a", cpu="2")},
    ]
    events = run(node("n1", cpu="1"), pod("a", cpu="2"), events=changes)
    assert attempts(events) == [(0, "a", "Unschedulable"), (8, "a", "Scheduled")]
    assert [event.scheduler for event in only(PodIgnored, events)] == ["other"]


def test_a_running_pod_that_is_resized_counts_what_its_containers_still_have():
    running = pod("busy", cpu="3", node="n1")
    running["status"] = {"containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]}
    smaller = pod("busy", cpu="1", node="n1")
    smaller["status"] = {"containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}
    changes = [{"at": 5, "update": smaller}, {"at": 6, "create": pod("a", cpu="2")}]
    events = run(node("n1", cpu="4"), running, events=changes)
    assert attempts(events) == [(6, "a", "Unschedulable")]  # an update keeps the stored status
    del running["status"]
    assert attempts(run(node("n1", cpu="4"), running, events=changes)) == [(6, "a", "Scheduled")]
