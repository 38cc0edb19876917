"""What makes the volume plugins reject nodes, for starter scenarios."""

from __future__ import annotations

import re

from kschedui.waiting.maker import Maker, Manifest, manifest
from kschedui.waiting.message import Part

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
DRIVER = "disk.example.com"
SIZE = {"resources": {"requests": {"storage": "1Gi"}}}


def split_zones(maker: Maker, nodes: list[Manifest]) -> None:
    """The nodes are in zone b, all others in zone a."""
    names = {node["metadata"]["name"] for node in nodes}
    for node in maker.nodes:
        node["metadata"]["labels"][ZONE] = "b" if node["metadata"]["name"] in names else "a"


def use(maker: Maker, name: str = "data") -> None:
    """The pod uses the claim."""
    maker.spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def claim(maker: Maker, name: str, **spec: object) -> Manifest:
    made = manifest("v1", "PersistentVolumeClaim", name, spec={"accessModes": ["ReadWriteOnce"], **SIZE, **spec})
    maker.objects.append(made)
    return made


def bound(maker: Maker, name: str, labels: Manifest | None = None, **volume: object) -> None:
    """A claim and its volume."""
    asked = {"accessModes": ["ReadWriteOnce"], "storageClassName": "disks"}
    modes = {"accessModes": volume.pop("accessModes")} if "accessModes" in volume else {}
    spec = {**asked, **modes, "capacity": {"storage": "1Gi"}, **volume}
    made = manifest("v1", "PersistentVolume", name, spec=spec, status={"phase": "Bound"})
    if labels:
        made["metadata"]["labels"] = labels
    maker.objects.append(made)
    claim(maker, name, **asked | modes, volumeName=name)["status"] = {"phase": "Bound"}


def storage_class(maker: Maker, name: str, provisioner: str, mode: str) -> None:
    kinds = {"provisioner": provisioner, "volumeBindingMode": mode}
    maker.objects.append(manifest("storage.k8s.io/v1", "StorageClass", name, **kinds))


def only(key: str, value: str) -> Manifest:
    """The node affinity of a volume that is at nodes with the label."""
    wanted = {"key": key, "operator": "In", "values": [value]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [wanted]}]}}


def elsewhere(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) didn't match PersistentVolume's node affinity."""
    split_zones(maker, nodes)
    bound(maker, "data", local={"path": "/data"}, nodeAffinity=only(ZONE, "a"))
    use(maker)


def other_zone(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) had no available volume zone."""
    split_zones(maker, nodes)
    bound(maker, "data", {ZONE: "a"}, csi={"driver": DRIVER, "volumeHandle": "data"})
    use(maker)


def no_volume(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) didn't find available persistent volumes to bind: volumes are on the other nodes only."""
    storage_class(maker, "local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
    names = {node["metadata"]["name"] for node in nodes}
    for name in (node["metadata"]["name"] for node in maker.nodes):
        if name not in names:
            spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local", "capacity": {"storage": "1Gi"}}
            volume = {**spec, "local": {"path": "/data"}, "nodeAffinity": only(HOST, name)}
            maker.objects.append(manifest("v1", "PersistentVolume", f"disk-{name}", spec=volume))
    claim(maker, "data", storageClassName="local")
    use(maker)


def no_storage(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) did not have enough free storage: the driver has none in their zone."""
    split_zones(maker, nodes)
    storage_class(maker, "fast", DRIVER, "WaitForFirstConsumer")
    maker.objects.append(manifest("storage.k8s.io/v1", "CSIDriver", DRIVER, spec={"storageCapacity": True}))
    topology = {"storageClassName": "fast", "nodeTopology": {"matchLabels": {ZONE: "a"}}}
    maker.objects.append(manifest("storage.k8s.io/v1", "CSIStorageCapacity", "zone-a", **topology, capacity="100Gi"))
    claim(maker, "data", storageClassName="fast")
    use(maker)


def volume_gone(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """A claim that is bound to a volume which is not there."""
    made = claim(maker, "data", storageClassName="disks", volumeName="gone")
    made["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    made["status"] = {"phase": "Bound"}
    use(maker)


def too_many_volumes(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) exceed max volume count: one each may be attached, and one is."""
    names = {node["metadata"]["name"] for node in nodes}
    for number, node in enumerate(maker.nodes):
        name = node["metadata"]["name"]
        most = 1 if name in names else 9
        driver = {"name": DRIVER, "nodeID": name, "allocatable": {"count": most}}
        maker.objects.append(manifest("storage.k8s.io/v1", "CSINode", name, spec={"drivers": [driver]}))
        if name in names:
            bound(maker, f"theirs-{number}", csi={"driver": DRIVER, "volumeHandle": f"theirs-{number}"})
            volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"theirs-{number}"}}
            maker.neighbour(node, volumes=[volume])
    bound(maker, "data", csi={"driver": DRIVER, "volumeHandle": "data"})
    use(maker)


def same_disk(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) had no available disk."""
    disk = {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:disk", "lun": 0}
    volume = {"name": "data", "iscsi": disk}
    maker.spec["volumes"] = [volume]
    for node in nodes:
        maker.neighbour(node, volumes=[volume])


def one_pod_only(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """ReadWriteOncePod: another pod has the claim."""
    bound(maker, "data", accessModes=["ReadWriteOncePod"], csi={"driver": DRIVER, "volumeHandle": "data"})
    use(maker)
    for node in nodes or maker.nodes[:1]:
        maker.neighbour(node, volumes=maker.spec["volumes"])


def unbound(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """pod has unbound immediate PersistentVolumeClaims."""
    storage_class(maker, "now", DRIVER, "Immediate")
    claim(maker, "data", storageClassName="now")
    use(maker)


def no_claim(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """persistentvolumeclaim "data" not found; or it is being deleted; or its volume is lost."""
    match = re.search(r'"([^"]+)"', part.reason)
    name = match[1] if match else "data"
    if "being deleted" in part.reason:
        claim(maker, name)["metadata"] |= {"deletionTimestamp": "2025-01-01T00:00:00Z", "finalizers": ["example.com/a"]}
    elif gone := re.search(r'persistentvolume "([^"]+)"', part.reason):
        claim(maker, name, volumeName=gone[1])["status"] = {"phase": "Lost"}
    use(maker, name)


STARTERS = (
    ("volume node affinity conflict", elsewhere),
    ("PersistentVolume's node affinity", elsewhere),
    ("no available volume zone", other_zone),
    ("volume zone conflict", other_zone),
    ("available persistent volumes to bind", no_volume),
    ("enough free storage", no_storage),
    ("non-existent pv(s)", volume_gone),
    ("exceed max volume count", too_many_volumes),
    ("no available disk", same_disk),
    ("ReadWriteOncePod", one_pod_only),
    ("unbound immediate", unbound),
    ("persistentvolumeclaim", no_claim),
)
