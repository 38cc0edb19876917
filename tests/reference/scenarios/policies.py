"""Random namespaces, disruption budgets and workloads for the fuzz harness."""

from __future__ import annotations

from random import Random

from tests.reference.scenarios.pods import APPS, NAMESPACES, Manifest, chance, selector


def namespace(random: Random, name: str) -> Manifest:
    labels = {"tier": random.choice(("prod", "test"))} if random.randrange(3) else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def budget(random: Random, number: int) -> Manifest:
    spec: Manifest = {"selector": selector(random)}
    spec[random.choice(("minAvailable", "maxUnavailable"))] = random.choice((0, 1, 2, "50%"))
    found = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": spec}
    found["metadata"] = {"name": f"budget{number}", "namespace": random.choice(NAMESPACES)}
    if chance(random, 4):
        found["status"] = {"disruptionsAllowed": random.choice((1, 2)), "currentHealthy": 0, "desiredHealthy": 0}
        found["status"]["expectedPods"] = 0
    return found


def workloads(random: Random) -> list[Manifest]:
    """Return none, one or two workloads whose selectors default topology spread constraints use."""
    found: list[Manifest] = []
    if chance(random, 3):
        found.append(service(random))
    if chance(random, 4):
        app = {"app": random.choice(APPS)}
        template = {"metadata": {"labels": app}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
        spec = {"selector": {"matchLabels": app}, "template": template}
        metadata = {"name": "set", "uid": "11111111-1111-1111-1111-111111111111"}
        found.append({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec})
    return found


def service(random: Random) -> Manifest:
    spec = {"selector": {"app": random.choice(APPS)}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "service"}, "spec": spec}
