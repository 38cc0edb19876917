"""The volume that a claim gets: size, class, mode, selector, reservation and node affinity, as Kubernetes' helper
matches them."""

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.apis.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.plugins.volumes.csi_migration import (
    BY_SOURCE,
    TranslationError,
    translated_node_affinity,
    volume_handle,
)
from scheduler_core.plugins.volumes.matching import (
    candidates,
    enough_capacity,
    reachable_after_migration,
    topology_allowed,
)

GI = 1 << 30
ZONE = "topology.kubernetes.io/zone"


def claim(**fields: Any) -> PersistentVolumeClaim:
    defaults: dict[str, Any] = {
        "name": "data", "namespace": "default", "uid": "uid-1", "annotations": {}, "labels": {}, "request": 5 * GI,
        "access_modes": ("ReadWriteOnce",), "storage_class": "local", "volume_mode": "Filesystem", "selector": None,
    }  # fmt: skip
    return PersistentVolumeClaim(**(defaults | fields))


def volume(name: str, **fields: Any) -> PersistentVolume:
    defaults: dict[str, Any] = {
        "name": name, "labels": {}, "annotations": {}, "capacity": 5 * GI, "access_modes": ("ReadWriteOnce",),
        "storage_class": "local", "volume_mode": "Filesystem", "node_affinity": None, "claim_ref": "", "claim_uid": "",
        "source": {"local": {"path": "/disk"}},
    }  # fmt: skip
    return PersistentVolume(**(defaults | fields))


def on(key: str, *values: str) -> NodeSelector:
    return NodeSelector((NodeSelectorTerm((SelectorRequirement(key, "In", values),)),))


def chosen(volumes: list[PersistentVolume], labels: dict[str, str], **fields: Any) -> str | None:
    found = candidates(claim(**fields), volumes).choose(labels, ())
    return found.name if found else None


def test_the_smallest_volume_that_is_large_enough_wins() -> None:
    assert (
        chosen([volume("a", capacity=20 * GI), volume("b", capacity=8 * GI), volume("c", capacity=4 * GI)], {}) == "b"
    )


def test_equal_volumes_go_by_the_order_given() -> None:
    assert chosen([volume("a"), volume("b")], {}) == "a"


@pytest.mark.parametrize(
    "unfit",
    [
        {"phase": "Released"},
        {"volume_mode": "Block"},
        {"access_modes": ("ReadOnlyMany",)},
        {"storage_class": "other"},
        {"annotations": {"volume.beta.kubernetes.io/storage-class": "other"}},
        {"claim_ref": "default/someone-else"},
        {"claim_ref": "default/data", "claim_uid": "another uid"},
        {"attributes_class": "gold"},
        {"terminating": True},
        {"node_affinity": on(ZONE, "zb")},
    ],
)
def test_a_volume_with_one_thing_wrong_is_passed_over(unfit: dict[str, Any]) -> None:
    assert chosen([volume("a", **unfit), volume("b", capacity=50 * GI)], {ZONE: "za"}) == "b"


def test_a_reserved_volume_beats_a_smaller_one_even_outside_the_available_phase() -> None:
    reserved = volume("z", capacity=90 * GI, claim_ref="default/data", phase="Bound", labels={"tier": "no"})
    selector = LabelSelector.from_labels({"tier": "fast"})
    free = volume("a", labels={"tier": "fast"})
    assert chosen([free, reserved], {}, selector=selector) == "z"


def test_a_reserved_volume_out_of_reach_leaves_the_claim_without_any() -> None:
    reserved = volume("z", claim_ref="default/data", node_affinity=on(ZONE, "zb"))
    assert chosen([volume("a"), reserved], {ZONE: "za"}) is None


def test_a_volume_that_another_claim_of_the_pod_took_is_left_out() -> None:
    found = candidates(claim(), [volume("a"), volume("b")]).choose({}, {"a"})
    assert found is not None
    assert found.name == "b"


def test_allowed_topologies_are_alternatives_and_an_empty_one_allows_nothing() -> None:
    def allowed(*terms: tuple[tuple[str, tuple[str, ...]], ...]) -> bool:
        return topology_allowed(StorageClass("c", "p", allowed_topologies=terms), {ZONE: "za", "rack": "1"})

    assert allowed()
    assert not allowed(())
    assert allowed(((ZONE, ("zb",)),), ((ZONE, ("za", "zc")), ("rack", ("1",))))
    assert not allowed(((ZONE, ("za",)), ("rack", ("2",))))


