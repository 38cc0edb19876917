"""Random events for the fuzz harness: objects that are created, changed and deleted while pods are pending."""

from __future__ import annotations

import copy
from random import Random

from tests.reference.scenarios.pods import ZONE, Manifest, chance, draw_node, draw_pod, draw_running, follow_model
from tests.reference.scenarios.policies import budget, namespace, service
from tests.reference.scenarios.volumes import (
    CLAIMS,
    DRIVER,
    capacity,
    csi_node,
    draw_claim,
    draw_claim_volumes,
    free_volume,
    storage_class,
)

TIMES = (0, 0.5, 1, 1, 1.5, 2, 2, 3, 4, 4.5, 5, 6, 8, 12)


def timeline(
    random: Random,
    nodes: list[Manifest],
    pods: list[Manifest],
    storage: list[Manifest],
    others: list[Manifest],
    model: Manifest | None,
) -> Manifest:
    """Return a Scenario document.

    `nodes`, `pods`, `storage` and `others` are the initial objects; `model` is the pod that most pods follow.
    """
    world = World(random, nodes, pods, storage, others, model)
    count = random.choice((0, 1, 2, 4, 8, 14))
    for at in sorted(random.choice(TIMES) for _ in range(count)):
        world.draw_event(at)
    gates = {"OpportunisticBatching": False}  # the reference follows 1.36 without batching
    spec: Manifest = {"kubernetesVersion": "1.36", "events": world.events, "featureGates": gates}
    if random.randrange(4):
        spec["untilSeconds"] = random.choice((10, 30, 30, 65, 400))
    if chance(random, 8):
        gates["SchedulerPopFromBackoffQ"] = False
    return {"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "metadata": {"name": "fuzz"}, "spec": spec}


def key_of(item: Manifest) -> tuple[str, str, str]:
    """Return (kind, namespace, name)."""
    return item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]


