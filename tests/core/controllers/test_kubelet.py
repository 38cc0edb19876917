"""Pods that kubelets reject, static pods, and claims of ephemeral volumes."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.controller_events import PodRestarted
from scheduler_core.trace.events import ClockAdvanced
from tests.core.controllers.worlds import Manifest, final, node, rows, rows_of, text

TAINT = {"key": "broken", "effect": "NoExecute"}


def bare(name: str, on: str = "n1", cpu: str = "1", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, **more.pop("metadata", {})}
    containers = [{"name": "c", "image": "v1", "resources": {"requests": {"cpu": cpu}}, **more.pop("container", {})}]
    named = {"nodeName": on} if on else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, **named, **more},
    }


def made(*pods: Manifest, of: Manifest | None = None) -> list[dict[str, Any]]:
    events = [{"at": 5 + number, "create": pod} for number, pod in enumerate(pods)]
    return rows(of or node("n1", cpu="2"), events=events, untilSeconds=20)


def reasons(found: list[dict[str, Any]]) -> list[str]:
    return [row["details"]["reason"] for row in found if row["what"] == "event" and row["kind"] == "Pod"]


def test_a_pod_that_names_its_node_runs_there_after_its_time() -> None:
    found = made(bare("one"))
    assert rows_of(found, "running") == [(6.1, "running", "one")]


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (bare("big", cpu="3"), "OutOfcpu"),
        (bare("elsewhere", nodeSelector={"disk": "ssd"}), "NodeAffinity"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_kubelets_reason(pod: Manifest, reason: str) -> None:
    found = made(pod)
    assert reasons(found) == [reason]
    assert [row["phase"] for row in final(found)["pods"]] == ["Failed"]


def test_a_second_pod_finds_no_room_or_no_port() -> None:
    assert reasons(made(bare("one", cpu="1500m"), bare("two"))) == ["OutOfcpu"]
    port = {"ports": [{"containerPort": 80, "hostPort": 80}]}
    assert reasons(made(bare("one", container=port), bare("two", container=port))) == ["NodePorts"]


def test_a_refused_pod_takes_no_room() -> None:
    found = made(bare("big", cpu="3"), bare("small", on="", cpu="2"))
    assert ("small", "Running") in {(pod["name"], pod["phase"]) for pod in final(found)["pods"]}


def test_a_taint_keeps_other_pods_out_and_static_pods_not() -> None:
    tainted = node("n1", cpu="4", taints=[TAINT])
    mirror = {"annotations": {"kubernetes.io/config.mirror": "x"}}
    found = made(bare("one"), bare("static", metadata=mirror, tolerations=[{"operator": "Exists"}]), of=tainted)
    assert [row[2] for row in rows_of(found, "running")] == ["static"]


def test_a_static_pod_comes_back_as_long_as_its_node_is_there() -> None:
    mirror = bare("static", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    events = [{"at": 5, "create": mirror}, {"at": 10, "delete": {"kind": "Pod", "name": "static"}}]
    found = rows(node("n1"), events=events, untilSeconds=20)
    assert [row[2] for row in rows_of(found, "created")] == ["static", "static#2"]
    assert [row[2] for row in rows_of(found, "running")] == ["static", "static#2"]


def test_an_ephemeral_volume_gets_a_claim_that_goes_with_its_pod() -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    volume = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {**spec, "storageClassName": "local"}}}}
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    disk = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {
            "capacity": {"storage": "2Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "hostPath": {"path": "/disk"},
        },
    }
    pod = bare("web", on="", volumes=[volume])
    events = [{"at": 5, "create": pod}, {"at": 12, "delete": {"kind": "Pod", "name": "web"}}]
    found = rows(node("n1"), storage_class, disk, events=events, untilSeconds=20)
    assert ("created", "web-scratch") in {(row["what"], row["name"]) for row in found}
    assert [row[2] for row in rows_of(found, "bound") if row[2] == "web"] == ["web"]
    assert ("deleted", "web-scratch") in {(row["what"], row["name"]) for row in found}


def waits_before_restarts(seconds: int) -> list[float]:
    """Return the seconds that each restart waits if the container fails after running for this many seconds."""
    annotations = {"kschedui.io/run-seconds": str(seconds), "kschedui.io/exit-code": "1"}
    crashing = bare("one", metadata={"annotations": annotations})
    now, waits = 0.0, []
    for event in simulate(parse_scenario(text(node("n1"), crashing, untilSeconds=4 * seconds + 100))):
        if isinstance(event, ClockAdvanced):
            now = event.time
        elif isinstance(event, PodRestarted):
            waits.append(event.at - now)
    return waits


def test_a_restart_waits_twice_as_long_as_the_one_before_unless_the_container_ran_for_more_than_ten_minutes() -> None:
    assert waits_before_restarts(30)[:4] == [0.0, 10.0, 20.0, 40.0]
    assert waits_before_restarts(601)[:3] == [0.0, 0.0, 0.0]
