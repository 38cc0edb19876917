"""Random small clusters with one pending pod: two to four nodes, and all kinds of reasons against them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.builders import Manifest, node, pod, scenario

ZONE, RACK, DISK = "topology.kubernetes.io/zone", "example.com/rack", "disk"
HOST = "kubernetes.io/hostname"
GPU = "example.com/gpu"
TAINTS = ("dedicated=batch:NoSchedule", "gpu:NoExecute", "node.kubernetes.io/memory-pressure:NoSchedule")
APPS = ("web", "db")
DRIVER = "disk.example.com"
FEATURES = (
    *("taint", "cordon", "pods", "others", "selector", "node affinity", "pod affinity", "anti-affinity", "spread"),
    *("never preempts", "request", "port", "gpu", "volume"),
)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Drawing(Random):
    """Random choices in which three features are frequent and the others rare."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._often = self.sample(FEATURES, 3)

    def has(self, feature: str) -> bool:
        return self.random() < (0.8 if feature in self._often else 0.04)


def text(seed: int) -> str:
    """Return a scenario whose first attempt is that of the pod default/waits."""
    random = Drawing(seed)
    nodes = [_node(random, f"n{number}") for number in range(1, random.randint(2, 4) + 1)]
    running = [_running(random, f"r{number}", nodes) for number in range(random.randint(0, 5))]
    waits = _waiting(random)
    volumes = list(_volumes(random, waits, nodes))
    budgets = [_budget(random)] if random.random() < 0.2 else []
    return scenario(*nodes, *volumes, *running, *budgets, waits)


def _node(random: Drawing, name: str) -> Manifest:
    labels: dict[str, str] = {}
    if random.random() < 0.6:
        labels[RACK] = random.choice("12")
    if random.random() < 0.5:
        labels[DISK] = random.choice(("ssd", "hdd"))
    if random.random() < 0.2:
        labels["size"] = str(random.randint(1, 5))
    taints = random.sample(TAINTS, random.choice((0, 1, 1, 2))) if random.has("taint") else []
    return node(
        name,
        cpu=random.randint(1, 4),
        memory=f"{random.randint(2, 4)}Gi",
        pods=random.choice((110, 1, 2)) if random.has("pods") else 110,
        zone=random.choice("ab") if random.random() < 0.9 else None,
        labels=labels,
        taints=taints,
        unschedulable=random.has("cordon") and random.random() < 0.7,
        resources={GPU: "2"} if random.random() < 0.3 else None,
    )


def _running(random: Drawing, name: str, nodes: list[Manifest]) -> Manifest:
    more: dict[str, Any] = {}
    if random.has("others"):
        more["affinity"] = {"podAntiAffinity": {REQUIRED: [_term(random)]}}
    return pod(
        name,
        cpu=random.choice(("500m", 1, 1, 2)),
        memory=random.choice((None, "1Gi")),
        node=random.choice(nodes)["metadata"]["name"],
        labels={"app": random.choice(APPS)},
        priority=random.choice((0, 5, 10)),
        host_port=80 if random.has("port") else None,
        **more,
    )


def _waiting(random: Drawing) -> Manifest:
    spec: dict[str, Any] = {}
    if random.has("selector"):
        keys = random.sample((ZONE, RACK, DISK), random.choice((1, 1, 2)))
        spec["nodeSelector"] = {key: _value(random, key) for key in keys}
    affinity: dict[str, Any] = {}
    if random.has("node affinity"):
        terms = [{"matchExpressions": list(_expressions(random))} for _ in range(random.choice((1, 1, 2)))]
        affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": terms}}
    if random.has("pod affinity"):
        affinity["podAffinity"] = {REQUIRED: [_term(random) for _ in range(random.choice((1, 1, 2)))]}
    if random.has("anti-affinity"):
        affinity["podAntiAffinity"] = {REQUIRED: [_term(random) for _ in range(random.choice((1, 1, 2)))]}
    if affinity:
        spec["affinity"] = affinity
    if random.has("spread"):
        spec["topologySpreadConstraints"] = [
            _spread(random, key) for key in random.sample((ZONE, RACK, HOST), random.choice((1, 1, 2)))
        ]
    if random.random() < 0.2:
        taint = random.choice(TAINTS)
        key, _, effect = taint.partition(":")
        spec["tolerations"] = [{"key": key.partition("=")[0], "operator": "Exists", "effect": effect}]
    if random.has("never preempts"):
        spec["preemptionPolicy"] = "Never"
    made = pod(
        "waits",
        cpu=random.choice((2, 3, 4, 6)) if random.has("request") else random.choice((None, "500m")),
        memory=random.choice(("1Gi", "3Gi")) if random.has("request") else None,
        labels={"app": random.choice(APPS), "tier": "front"},
        priority=random.choice((0, 5, 11)),
        host_port=80 if random.has("port") else None,
        **spec,
    )
    if random.random() < 0.2:
        more = {"name": "more", "image": "m", "resources": {"requests": {"cpu": random.choice(("500m", "2"))}}}
        made["spec"].setdefault(random.choice(("containers", "initContainers")), []).append(more)
    if random.has("gpu"):
        resources = made["spec"]["containers"][0].setdefault("resources", {})
        resources["limits"] = {GPU: str(random.randint(1, 3))}
    return made


