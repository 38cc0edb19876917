"""Random events for the fuzz harness: what comes, changes and goes while pods wait."""

from __future__ import annotations

import copy
from random import Random

from tests.reference.scenario_pods import ZONE, Manifest, chance, draw_node, draw_pod, draw_running
from tests.reference.scenario_volumes import CLAIMS, csi_node, draw_claim, draw_claim_volumes, free_volume

TIMES = (0, 0.5, 1, 1, 1.5, 2, 2, 3, 4, 4.5, 5, 6, 8, 12)


def timeline(random: Random, nodes: list[Manifest], pods: list[Manifest], storage: list[Manifest]) -> Manifest:
    """A Scenario document; `nodes`, `pods` and `storage` are the initial objects."""
    world = World(random, nodes, pods, storage)
    count = random.choice((0, 1, 2, 4, 8, 14))
    for at in sorted(random.choice(TIMES) for _ in range(count)):
        world.happen(at)
    spec: Manifest = {"events": world.events}
    if random.randrange(4):
        spec["untilSeconds"] = random.choice((10, 30, 30, 65, 400))
    if chance(random, 8):
        spec["featureGates"] = {"SchedulerPopFromBackoffQ": False}
    return {"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "metadata": {"name": "fuzz"}, "spec": spec}


class World:
    """What exists according to the events drawn so far (pods may have been preempted meanwhile)."""

    def __init__(self, random: Random, nodes: list[Manifest], pods: list[Manifest], storage: list[Manifest]) -> None:
        self.random = random
        self.nodes = {one["metadata"]["name"]: one for one in nodes}
        self.gone: list[Manifest] = []
        self.pods = {one["metadata"]["name"]: one for one in pods}
        self.storage = {(one["kind"], one["metadata"]["name"]): one for one in storage}
        self.events: list[Manifest] = []
        self.number = 0

    def happen(self, at: float) -> None:
        """Draw one event."""
        choices = [self.update_node] * 4 + [self.delete_pod] * 3 + [self.create_pod] * 4 + [self.update_pod] * 3
        choices += [self.create_node] * 2 + [self.delete_node, self.recreate_node]
        if self.storage:
            choices += [self.change_storage] * 5
        event = self.random.choice(choices)()
        if event is not None:
            self.events.append({"at": at, **event})

    def create_node(self) -> Manifest:
        node = draw_node(self.random, f"m{self._next()}")
        self.nodes[node["metadata"]["name"]] = node
        return {"create": node}

    def update_node(self) -> Manifest | None:
        """One or two properties of a node change."""
        if not self.nodes:
            return None
        node = copy.deepcopy(self.random.choice(list(self.nodes.values())))
        other = draw_node(self.random, node["metadata"]["name"])
        for _ in range(self.random.choice((1, 1, 2))):
            kind = self.random.randrange(6)
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
        pod = (
            draw_running(self.random, name, names) if names and chance(self.random, 3) else draw_pod(self.random, name)
        )
        if self.storage:
            draw_claim_volumes(self.random, pod)
        self.pods[name] = pod
        return {"create": pod}

    def delete_pod(self) -> Manifest | None:
        if not self.pods:
            return None
        metadata = self.pods.pop(self.random.choice(list(self.pods)))["metadata"]
        return {"delete": {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"]}}

    def update_pod(self) -> Manifest | None:
        """Labels, tolerations, gates or smaller requests; only pods that nobody preempts, lest they be gone."""
        safe = [pod for pod in self.pods.values() if pod["spec"]["priority"] == 1000]
        if not safe:
            return None
        pod = copy.deepcopy(self.random.choice(safe))
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
        """A claim, a volume or a CSINode comes, changes or goes."""
        random, kind = self.random, self.random.randrange(5)
        names = list(self.nodes) or ["n0"]
        if kind == 0:
            missing = [name for name in (*CLAIMS, "later") if ("PersistentVolumeClaim", name) not in self.storage]
            for one in draw_claim(random, random.choice(missing), names)[::-1] if missing else ():
                return self._store(one)
        if kind == 1:
            return self._store(free_volume(random, f"new{self._next()}", names))
        if kind == 2:
            return self._store(csi_node(random, random.choice(names)))
        if kind == 3:
            found = [one for (of, _), one in self.storage.items() if of in ("VolumeAttachment", "CSIStorageCapacity")]
            return self._drop(random.choice(found)) if found else None
        found = [one for (of, _), one in self.storage.items() if of == "CSIStorageCapacity"]
        if found:
            return self._store(random.choice(found) | {"capacity": random.choice(("1Gi", "20Gi"))})
        return None

    def _store(self, item: Manifest) -> Manifest:
        key = item["kind"], item["metadata"]["name"]
        verb = "update" if key in self.storage else "create"
        self.storage[key] = item
        return {verb: item}

    def _drop(self, item: Manifest) -> Manifest:
        del self.storage[item["kind"], item["metadata"]["name"]]
        metadata = {key: item["metadata"][key] for key in ("namespace", "name") if key in item["metadata"]}
        return {"delete": {"kind": item["kind"], **metadata}}

    def _next(self) -> int:
        self.number += 1
        return self.number
