"""A Pod document becomes the pod that kube-apiserver would store: defaults, admission, validation."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import Pod
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import node, parse, pod, priority_class, scenario
from tests.core.scenario.pod_documents import container, parsed, problems, with_containers

MI = 1024 * 1024


# --- requests ---


def test_requests_of_containers_are_added_and_missing_ones_count_as_default_for_scores() -> None:
    found = with_containers(container("a", "500m", "64Mi"), container("b", "250m"), container("c"))
    assert found.requests == {"cpu": 750, "memory": 64 * MI}
    assert (found.non_zero_cpu, found.non_zero_memory) == (850, (64 + 200 + 200) * MI)


def test_explicit_zero_request_gets_no_default() -> None:
    found = with_containers(container("a", "0", "0"))
    assert (found.non_zero_cpu, found.non_zero_memory) == (0, 0)


def test_requests_default_to_limits() -> None:
    found = parsed(pod("a", cpu="100m", limits={"cpu": "1", "memory": "1Gi"}))
    assert found.requests == {"cpu": 100, "memory": 1024 * MI}


def test_init_containers_run_one_by_one_beside_earlier_sidecars() -> None:
    found = with_containers(
        container("main", "200m"),
        init=[
            container("first", "700m"),
            container("sidecar", "100m", restartPolicy="Always"),
            container("second", "650m"),
        ],
    )
    assert found.requests["cpu"] == 750  # second beside sidecar; main and sidecar need 300
    assert found.num_containers == 4


def test_overhead_is_added() -> None:
    found = parsed(pod("a", cpu="100m", overhead={"cpu": "50m", "memory": "10Mi"}))
    assert found.requests == {"cpu": 150, "memory": 10 * MI}
    assert found.non_zero_memory == 210 * MI


def test_pod_level_requests_win_and_default_from_containers_and_limits() -> None:
    given = parsed(pod("a", cpu="100m", resources={"requests": {"cpu": "1"}}))
    assert given.requests == {"cpu": 1000}
    assert (given.non_zero_cpu, given.non_zero_memory) == (1000, 200 * MI)
    defaulted = parsed(pod("a", cpu="100m", resources={"limits": {"cpu": "1", "memory": "1Gi"}}))
    assert defaulted.requests == {"cpu": 100, "memory": 1024 * MI}


def test_pod_level_requests_below_those_of_containers_are_refused() -> None:
    found = problems(pod("a", cpu="2", resources={"requests": {"cpu": "1"}}))
    assert found[0][0] == "spec.resources.requests.cpu"
    assert "must be greater than or equal to aggregate container requests" in found[0][1]


def test_running_pod_that_is_resized_counts_what_is_in_force() -> None:
    manifest = pod("a", cpu="1", node="n1")
    manifest["status"] = {"containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]}
    assert parsed(manifest).requests == {"cpu": 3000}
    manifest["status"]["conditions"] = [{"type": "PodResizePending", "reason": "Infeasible"}]
    manifest["status"]["containerStatuses"][0]["resources"]["requests"]["cpu"] = "500m"
    assert parsed(manifest).requests == {"cpu": 500}


def test_only_resources_that_the_scheduler_counts_are_kept() -> None:
    found = parsed(
        pod("a", limits={"example.com/gpu": "2", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1Gi", "cpu": 1})
    )
    assert found.requests == {
        "example.com/gpu": 2,
        "hugepages-2Mi": 4 * MI,
        "ephemeral-storage": 1024 * MI,
        "cpu": 1000,
    }


def test_amounts_stay_within_64_bits() -> None:
    found = with_containers(container("a", "9E", "9E"), container("b", "9E", "9E"))
    assert found.requests == {"cpu": 2**63 - 1, "memory": 2**63 - 1}
    assert (found.non_zero_cpu, found.non_zero_memory) == (2**63 - 1, 2**63 - 1)


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"cpu": "-1"}, "requests.cpu", 'Invalid value: "-1": must be greater than or equal to 0'),
        (
            {"cpu": "2", "limits": {"cpu": "1"}},
            "requests.cpu",
            'Invalid value: "2": must be less than or equal to cpu limit of 1',
        ),
        (
            {"requests": {"gpu": 1}},
            "requests.gpu",
            'Invalid value: "gpu": must be a standard resource type or fully qualified',
        ),
        (
            {"requests": {"storage": 1}},
            "requests.storage",
            'Invalid value: "storage": must be a standard resource for containers',
        ),
        (
            {"requests": {"example.com/gpu": 1}},
            "limits",
            "Required value: Limit must be set for non overcommitable resources",
        ),
        (
            {"limits": {"example.com/gpu": "500m"}},
            "limits[example.com/gpu]",
            'Invalid value: "500m": must be an integer',
        ),
        (
            {"requests": {"example.com/gpu": 1}, "limits": {"example.com/gpu": 2}},
            "requests[example.com/gpu]",
            "Invalid value: 1: must be equal to example.com/gpu limit of 2",
        ),
        ({"limits": {"hugepages-2Mi": "2Mi"}}, "", "Forbidden: HugePages require cpu or memory"),
    ],
)
def test_resources_that_the_api_server_refuses(fields: dict[str, Any], path: str, message: str) -> None:
    prefix = "spec.containers[0].resources"
    assert problems(pod("a", **fields)) == [(f"{prefix}.{path}" if path else prefix, message)]


# --- admission ---


def test_priority_comes_from_the_class() -> None:
    high = priority_class("high", 1000, preemptionPolicy="Never")
    found = parsed(pod("a", priority_class="high"), high)
    assert (found.priority, found.preemption_policy, found.priority_class_name) == (1000, "Never", "high")


def test_priority_without_a_class() -> None:
    low = priority_class("low", -5, globalDefault=True)
    lower = priority_class("lower", -10, globalDefault=True)
    assert parsed(pod("a", priority=7), low).priority == 7
    assert parsed(pod("a"), low, lower).priority == -10
    assert parsed(pod("a")).priority == 0
    assert parsed(pod("a", priority_class="system-node-critical")).priority == 2_000_001_000
    assert parsed(pod("a", preemptionPolicy="Never")).preemption_policy == "Never"


def test_missing_priority_class_is_refused() -> None:
    path, message = problems(pod("a", priority_class="hihg"))[0]
    assert path == "spec.priorityClassName"
    assert message.startswith('no PriorityClass with name "hihg" was found')


def test_running_pods_start_by_their_document_unless_they_say_when() -> None:
    found = parse(
        pod("a", node="n1"), pod("b"), pod("c", node="n1"), pod("d", node="n1", start_time="2025-01-01T00:01:00Z")
    )
    starts = {one.name: one.start_time for one in found.objects if isinstance(one, Pod)}
    assert starts == {"a": -100000.0, "c": -99998.0, "d": 60.0, "b": None}


def test_creation_timestamp_stands_in_for_the_start_time() -> None:
    manifest = pod("a", node="n1")
    manifest["metadata"]["creationTimestamp"] = "2024-12-31T23:59:00Z"
    found = parsed(manifest)
    assert (found.start_time, found.creation_timestamp, found.phase) == (-60.0, -60.0, "Running")


def test_running_pods_are_loaded_before_pending_ones_and_ended_ones_not_at_all() -> None:
    ended = {**pod("z", node="n1"), "status": {"phase": "Succeeded"}}
    found = parse(pod("a"), ended, pod("b", node="n1"), pod("c"), pod("d", node="n1"))
    assert [one.name for one in found.objects if isinstance(one, Pod)] == ["b", "d", "a", "c"]


def test_state_of_a_real_dump_is_kept() -> None:
    manifest = pod("a", node="n1")
    manifest["metadata"] |= {"uid": "u1", "deletionTimestamp": "2025-01-01T00:00:30Z"}
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u2", "controller": True}
    manifest["metadata"]["ownerReferences"] = [{**reference, "controller": False, "name": "other"}, reference]
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    manifest["status"] = {"conditions": [condition], "nominatedNodeName": "n2"}
    found = parsed(manifest)
    assert (found.uid, found.terminating, found.disruption_target, found.nominated_node_name) == ("u1", True, True, "")
    assert found.owner
    assert (found.owner.kind, found.owner.name) == ("ReplicaSet", "rs")
    pending = {**pod("b"), "status": {"nominatedNodeName": "n2"}}
    assert parsed(pending).nominated_node_name == "n2"


def test_annotations_are_measured_in_bytes() -> None:
    half = "\N{CJK UNIFIED IDEOGRAPH-8ABF}" * (256 * 1024 // 3)  # of three bytes each
    assert parsed(pod("a", annotations={"k": half}))
    path, message = problems(pod("a", annotations={"key": half}))[0]
    assert (path, message) == ("metadata.annotations", "too long: annotations may have at most 262144 bytes")


def test_termination_seconds_are_read_from_the_annotation() -> None:
    key = "kschedui.io/termination-seconds"
    assert parsed(pod("a", annotations={key: "2.5"})).termination_seconds == 2.5
    for text in ("soon", "-1", "nan", "inf"):
        assert problems(pod("a", annotations={key: text}))[0][0] == f"metadata.annotations[{key}]"


# --- ports, volumes ---


def test_host_ports_of_containers_and_sidecars_and_of_the_host_network() -> None:
    ports = [
        {"containerPort": 80, "hostPort": 8080},
        {"containerPort": 81},
        {"containerPort": 53, "hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"},
    ]
    sidecar = container("s", restartPolicy="Always", ports=[{"containerPort": 90, "hostPort": 90}])
    ended = container("i", ports=[{"containerPort": 91, "hostPort": 91}])
    found = with_containers(container("a", ports=ports), init=[sidecar, ended])
    assert found.host_ports == (
        HostPort("0.0.0.0", "TCP", 90),
        HostPort("0.0.0.0", "TCP", 8080),
        HostPort("10.0.0.1", "UDP", 53),
    )
    on_host = with_containers(container("a", ports=[{"containerPort": 81}]), hostNetwork=True)
    assert on_host.host_ports == (HostPort("0.0.0.0", "TCP", 81),)
    other_port = container("s", restartPolicy="Always", ports=[{"containerPort": 9, "hostPort": 443}])
    sidecar_on_host = with_containers(container("a"), init=[other_port], hostNetwork=True)
    assert sidecar_on_host.host_ports == (HostPort("0.0.0.0", "TCP", 443),)  # only containers' ports must be alike


def test_volumes_name_their_claims_and_keep_the_sources_that_plugins_read() -> None:
    volumes = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}},
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
        {"name": "disk", "gcePersistentDisk": {"pdName": "d", "readOnly": True}},
        {"name": "empty"},
    ]
    claim, ephemeral, disk, empty = parsed(pod("a", volumes=volumes)).volumes
    assert (claim.claim, claim.read_only, claim.ephemeral) == ("c", True, False)
    assert (ephemeral.claim, ephemeral.ephemeral) == ("a-scratch", True)
    assert (disk.source_type, disk.source) == ("gcePersistentDisk", {"pdName": "d", "readOnly": True})
    assert (empty.source_type, empty.source, empty.claim) == ("emptyDir", None, None)


def test_a_pod_on_a_node_that_never_is_is_warned_about() -> None:
    late = {"at": 3, "create": node("late")}
    found = parse_scenario(
        scenario(node("n1"), pod("a", node="n1"), pod("b", node="n2"), pod("c", node="late"), events=[late])
    )
    assert [(warning.path, warning.message) for warning in found.warnings] == [
        ("spec.nodeName", 'there is no node "n2": the pod uses no resources')
    ]