def _value(random: Drawing, key: str) -> str:
    return random.choice({ZONE: ("a", "b", "c"), RACK: ("1", "2", "3"), DISK: ("ssd", "hdd", "nvme")}[key])


def _expressions(random: Drawing) -> Iterator[Manifest]:
    for key in random.sample((ZONE, RACK, DISK, "size"), random.choice((1, 1, 2))):
        if key == "size":
            yield {"key": key, "operator": random.choice(("Gt", "Lt")), "values": [str(random.randint(1, 5))]}
            continue
        operator = random.choice(("In", "In", "NotIn", "Exists", "DoesNotExist"))
        values = sorted({_value(random, key) for _ in range(2)}) if operator.endswith("In") else None
        yield {"key": key, "operator": operator, **({"values": values} if values else {})}


def _term(random: Drawing) -> Manifest:
    key = random.choice((ZONE, RACK, HOST))
    return {"labelSelector": {"matchLabels": {"app": random.choice(APPS)}}, "topologyKey": key}


def _spread(random: Drawing, key: str) -> Manifest:
    made = {
        "maxSkew": random.choice((1, 1, 2)),
        "topologyKey": key,
        "whenUnsatisfiable": random.choice(("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": {"matchLabels": {"app": random.choice(APPS)}},
    }
    if made["whenUnsatisfiable"] == "DoNotSchedule" and random.random() < 0.2:
        made["minDomains"] = random.randint(2, 4)
    return made


def _budget(random: Drawing) -> Manifest:
    selector = {"matchLabels": {"app": random.choice(APPS)}}
    spec = {"selector": selector, "maxUnavailable": random.choice((0, 1))}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "budget"}, "spec": spec}


def _volumes(random: Drawing, waits: Manifest, nodes: list[Manifest]) -> Iterator[Manifest]:
    """Yield, for some clusters, the claim of the pending pod and the objects that it needs."""
    if not random.has("volume"):
        return
    kind = random.choice(("bound", "bound", "missing", "static", "static", "provisioned", "unbound", "lost", "once"))
    waits["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    if kind == "missing":
        return
    mode = "ReadWriteOncePod" if kind == "once" else "ReadWriteOnce"
    spec: Manifest = {"accessModes": [mode], "resources": {"requests": {"storage": f"{random.choice((1, 2, 5))}Gi"}}}
    claim = _object("v1", "PersistentVolumeClaim", "data", spec=spec)
    yield claim
    if kind in ("bound", "lost", "once"):
        spec |= {"volumeName": "volume", "storageClassName": "disks"}
        if kind != "lost":
            yield _volume("volume", random.choice("abc"), mode=mode)
        if kind == "once" and random.random() < 0.7:
            user = pod("user", node=random.choice(nodes)["metadata"]["name"], priority=random.choice((0, 20)))
            user["spec"]["volumes"] = waits["spec"]["volumes"]
            yield user
        return
    spec["storageClassName"] = random.choice(("late", "late", "late", "nowhere")) if kind != "unbound" else "now"
    zones = random.choice((("a",), ("b",), ("a", "c")))
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]}]
    provisioner = DRIVER if kind == "provisioned" else "kubernetes.io/no-provisioner"
    late = {"provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
    limited = {"allowedTopologies": topologies} if kind == "provisioned" and random.random() < 0.6 else {}
    yield _object("storage.k8s.io/v1", "StorageClass", "late", **late, **limited)
    yield _object("storage.k8s.io/v1", "StorageClass", "now", provisioner=DRIVER, volumeBindingMode="Immediate")
    if kind == "static":
        for number in range(random.randint(1, 3)):
            size = f"{random.choice((1, 2, 5))}Gi"
            yield _volume(f"free-{number}", random.choice("ab"), size=size, storage_class="late")


def _volume(name: str, zone: str, *, size: str = "5Gi", storage_class: str = "disks", mode: str = "") -> Manifest:
    where = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]}
    spec = {
        "accessModes": [mode or "ReadWriteOnce"],
        "capacity": {"storage": size},
        "storageClassName": storage_class,
        "nodeAffinity": {"required": where},
        "csi": {"driver": DRIVER, "volumeHandle": name},
    }
    return _object("v1", "PersistentVolume", name, spec=spec)


def _object(version: str, kind: str, name: str, **more: Any) -> Manifest:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}
