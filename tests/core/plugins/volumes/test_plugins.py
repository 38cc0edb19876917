"""VolumeRestrictions, NodeVolumeLimits, VolumeZone and the volume plugins' hints on small clusters."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import PersistentVolume
from scheduler_core.framework.interface import QueueingHint
from scheduler_core.plugins.volumes import hints as volume_hints
from scheduler_core.plugins.volumes import zone as volume_zone
from scheduler_core.plugins.volumes.binding.plugin import VolumeBinding
from scheduler_core.plugins.volumes.limits import NodeVolumeLimits
from scheduler_core.plugins.volumes.restrictions import VolumeRestrictions, after_pod_deleted
from scheduler_core.plugins.volumes.zone import VolumeZone
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
DISK = {"pdName": "data", "readOnly": False}
READ_ONLY = {"pdName": "data", "readOnly": True}


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
def test_a_claim_without_a_volume_is_reported(manifests: list[Any], reason: str) -> None:
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
