"""Rules of Cluster Autoscaler that no recorded run reaches, in whole runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.cluster_autoscaler.events import go_duration
from scheduler_core.autoscaling.cluster_autoscaler.scale_up import group_pods
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.controller_events import EventRecorded, EvictionAnswered
from tests.builders import Manifest, budget, node, parse, pod, scenario
from tests.core.autoscaling.builders import own

PREFIX = "cluster-autoscaler.kubernetes.io/"
QUICK = ("--scale-down-unneeded-time=10s", "--scale-down-delay-after-add=0s")
FAILED = "failed to drain and delete node: Failed to drain node /n1"


def owned(made: Manifest, kind: str = "ReplicaSet") -> Manifest:
    owner = {"kind": kind, "name": "o", "apiVersion": "apps/v1", "uid": "u", "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


def group(name: str = "g", *, cpu: int = 2, memory: str = "8Gi", **spec: Any) -> Manifest:
    template = node("of", cpu=cpu, memory=memory)
    return own("NodeGroup", name, **{"size": 0, "maximum": 9, "template": template, **spec})


def run(*objects: Manifest, flags: Sequence[str] = (), until: float = 100.0, **spec: Any) -> list[Any]:
    actor = own("ClusterAutoscaler", flags=list(flags))
    return list(simulate(parse_scenario(scenario(*objects, actor, untilSeconds=until, **spec))))


def messages(events: Sequence[Any], name: str = "") -> list[str]:
    recorded = (event for event in events if isinstance(event, EventRecorded) and event.source == "cluster-autoscaler")
    return [event.message for event in recorded if name in ("", event.name)]


def resized(events: Sequence[Any]) -> list[tuple[str, int]]:
    return [(event.group, event.target) for event in events if isinstance(event, NodeGroupResized)]


DRAINED = [
    node("n1", cpu=10), node("n2", cpu=10), owned(pod("web", cpu=1, node="n1", labels={"app": "a"})),
    own("NodeGroup", "g", nodes=["n1"]),
]  # fmt: skip


def test_a_refused_eviction_is_tried_until_the_deadline_and_named_in_the_event() -> None:
    other = owned(pod("other", cpu=1, node="n1", labels={"app": "a"}))
    guard, peer = budget("b", {"app": "a"}, minAvailable=2), pod("peer", cpu=1, node="n2", labels={"app": "a"})
    later = [{"at": 26, "update": budget("b", {"app": "a"}, minAvailable=3)}]
    flags = [*QUICK, "--max-pod-eviction-time=20s"]
    events = run(*DRAINED, other, guard, peer, flags=flags, until=90, events=later)
    answers = [(event.pod, event.code) for event in events if isinstance(event, EvictionAnswered)]
    assert answers[:3] == [("default/web", 201), ("default/other", 429), ("default/other", 429)]
    violates = "Cannot evict pod as it would violate the pod's disruption budget."
    error = f"failed to evict pod default/o/1 within allowed timeout (last error: {violates})"
    assert f"{FAILED}, due to following errors: [{error}]" in messages(events)
    texts = ["deleting pod for node scale down", "failed to delete pod for ScaleDown"]
    assert messages(events, "other") == texts


def test_a_drain_gives_up_on_pods_that_do_not_go() -> None:
    flags = [*QUICK, "--max-graceful-termination-sec=10", "--max-pod-eviction-time=1s"]
    events = run(*DRAINED, flags=flags, until=120, events=[{"at": 22, "failNode": "n1"}])
    assert f"{FAILED}: pods remaining after timeout" in messages(events)


def test_an_empty_node_that_gets_a_pod_in_time_is_kept() -> None:
    late = owned(pod("late", cpu=1, nodeName="n1"))
    events = run(*DRAINED[:2], DRAINED[3], flags=QUICK, events=[{"at": 22, "create": late}])
    text = 'failed to delete empty node: failed to delete empty node "n1", new pods scheduled'
    assert text in messages(events, "n1")


@pytest.mark.parametrize(
    ("annotations", "flags", "evicted"),
    [
        ({}, (), {"default/web", "default/agent"}),
        ({f"{PREFIX}enable-ds-eviction": "false"}, (), {"default/web"}),
        ({}, ("--daemonset-eviction-for-occupied-nodes=false",), {"default/web"}),
        (
            {f"{PREFIX}enable-ds-eviction": "true"},
            ("--daemonset-eviction-for-occupied-nodes=false",),
            {"default/web", "default/agent"},
        ),
    ],
)
def test_pods_of_daemon_sets_say_themselves_whether_they_are_evicted(
    annotations: dict[str, str], flags: Sequence[str], evicted: set[str]
) -> None:
    agent = owned(pod("agent", node="n1", annotations=annotations), "DaemonSet")
    events = run(*DRAINED, agent, flags=[*QUICK, *flags], until=60)
    assert {event.pod for event in events if isinstance(event, EvictionAnswered)} == evicted


def test_pods_of_daemon_sets_on_empty_nodes_are_evicted_if_the_flag_says_so() -> None:
    agent = owned(pod("agent", node="n1"), "DaemonSet")
    for flag, evicted in (("false", 0), ("true", 1)):
        flags = [*QUICK, f"--daemonset-eviction-for-empty-nodes={flag}"]
        events = run(*DRAINED[:2], DRAINED[3], agent, flags=flags, until=60)
        assert "Scale-down: empty node n1 removed" in messages(events)
        assert sum(isinstance(event, EvictionAnswered) for event in events) == evicted


def test_an_object_has_one_event_of_a_reason_in_five_minutes() -> None:
    events = run(pod("p", cpu=1), group("a", maximum=1, fail={"mode": "ghost"}), group("b"),
                 flags=["--max-node-provision-time=20s", "--scan-interval=2s"], until=100)  # fmt: skip
    assert len({target for target in resized(events) if target[1]}) == 2
    assert messages(events, "p") == ["pod triggered scale-up: [{a 0->1 (max: 1)}]"]


def test_each_reason_of_a_group_is_counted() -> None:
    events = run(pod("p", cpu=9, memory="99Gi"), group("a"), group("b"), until=20)
    assert messages(events, "p") == ["pod didn't trigger scale-up: 2 Insufficient cpu, 2 Insufficient memory"]


def test_the_limit_of_all_nodes_counts_nodes_in_no_group_but_no_cordoned_ones() -> None:
    nodes = [node("n1", cpu=1), node("n2", cpu=1)]
    events = run(*nodes, pod("p", cpu=2), group(), flags=["--max-nodes-total=2"], until=20)
    assert messages(events, "p") == ["pod didn't trigger scale-up: max total nodes in cluster reached"]
    nodes[1]["spec"] = {"unschedulable": True}
    events = run(*nodes, pod("p", cpu=2), group(), flags=["--max-nodes-total=2"], until=20)
    assert messages(events, "p") == []  # it would fit on a new node


def test_instances_with_errors_are_taken_back_and_another_group_is_used() -> None:
    broken = group("a", fail={"mode": "outOfResources", "message": "none left"})
    events = run(pod("p", cpu=1), broken, group("b", cpu=3), flags=["--scan-interval=2s"], until=30)
    text = "Failed adding 1 nodes to group a due to OutOfResource.OutOfResources; source errors: none left"
    assert text in messages(events)
    assert resized(events) == [("a", 1), ("a", 0), ("b", 1)]


def test_the_intended_size_is_recorded_also_if_the_cloud_refuses_it() -> None:
    events = run(pod("p", cpu=1), group(fail={"mode": "error", "message": "no"}), until=10)
    assert messages(events) == [
        "Scale-up: setting group g size to 1 instead of 0 (max: 9)",
        "Scale-up failed for group g: no",
        "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
    ]


def test_a_target_that_cannot_be_taken_back_is_recorded_and_fixed_later() -> None:
    ghost = group(size=1, fail={"mode": "ghost", "until": 8})
    flags = ["--max-node-provision-time=20s", "--scan-interval=2s", "--scale-down-enabled=false"]
    events = run(pod("p", cpu=2), pod("q", cpu=2), ghost, flags=flags, until=80,
                 events=[{"at": 12, "create": pod("r", cpu=2)}])  # fmt: skip
    failed = [text for text in messages(events) if text.startswith("Failed to decrease target size for group g")]
    assert len(failed) == 1
    assert ("g", 2) in resized(events)


def test_a_scale_down_may_hold_back_the_next() -> None:
    nodes = [node(f"n{number}", cpu=10) for number in range(1, 4)]
    flags = [*QUICK, "--max-scale-down-parallelism=1", "--scan-interval=5s"]
    for delay, removed in (("0s", 2), ("60s", 1)):
        events = run(*nodes, own("NodeGroup", "g", nodes=["n1", "n2"]), until=50,
                     flags=[*flags, f"--scale-down-delay-after-delete={delay}"])  # fmt: skip
        assert sum(text.endswith("removed") for text in messages(events)) == removed


def test_groups_are_filled_to_their_minimum_within_the_limits() -> None:
    flags = ["--enforce-node-group-min-size", "--scale-down-enabled=false"]
    assert resized(run(group(minimum=3), flags=[*flags, "--cores-total=0:4"], until=20))[0] == ("g", 2)
    events = run(group(minimum=3), flags=[*flags, "--max-nodes-total=1"], until=20)
    assert resized(events)[0] == ("g", 1)
    assert "Max total nodes in cluster reached: 1" in messages(events)


def test_without_scale_up_from_zero_an_empty_cluster_is_left_alone() -> None:
    flags = ["--scale-up-from-zero=false"]
    events = run(pod("p", cpu=2), group(), flags=flags, until=20)
    assert messages(events) == ["Cluster has no nodes."]
    events = run(node("n1", cpu=1), pod("p", cpu=2), group(), flags=flags, until=20)
    assert resized(events) == [("g", 1)]


def test_static_pods_of_a_node_are_part_of_its_template() -> None:
    static = owned(pod("proxy-n1", cpu=1, node="n1", annotations={"kubernetes.io/config.mirror": "x"}), "Node")
    nodes = own("NodeGroup", "g", nodes=["n1"], maximum=9, template=node("of", cpu=2))
    late = [{"at": 70, "create": pod("p", cpu=2)}]
    events = run(node("n1", cpu=2), static, nodes, flags=["--scale-down-enabled=false"], until=90, events=late)
    assert messages(events, "p") == ["pod didn't trigger scale-up: 1 Insufficient cpu"]


def test_a_node_is_the_template_of_a_group_without_one_at_once() -> None:
    alone = own("NodeGroup", "g", nodes=["n1"], maximum=9)
    events = run(node("n1", cpu=2), pod("p", cpu=2, node="n1"), pod("q", cpu=3), alone, until=10)
    assert messages(events, "q") == ["pod didn't trigger scale-up: 1 Insufficient cpu"]


def priorities(text: str) -> Manifest:
    metadata = {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"priorities": text}}


def test_the_priority_expander_warns_about_groups_without_a_priority_also_if_there_is_no_other() -> None:
    flags = ["--expander=priority"]
    events = run(pod("p", cpu=1), group("a"), priorities("10: [b]"), flags=flags, until=10)
    assert messages(events, "cluster-autoscaler-priority-expander") == [
        "Priority expander: node group a not found in priority expander configuration. The group won't be used.",
        "Priority expander: no priorities info found for any of the expansion options. No options filtered.",
    ]
    events = run(pod("p", cpu=1), group("a"), group("b"), priorities("-3: [a]\n-1: [b]"), flags=flags, until=10)
    assert resized(events) == [("b", 1)]


def test_a_delay_of_a_pod_is_a_go_duration() -> None:
    patient = pod("p", cpu=1, annotations={f"{PREFIX}pod-scale-up-delay": "1m10s"})
    late = [{"at": 1, "create": patient}]
    assert not resized(run(group(), events=late, until=65))
    assert resized(run(group(), events=late, until=90))


def test_cores_are_counted_as_whole_ones() -> None:
    events = run(node("n1", cpu="1500m"), pod("p", cpu=2), group(), flags=["--cores-total=0:3"], until=10)
    assert messages(events, "p") == ['pod didn\'t trigger scale-up: 1 exceeded quota: "cluster-wide", resources: cpu']


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.05, "12.05s"), (60, "1m0s"), (900.25, "15m0.25s"), (3600, "1h0m0s"), (0.5, "0.5s")]
)
def test_durations_are_printed_as_in_go(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


def test_pods_of_daemon_sets_count_on_new_nodes_even_if_they_have_no_room() -> None:
    labels = {"app": "agent"}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    agent = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec}
    assert resized(run(pod("p", cpu=1), group("g", cpu=4), agent, until=10)) == [("g", 1)]
    events = run(pod("p", cpu=1), group("g", cpu=2), agent, until=10)
    assert messages(events, "p") == ["pod didn't trigger scale-up: 1 Insufficient cpu"]


def test_a_young_node_that_becomes_unready_is_not_waited_for() -> None:
    unready = node("n1", cpu=2, taints=["node.kubernetes.io/not-ready:NoSchedule"])
    objects = [unready, pod("p", cpu=2), group(), own("NodeGroup", "old", nodes=["n1"], template=node("of", cpu=2))]
    assert resized(run(*objects, until=20)) == [("g", 1)]


def test_a_drain_that_budgets_do_not_allow_at_once_comes_last() -> None:
    labels = {"app": "a"}
    nodes = [node("n1", cpu=10), node("n2", cpu=10), node("n3", cpu=10)]
    pods = [owned(pod(f"p{number}", cpu=1, node="n1", labels=labels)) for number in range(2)]
    pods += [owned(pod("q", cpu=1, node="n2")), pod("peer", cpu=1, node="n3", labels=labels)]
    guard = budget("b", labels, minAvailable=2)
    events = run(*nodes, *pods, guard, own("NodeGroup", "g", nodes=["n1", "n2"]), flags=QUICK, until=24)
    assert [text[:29] for text in messages(events) if "removing" in text] == ["Scale-down: removing node n2,"]


def test_new_pods_do_not_stop_the_time_for_which_a_node_is_unneeded() -> None:
    created = [{"at": 9.95, "create": pod("p", cpu="100m", nodeSelector={"no": "node"})}]
    events = run(node("n1", cpu=2), node("n2", cpu=2), own("NodeGroup", "g", nodes=["n1"]), flags=QUICK, until=24,
                 events=created)  # fmt: skip
    assert 'Scale-down: removing empty node "n1"' in messages(events)


def test_a_node_above_the_threshold_stays_even_if_it_is_unready() -> None:
    flags = [*QUICK, "--scale-down-unready-time=10s", "--max-node-startup-time=1s"]
    for cpu, removed in ((8, False), (1, True)):
        first = node("n1", cpu=10)
        first["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
        objects = [first, node("n2", cpu=10), owned(pod("web", cpu=cpu, node="n1"))]
        events = run(*objects, own("NodeGroup", "g", nodes=["n1"]), flags=flags, until=60)
        assert any("removing node n1" in text for text in messages(events)) == removed


def test_pods_of_a_controller_are_alike_if_they_differ_in_what_it_varies() -> None:
    def member(number: int, **spec: Any) -> Manifest:
        made = owned(pod(f"db-{number}", hostname=f"db-{number}", **spec), "StatefulSet")
        made["spec"]["containers"][0]["env"] = [{"name": "INDEX", "value": str(number)}]
        made["spec"]["containers"][0]["volumeMounts"] = [{"name": f"token-{number}", "mountPath": "/t"}]
        projected = {"sources": [{"serviceAccountToken": {"path": "token"}}]}
        made["spec"]["volumes"] = [{"name": f"token-{number}", "projected": projected}]
        return made

    pods = [item for item in parse(member(0), member(1), member(2, cpu=3)).objects if isinstance(item, Pod)]
    assert [[each.name for each in alike] for alike in group_pods(pods)] == [["db-0", "db-1"], ["db-2"]]
