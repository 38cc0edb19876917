"""The summaries of pods, volumes and budgets in the trace, for cards and panels."""

from __future__ import annotations

from scheduler_core.apis.core import Node, Pod
from scheduler_core.trace.events import ObjectApplied, RunStarted
from scheduler_core.trace.keyframe import CompactedLog
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import BudgetNow, Wish
from scheduler_core.trace.summaries import node_names, node_summary, nodes_of, pod_summary, pods_of
from tests.builders import budget, node, parse, pod, priority_class, required_affinity, spread
from tests.core.runs import only, run

WEB = {"app": "web"}


def started(*objects: dict[str, object]) -> RunStarted:
    return only(RunStarted, run(*objects))[0]


def wishes(**spec: object) -> list[Wish]:
    return pods_of(started(node("n1"), pod("a", **spec)))[0].wishes  # type: ignore[arg-type]


def claim(name: str, **spec: object) -> dict[str, object]:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": asked}


def test_a_pod_that_asks_for_nothing_but_room_has_no_wishes() -> None:
    assert wishes(cpu=1) == []


def test_labels_neighbours_and_spreading_are_wishes_with_their_values() -> None:
    assert wishes(nodeSelector={"disk": "ssd"}) == [Wish("node", "disk=ssd")]
    assert wishes(affinity=required_affinity(WEB, anti=True)) == [Wish("apart", "app=web", "kubernetes.io/hostname")]
    constraint = spread(WEB, whenUnsatisfiable="ScheduleAnyway", maxSkew=2)
    assert wishes(topologySpreadConstraints=[constraint]) == [
        Wish("spread", "app=web", "topology.kubernetes.io/zone", 2, soft=True)
    ]


def test_what_is_required_comes_before_what_is_preferred() -> None:
    term = {"matchExpressions": [{"key": "cache", "operator": "Exists"}]}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference": term}]}
    claims = [{"name": "data", "persistentVolumeClaim": {"claimName": "mine"}}]
    assert wishes(affinity={"nodeAffinity": preferred}, volumes=claims, host_port=80) == [
        Wish("claim", "mine"),
        Wish("port", "80"),
        Wish("node", "cache", number=7, soft=True),
    ]


def test_tolerations_that_every_pod_gets_are_no_wishes() -> None:
    own = {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
    common = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    assert wishes(tolerations=[common, own]) == [Wish("tolerates", "gpu=yes:NoSchedule")]


def test_a_bound_pod_has_no_wishes_any_more() -> None:
    bound = pod("a", node="n1", nodeSelector={"disk": "ssd"})
    assert pods_of(started(node("n1"), bound))[0].wishes == []


def test_a_claim_tells_when_its_size_changes_and_a_keyframe_keeps_it_beside_a_pod_of_its_name() -> None:
    larger = claim("a")
    larger["spec"] = {**larger["spec"], "resources": {"requests": {"storage": "6Gi"}}}  # type: ignore[dict-item]
    later = [{"at": 1, "update": larger}, {"at": 2, "create": pod("a", cpu=1)}]
    events = run(node("n1"), claim("a"), events=later)
    last = next(one for one in only(ObjectApplied, events) if one.kind == "PersistentVolumeClaim")
    assert [(change.field, change.before, change.after) for change in last.changes] == [("storage", 5 << 30, 6 << 30)]
    log = CompactedLog()
    log.take(events)
    kept = {event.kind for event in log.keyframe().since if isinstance(event, ObjectApplied)}
    assert kept == {"PersistentVolumeClaim", "Pod"}


def test_preemption_tells_how_a_budget_came_to_what_it_allows() -> None:
    events = run(
        node("n1", cpu=2),
        priority_class("high", 10),
        budget("guard", WEB, minAvailable=1),
        budget("elsewhere", {"app": "other"}, minAvailable=1),
        pod("web", cpu=2, node="n1", labels=WEB),
        pod("high", cpu=2, priority_class="high"),
    )
    found = only(PreemptionEvaluated, events)[0].budgets
    assert found == [BudgetNow("guard", "default", 0, "minAvailable 1", expected=1, healthy=1, desired=1)]


def test_a_run_begins_with_the_events_that_each_plugin_registered() -> None:
    wakes = started(node("n1")).wakes
    assert wakes["NodeResourcesFit"] == [
        "Pod/Delete",
        "Pod/UpdatePodScaleDown",
        "Node/Add",
        "Node/UpdateNodeAllocatable",
        "DeviceClass/Add",
        "DeviceClass/Update",
    ]
    assert wakes["NodeName"] == ["Node/Add"]


def test_what_nodes_that_are_alike_have_in_common_is_stored_once_and_they_are_read_one_by_one_in_their_order() -> None:
    objects = [
        node("a", cpu=2, labels={"zone": "z1", "1": "x"}),
        node("b", cpu=1, labels={"zone": "z1", "1": "x"}),
        node("c", cpu=2, labels={"zone": "z2", "1": "y"}),
        node("d", cpu=2),
        node("e", cpu=2, taints=["gpu:NoSchedule"]),
    ]
    first = started(*objects)
    assert first.loaded_nodes is not None
    assert first.loaded_nodes.kind == [0, 1, 0, 2, 3]
    assert nodes_of(first) == [node_summary(one) for one in parse(*objects).objects if isinstance(one, Node)]
    assert node_names(first) == ["a", "b", "c", "d", "e"]


def test_pods_that_are_alike_are_stored_once_and_read_one_by_one_in_their_order() -> None:
    loaded = [pod(f"a{i}", node="n1", start_time=f"2025-01-0{i + 1}T00:00:00Z") for i in range(2)]
    objects = [*loaded, pod("b", node="lost"), pod("c", cpu=1), pod("a2", node="n2"), pod("d", cpu=1)]
    first = started(node("n1"), node("n2"), *objects)
    assert first.loaded is not None
    assert len(first.loaded.kinds) == 3
    parsed = [one for one in parse(node("n1"), node("n2"), *objects).objects if isinstance(one, Pod)]
    assert pods_of(first) == [pod_summary(one) for one in sorted(parsed, key=lambda one: not one.node_name)]
