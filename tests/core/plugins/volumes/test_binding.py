"""VolumeBinding on small clusters: bound volumes, provisioned volumes, and competition between pods."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim
from scheduler_core.plugins.volumes.binding.plugin import VolumeBinding
from tests.builders import node, pod
from tests.core.plugins.volumes.world import (
    World,
    claim,
    csi_node,
    rejection,
    storage_class,
    using,
    verdicts,
    volume,
    zones_world,
)

ZONE = "topology.kubernetes.io/zone"


def test_an_unbound_immediate_claim_stops_the_pod() -> None:
    world = World(node("n1"), storage_class("now", wait=False), claim("c", "now"), pod("new", volumes=using("c")))
    reason = "pod has unbound immediate PersistentVolumeClaims"
    assert rejection(world.run(VolumeBinding(None, world), "new")) == ("UnschedulableAndUnresolvable", reason)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"phase": "Lost", "volume": "gone"},
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "gone"',
        ),
    ],
)
def test_a_claim_that_can_never_work_is_rejected(fields: dict[str, Any], reason: str) -> None:
    world = World(node("n1"), storage_class("fast"), claim("c", **fields), pod("new", volumes=using("c")))
    assert rejection(world.run(VolumeBinding(None, world), "new"))[1] == reason


def test_a_bound_volume_ties_the_pod_to_its_reach() -> None:
    world = World(
        node("a", zone="za"), node("b", zone="zb"), storage_class("fast"), volume("pv", zone="za"),
        claim("c", volume="pv"), pod("new", volumes=using("c")),
    )  # fmt: skip
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "", "b": "node(s) didn't match PersistentVolume's node affinity"}


def test_no_volume_and_no_provisioner_is_a_bind_conflict() -> None:
    world = zones_world(volume("pv", zone="za"), provisioner="kubernetes.io/no-provisioner")
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "", "b": "node(s) didn't find available persistent volumes to bind"}


def test_a_volume_without_a_phase_is_pending_and_serves_nobody() -> None:
    pending = {**volume("pv"), "status": {}}
    world = World(
        node("a"), storage_class("fast", provisioner="kubernetes.io/no-provisioner"), pending, claim("c"),
        pod("new", volumes=using("c")),
    )  # fmt: skip
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "node(s) didn't find available persistent volumes to bind"}


def test_a_migrated_disk_is_looked_up_by_the_drivers_label_on_each_node_that_says_so() -> None:
    migrated, key = "kubernetes.io/gce-pd", "topology.gke.io/zone"
    disk = volume("pv", zone="za", source={"gcePersistentDisk": {"pdName": "d"}})
    world = World(
        node("old", zone="za"), csi_node("old"), node("plain", zone="za"), csi_node("plain", migrated=migrated),
        node("new", labels={key: "za"}), csi_node("new", migrated=migrated), storage_class("fast"), disk,
        claim("c", volume="pv"), pod("pod", volumes=using("c")),
    )  # fmt: skip
    reason = "node(s) didn't match PersistentVolume's node affinity"
    found = verdicts(world.run(VolumeBinding(None, world), "pod"))
    assert found == {"old": "", "plain": reason, "new": ""}


def test_a_class_provisions_only_in_its_topologies() -> None:
    terms = [{"matchLabelExpressions": [{"key": ZONE, "values": ["zb"]}]}]
    world = zones_world(allowedTopologies=terms)
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "node(s) didn't find available persistent volumes to bind", "b": ""}


def test_a_driver_that_publishes_capacity_must_have_enough() -> None:
    capacity = {
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": "cap"},
        "storageClassName": "fast", "capacity": "10Gi", "nodeTopology": {"matchLabels": {ZONE: "za"}},
    }  # fmt: skip
    driver = {
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"},
        "spec": {"storageCapacity": True},
    }  # fmt: skip
    world = zones_world(capacity, driver)
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "", "b": "node(s) did not have enough free storage"}


def test_a_claim_meant_for_a_node_rejects_the_others() -> None:
    annotations = {"volume.kubernetes.io/selected-node": "b"}
    world = World(
        node("a"), node("b"), storage_class("fast"), claim("c", annotations=annotations),
        pod("new", volumes=using("c")),
    )  # fmt: skip
    found = verdicts(world.run(VolumeBinding(None, world), "new"))
    assert found == {"a": "node(s) didn't find available persistent volumes to bind", "b": ""}


def test_two_reasons_come_in_kube_schedulers_order() -> None:
    world = World(
        node("b", zone="zb"), storage_class("fast", provisioner="kubernetes.io/no-provisioner"),
        volume("pv", zone="za"), claim("bound", volume="pv"), claim("free"),
        pod("new", volumes=using("free", "bound")),
    )  # fmt: skip
    found = world.run(VolumeBinding(None, world), "new")
    assert isinstance(found, dict)
    assert found["b"].reasons == (
        "node(s) didn't match PersistentVolume's node affinity",
        "node(s) didn't find available persistent volumes to bind",
    )


def reserved(world: World, name: str, node_name: str, plugin: VolumeBinding) -> Any:
    state = plugin.pre_filter(world.pod(name), world.cluster).state
    assert plugin.reserve(world.pod(name), state, node_name).is_success
    return state


def test_what_one_pod_reserved_is_no_longer_free_for_the_next() -> None:
    world = World(
        node("a"), storage_class("fast", provisioner="kubernetes.io/no-provisioner"), volume("pv"),
        claim("one"), claim("two"), pod("first", volumes=using("one")), pod("second", volumes=using("two")),
    )  # fmt: skip
    plugin = VolumeBinding(None, world)
    state = reserved(world, "first", "a", plugin)
    assert verdicts(world.run(plugin, "second"))["a"] == "node(s) didn't find available persistent volumes to bind"
    plugin.unreserve(world.pod("first"), state, "a")
    assert verdicts(world.run(plugin, "second"))["a"] == ""


def test_pre_bind_binds_the_smallest_free_volume() -> None:
    world = zones_world(volume("large", size="50Gi"), volume("small", size="6Gi"))
    plugin = VolumeBinding(None, world)
    state = reserved(world, "new", "a", plugin)
    assert plugin.pre_bind(world.pod("new"), state, "a").is_success
    (_, pv), (_, bound) = world.written
    assert isinstance(pv, PersistentVolume)
    assert (pv.name, pv.claim_ref, pv.phase) == ("small", "default/c", "Bound")
    assert isinstance(bound, PersistentVolumeClaim)
    assert (bound.volume_name, bound.bound, bound.phase) == ("small", True, "Bound")
    assert verdicts(world.run(plugin, "new")) == {"a": "", "b": ""}


def test_pre_bind_provisions_where_the_pod_goes() -> None:
    terms = [{"matchLabelExpressions": [{"key": ZONE, "values": ["za", "zb"]}]}]
    world = zones_world(allowedTopologies=terms)
    plugin = VolumeBinding(None, world)
    state = reserved(world, "new", "b", plugin)
    assert plugin.pre_bind(world.pod("new"), state, "b").is_success
    assert [action for action, _ in world.written] == ["update", "create", "update"]
    pv = world.written[1][1]
    assert isinstance(pv, PersistentVolume)
    uid = world.written[0][1].uid  # type: ignore[union-attr]
    assert (pv.name, str(pv.node_affinity), pv.source["csi"]["driver"]) == (
        f"pvc-{uid}",
        f"{ZONE}=zb",
        "csi.example.com",
    )
    assert pv.manifest["spec"]["claimRef"]["name"] == "c"
    found = verdicts(world.run(plugin, "new"))
    assert found == {"a": "node(s) didn't match PersistentVolume's node affinity", "b": ""}


def test_a_pod_whose_claims_are_bound_writes_nothing() -> None:
    world = World(
        node("a"), storage_class("fast"), volume("pv"), claim("c", volume="pv"), pod("new", volumes=using("c"))
    )
    plugin = VolumeBinding(None, world)
    state = reserved(world, "new", "a", plugin)
    assert plugin.pre_bind(world.pod("new"), state, "a").is_success
    assert world.written == []


def test_a_written_volume_ends_the_assumption() -> None:
    world = zones_world(volume("pv"))
    plugin = VolumeBinding(None, world)
    reserved(world, "new", "a", plugin)
    stored = plugin.storage.persistent_volume("pv")
    assert stored is not None
    world.cluster.apply(replace(stored, capacity=stored.capacity * 2))
    found = plugin.assumed.volume(plugin.storage, "pv")
    assert found is not None
    assert found.claim_ref == ""


def test_a_volume_that_was_written_in_between_is_not_bound() -> None:
    world = zones_world(volume("pv"))
    plugin = VolumeBinding(None, world)
    state = reserved(world, "new", "a", plugin)
    stored = plugin.storage.persistent_volume("pv")
    assert stored is not None
    world.cluster.apply(replace(stored, labels={"touched": "yes"}))
    status = plugin.pre_bind(world.pod("new"), state, "a")
    assert status.code.label == "Error"
    assert status.message.startswith('Operation cannot be fulfilled on persistentvolumes "pv": the object has been')
    assert world.written == []


def test_the_explanation_tells_why_each_volume_was_passed_over() -> None:
    world = zones_world(
        volume("pv1", size="1Gi"), volume("pv2", phase="Released"), volume("pv3", zone="za"),
        provisioner="kubernetes.io/no-provisioner",
    )  # fmt: skip
    plugin = VolumeBinding(None, world)
    state = plugin.pre_filter(world.pod("new"), world.cluster).state
    matched, unmatched = (plugin.explain_filter(world.pod("new"), state, world.cluster, row)[0] for row in (0, 1))
    assert (matched.left, matched.op, matched.right, matched.holds) == ("5Gi", "≥", "5Gi", True)
    assert not unmatched.holds
    assert "(pv1 is too small, pv2 is in phase Released, pv3 is out of the node's reach)" in unmatched.text
    assert unmatched.text.endswith("and the class fast provisions no new ones.")
