"""Nodes, namespaces, classes, budgets, workloads and volumes become the objects that the scheduler would see."""

# ruff: noqa: E501 - tables of cases read best with one case a line

from __future__ import annotations

from typing import Any, TypeVar

import pytest

from scheduler_core.apis.core import (
    CoschedulingPodGroup,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PriorityClass,
    StorageClass,
    VolumeAttachment,
    Workload,
)
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.scenario.objects.workloads import MAX_INDEXES, parse_indexes
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, parse_scenario
from tests.builders import Manifest, budget, node, parse, pod, priority_class, scenario

Found = TypeVar("Found")

GI = 1024**3
STORAGE = "storage.k8s.io/v1"


def only(kind: type[Found], parsed: Scenario) -> Found:
    (found,) = [one for one in parsed.objects if isinstance(one, kind)]
    return found


def manifest(kind: str, api_version: str = "v1", name: str = "a", **fields: Any) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def volume(name: str = "a", **spec: Any) -> Manifest:
    given = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "csi": {"driver": "d", "volumeHandle": "h"},
    }
    return manifest("PersistentVolume", name=name, spec={**given, **spec})


def claim(name: str = "c", *, status: Any = None, **spec: Any) -> Manifest:
    given = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]}
    return manifest("PersistentVolumeClaim", name=name, spec={**given, **spec}, status=status)


def storage_class(name: str, *, default: bool = False, **fields: Any) -> Manifest:
    found = manifest("StorageClass", STORAGE, name, provisioner="p", **fields)
    if default:
        found["metadata"]["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    return found


def problems(*manifests: Manifest) -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*manifests))
    return [(error.path, error.message) for error in caught.value.errors]


def test_objects_are_loaded_kind_by_kind_and_in_document_order() -> None:
    found = parse(pod("p"), node("n2"), budget("b", {}), node("n1"), priority_class("c", 1), storage_class("s"))
    names = [one.name for one in found.objects]
    assert names == ["default", "c", "s", "b", "n2", "n1", "p"]


def test_node_offers_its_allocatable_or_else_its_capacity() -> None:
    manifest_of_node = node("n1", cpu="4", images={"x:1": 5}, resources={"example.com/gpu": 2, "storage": "5Gi"})
    manifest_of_node["status"]["allocatable"] = {"cpu": "3500m", "pods": "10"}
    found = only(Node, parse(manifest_of_node))
    assert found.allocatable == {"cpu": 3500, "pods": 10}
    assert found.capacity == {"cpu": 4000, "memory": 8 * GI, "pods": 110, "example.com/gpu": 2}
    assert found.images == {"x:1": 5}
    del manifest_of_node["status"]["allocatable"]
    found = only(Node, parse(manifest_of_node))
    assert found.allocatable == found.capacity


@pytest.mark.parametrize(
    ("fields", "path", "part"),
    [
        ({"taints": [":NoSchedule"]}, "spec.taints[0].key", "name part must be non-empty"),
        ({"taints": ["a=b:"]}, "spec.taints[0].effect", "Required value"),
        ({"taints": ["a=b:NoSchedule", "a=c:NoSchedule"]}, "spec.taints[1]", "taints must be unique by key and effect"),
        ({"cpu": "-1"}, "status.capacity.cpu", "must be greater than or equal to 0"),
        ({"resources": {"example.com/gpu": "0.5"}}, "status.capacity[example.com/gpu]", "must be an integer"),
        ({"labels": {"zone": "a/b"}}, "metadata.labels.zone", "a valid label must be"),
    ],
)
def test_node_that_the_api_server_refuses(fields: dict[str, Any], path: str, part: str) -> None:
    found = problems(node("n1", **fields))
    assert found[0][0] == path
    assert part in found[0][1]


def test_mentioned_namespaces_exist_and_carry_their_name() -> None:
    shop = manifest("Namespace", name="shop")
    shop["metadata"]["labels"] = {"team": "a"}
    found = parse(pod("a", namespace="other"), shop, pod("b"), events=[{"at": 1, "create": pod("c", namespace="late")}])
    namespaces = {one.name: one.labels for one in found.objects if isinstance(one, Namespace)}
    key = "kubernetes.io/metadata.name"
    assert namespaces == {
        "shop": {"team": "a", key: "shop"},
        "other": {key: "other"},
        "default": {key: "default"},
        "late": {key: "late"},
    }
    assert list(namespaces) == ["shop", "other", "default", "late"]


def test_priority_class_and_its_limits() -> None:
    found = only(PriorityClass, parse(priority_class("a", 5, globalDefault=True)))
    assert (found.value, found.global_default, found.preemption_policy) == (5, True, "PreemptLowerPriority")
    assert problems(priority_class("a", 2_000_000_000))[0][0] == "value"
    assert problems(priority_class("system-mine", 5))[0][0] == "metadata.name"
    assert parse(priority_class("system-node-critical", 2_000_001_000)).objects


