"""Sample clusters in which nodes are rejected by the volume plugins."""

from __future__ import annotations

import re

from scheduler_core.framework.starter import Manifest, StarterCluster, manifest, names_of

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
DRIVER = "disk.example.com"
SIZE = {"resources": {"requests": {"storage": "1Gi"}}}


def split_zones(cluster: StarterCluster, nodes: list[Manifest]) -> None:
    """Put the nodes in zone b and all others in zone a."""
    names = names_of(nodes)
    for node in cluster.nodes:
        node["metadata"]["labels"][ZONE] = "b" if node["metadata"]["name"] in names else "a"


def use_claim(cluster: StarterCluster, name: str = "data") -> None:
    """Add a volume with the claim to the pod."""
    cluster.spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def add_claim(cluster: StarterCluster, name: str, **spec: object) -> Manifest:
    claim = manifest("v1", "PersistentVolumeClaim", name, spec={"accessModes": ["ReadWriteOnce"], **SIZE, **spec})
    cluster.objects.append(claim)
    return claim


def add_bound_claim(cluster: StarterCluster, name: str, labels: Manifest | None = None, **volume: object) -> None:
    """Add a claim and its volume."""
    defaults = {"accessModes": ["ReadWriteOnce"], "storageClassName": "disks"}
    modes = {"accessModes": volume.pop("accessModes")} if "accessModes" in volume else {}
    spec = {**defaults, **modes, "capacity": {"storage": "1Gi"}, **volume}
    persistent_volume = manifest("v1", "PersistentVolume", name, spec=spec, status={"phase": "Bound"})
    if labels:
        persistent_volume["metadata"]["labels"] = labels
    cluster.objects.append(persistent_volume)
    add_claim(cluster, name, **defaults | modes, volumeName=name)["status"] = {"phase": "Bound"}


def add_storage_class(cluster: StarterCluster, name: str, provisioner: str, mode: str) -> None:
    kinds = {"provisioner": provisioner, "volumeBindingMode": mode}
    cluster.objects.append(manifest("storage.k8s.io/v1", "StorageClass", name, **kinds))


def node_affinity_to(key: str, value: str) -> Manifest:
    """Return a node affinity for nodes with the label."""
    requirement = {"key": key, "operator": "In", "values": [value]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}


def bind_elsewhere(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) didn't match PersistentVolume's node affinity"."""
    split_zones(cluster, nodes)
    add_bound_claim(cluster, "data", local={"path": "/data"}, nodeAffinity=node_affinity_to(ZONE, "a"))
    use_claim(cluster)


def bind_in_other_zone(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) had no available volume zone"."""
    split_zones(cluster, nodes)
    add_bound_claim(cluster, "data", {ZONE: "a"}, csi={"driver": DRIVER, "volumeHandle": "data"})
    use_claim(cluster)


def offer_no_volume(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) didn't find available persistent volumes to bind": volumes are on the other nodes only."""
    add_storage_class(cluster, "local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
    names = names_of(nodes)
    for name in (node["metadata"]["name"] for node in cluster.nodes):
        if name not in names:
            spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local", "capacity": {"storage": "1Gi"}}
            volume = {**spec, "local": {"path": "/data"}, "nodeAffinity": node_affinity_to(HOST, name)}
            cluster.objects.append(manifest("v1", "PersistentVolume", f"disk-{name}", spec=volume))
    add_claim(cluster, "data", storageClassName="local")
    use_claim(cluster)


def offer_no_storage(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) did not have enough free storage": the driver has none in their zone."""
    split_zones(cluster, nodes)
    add_storage_class(cluster, "fast", DRIVER, "WaitForFirstConsumer")
    cluster.objects.append(manifest("storage.k8s.io/v1", "CSIDriver", DRIVER, spec={"storageCapacity": True}))
    topology = {"storageClassName": "fast", "nodeTopology": {"matchLabels": {ZONE: "a"}}}
    cluster.objects.append(manifest("storage.k8s.io/v1", "CSIStorageCapacity", "zone-a", **topology, capacity="100Gi"))
    add_claim(cluster, "data", storageClassName="fast")
    use_claim(cluster)


def lose_volume(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add a claim whose volume does not exist."""
    claim = add_claim(cluster, "data", storageClassName="disks", volumeName="gone")
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    claim["status"] = {"phase": "Bound"}
    use_claim(cluster)


def attach_too_many(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) exceed max volume count": the limit of the nodes is one, and one volume is attached to each."""
    names = names_of(nodes)
    for number, node in enumerate(cluster.nodes):
        name = node["metadata"]["name"]
        most = 1 if name in names else 9
        driver = {"name": DRIVER, "nodeID": name, "allocatable": {"count": most}}
        cluster.objects.append(manifest("storage.k8s.io/v1", "CSINode", name, spec={"drivers": [driver]}))
        if name in names:
            add_bound_claim(cluster, f"theirs-{number}", csi={"driver": DRIVER, "volumeHandle": f"theirs-{number}"})
            volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"theirs-{number}"}}
            cluster.add_neighbour(node, volumes=[volume])
    add_bound_claim(cluster, "data", csi={"driver": DRIVER, "volumeHandle": "data"})
    use_claim(cluster)


def share_disk(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "node(s) had no available disk"."""
    disk = {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:disk", "lun": 0}
    volume = {"name": "data", "iscsi": disk}
    cluster.spec["volumes"] = [volume]
    for node in nodes:
        cluster.add_neighbour(node, volumes=[volume])


def use_claim_of_one_pod(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let another pod use the ReadWriteOncePod claim."""
    add_bound_claim(cluster, "data", accessModes=["ReadWriteOncePod"], csi={"driver": DRIVER, "volumeHandle": "data"})
    use_claim(cluster)
    for node in nodes or cluster.nodes[:1]:
        cluster.add_neighbour(node, volumes=cluster.spec["volumes"])


def leave_unbound(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Cause "pod has unbound immediate PersistentVolumeClaims"."""
    add_storage_class(cluster, "now", DRIVER, "Immediate")
    add_claim(cluster, "data", storageClassName="now")
    use_claim(cluster)


def name_no_claim(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Reject with 'persistentvolumeclaim "data" not found', or because it is being deleted or its volume is lost."""
    match = re.search(r'"([^"]+)"', reason)
    name = match[1] if match else "data"
    if "being deleted" in reason:
        add_claim(cluster, name)["metadata"] |= {
            "deletionTimestamp": "2025-01-01T00:00:00Z",
            "finalizers": ["example.com/a"],
        }
    elif lost_volume := re.search(r'persistentvolume "([^"]+)"', reason):
        add_claim(cluster, name, volumeName=lost_volume[1])["status"] = {"phase": "Lost"}
    use_claim(cluster, name)