def test_capacity_prefers_the_maximum_volume_size_and_needs_a_topology() -> None:
    capacity = CSIStorageCapacity("c", "kube-system", "fast", LabelSelector.everything(), 100 * GI, None)
    assert enough_capacity(capacity, 100 * GI, {})
    assert not enough_capacity(replace(capacity, maximum_volume_size=10 * GI), 11 * GI, {})
    assert not enough_capacity(replace(capacity, capacity=None), 1, {})
    assert not enough_capacity(replace(capacity, node_topology=None), 1, {})
    assert not enough_capacity(replace(capacity, node_topology=LabelSelector.from_labels({ZONE: "za"})), 1, {})


def test_a_migrated_disk_is_reached_by_the_drivers_own_topology_key() -> None:
    disk = volume("d", source={"gcePersistentDisk": {"pdName": "d"}}, node_affinity=on(ZONE, "za"))
    migrated = CSINode("n", {}, migrated=frozenset({"kubernetes.io/gce-pd"}))
    assert reachable_after_migration(disk, {ZONE: "za"}, None)
    assert not reachable_after_migration(disk, {ZONE: "za"}, migrated)
    assert reachable_after_migration(disk, {"topology.gke.io/zone": "za"}, migrated)
    without_region = replace(disk, labels={ZONE: "za__zb"})
    assert reachable_after_migration(without_region, {ZONE: "za"}, None)
    with pytest.raises(TranslationError):
        reachable_after_migration(without_region, {"topology.gke.io/zone": "za"}, migrated)


def test_a_disk_without_affinity_takes_its_zones_from_its_label() -> None:
    disk = volume("d", source={"cinder": {"volumeID": "d"}}, labels={ZONE: "zb__za"})
    affinity = translated_node_affinity(disk, BY_SOURCE["cinder"])
    assert str(affinity) == "topology.cinder.csi.openstack.org/zone in (za,zb)"


def test_a_beta_region_becomes_the_stable_one() -> None:
    beta = NodeSelector(
        (
            NodeSelectorTerm(
                (
                    SelectorRequirement("failure-domain.beta.kubernetes.io/zone", "In", ("za",)),
                    SelectorRequirement("failure-domain.beta.kubernetes.io/region", "In", ("r",)),
                )
            ),
        )
    )
    disk = volume("d", source={"awsElasticBlockStore": {"volumeID": "vol-1"}}, node_affinity=beta)
    affinity = translated_node_affinity(disk, BY_SOURCE["awsElasticBlockStore"])
    assert str(affinity) == "topology.ebs.csi.aws.com/zone=za,topology.kubernetes.io/region=r"


@pytest.mark.parametrize(
    ("source", "fields", "labels", "handle"),
    [
        ("awsElasticBlockStore", {"volumeID": "vol-1"}, {}, "vol-1"),
        ("awsElasticBlockStore", {"volumeID": "aws://us-east-1a/vol-1"}, {}, "vol-1"),
        ("awsElasticBlockStore", {"volumeID": "aws:///vol-1"}, {}, "vol-1"),
        ("gcePersistentDisk", {"pdName": "d"}, {}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ("gcePersistentDisk", {"pdName": "d"}, {ZONE: "u-c-a"}, "projects/UNSPECIFIED/zones/u-c-a/disks/d"),
        ("gcePersistentDisk", {"pdName": "d"}, {ZONE: "u-c-a__u-c-b"}, "projects/UNSPECIFIED/regions/u-c/disks/d"),
        ("azureDisk", {"diskURI": "/subscriptions/x", "kind": "Managed"}, {}, "/subscriptions/x"),
    ],
)
def test_the_driver_names_the_volume(source: str, fields: dict[str, Any], labels: dict[str, str], handle: str) -> None:
    pv = volume("d", source={source: fields}, labels=labels)
    assert volume_handle(BY_SOURCE[source], fields, pv) == handle


@pytest.mark.parametrize(
    ("source", "fields", "labels"),
    [
        ("awsElasticBlockStore", {"volumeID": "aws://us-east-1a/disk"}, {}),
        ("azureDisk", {"diskURI": "x", "kind": "Dedicated"}, {}),
        ("gcePersistentDisk", {"pdName": "d"}, {ZONE: "a-b-c__d-e-f"}),
    ],
)
def test_what_cannot_be_translated_is_an_error(source: str, fields: dict[str, Any], labels: dict[str, str]) -> None:
    with pytest.raises(TranslationError):
        volume_handle(BY_SOURCE[source], fields, volume("d", source={source: fields}, labels=labels))
