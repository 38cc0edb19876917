"""The dump of an operator's cluster on Kubernetes 1.31: node pools in three zones, workloads, budgets, pending pods.

    text = as_yaml(listed(dump(300)))

`python -m tests.pools 300 > dump.yaml` writes it. Pools a and b have most pods; pool c has larger, full nodes. It has
faults that operators know: the volume of kafka-2 is in another zone than its nodeSelector requires, report-* requests
more cpu than a node of pools a and b has and than is free elsewhere, train-* requests GPUs that no node has free, and
1.33 scores probe-* differently.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

from tests.builders import budget, node, pod, spread
from tests.dumps import STARTED, as_yaml, listed, owner

Manifest = dict[str, Any]

RELEASE = "1.31"
GROUP = "eks.amazonaws.com/nodegroup"
ZONE = "topology.kubernetes.io/zone"
ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
SIZES = {"a": (8, "32Gi"), "b": (8, "32Gi"), "c": (32, "128Gi"), "gpu": (16, "64Gi")}
AFTER = {"creationTimestamp": "2025-02-01T00:00:00Z"}  # of pending pods


def dump(nodes: int = 300, seed: int = 1) -> list[Manifest]:
    """Return the objects: the nodes and the storage class, then each workload with its pods."""
    return list(_Operated(nodes, seed).objects())


class _Operated:
    """The objects of the cluster; `room` is the free cpu of each node in millicores."""

    def __init__(self, nodes: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.nodes: list[Manifest] = []
        gpus = max(2, nodes // 50)
        large = max(3, nodes // 10)
        small = nodes - gpus - large
        for pool, count in (("a", (small + 1) // 2), ("b", small // 2), ("c", large), ("gpu", gpus)):
            self.nodes += [self.node(pool, number) for number in range(count)]
        self.room = {name_of(one): 1000 * int(one["status"]["allocatable"]["cpu"]) for one in self.nodes}

    def objects(self) -> Iterator[Manifest]:
        yield from self.nodes
        yield storage_class()
        yield from self.daemons()
        yield from self.kafka()
        yield from self.deployments()
        yield from self.best_effort()
        yield from self.full()

    def node(self, pool: str, number: int) -> Manifest:
        cpu, memory = SIZES[pool]
        gpu = pool == "gpu"
        found = node(
            f"{pool}-{number:03}",
            cpu=cpu,
            memory=memory,
            zone=ZONES[number % 3],
            labels={GROUP: pool, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"},
            taints=["nvidia.com/gpu=present:NoSchedule"] if gpu else (),
            resources={"nvidia.com/gpu": "4"} if gpu else None,
        )
        found["status"]["nodeInfo"] = {"kubeletVersion": f"v{RELEASE}.4-eks-0123456"}
        return found

    def daemons(self) -> Iterator[Manifest]:
        tolerations = [{"operator": "Exists"}]
        template = pod("x", cpu="200m", memory="256Mi", tolerations=tolerations)["spec"]
        yield workload("DaemonSet", "node-agent", "kube-system", template)
        for one in self.nodes:
            name = name_of(one)
            yield self.placed("DaemonSet", "node-agent", f"node-agent-{name}", "kube-system", template, name, 200)

    def kafka(self) -> Iterator[Manifest]:
        """Yield a StatefulSet with its budget, volumes and three pods.

        The last is pending: its volume is in another zone than its nodeSelector requires.
        """
        yield budget("kafka", {"app": "kafka"}, namespace="data", maxUnavailable=1)
        for number, zone in enumerate((ZONES[0], ZONES[1], ZONES[1])):
            yield from volume(f"data-kafka-{number}", zone)
            template = pod("x", cpu="500m", memory="2Gi", nodeSelector={ZONE: ZONES[number]})["spec"]
            claim = {"claimName": f"data-kafka-{number}"}
            template["volumes"] = [{"name": "data", "persistentVolumeClaim": claim}]
            if not number:
                yield workload("StatefulSet", "kafka", "data", template, 3)
            there = "" if number == 2 else f"{'ab'[number]}-{self.of_zone('ab'[number], ZONES[number]):03}"
            yield self.placed("StatefulSet", "kafka", f"kafka-{number}", "data", template, there, 500)

    def of_zone(self, pool: str, zone: str) -> int:
        names = [name_of(one) for one in self.nodes if one["metadata"]["labels"][GROUP] == pool]
        there = {name_of(one): one["metadata"]["labels"][ZONE] for one in self.nodes}
        return names.index(next(name for name in names if there[name] == zone))

    def deployments(self) -> Iterator[Manifest]:
        """Yield Deployments with their pods on the nodes of pools a and b, which request two thirds of the free cpu."""
        small = [name for name in self.room if name[0] in "ab"]
        enough = sum(self.room[name] for name in small) // 3
        for number in range(1000):
            if sum(self.room[name] for name in small) <= enough:
                return
            name, labels = f"app-{number}", {"app": f"app-{number}"}
            cpu = self.random.choice((250, 500, 1000, 2000))
            more: Manifest = {}
            if number % 5 == 0:
                more["topologySpreadConstraints"] = [spread(labels, whenUnsatisfiable="ScheduleAnyway")]
            template = pod("x", cpu=f"{cpu}m", memory=f"{cpu * 2}Mi", **more)["spec"]
            replicas = self.random.randint(3, 12)
            yield workload("Deployment", name, "shop", template, replicas)
            yield workload("ReplicaSet", f"{name}-5d4f", "shop", template, replicas)
            if number % 2:
                allowed = 0 if number % 20 == 19 else 1
                yield budget(name, labels, namespace="shop", maxUnavailable=allowed)
            fitting = [one for one in small if self.room[one] >= cpu]
            for replica, there in enumerate(self.random.sample(fitting, min(replicas, len(fitting)))):
                key = f"{name}-5d4f-{replica:02}"
                yield self.placed("ReplicaSet", f"{name}-5d4f", key, "shop", template, there, cpu)

    def best_effort(self) -> Iterator[Manifest]:
        """Yield three Deployments with a pod each: with much cpu, with much memory, and without requests.

        1.33 scores the last differently.
        """
        places = [name_of(one) for one in self.nodes if self.pool_of(name_of(one)) == "gpu"][:2]
        tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
        requirement = {"key": "kubernetes.io/hostname", "operator": "In", "values": places}
        required = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        for name, place, cpu, memory in (
            ("crunch", 0, 9000, "256Mi"),
            ("cache", 1, 1000, "35Gi"),
            ("probe", 1, 0, None),
        ):
            asked = f"{cpu}m" if cpu else None
            template = pod("x", cpu=asked, memory=memory, tolerations=tolerations, affinity=affinity)["spec"]
            yield workload("Deployment", name, "batch", template, 1)
            yield workload("ReplicaSet", f"{name}-5d4f", "batch", template, 1)
            yield self.placed("ReplicaSet", f"{name}-5d4f", f"{name}-5d4f-0", "batch", template, places[place], cpu)

    def full(self) -> Iterator[Manifest]:
        """Yield two pods for each node of pools c and gpu, where no third fits, and four pending pods for each pool."""
        for name, pool, cpu, gpu in (("report", "c", 12000, 0), ("train", "gpu", 2000, 2)):
            gpus = {"nvidia.com/gpu": gpu} if gpu else {}
            tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}] if gpu else []
            template = pod(
                "x", cpu=f"{cpu}m", memory="8Gi", requests=gpus, limits=gpus, tolerations=tolerations, priority=0
            )["spec"]
            there = [one for one in self.room if self.pool_of(one) == pool]
            places = [*(2 * there), *([""] * 4)]
            yield workload("StatefulSet", name, "batch", template, len(places))
            for number, place in enumerate(places):
                yield self.placed("StatefulSet", name, f"{name}-{number}", "batch", template, place, cpu)

    def pool_of(self, name: str) -> str:
        return name.rpartition("-")[0]

    def placed(
        self, kind: str, owning: str, name: str, namespace: str, template: Manifest, there: str, cpu: int
    ) -> Manifest:
        """Return a pod of the workload: on the node `there`, whose room is reduced, or pending if `there` is ""."""
        app = owning.removesuffix("-5d4f")
        found = pod(name, namespace=namespace, labels={"app": app}, node=there or None)
        found["metadata"] |= {"ownerReferences": [owner(kind, owning, namespace)], "creationTimestamp": STARTED}
        found["spec"] = {**template, **({"nodeName": there} if there else {}), "priority": 0}
        if there:
            self.room[there] -= cpu
            assert self.room[there] >= 0, f"{there} is overcommitted"
            found["status"] = {"phase": "Running", "startTime": STARTED}
        else:
            found["metadata"] |= AFTER
            found["status"] = {"phase": "Pending"}
        return found


def name_of(manifest: Manifest) -> str:
    name: str = manifest["metadata"]["name"]
    return name


def workload(kind: str, name: str, namespace: str, template: Manifest, replicas: int | None = None) -> Manifest:
    labels = {"app": name.removesuffix("-5d4f")}
    spec: Manifest = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
    spec["template"]["spec"] = template
    if replicas is not None:
        spec["replicas"] = replicas
    metadata: Manifest = {"name": name, "namespace": namespace}
    if kind == "ReplicaSet":
        metadata = {**metadata, "ownerReferences": [owner("Deployment", labels["app"], namespace)]}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def storage_class() -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "gp3"},
        "provisioner": "ebs.csi.aws.com",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def volume(claim: str, zone: str) -> Iterator[Manifest]:
    """Yield a claim and its volume, which only the nodes of a zone can use."""
    term: Manifest = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    name = f"pv-{claim}"
    common: Manifest = {"storageClassName": "gp3", "accessModes": ["ReadWriteOnce"]}
    yield {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            **common,
            "capacity": {"storage": "100Gi"},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "data", "name": claim},
            "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": name},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
        "status": {"phase": "Bound"},
    }
    yield {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": claim,
            "namespace": "data",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {**common, "volumeName": name, "resources": {"requests": {"storage": "100Gi"}}},
        "status": {"phase": "Bound"},
    }


if __name__ == "__main__":
    sys.stdout.write(as_yaml(listed(dump(int(sys.argv[1])))))
