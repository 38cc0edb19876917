"""DaemonSets: pods of a surge, pods that end, the node of a pod."""

from __future__ import annotations

from typing import Any

from scheduler_core.controllers.daemonset import pinned_to
from tests.core.controllers.worlds import node, rows, template, workload

SURGE = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def made(found: list[dict[str, Any]]) -> list[tuple[float, str]]:
    return [(round(row["t"], 1), row["name"]) for row in found if row["what"] == "created" and "/" in row["name"]]


def events(found: list[dict[str, Any]], reason: str) -> list[float]:
    return [round(row["t"], 1) for row in found if row["what"] == "event" and row["details"]["reason"] == reason]


def test_with_a_surge_a_node_has_a_new_pod_while_the_deleted_one_stops() -> None:
    delete = {"at": 5, "delete": {"kind": "Pod", "name": "log/n1"}}
    slow = template("log", annotations={"stop-seconds": "8"})
    for strategy, time in (({}, 13), (SURGE, 5)):
        found = rows(node("n1"), workload("DaemonSet", "log", slow, updateStrategy=strategy), events=[delete])
        assert [round(at) for at, _ in made(found)] == [0, time]


def test_a_pod_that_fails_again_waits_for_the_whole_backoff_from_its_failure_on() -> None:
    """The kubelet evicts the pod at 5, 6.6 and 7.8: now the backoff of 2 s has 0.8 s left."""
    pressed = [{"at": at, "pressure": {"node": "n1", "resource": "memory"}} for at in (5, 6.6, 7.8)]
    found = rows(node("n1"), workload("DaemonSet", "log"), events=pressed, untilSeconds=20)
    assert [at for at, _ in made(found)] == [0.3, 5, 6.6, 9.8]
    assert events(found, "FailedDaemonPod") == [5, 6.6, 9.8]


def test_pods_on_a_node_that_is_gone_hold_up_a_rollout_with_a_surge() -> None:
    new_image = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "v2"}]}}}}
    happens = [
        {"at": 5, "delete": {"kind": "Node", "name": "n2"}},
        {"at": 6, "patch": {"kind": "DaemonSet", "name": "log", "patch": new_image}},
    ]
    found = rows(node("n1"), node("n2"), workload("DaemonSet", "log", updateStrategy=SURGE), events=happens)
    gone = [round(row["t"], 1) for row in found if row["what"] == "deleted" and row["name"] == "log/n2"]
    assert [at for at, name in made(found) if name == "log/n1#2"] == gone == [55]


def test_the_affinity_of_a_pod_names_its_node_and_nothing_else() -> None:
    required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]}]}
    preferred = [{"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]
    rules = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    spec = {"affinity": {"nodeAffinity": {**rules, "preferredDuringSchedulingIgnoredDuringExecution": preferred}}}
    pin = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    assert pinned_to("n1", spec)["affinity"]["nodeAffinity"] == {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [pin]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }


def test_a_template_that_names_a_node_has_a_pod_there_only() -> None:
    found = rows(node("n1"), node("n2"), workload("DaemonSet", "log", template("log", nodeName="n2")))
    assert [name for _, name in made(found)] == ["log/n2"]