class World:
    """The objects after the events drawn so far, if no pod is preempted."""

    def __init__(
        self,
        random: Random,
        nodes: list[Manifest],
        pods: list[Manifest],
        storage: list[Manifest],
        others: list[Manifest],
        model: Manifest | None,
    ) -> None:
        self.random = random
        self.model = model
        self.has_storage = bool(storage)
        self.at = 0.0
        self.nodes = {one["metadata"]["name"]: one for one in nodes}
        self.gone: list[Manifest] = []
        self.pods = {one["metadata"]["name"]: one for one in pods}
        self.storage = {key_of(one): one for one in (*storage, *others)}
        self.events: list[Manifest] = []
        self.number = 0

    def draw_event(self, at: float) -> None:
        """Draw a change and append its events; none if the change is impossible, for example without nodes."""
        self.at = at
        choices = [self.update_node] * 4 + [self.delete_pod] * 3 + [self.create_pod] * 4 + [self.update_pod] * 3
        choices += [self.recreate_pod]
        choices += [self.create_node] * 2 + [self.delete_node, self.recreate_node, self.change_others]
        if self.has_storage:
            choices += [self.change_storage] * 5
        event = self.random.choice(choices)()
        if event is not None:
            self.events.append({"at": at, **event})

    def create_node(self) -> Manifest:
        node = draw_node(self.random, f"m{self._next()}")
        self.nodes[node["metadata"]["name"]] = node
        return {"create": node}

    def update_node(self) -> Manifest | None:
        """Return an update of one or two properties of a node, or None without nodes."""
        if not self.nodes:
            return None
        node = copy.deepcopy(self.random.choice(list(self.nodes.values())))
        other = draw_node(self.random, node["metadata"]["name"])
        for _ in range(self.random.choice((1, 1, 2))):
            kind = self.random.randrange(7)
            if kind == 0:
                node["metadata"]["labels"] = other["metadata"]["labels"]
            elif kind == 1:
                node["metadata"]["labels"][ZONE] = self.random.choice(("a", "b", "c"))
            elif kind == 2:
                node["spec"] = other["spec"]
            elif kind == 3:
                node["status"]["capacity"] = other["status"]["capacity"]
            elif kind == 4:
                node["status"]["images"] = other["status"]["images"]
            elif kind == 5:
                node["status"]["declaredFeatures"] = other["status"].get("declaredFeatures", [])
            else:
                node["metadata"]["annotations"] = {"note": str(self._next())}
        self.nodes[node["metadata"]["name"]] = node
        return {"update": node}

    def delete_node(self) -> Manifest | None:
        if not self.nodes:
            return None
        name = self.random.choice(list(self.nodes))
        self.gone.append(self.nodes.pop(name))
        return {"delete": {"kind": "Node", "name": name}}

    def recreate_node(self) -> Manifest | None:
        if not self.gone:
            return None
        node = copy.deepcopy(self.gone.pop())
        if chance(self.random, 2):
            node = draw_node(self.random, node["metadata"]["name"])
        self.nodes[node["metadata"]["name"]] = node
        return {"create": node}

    def create_pod(self) -> Manifest:
        name = f"late{self._next()}"
        names = list(self.nodes)
        runs = names and chance(self.random, 3)
        pod = draw_running(self.random, name, names) if runs else draw_pod(self.random, name)
        follow_model(self.random, pod, self.model)
        if self.has_storage:
            draw_claim_volumes(self.random, pod)
        self.pods[name] = pod
        return {"create": pod}

    def delete_pod(self) -> Manifest | None:
        if not self.pods:
            return None
        metadata = self.pods.pop(self.random.choice(list(self.pods)))["metadata"]
        return {"delete": {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"]}}

    def recreate_pod(self) -> Manifest | None:
        """Append the deletion of a pod and return its creation as a pending pod. Return None without pods."""
        if not self.pods:
            return None
        pod = copy.deepcopy(self.random.choice(list(self.pods.values())))
        where = {"kind": "Pod", "namespace": pod["metadata"]["namespace"], "name": pod["metadata"]["name"]}
        self.events.append({"at": self.at, "delete": where})
        pod["spec"].pop("nodeName", None)
        pod.pop("status", None)
        self.pods[pod["metadata"]["name"]] = pod
        return {"create": pod}

    def update_pod(self) -> Manifest | None:
        """Return an update of a pod's phase, or of its labels, tolerations, gates or requests.

        Only pods of the highest priority are updated, because others may have been preempted. Return None without one.
        """
        safe = [pod for pod in self.pods.values() if pod["spec"]["priority"] == 1000]
        if not safe:
            return None
        pod = copy.deepcopy(self.random.choice(safe))
        if chance(self.random, 8):
            del self.pods[pod["metadata"]["name"]]
            pod["status"] = {"phase": self.random.choice(("Succeeded", "Failed"))}
            return {"update": pod}
        for _ in range(self.random.choice((1, 1, 2))):
            kind = self.random.randrange(4)
            if kind == 0:
                pod["metadata"]["labels"] = draw_pod(self.random, "x")["metadata"]["labels"]
            elif kind == 1:
                key = self.random.choice(("dedicated", "broken", "node.kubernetes.io/unschedulable"))
                pod["spec"].setdefault("tolerations", []).append({"key": key, "operator": "Exists"})
            elif kind == 2:
                pod["spec"].pop("schedulingGates", None)
            else:
                requests = pod["spec"]["containers"][0].get("resources", {}).get("requests", {})
                if "cpu" in requests and "resources" not in pod["spec"]:
                    requests["cpu"] = self.random.choice(("50m", "200m"))
        self.pods[pod["metadata"]["name"]] = pod
        return {"update": pod}

    def change_storage(self) -> Manifest | None:
        """Create, update or delete an object that volume plugins read. Return the event, or None if nothing changes."""
        random, names = self.random, list(self.nodes) or ["n0"]
        kind = random.randrange(10)
        if kind == 0:
            return self._store_claim(names)
        if kind == 1:
            return self._store(free_volume(random, f"new{self._next()}", names))
        if kind in (2, 3):
            return self._store(csi_node(random, random.choice(names)))
        if kind == 4:
            item = self._one_of(
                "VolumeAttachment", "CSIStorageCapacity", "StorageClass", "CSIDriver", "PersistentVolume"
            )
            return self._drop(item) if item else None
        if kind == 5:
            zone = random.choice(("a", "b"))
            return self._store(capacity(random, zone))
        if kind == 6:
            return self._store(storage_class("topo", zones=random.choice((["a"], ["b", "c"], ["a", "b"]))))
        if kind == 7:
            spec = {"storageCapacity": bool(random.randrange(2))}
            driver: Manifest = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}}
            return self._store(driver | {"spec": spec})
        if kind == 8:
            volume = copy.deepcopy(self._one_of("PersistentVolume"))
            if volume is not None:
                volume["metadata"]["labels"] = {ZONE: random.choice(("a", "b", "b__c"))}
                return self._store(volume)
        return self._store(storage_class(random.choice(("dyn", "local", "imm")), mode="WaitForFirstConsumer"))

    def change_others(self) -> Manifest:
        """Return a change of a namespace, a budget or a service: plugins read them but register no events for them."""
        kind = self.random.randrange(4)
        if kind == 0:
            return self._store(namespace(self.random, "team"))
        if kind == 3 and ("Namespace", "", "team") in self.storage:
            return self._drop(self.storage["Namespace", "", "team"])
        if kind == 1:
            return self._store(budget(self.random, 0))
        return self._store(service(self.random))

    def _store_claim(self, names: list[str]) -> Manifest | None:
        missing = [
            name for name in (*CLAIMS, "later") if ("PersistentVolumeClaim", "default", name) not in self.storage
        ]
        if not missing:
            return None
        volume = claim = None
        for one in draw_claim(self.random, self.random.choice(missing), names):
            volume, claim = (one, claim) if one["kind"] == "PersistentVolume" else (volume, one)
        if volume is not None and claim is not None and chance(self.random, 2):
            self.events.append({"at": self.at, **self._store(volume)})
        return self._store(claim) if claim is not None else None

    def _one_of(self, *kinds: str) -> Manifest | None:
        found = [one for (kind, _, _), one in self.storage.items() if kind in kinds]
        return self.random.choice(found) if found else None

    def _store(self, item: Manifest) -> Manifest:
        key = key_of(item)
        verb = "update" if key in self.storage else "create"
        self.storage[key] = item
        return {verb: item}

    def _drop(self, item: Manifest) -> Manifest:
        del self.storage[key_of(item)]
        metadata = {key: item["metadata"][key] for key in ("namespace", "name") if key in item["metadata"]}
        return {"delete": {"kind": item["kind"], **metadata}}

    def _next(self) -> int:
        self.number += 1
        return self.number