def test_budget_is_read_in_two_ways() -> None:
    empty = budget("b", {}, minAvailable=1)
    found = only(PodDisruptionBudget, parse(empty))
    assert (found.selector, found.controller_selector) == (LabelSelector.nothing(), LabelSelector.everything())
    assert (found.min_available, found.max_unavailable, found.disruptions_allowed) == (1, None, None)
    given = {**budget("b", {"a": "b"}, maxUnavailable="50%"), "status": {"disruptionsAllowed": 2}}
    found = only(PodDisruptionBudget, parse(given))
    assert (found.max_unavailable, found.disruptions_allowed) == ("50%", 2)
    given["status"]["disruptionsAllowed"] = 0
    assert only(PodDisruptionBudget, parse(given)).disruptions_allowed == 0


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"minAvailable": 1, "maxUnavailable": 1}, "spec"),
        ({"minAvailable": -1}, "spec.minAvailable"),
        ({"minAvailable": "half"}, "spec.minAvailable"),
        ({"maxUnavailable": "101%"}, "spec.maxUnavailable"),
        ({"maxUnavailable": 1.5}, "spec.maxUnavailable"),
    ],
)
def test_budget_that_the_api_server_refuses(spec: dict[str, Any], path: str) -> None:
    assert problems(budget("b", {}, **spec))[0][0] == path


@pytest.mark.parametrize(
    ("kind", "version", "spec", "selector"),
    [
        ("Service", "v1", {"selector": {"a": "b"}}, LabelSelector.from_labels({"a": "b"})),
        ("Service", "v1", {}, LabelSelector.nothing()),
        ("ReplicationController", "v1", {"template": {"metadata": {"labels": {"a": "b"}}}}, LabelSelector.from_labels({"a": "b"})),
        ("ReplicaSet", "apps/v1", {"selector": {"matchLabels": {"a": "b"}}}, LabelSelector.from_labels({"a": "b"})),
        ("StatefulSet", "apps/v1", {"selector": {"matchLabels": {"a": "b"}}}, LabelSelector.from_labels({"a": "b"})),
    ],
)  # fmt: skip
def test_workload_is_known_by_its_selector(
    kind: str, version: str, spec: dict[str, Any], selector: LabelSelector
) -> None:
    found = only(Workload, parse(manifest(kind, version, spec=spec)))
    assert (found.kind, found.selector) == (kind, selector)


def test_replica_set_needs_a_selector() -> None:
    assert problems(manifest("ReplicaSet", "apps/v1", spec={}))[0][0] == "spec.selector"


def test_pod_group_of_scheduler_plugins() -> None:
    version = "scheduling.x-k8s.io/v1alpha1"
    found = only(
        CoschedulingPodGroup, parse(manifest("PodGroup", version, spec={"minMember": 3, "scheduleTimeoutSeconds": 10}))
    )
    assert (found.min_member, found.schedule_timeout_seconds) == (3, 10)
    assert problems(manifest("PodGroup", version, spec={}))[0] == ("spec.minMember", "Required value")


# --- storage ---


def test_claim_with_a_volume_is_bound_and_fills_the_volumes_claim_ref() -> None:
    found = parse(volume("v"), claim("c", volumeName="v"))
    bound = only(PersistentVolumeClaim, found)
    assert (bound.bound, bound.phase, bound.request) == (True, "Bound", GI)
    assert only(PersistentVolume, found).claim_ref == "default/c"
    assert only(PersistentVolume, found).claim_uid == bound.uid


def test_lost_or_unbound_claims_claim_nothing() -> None:
    lost = parse(volume("v"), claim("c", volumeName="v", status={"phase": "Lost"}))
    assert not only(PersistentVolumeClaim, lost).bound
    assert only(PersistentVolume, lost).claim_ref == ""
    assert not only(PersistentVolumeClaim, parse(claim("c"))).bound


def test_claim_ref_of_another_claim_stays() -> None:
    found = parse(volume("v", claimRef={"namespace": "x", "name": "y", "uid": "z"}), claim("c", volumeName="v"))
    assert (only(PersistentVolume, found).claim_ref, only(PersistentVolume, found).claim_uid) == ("x/y", "z")


def test_claim_without_class_gets_the_default() -> None:
    fast = storage_class("fast", default=True)
    assert only(PersistentVolumeClaim, parse(fast, claim())).storage_class == "fast"
    assert only(PersistentVolumeClaim, parse(fast, claim(storageClassName=""))).storage_class == ""
    assert only(PersistentVolumeClaim, parse(claim(), storage_class("fast", default=True))).storage_class == "fast"


