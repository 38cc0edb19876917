"""On random clusters with storage, the columnar volume plugins agree with the plain per-node rules."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import PreFilterResult, Status
from scheduler_core.plugins.volumes.binding.plugin import VolumeBinding
from scheduler_core.plugins.volumes.limits import NodeVolumeLimits
from scheduler_core.plugins.volumes.restrictions import VolumeRestrictions
from scheduler_core.plugins.volumes.zone import VolumeZone
from tests.builders import Manifest, node, parse, pod
from tests.core.plugins.volumes.world import World, claim, csi_node, storage_class, volume
from tests.reference.framework.interface import FITS, Cycle, NodeInfo, Verdict
from tests.reference.plugins import PLUGINS
from tests.reference.plugins.volumes.claims import direct_claims

ZONE = "topology.kubernetes.io/zone"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
SIZES = ("1Gi", "5Gi", "10Gi")
CLASSES = ("local", "fast", "now", "nope", "")


def storage(rng: random.Random) -> list[Manifest]:
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": rng.sample(["za", "zb", "zc"], 2)}]}]
    found = [
        storage_class("local", provisioner="kubernetes.io/no-provisioner"),
        storage_class("fast", **({"allowedTopologies": topologies} if rng.random() < 0.5 else {})),
        storage_class("now", wait=False),
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIDriver",
            "metadata": {"name": "csi.example.com"},
            "spec": {"storageCapacity": rng.random() < 0.4},
        },
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIStorageCapacity",
            "metadata": {"name": "capacity"},
            "storageClassName": "fast",
            "capacity": rng.choice(SIZES),
            "nodeTopology": {"matchLabels": {ZONE: rng.choice(["za", "zb"])}},
        },
    ]
    return found + [random_volume(rng, i) for i in range(rng.randrange(7))]


def random_volume(rng: random.Random, number: int) -> Manifest:
    fields: dict[str, Any] = {}
    if rng.random() < 0.5:
        fields["zone"] = rng.choice(["za", "zb"])
    if rng.random() < 0.3:
        fields["labels"] = {rng.choice([ZONE, BETA_ZONE]): rng.choice(["za", "za__zb", "za____zb", "zc"])}
    if rng.random() < 0.2:
        fields["claimRef"] = {"namespace": "default", "name": f"c{rng.randrange(5)}"}
    if rng.random() < 0.2:
        fields["accessModes"] = ["ReadWriteMany"]
    if rng.random() < 0.2:
        fields["phase"] = rng.choice(["Pending", "Released"])
    return volume(f"pv{number}", rng.choice(CLASSES), rng.choice(SIZES), **fields)


def random_claim(rng: random.Random, number: int) -> Manifest:
    fields: dict[str, Any] = {"modes": [rng.choice(["ReadWriteOnce", "ReadWriteOnce", "ReadWriteOncePod"])]}
    kind = rng.random()
    if kind < 0.5:
        fields["volume"] = f"pv{rng.randrange(7)}"
    elif kind < 0.6:
        fields["annotations"] = {"volume.kubernetes.io/selected-node": f"n{rng.randrange(4)}"}
    return claim(f"c{number}", rng.choice(CLASSES[:3] if rng.random() < 0.9 else CLASSES), rng.choice(SIZES), **fields)


def random_pod(rng: random.Random, name: str, node_name: str | None) -> Manifest:
    volumes: list[Manifest] = []
    for i in range(rng.randrange(1, 4)):
        source: Manifest = {"persistentVolumeClaim": {"claimName": f"c{rng.randrange(6 if rng.random() < 0.1 else 5)}"}}
        kind = rng.random()
        if kind < 0.2:
            source = {"gcePersistentDisk": {"pdName": f"d{rng.randrange(2)}", "readOnly": rng.random() < 0.5}}
        elif kind < 0.3:
            source = {"iscsi": {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:a", "lun": 0}}
        elif kind < 0.4:
            monitors = rng.sample(["a", "b", "c"], 2)
            source = {"rbd": {"monitors": monitors, "image": "i", "readOnly": rng.random() < 0.5}}
        volumes.append({"name": f"v{i}", **source})
    return pod(name, node=node_name, volumes=volumes)


def random_world(seed: int) -> World:
    rng = random.Random(seed)
    nodes = [node(f"n{i}", zone=rng.choice([None, "za", "zb", "zc"])) for i in range(rng.randrange(1, 6))]
    names = [item["metadata"]["name"] for item in nodes]
    migrated = "kubernetes.io/gce-pd" if rng.random() < 0.5 else ""
    limits = {"csi_example_com": rng.choice([None, 1, 2, 3]), "pd_csi_storage_gke_io": 1}
    csi_nodes = [csi_node(name, migrated=migrated, **limits) for name in names if rng.random() < 0.8]
    running = [random_pod(rng, f"run{i}", rng.choice(names)) for i in range(rng.randrange(6))]
    claims = [random_claim(rng, i) for i in range(5)]
    return World(*nodes, *csi_nodes, *storage(rng), *claims, *running, random_pod(rng, "new", None))


def as_verdict(status: Status) -> Verdict:
    return status.code.label, status.reasons


def compare(plugin: Any, world: World, cycle: Cycle) -> None:
    """Compare the plugin's PreFilter or, if the pod passes it, its Filter on every node."""
    rules = PLUGINS[plugin.name]
    found = world.run(plugin, cycle.pod.name)
    if isinstance(found, PreFilterResult):
        assert as_verdict(found.status) == rules.pre_filter(cycle)
        return
    assert rules.pre_filter(cycle) == FITS
    expected = {node.name: rules.filter(cycle, NodeInfo(node, pods)) for node, pods in cycle.snapshot}
    assert {name: as_verdict(status) for name, status in found.items()} == expected


