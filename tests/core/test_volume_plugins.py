"""The volume plugins on small clusters: verdicts, words, what-if answers, assumptions, what PreBind writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scheduler_core.framework.interface import PreFilterResult, QueueingHint
from scheduler_core.objects import PersistentVolume, PersistentVolumeClaim
from scheduler_core.plugins import volume_hints, volume_zone
from scheduler_core.plugins.node_volume_limits import NodeVolumeLimits
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions, after_pod_deleted
from scheduler_core.plugins.volume_zone import VolumeZone
from tests.builders import node, pod
from tests.core.volume_world import World, claim, csi_node, storage_class, using, volume

ZONE = "topology.kubernetes.io/zone"
DISK = {"pdName": "data", "readOnly": False}
READ_ONLY = {"pdName": "data", "readOnly": True}


def verdicts(found: Any) -> dict[str, str]:
    """Node -> its reasons, "" for success."""
    assert not isinstance(found, PreFilterResult), found
    return {name: status.message for name, status in found.items()}


def rejection(found: Any) -> tuple[str, str]:
    assert isinstance(found, PreFilterResult), found
    return found.status.code.label, found.status.message


# VolumeRestrictions


def test_a_disk_mounted_by_two_pods_conflicts_unless_both_only_read() -> None:
    world = World(
        node("n1"),
        node("n2"),
        pod("writer", node="n1", volumes=using(gcePersistentDisk=DISK)),
        pod("reader", node="n2", volumes=using(gcePersistentDisk=READ_ONLY)),
        pod("new", volumes=using(gcePersistentDisk=READ_ONLY)),
    )
    plugin = VolumeRestrictions(None, world)
    assert verdicts(world.run(plugin, "new")) == {"n1": "node(s) had no available disk", "n2": ""}


def test_an_ebs_volume_conflicts_even_when_both_only_read() -> None:
    source = {"volumeID": "vol-1", "readOnly": True}
    world = World(
        node("n1"),
        pod("old", node="n1", volumes=using(awsElasticBlockStore=source)),
        pod("new", volumes=using(awsElasticBlockStore=source)),
    )
    assert verdicts(world.run(VolumeRestrictions(None, world), "new")) == {"n1": "node(s) had no available disk"}


def test_rbd_images_are_the_same_if_they_share_a_monitor() -> None:
    def image(*monitors: str) -> dict[str, Any]:
        return {"monitors": [*monitors], "image": "disk"}

    world = World(
        node("n1"),
        node("n2"),
        pod("one", node="n1", volumes=using(rbd=image("a", "b"))),
        pod("two", node="n2", volumes=using(rbd=image("c"))),
        pod("new", volumes=using(rbd={**image("b", "d"), "pool": "rbd"})),
    )
    assert verdicts(world.run(VolumeRestrictions(None, world), "new")) == {
        "n1": "node(s) had no available disk",
        "n2": "",
    }


def once_world() -> World:
    once = claim("once", modes=["ReadWriteOncePod"], volume="pv")
    return World(
        node("n1"),
        node("n2"),
        storage_class("fast"),
        volume("pv"),
        once,
        pod("user", node="n1", volumes=using("once")),
        pod("new", volumes=using("once")),
    )


def test_a_read_write_once_pod_claim_in_use_shuts_every_node() -> None:
    world = once_world()
    found = verdicts(world.run(VolumeRestrictions(None, world), "new"))
    words = "PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
    assert found == dict.fromkeys(("n1", "n2"), f"node(s) unavailable due to {words}")


def test_without_the_user_its_node_is_open_again() -> None:
    world = once_world()
    plugin = VolumeRestrictions(None, world)
    state = plugin.pre_filter(world.pod("new"), world.cluster).state
    change = world.change(plugin, "new", state, {"user": -1})
    found = verdicts(world.filter(plugin, "new", state, change))
    assert found["n1"] == ""
    assert found["n2"] != ""


def test_a_claim_that_nobody_uses_skips_the_filter() -> None:
    world = World(node("n1"), claim("once", modes=["ReadWriteOncePod"]), pod("new", volumes=using("once")))
    assert rejection(world.run(VolumeRestrictions(None, world), "new")) == ("Skip", "")


def test_a_missing_claim_is_named() -> None:
    world = World(node("n1"), pod("new", volumes=using("nope")))
    expected = ("UnschedulableAndUnresolvable", 'persistentvolumeclaim "nope" not found')
    assert rejection(world.run(VolumeRestrictions(None, world), "new")) == expected
    assert rejection(world.run(VolumeBinding(None, world), "new")) == expected
    assert rejection(world.run(VolumeZone(None, world), "new")) == expected


# NodeVolumeLimits


def limits_world(*more: Any) -> World:
    return World(
        node("n1"),
        csi_node("n1", csi_example_com=2),
        storage_class("fast"),
        *(volume(f"pv{i}") for i in range(3)),
        *(claim(f"c{i}", volume=f"pv{i}") for i in range(3)),
        pod("one", node="n1", volumes=using("c0")),
        pod("two", node="n1", volumes=using("c0", "c1")),
        *more,
    )


def test_a_node_takes_no_more_volumes_than_its_limit() -> None:
    world = limits_world(pod("new", volumes=using("c2")), pod("shares", volumes=using("c1")))
    plugin = NodeVolumeLimits(None, world)
    assert verdicts(world.run(plugin, "new")) == {"n1": "node(s) exceed max volume count"}
    assert verdicts(world.run(plugin, "shares")) == {"n1": ""}


def test_a_shared_volume_leaves_only_with_its_last_user() -> None:
    world = limits_world(pod("new", volumes=using("c2")))
    plugin = NodeVolumeLimits(None, world)
    state = plugin.pre_filter(world.pod("new"), world.cluster).state
    without_one = world.change(plugin, "new", state, {"one": -1})
    without_two = world.change(plugin, "new", state, {"two": -1})
    assert verdicts(world.filter(plugin, "new", state, without_one))["n1"] != ""
    assert verdicts(world.filter(plugin, "new", state, without_two))["n1"] == ""


def test_an_attachment_without_a_pod_counts_too() -> None:
    attachment = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": "a"},
        "spec": {"attacher": "csi.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "pv2"}},
    }
    world = World(
        node("n1"),
        csi_node("n1", csi_example_com=1),
        storage_class("fast"),
        volume("pv2"),
        claim("other"),
        attachment,
        pod("new", volumes=using("other")),
    )
    assert verdicts(world.run(NodeVolumeLimits(None, world), "new"))["n1"] == "node(s) exceed max volume count"


def test_an_in_tree_disk_counts_wherever_there_is_a_csi_node_annotated_or_not() -> None:
    limits = {"pd_csi_storage_gke_io": 0}
    world = World(
        node("n1"),
        node("n2"),
        node("n3"),
        csi_node("n1", migrated="kubernetes.io/gce-pd", **limits),
        csi_node("n2", **limits),
        pod("new", volumes=using(gcePersistentDisk=DISK)),
    )
    found = verdicts(world.run(NodeVolumeLimits(None, world), "new"))
    assert found == {"n1": "node(s) exceed max volume count", "n2": "node(s) exceed max volume count", "n3": ""}


def test_an_inline_cinder_volume_counts_where_its_driver_took_over() -> None:
    world = World(
        node("n1"),
        csi_node("n1", migrated="kubernetes.io/cinder", cinder_csi_openstack_org=0),
        pod("new", volumes=using(cinder={"volumeID": "disk-1"})),
    )
    assert verdicts(world.run(NodeVolumeLimits(None, world), "new")) == {"n1": "node(s) exceed max volume count"}


# VolumeBinding


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
def test_a_claim_that_can_never_work_is_told(fields: dict[str, Any], reason: str) -> None:
    world = World(node("n1"), storage_class("fast"), claim("c", **fields), pod("new", volumes=using("c")))
    assert rejection(world.run(VolumeBinding(None, world), "new"))[1] == reason


def zones_world(*more: Any, **fields: Any) -> World:
    return World(
        node("a", zone="za"), node("b", zone="zb"), storage_class("fast", **fields), claim("c"), *more,
        pod("new", volumes=using("c")),
    )  # fmt: skip


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


def test_a_volume_whose_phase_is_not_told_is_pending_and_serves_nobody() -> None:
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


# VolumeZone


def test_a_volume_label_ties_the_pod_to_its_zones() -> None:
    world = World(
        node("a", zone="za"), node("b", zone="zb"), node("c", zone="zc"), node("plain"), storage_class("fast"),
        volume("pv", labels={"failure-domain.beta.kubernetes.io/zone": "za__zb"}), claim("c", volume="pv"),
        pod("new", volumes=using("c")),
    )  # fmt: skip
    found = verdicts(world.run(VolumeZone(None, world), "new"))
    assert found == {"a": "", "b": "", "c": "node(s) had no available volume zone", "plain": ""}


@pytest.mark.parametrize(
    ("manifests", "reason"),
    [
        ([claim("c", volume="gone")], 'persistentvolume "gone" not found'),
        ([claim("c", "nope")], 'storageclass.storage.k8s.io "nope" not found'),
        ([claim("c", "")], "PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("c", "now"), storage_class("now", wait=False)], "PersistentVolume had no name"),
    ],
)
def test_a_claim_without_a_volume_is_told(manifests: list[Any], reason: str) -> None:
    world = World(node("n1"), *manifests, pod("new", volumes=using("c")))
    expected = ("UnschedulableAndUnresolvable", reason)
    assert rejection(world.run(VolumeZone(None, world), "new")) == expected


def test_a_claim_that_waits_for_its_consumer_skips_the_filter() -> None:
    assert rejection(zones_world().run(VolumeZone(None, world := zones_world()), "new"))[0] == "Skip"
    assert world.written == []


# Queueing hints


def test_a_deleted_pod_helps_if_it_held_the_same_claim_or_disk() -> None:
    world = World(
        pod("new", volumes=using("c", gcePersistentDisk=DISK)),
        pod("claims", volumes=using("c")),
        pod("mounts", volumes=using(gcePersistentDisk=DISK)),
        pod("other", volumes=using("d")),
        claim("c"),
        claim("d"),
    )
    new = world.pod("new")
    hints = [after_pod_deleted(new, world.pod(name), None) for name in ("claims", "mounts", "other")]
    assert hints == [QueueingHint.QUEUE, QueueingHint.QUEUE, QueueingHint.SKIP]


def test_a_raised_limit_helps_and_a_lowered_one_does_not() -> None:
    low, high = (
        next(iter(World(csi_node("n1", csi_example_com=count)).cluster.objects("CSINode"))) for count in (1, 2)
    )
    new = World(pod("new")).pod("new")
    assert volume_hints.after_csi_node_limits(new, low, high) == QueueingHint.QUEUE  # type: ignore[arg-type]
    assert volume_hints.after_csi_node_limits(new, high, low) == QueueingHint.SKIP  # type: ignore[arg-type]


def test_a_volume_whose_labels_stay_does_not_help_volume_zone() -> None:
    world = World(volume("pv", labels={ZONE: "za"}), pod("new"))
    pv = next(iter(world.cluster.objects("PersistentVolume")))
    assert isinstance(pv, PersistentVolume)
    new = world.pod("new")
    assert volume_zone.after_volume_change(new, pv, replace(pv, phase="Bound")) == QueueingHint.SKIP
    assert volume_zone.after_volume_change(new, pv, replace(pv, labels={ZONE: "zb"})) == QueueingHint.QUEUE
    assert volume_zone.after_volume_change(new, None, pv) == QueueingHint.QUEUE