def test_of_several_default_classes_the_newest_counts_from_1_26_on() -> None:
    classes = [storage_class(name, default=True) for name in ("slow", "fast", "old")]
    for one, day in zip(classes, (2, 2, 1), strict=True):
        one["metadata"]["creationTimestamp"] = f"2024-01-0{day}T00:00:00Z"
    assert only(PersistentVolumeClaim, parse(*classes, claim())).storage_class == "fast"
    assert only(PersistentVolumeClaim, parse(*classes, claim(), kubernetesVersion="1.25")).storage_class is None


def test_storage_classes_topologies() -> None:
    topologies = [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]
    found = only(
        StorageClass, parse(storage_class("s", volumeBindingMode="WaitForFirstConsumer", allowedTopologies=topologies))
    )
    assert (found.volume_binding_mode, found.allowed_topologies) == ("WaitForFirstConsumer", ((("zone", ("a", "b")),),))


def test_csi_kinds() -> None:
    drivers = [{"name": "d", "nodeID": "n", "allocatable": {"count": 3}}, {"name": "e", "nodeID": "n"}]
    csi_node = manifest("CSINode", STORAGE, spec={"drivers": drivers})
    csi_node["metadata"]["annotations"] = {
        "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"
    }
    found = only(CSINode, parse(csi_node))
    assert found.limits == {"d": 3, "e": None}
    assert found.migrated == {"kubernetes.io/aws-ebs", "kubernetes.io/gce-pd"}
    assert only(CSIDriver, parse(manifest("CSIDriver", STORAGE, spec={"storageCapacity": True}))).storage_capacity
    capacity = manifest("CSIStorageCapacity", STORAGE, storageClassName="s", capacity="5Gi", nodeTopology={})
    found_capacity = only(CSIStorageCapacity, parse(capacity))
    assert (found_capacity.capacity, found_capacity.maximum_volume_size) == (5 * GI, None)
    assert found_capacity.node_topology == LabelSelector.everything()
    source = {"attacher": "d", "nodeName": "n1", "source": {"persistentVolumeName": "v"}}
    attachment = only(VolumeAttachment, parse(manifest("VolumeAttachment", STORAGE, spec=source)))
    assert (attachment.attacher, attachment.node_name, attachment.volume_name) == ("d", "n1", "v")


@pytest.mark.parametrize(
    ("found", "path"),
    [
        (volume(capacity={}), "spec.capacity.storage"),
        (volume(capacity={"storage": "0"}), "spec.capacity.storage"),
        (volume(accessModes=[]), "spec.accessModes"),
        (volume(accessModes=["Sometimes"]), "spec.accessModes[0]"),
        (volume(accessModes=["ReadWriteOncePod", "ReadWriteOnce"]), "spec.accessModes"),
        (volume(csi=None), "spec"),
        (volume(nfs={}), "spec.nfs"),
        (volume(csi=None, local={"path": "/"}), "spec.nodeAffinity"),
        (volume(nodeAffinity={"required": {"nodeSelectorTerms": []}}), "spec.nodeAffinity.required.nodeSelectorTerms"),
        (claim(resources={}), "spec.resources.requests.storage"),
        (claim(selector={"matchExpressions": [{"key": "a", "operator": "Like"}]}), "spec.selector.matchExpressions[0].operator"),
        (storage_class("s", volumeBindingMode="Later"), "volumeBindingMode"),
        (manifest("StorageClass", STORAGE), "provisioner"),
        (manifest("VolumeAttachment", STORAGE, spec={"attacher": "d", "nodeName": "n"}), "spec.source"),
        (manifest("CSINode", STORAGE, spec={"drivers": [{"name": "d"}, {"name": "d"}]}), "spec.drivers[1].name"),
    ],
)  # fmt: skip
def test_storage_object_that_the_api_server_refuses(found: Manifest, path: str) -> None:
    assert problems(found)[0][0] == path


def test_an_image_name_that_comes_twice_on_a_node_has_its_first_size():
    twice = node("n")
    twice["status"]["images"] = [{"names": ["a:1", "b:1"], "sizeBytes": 5}, {"names": ["a:1"], "sizeBytes": 7}]
    (found,) = parse(twice).objects
    assert found.images == {"a:1": 5, "b:1": 5}


def test_indexes_of_a_job_are_at_most_as_many_as_a_scenario_can_use() -> None:
    assert parse_indexes("0-2,5,²,a,1-,7") == (0, 1, 2, 5, 7)
    assert len(parse_indexes("0-3000000000,0-3000000000")) == MAX_INDEXES
