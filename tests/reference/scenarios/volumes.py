"""Random storage for the fuzz harness: few classes, volumes and claims, so that pods compete for them."""

from __future__ import annotations

from random import Random

from tests.reference.scenarios.pods import HOSTNAME, ZONE, Manifest, chance

DRIVER = "csi.example.com"
GCE_DRIVER = "pd.csi.storage.gke.io"
CLAIMS = tuple(f"c{i}" for i in range(6))
KINDS = ("bound", "local", "local", "dyn", "dyn")
MODES = (["ReadWriteOnce"], ["ReadWriteOncePod"], ["ReadWriteMany"])


def draw_storage(random: Random, nodes: list[str]) -> list[Manifest]:
    """Return StorageClasses, volumes, claims, CSINodes and other objects that volume plugins read."""
    found = [storage_class("local", provisioner="kubernetes.io/no-provisioner"), storage_class("dyn")]
    found.append(storage_class("imm", mode="Immediate"))
    if chance(random, 2):
        found.append(storage_class("topo", zones=random.choice((["a"], ["b", "c"]))))
    found += [free_volume(random, f"free{number}", nodes) for number in range(random.randint(0, 4))]
    for name in CLAIMS:
        if random.randrange(8):
            found += draw_claim(random, name, nodes)
    for name in CLAIMS[:3]:
        if chance(random, 3):
            found += [_in_team(one) for one in draw_claim(random, name, nodes) if one["kind"] != "PersistentVolume"]
    for node in nodes[:10]:
        if chance(random, 2):
            found.append(csi_node(random, node))
    if chance(random, 3):
        spec = {"storageCapacity": True}
        found.append(
            {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": spec}
        )
        found += [capacity(random, zone) for zone in ("a", "b") if chance(random, 2)]
    bound = [one["metadata"]["name"] for one in found if one["kind"] == "PersistentVolume" and "csi" in one["spec"]]
    for number, name in enumerate(bound):
        if chance(random, 6):
            found.append(attachment(f"va{number}", name, random.choice(nodes)))
    return found


def draw_claim_volumes(random: Random, pod: Manifest) -> None:
    """Add one or two claims to the pod, or nothing, with equal probability.

    The claim "later" does not exist unless the timeline creates it.
    """
    if not chance(random, 2):
        return
    names = random.sample(CLAIMS, random.choice((1, 1, 2))) if random.randrange(10) else ["later"]
    volumes = pod["spec"].setdefault("volumes", [])
    volumes += [{"name": f"v{name}", "persistentVolumeClaim": {"claimName": name}} for name in names]


def storage_class(
    name: str, *, provisioner: str = DRIVER, mode: str = "WaitForFirstConsumer", zones: list[str] | None = None
) -> Manifest:
    found: Manifest = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    found |= {"provisioner": provisioner, "volumeBindingMode": mode}
    if zones:
        found["allowedTopologies"] = [{"matchLabelExpressions": [{"key": ZONE, "values": zones}]}]
    return found


def draw_claim(random: Random, name: str, nodes: list[str]) -> list[Manifest]:
    """Return a claim, after its volume if it is bound to one that exists."""
    kind = random.choice((*KINDS, *KINDS, "bound", "topo", "imm", "", "gone"))
    spec: Manifest = {"accessModes": random.choice(MODES)}
    spec["resources"] = {"requests": {"storage": random.choice(("1Gi", "5Gi", "15Gi"))}}
    spec["storageClassName"] = kind if kind not in ("bound", "gone") else "dyn"
    claim: Manifest = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}
    claim["metadata"] = {"name": name, "namespace": "default"}
    if kind not in ("bound", "gone"):
        return [claim]
    spec["volumeName"] = f"pv-{name}"
    claim["status"] = {"phase": "Bound"}
    if kind == "gone":
        return [claim]
    volume = _volume(random, f"pv-{name}", "dyn", nodes, csi=True)
    volume["spec"]["accessModes"] = spec["accessModes"]
    volume["spec"]["claimRef"] = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": name}
    return [volume, claim]


def _in_team(claim: Manifest) -> Manifest:
    """Move the claim to another namespace.

    If it is bound, its volume does not exist or belongs to the claim of the same name in the default namespace.
    """
    claim["metadata"]["namespace"] = "team"
    return claim


def free_volume(random: Random, name: str, nodes: list[str]) -> Manifest:
    """Return an unbound volume. Some have no phase yet, and some are reserved for a claim."""
    found = _volume(random, name, random.choice(("local", "local", "dyn")), nodes, csi=False)
    if random.randrange(8):
        found["status"] = {"phase": "Available"}
    if chance(random, 8):
        claim = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": random.choice(CLAIMS)}
        found["spec"]["claimRef"] = claim
    return found


def csi_node(random: Random, name: str) -> Manifest:
    driver: Manifest = {"name": DRIVER, "nodeID": name, "allocatable": {"count": random.choice((0, 1, 1, 2))}}
    spec = {"drivers": [driver]}
    if chance(random, 3):
        spec["drivers"].append({"name": GCE_DRIVER, "nodeID": name, "allocatable": {"count": random.choice((0, 1))}})
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}, "spec": spec}


def capacity(random: Random, zone: str) -> Manifest:
    found: Manifest = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "storageClassName": "dyn"}
    found["metadata"] = {"name": f"cap-{zone}", "namespace": "default"}
    found["nodeTopology"] = {"matchLabels": {ZONE: zone}}
    found["capacity"] = random.choice(("2Gi", "6Gi", "50Gi"))
    if chance(random, 4):
        found["maximumVolumeSize"] = "3Gi"
    return found


def attachment(name: str, volume: str, node: str) -> Manifest:
    spec = {"attacher": DRIVER, "nodeName": node, "source": {"persistentVolumeName": volume}}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": name}, "spec": spec}


def _volume(random: Random, name: str, storage_class_name: str, nodes: list[str], *, csi: bool) -> Manifest:
    metadata: Manifest = {"name": name}
    if chance(random, 4):
        metadata["labels"] = {ZONE: random.choice(("a", "b", "a__b"))}
    spec: Manifest = {
        "accessModes": ["ReadWriteOnce", "ReadWriteMany"] if chance(random, 2) else ["ReadWriteOnce"],
        "capacity": {"storage": random.choice(("4Gi", "10Gi", "20Gi"))},
        "storageClassName": storage_class_name,
        "persistentVolumeReclaimPolicy": "Retain",
    }
    spec |= {"csi": {"driver": DRIVER, "volumeHandle": name}} if csi else {"local": {"path": "/d"}}
    if not csi or chance(random, 2):
        key = random.choice((HOSTNAME, ZONE))
        values = [random.choice(nodes)] if key == HOSTNAME else random.choice((["a"], ["b", "c"]))
        expression = {"key": key, "operator": "In", "values": values}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
