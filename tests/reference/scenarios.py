"""Random scenarios for the fuzz harness: small clusters with a bit of everything, as the text of a scenario file.

Everything is drawn from few values, so that pods meet: the same labels, ports, zones, priorities, claims and start
times. scenario_pods, scenario_volumes, scenario_config and scenario_timeline each draw a part of it.
"""

from __future__ import annotations

import json
from random import Random

from tests.reference.scenario_config import configuration, extender_scripts
from tests.reference.scenario_pods import (
    NAMESPACES,
    Manifest,
    chance,
    draw_node,
    draw_pod,
    draw_running,
    selector,
)
from tests.reference.scenario_timeline import timeline
from tests.reference.scenario_volumes import draw_claim_volumes, draw_storage

APPS = ("web", "db", "job")


def scenario_text(random: Random) -> str:
    """A scenario file: one JSON document per object."""
    many = chance(random, 60)  # more nodes than are searched
    nodes = [draw_node(random, f"n{i}") for i in range(random.randint(100, 125) if many else random.randint(1, 7))]
    names = [node["metadata"]["name"] for node in nodes]
    pods = [draw_running(random, f"r{i}", names) for i in range(random.randint(0, 12))]
    pods += [draw_pod(random, f"p{i}") for i in range(random.randint(1, 3 if many else 8))]
    documents = [namespace(random, "team"), *nodes]
    storage: list[Manifest] = []
    if chance(random, 3):
        storage = draw_storage(random, names)
        for pod in pods:
            draw_claim_volumes(random, pod)
    documents += [*storage, *pods]
    documents += [budget(random, i) for i in range(random.choice((0, 0, 1, 2)))]
    documents += workloads(random)
    config = configuration(random) if chance(random, 3) else None
    if config is not None:
        documents.append(config)
    documents.append(timeline(random, nodes, pods, storage))
    documents[-1]["spec"] |= extender_scripts(random, config)
    return "\n---\n".join(map(json.dumps, documents))


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
    """What default topology spreading selects by."""
    found: list[Manifest] = []
    if chance(random, 3):
        spec = {"selector": {"app": random.choice(APPS)}, "ports": [{"port": 80}]}
        found.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "service"}, "spec": spec})
    if chance(random, 4):
        app = {"app": random.choice(APPS)}
        template = {"metadata": {"labels": app}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
        spec = {"selector": {"matchLabels": app}, "template": template}
        metadata = {"name": "set", "uid": "11111111-1111-1111-1111-111111111111"}
        found.append({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec})
    return found