def plugins(world: World) -> list[Any]:
    return [plugin(None, world) for plugin in (VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone)]


def check_all(world: World, new: Pod, kept: list[Any] | None = None) -> None:
    cycle = Cycle(new, world.nodes_with_pods(), storage=world.storage())
    claims_are_there = all(f"default/{name}" in cycle.storage.claims for name in direct_claims(new))
    for plugin in kept or plugins(world):
        if claims_are_there or plugin.name != "NodeVolumeLimits":
            compare(plugin, world, cycle)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_the_columnar_plugins_give_what_the_plain_rules_give(seed: int) -> None:
    world = random_world(seed)
    check_all(world, world.pod("new"))


def mutate(world: World, rng: random.Random) -> None:
    """Make one change as in a run: a pod is removed or added, a claim is bound, an object is replaced or deleted."""
    cluster = world.cluster
    running = [key for key in cluster.pods.slot_of if key.startswith("default/run")]
    kind = rng.randrange(6)
    if kind == 0 and running:
        cluster.delete_pod(rng.choice(running))
    elif kind == 1:
        first = rng.randrange(100, 1000)  # a pod's volumes never change, so the name must be free
        name = next(f"run{i}" for i in count(first) if f"default/run{i}" not in cluster.pods.slot_of)
        apply(world, random_pod(rng, name, rng.choice(cluster.nodes.names)))
    elif kind == 2:
        apply(world, random_claim(rng, rng.randrange(5)))
    elif kind == 3:
        apply(world, random_volume(rng, rng.randrange(7)))
    elif kind == 4:
        limits = {"csi_example_com": rng.choice([None, 1, 2, 3]), "pd_csi_storage_gke_io": 1}
        apply(world, csi_node(rng.choice(cluster.nodes.names), **limits))
    else:
        apply(world, attachment(rng, rng.choice(cluster.nodes.names)))
    cluster.snapshot()


def apply(world: World, manifest: Manifest) -> None:
    for item in parse(manifest).objects:
        world.cluster.apply(item)


def attachment(rng: random.Random, node_name: str) -> Manifest:
    source = {"persistentVolumeName": f"pv{rng.randrange(7)}"}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": f"a{rng.randrange(3)}"},
        "spec": {"attacher": "csi.example.com", "nodeName": node_name, "source": source},
    }


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_what_the_plugins_keep_follows_every_change(seed: int) -> None:
    world, rng = random_world(seed), random.Random(seed)
    kept = plugins(world)
    for _ in range(12):
        check_all(world, world.pod("new"), kept)
        mutate(world, rng)
    check_all(world, world.pod("new"), kept)
