"""Whole runs with volumes: the events that retry a pod that waits for storage, and overlapping bindings."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import RunEnded, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import AnyEvent, ObjectApplied, PodBound, PodEnqueued, SchedulingFailed
from tests.builders import node, parse, pod
from tests.core.plugins.volumes.world import claim, csi_node, storage_class, using, volume
from tests.core.runs import standing_at_the_end

NO_PROVISIONER = "kubernetes.io/no-provisioner"


def run(*manifests: Any, **spec: Any) -> list[AnyEvent]:
    return list(simulate(parse(*manifests, **spec)))


def bound(events: list[AnyEvent]) -> dict[str, str]:
    return standing_at_the_end(events)


def wakes(events: list[AnyEvent], name: str) -> list[str]:
    """Return the cluster events that moved the pod to activeQ or backoffQ."""
    moves = (event for event in events if isinstance(event, PodEnqueued) and event.pod == f"default/{name}")
    return [move.event for move in moves if move.queue in ("active", "backoff")][1:]


def test_a_claim_that_gets_created_wakes_its_pod() -> None:
    events = run(
        node("n1"), storage_class("fast"), pod("new", volumes=using("late")),
        events=[{"at": 5, "create": claim("late")}],
    )  # fmt: skip
    assert wakes(events, "new") == ["PersistentVolumeClaimAdd"]
    assert bound(events) == {"default/new": "n1"}


IN_TREE = {
    "awsElasticBlockStore": ({"volumeID": "vol-{}"}, "kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    "azureDisk": ({"diskName": "disk-{}", "diskURI": "/a/{}"}, "kubernetes.io/azure-disk", "disk.csi.azure.com"),
    "gcePersistentDisk": ({"pdName": "disk-{}"}, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
    "cinder": ({"volumeID": "vol-{}"}, "kubernetes.io/cinder", "cinder.csi.openstack.org"),
    "portworxVolume": ({"volumeID": "vol-{}"}, "kubernetes.io/portworx-volume", "pxd.portworx.com"),
}
# From which release on a CSI driver's limit holds for in-tree volumes: where the CSINode names their plugin, and where
# it need not (nodevolumelimits/utils.go `isCSIMigrationOn`, with the default gates of kube_features.go).
SINCE = {
    "awsElasticBlockStore": ("1.25", "1.27"),
    "azureDisk": ("1.25", "1.27"),
    "gcePersistentDisk": ("1.25", "1.28"),
    "cinder": ("1.25", "1.25"),
    "portworxVolume": ("1.31", "1.36"),
}


@pytest.mark.parametrize("source", IN_TREE)
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("named", [True, False])
def test_which_in_tree_volumes_a_csi_drivers_limit_holds_for(source: str, version: str, named: bool) -> None:
    fields, plugin, driver = IN_TREE[source]

    def disk(number: int) -> list[dict[str, Any]]:
        return [{"name": "disk", source: {key: value.format(number) for key, value in fields.items()}}]

    there = {**csi_node("n1", migrated=plugin if named else ""), "spec": {"drivers": [limited(driver)]}}
    pods = pod("there", node="n1", volumes=disk(1)), pod("new", volumes=disk(2))
    events = run(node("n1"), there, *pods, kubernetesVersion=version)
    holds = version >= SINCE[source][0 if named else 1]
    assert ("default/new" not in bound(events)) == holds


def limited(driver: str) -> dict[str, Any]:
    return {"name": driver, "nodeID": "n1", "allocatable": {"count": 1}}


def test_a_claim_of_another_pod_does_not_wake_it() -> None:
    events = run(
        node("n1"), storage_class("fast"), pod("new", volumes=using("late")),
        events=[{"at": 5, "create": claim("other")}],
    )  # fmt: skip
    assert wakes(events, "new") == []


def test_a_new_volume_wakes_a_pod_that_found_none() -> None:
    events = run(
        node("n1"), storage_class("fast", provisioner=NO_PROVISIONER), claim("c"), pod("new", volumes=using("c")),
        events=[{"at": 5, "create": volume("pv")}],
    )  # fmt: skip
    assert wakes(events, "new") == ["PersistentVolumeAdd"]
    assert bound(events) == {"default/new": "n1"}


def test_two_pods_never_get_the_same_volume_while_their_bindings_overlap() -> None:
    manifests = [
        node("n1"), storage_class("fast", provisioner=NO_PROVISIONER), volume("pv"), claim("a"), claim("b"),
        pod("one", volumes=using("a")), pod("two", volumes=using("b")),
    ]  # fmt: skip
    events = run(*manifests, bindingSeconds=2)
    assert bound(events) == {"default/one": "n1"}
    failed = next(event for event in events if isinstance(event, SchedulingFailed))
    assert failed.pod == "default/two"
    assert "didn't find available persistent volumes to bind" in failed.message


def test_a_pod_that_shares_a_claim_follows_the_volume() -> None:
    topology = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["za", "zb"]}]}]
    events = run(
        node("a", zone="za", cpu=1), node("b", zone="zb", cpu=1), storage_class("fast", allowedTopologies=topology),
        claim("c"), pod("one", cpu="500m", volumes=using("c")), pod("two", cpu="500m", volumes=using("c")),
    )  # fmt: skip
    assert len(set(bound(events).values())) == 1
    provisioned = [event for event in events if isinstance(event, ObjectApplied) and event.kind == "PersistentVolume"]
    assert [event.action for event in provisioned] == ["create"]


def test_a_deleted_attachment_makes_room_for_a_volume() -> None:
    attachment = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": "a"},
        "spec": {"attacher": "csi.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "old"}},
    }
    events = run(
        node("n1"), csi_node("n1", csi_example_com=1), storage_class("fast"), volume("old"), attachment, claim("c"),
        pod("new", volumes=using("c")),
        events=[{"at": 5, "delete": {"kind": "VolumeAttachment", "name": "a"}}],
    )  # fmt: skip
    assert wakes(events, "new") == ["storage.k8s.io/VolumeAttachmentDelete"]
    assert bound(events) == {"default/new": "n1"}


def test_a_higher_priority_pod_takes_a_claim_that_only_one_may_use() -> None:
    events = run(
        node("n1"), storage_class("fast"), volume("pv"), claim("once", modes=["ReadWriteOncePod"], volume="pv"),
        pod("user", node="n1", volumes=using("once")), pod("urgent", priority=100, volumes=using("once")),
    )  # fmt: skip
    assert bound(events) == {"default/urgent": "n1"}


def test_a_pending_pod_whose_volumes_are_taken_off_uses_no_claim_any_more() -> None:
    once = claim("once", modes=["ReadWriteOncePod"], volume="pv")
    storage = [storage_class("fast"), volume("pv"), once]
    pods = [pod(name, cpu="1", volumes=using("once")) for name in ("a", "b")]
    changes = [{"at": 1, "update": pod("a", cpu="1")}, {"at": 2, "delete": {"kind": "Pod", "name": "first"}}]
    events = run(node("n1", cpu="2"), *storage, pod("first", cpu="2", node="n1"), *pods, events=changes)
    assert bound(events) == {"default/a": "n1", "default/b": "n1"}


def test_a_failed_binding_gives_the_volume_back() -> None:
    manifests = [
        node("n1"), storage_class("fast", provisioner=NO_PROVISIONER), volume("pv"), claim("a"), claim("b"),
        pod("one", volumes=using("a")), pod("two", volumes=using("b")),
    ]  # fmt: skip
    events = run(*manifests, faults=[{"pod": "default/one", "point": "Permit", "times": 5, "message": "no"}])
    first = next(event for event in events if isinstance(event, PodBound))
    assert first.pod == "default/two"


@pytest.mark.parametrize("source", ["gcePersistentDisk", "rbd"])
def test_an_inline_volume_on_a_node_without_a_csi_node_ends_the_scheduler_up_to_1_26(source: str) -> None:
    details = {"gcePersistentDisk": {"pdName": "disk-1"}, "rbd": {"monitors": ["10.0.0.1"], "image": "image"}}
    objects = (node("n1"), pod("new", volumes=[{"name": "disk", source: details[source]}]))
    with pytest.raises(RunEnded, match="has no CSINode"):
        run(*objects, kubernetesVersion="1.26")
    assert bound(run(*objects, kubernetesVersion="1.27")) == {"default/new": "n1"}
