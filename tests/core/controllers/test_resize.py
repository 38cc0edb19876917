"""In-place resizes of pods: what the API server rejects, the kubelet defers, and the scheduler counts."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.apis.qos import qos_class
from scheduler_core.plugins import REGISTRY
from scheduler_core.simulation.simulation import Simulation
from tests.core.controllers.worlds import Manifest, node, rows, template, text

Rows = list[dict[str, Any]]


def pod(name: str, cpu: str, annotations: Manifest | None = None, **spec: Any) -> Manifest:
    of = template(name, cpu, annotations=annotations, **spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **of["metadata"]}, "spec": of["spec"]}


def resize(name: str, at: float, **requests: str) -> Manifest:
    containers = [{"name": "c", "resources": {"requests": requests}}]
    return {"at": at, "patch": {"kind": "Pod", "name": name, "patch": {"spec": {"containers": containers}}}}


def delete(name: str, at: float) -> Manifest:
    return {"at": at, "delete": {"kind": "Pod", "name": name}}


def resizes(found: Rows) -> list[tuple[float, str, str]]:
    """Return time, pod and reason of each Event about a resize."""
    events = [row for row in found if row["what"] == "event" and row["details"]["reason"].startswith("Resize")]
    return [(row["t"], row["name"], row["details"]["reason"].removeprefix("Resize")) for row in events]


def bound(found: Rows) -> dict[str, float]:
    return {row["name"]: row["t"] for row in found if row["what"] == "bound"}


def errors(found: Rows) -> list[str]:
    return [row["details"]["error"] for row in found if row["what"] == "action" and "error" in row["details"]]


def test_a_smaller_pod_makes_room_only_when_its_kubelet_has_resized_it() -> None:
    found = rows(node("n1"), pod("p", "3"), pod("w", "2"), events=[resize("p", 5, cpu="1")])
    assert resizes(found) == [(5.1, "p", "Started"), (5.2, "p", "Completed")]
    assert bound(found)["w"] == 5.2


def test_the_scheduler_counts_a_deferred_resize_in_full() -> None:
    """Without the resize, w would fit next to p and q once q is gone."""
    events = [resize("p", 5, cpu="3"), delete("q", 20)]
    found = rows(node("n1"), pod("p", "1"), pod("q", "2"), pod("w", "2"), events=events)
    assert resizes(found) == [(5.1, "p", "Deferred"), (21.1, "p", "Started"), (21.2, "p", "Completed")]
    assert "w" not in bound(found)
    assert "w" in bound(rows(node("n1"), pod("p", "1"), pod("q", "2"), pod("w", "2"), events=events[1:]))


def test_an_infeasible_resize_is_not_counted_and_not_tried_again() -> None:
    events = [resize("p", 5, cpu="9"), delete("q", 20)]
    objects = node("n1"), pod("p", "1"), pod("q", "2"), pod("w", "2")
    found = rows(*objects, events=events, kubernetesVersion="1.35")
    assert resizes(found) == [(5.1, "p", "Infeasible")]
    assert bound(found)["w"] == 21.1


def test_the_api_server_of_1_36_refuses_what_no_node_of_this_size_can_hold() -> None:
    found = rows(node("n1"), pod("p", "1"), events=[resize("p", 5, cpu="9")])
    allocatable = "node didn't have enough allocatable resources: cpu, requested: 9000, allocatable: 4000"
    assert errors(found) == [f'pods "p" is forbidden: {allocatable}']
    assert not resizes(found)


def test_deferred_resizes_are_tried_by_size_priority_and_age() -> None:
    pods = [pod("old", "1"), pod("low", "1"), pod("high", "1"), pod("gone", "1")]
    pods[2]["spec"]["priority"] = 10
    events = [resize("old", 5, cpu="2"), resize("low", 6, cpu="2"), resize("high", 7, cpu="2"), delete("gone", 20)]
    found = rows(node("n1"), *pods, events=events)
    assert [entry for entry in resizes(found) if entry[2] == "Started"] == [(21.1, "high", "Started")]
    pods[2]["spec"]["priority"] = 0
    found = rows(node("n1"), *pods, events=events)
    assert [entry for entry in resizes(found) if entry[2] == "Started"] == [(21.1, "old", "Started")]


def test_a_resize_that_shrinks_another_pod_lets_a_deferred_one_go_on() -> None:
    events = [resize("p", 5, cpu="2"), resize("q", 20, cpu="1")]
    found = rows(node("n1"), pod("p", "1"), pod("q", "3"), events=events)
    assert [entry[:2] for entry in resizes(found) if entry[2] == "Completed"] == [(20.2, "q"), (20.2, "p")]


@pytest.mark.parametrize(("version", "seconds"), [("1.33", 80.1), ("1.34", 21.1), ("1.36", 21.1)])
def test_1_33_looks_at_a_deferred_resize_when_it_syncs_its_pod(version: str, seconds: float) -> None:
    events = [resize("p", 5, cpu="3"), delete("q", 20)]
    objects = node("n1"), pod("p", "1"), pod("q", "2")
    found = rows(*objects, events=events, kubernetesVersion=version, untilSeconds=200)
    assert [entry[0] for entry in resizes(found) if entry[2] == "Started"] == [seconds]


@pytest.mark.parametrize(("version", "seconds"), [("1.35", 185.1), ("1.36", 31.1)])
def test_the_room_of_a_finished_pod_is_seen_at_once_from_1_36_on(version: str, seconds: float) -> None:
    q = pod("q", "2", {"run-seconds": "30"}, restartPolicy="Never")
    found = rows(
        node("n1"),
        pod("p", "1"),
        q,
        events=[resize("p", 5, cpu="3")],
        kubernetesVersion=version,
        untilSeconds=300,
    )
    assert [entry[0] for entry in resizes(found) if entry[2] == "Started"] == [seconds]


def test_a_resize_that_is_taken_back_is_pending_no_more() -> None:
    events = [resize("p", 5, cpu="3"), resize("p", 10, cpu="1"), delete("q", 20)]
    found = rows(node("n1"), pod("p", "1"), pod("q", "2"), pod("w", "2"), events=events)
    assert resizes(found) == [(5.1, "p", "Deferred")]
    assert bound(found)["w"] == 21.1


def test_a_container_restarts_where_its_resize_policy_says_so() -> None:
    p = pod("p", "1")
    p["spec"]["containers"][0]["resizePolicy"] = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
    p["spec"]["containers"][0]["resources"]["requests"]["memory"] = "1Gi"

    def restarts(**requests: str) -> int:
        found = rows(node("n1"), p, events=[resize("p", 5, **requests)])
        return len([row for row in found if row.get("details", {}).get("type") == "Ready" and row["t"] > 5])

    assert restarts(cpu="2") == 0
    assert restarts(memory="2Gi") == 1


REFUSED = [
    (resize("p", 5, cpu="2") | {}, "1.32", "pod updates may not change fields other than"),
    (resize("p", 5, **{"ephemeral-storage": "1Gi"}), "1.36", "only cpu and memory resources are mutable"),
    (resize("best-effort", 5, cpu="1"), "1.36", "Pod QOS Class may not change as a result of resizing"),
]


@pytest.mark.parametrize(("event", "version", "message"), REFUSED, ids=[entry[2] for entry in REFUSED])
def test_what_is_no_resize_is_refused_with_the_api_servers_words(event: Manifest, version: str, message: str) -> None:
    best_effort = pod("best-effort", "1")
    del best_effort["spec"]["containers"][0]["resources"]
    found = rows(node("n1"), pod("p", "1"), best_effort, events=[event], kubernetesVersion=version)
    assert message in errors(found)[0]
    assert not resizes(found)


def test_a_quota_counts_what_a_resize_adds() -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "small"},
        "spec": {"hard": {"requests.cpu": "3"}},
    }
    events = [resize("p", 5, cpu="2500m"), resize("p", 10, cpu="4"), resize("p", 15, cpu="1"), delete("p", 20)]
    found = rows(node("n1"), quota, pod("p", "1"), events=events)
    assert errors(found) == [
        'pods "p" is forbidden: exceeded quota: small, '
        "requested: requests.cpu=1500m, used: requests.cpu=2500m, limited: requests.cpu=3"
    ]
    used = [row["details"]["used.requests.cpu"] for row in found if row["what"] == "status"]
    assert used == ["2500m", "1", "0"]  # it shrinks when the kubelet has resized it


def test_an_update_of_the_pod_resizes_it_too() -> None:
    changed = pod("p", "2")
    found = rows(node("n1"), pod("p", "1"), events=[{"at": 5, "update": changed}, {"at": 9, "cordon": ["n1"]}])
    assert resizes(found) == [(5.1, "p", "Started"), (5.2, "p", "Completed")]


def test_a_resize_under_way_when_the_scenario_begins_goes_on() -> None:
    p = pod("p", "3", nodeName="n1")
    has = {"name": "c", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {"cpu": "1"}}
    p["status"] = {"phase": "Running", "containerStatuses": [has]}
    found = rows(node("n1"), p, pod("q", "2", nodeName="n1"), events=[delete("q", 20)])
    assert [entry[2] for entry in resizes(found)] == ["Deferred", "Started", "Completed"]


def test_the_nodes_count_what_the_pods_have_after_every_resize() -> None:
    events = [resize("p", 5, cpu="3"), resize("q", 10, cpu="500m"), resize("p", 30, cpu="250m")]
    scenario = parse_scenario(text(node("n1"), pod("p", "1"), pod("q", "2"), events=events))
    simulation = Simulation(scenario, REGISTRY)
    for _ in simulation.run():
        pass
    assert {pod.key: pod.requests["cpu"] for pod in simulation.cluster.pods.all()} == {
        "default/p": 250,
        "default/q": 500,
    }
    assert list(simulate(scenario)) == list(simulate(scenario))


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
    ],
)
def test_the_qos_class_follows_requests_and_limits(resources: Manifest, expected: str) -> None:
    assert qos_class({"containers": [{"name": "c", "resources": resources}]}) == expected
