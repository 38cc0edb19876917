"""Random scenarios for the fuzz harness: small clusters with a bit of everything, as the text of a scenario file.

Everything is drawn from few values, so that pods meet: the same labels, ports, zones, priorities and start times.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

Manifest = dict[str, Any]

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
APPS = ("web", "db", "job")
NAMESPACES = ("default", "team")
PRIORITIES = (-10, 0, 0, 10, 10, 100, 1000)
IMAGES = {"big:1": 700 * 2**20, "mid:latest": 300 * 2**20, "small:2": 30 * 2**20}
TAINTS = (("dedicated", "gpu", "NoSchedule"), ("old", "", "PreferNoSchedule"), ("broken", "", "NoExecute"))
SCORE_PLUGINS = ("TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation",
                 "PodTopologySpread", "InterPodAffinity", "ImageLocality")  # fmt: skip


def scenario_text(random: Random) -> str:
    """A scenario file: one JSON document per object."""
    nodes = [_node(random, f"n{i}") for i in range(random.randint(1, 7))]
    names = [node["metadata"]["name"] for node in nodes]
    running = [_running(random, f"r{i}", names) for i in range(random.randint(0, 12))]
    pending = [_pod(random, f"p{i}") for i in range(random.randint(1, 7))]
    documents = [_namespace(random, "team"), *nodes, *running, *pending]
    documents += [_budget(random, i) for i in range(random.choice((0, 0, 1, 2)))]
    documents += [_service(random, i) for i in range(random.choice((0, 0, 1)))]
    if random.randrange(3) == 0:
        documents.append(_configuration(random))
    documents.append(_timeline(random, running))
    return "\n---\n".join(map(json.dumps, documents))


def _node(random: Random, name: str) -> Manifest:
    labels = {HOSTNAME: name}
    if random.randrange(5):
        labels[ZONE] = random.choice(("a", "b", "c"))
    if random.randrange(2):
        labels["disk"] = random.choice(("ssd", "hdd"))
    capacity = {
        "cpu": str(random.randint(1, 4)),
        "memory": f"{random.randint(1, 6)}Gi",
        "pods": str(random.randint(2, 9)),
    }
    if random.randrange(3) == 0:
        capacity["example.com/gpu"] = str(random.randint(1, 3))
    taints = [dict(zip(("key", "value", "effect"), t, strict=True)) for t in TAINTS if random.randrange(8) == 0]
    images = [{"names": [i], "sizeBytes": size} for i, size in IMAGES.items() if random.randrange(3) == 0]
    spec: Manifest = {"taints": taints} if taints else {}
    if random.randrange(12) == 0:
        spec["unschedulable"] = True
    status = {"capacity": capacity, "images": images}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


def _pod(random: Random, name: str) -> Manifest:
    labels = {"app": random.choice(APPS)} if random.randrange(6) else {}
    spec: Manifest = {"containers": [_container(random, i) for i in range(random.choice((1, 1, 1, 2)))]}
    spec["priority"] = random.choice(PRIORITIES)
    if random.randrange(12) == 0:
        spec["preemptionPolicy"] = "Never"
    if random.randrange(4) == 0:
        keys = [random.choice([t[0] for t in TAINTS]), "node.kubernetes.io/unschedulable"]
        spec["tolerations"] = [{"key": random.choice(keys), "operator": "Exists"}]
    if random.randrange(6) == 0:
        spec["nodeSelector"] = {"disk": random.choice(("ssd", "hdd"))}
    affinity = {key: value for key, value in _affinity(random).items() if value}
    if affinity:
        spec["affinity"] = affinity
    if random.randrange(4) == 0:
        constraints = [_spread(random) for _ in range(random.randint(1, 2))]
        unique = {(c["topologyKey"], c["whenUnsatisfiable"]): c for c in constraints}
        spec["topologySpreadConstraints"] = list(unique.values())
    metadata: Manifest = {"name": name, "namespace": random.choice(NAMESPACES), "labels": labels}
    if random.randrange(4) == 0:
        metadata["annotations"] = {"kschedui.io/termination-seconds": str(random.choice((3, 7, 40)))}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _running(random: Random, name: str, nodes: list[str]) -> Manifest:
    pod = _pod(random, name)
    pod["spec"]["nodeName"] = random.choice(nodes)
    pod["status"] = {"phase": "Running", "startTime": f"2024-12-31T00:0{random.randint(0, 3)}:00Z"}
    return pod


def _container(random: Random, number: int) -> Manifest:
    requests: Manifest = {}
    if random.randrange(6):
        requests["cpu"] = random.choice(("100m", "300m", "500m", "1", "1500m", "2"))
    if random.randrange(3):
        requests["memory"] = random.choice(("64Mi", "200Mi", "1Gi", "2Gi"))
    limits: Manifest = {}
    if random.randrange(8) == 0:
        requests["example.com/gpu"] = limits["example.com/gpu"] = "1"
    container: Manifest = {
        "name": f"c{number}",
        "image": random.choice(("big:1", "mid", "small:2", "x")),
    }
    container["resources"] = {"requests": requests, "limits": limits}
    if number == 0 and random.randrange(8) == 0:
        port: Manifest = {"containerPort": 80, "hostPort": random.choice((80, 81))}
        if random.randrange(2):
            port["hostIP"] = random.choice(("10.0.0.1", "10.0.0.2"))
        container["ports"] = [port]
    return container


def _selector(random: Random) -> Manifest:
    kind = random.randrange(6)
    if kind == 0:
        return {}
    if kind == 1:
        return {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [random.choice(APPS)]}]}
    return {"matchLabels": {"app": random.choice(APPS)}}


def _affinity(random: Random) -> Manifest:
    hard, soft = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
    found: Manifest = {}
    if random.randrange(6) == 0:
        found["nodeAffinity"] = _node_affinity(random, hard, soft)
    for kind, odds in (("podAffinity", 8), ("podAntiAffinity", 5)):
        rules: Manifest = {}
        if random.randrange(odds) == 0:
            rules[hard] = [_term(random) for _ in range(random.choice((1, 1, 2)))]
        if random.randrange(odds) == 0:
            rules[soft] = [{"weight": random.choice((1, 50)), "podAffinityTerm": _term(random)}]
        found[kind] = rules
    return found


def _node_affinity(random: Random, hard: str, soft: str) -> Manifest:
    expression = {"key": "disk", "operator": random.choice(("In", "NotIn")), "values": ["ssd"]}
    rules: Manifest = {}
    if random.randrange(2):
        rules[soft] = [{"weight": random.choice((1, 7)), "preference": {"matchExpressions": [expression]}}]
    elif random.randrange(2):
        names = {"key": "metadata.name", "operator": "In", "values": [f"n{random.randrange(8)}"]}
        rules[hard] = {"nodeSelectorTerms": [{"matchFields": [names]} for _ in range(random.randint(1, 2))]}
    else:
        rules[hard] = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return rules


def _term(random: Random) -> Manifest:
    term: Manifest = {"topologyKey": random.choice((HOSTNAME, ZONE)), "labelSelector": _selector(random)}
    if random.randrange(4) == 0:
        term["namespaceSelector"] = random.choice(({}, {"matchLabels": {"tier": "prod"}}))
    elif random.randrange(4) == 0:
        term["namespaces"] = [random.choice(NAMESPACES)]
    return term


def _spread(random: Random) -> Manifest:
    constraint: Manifest = {"maxSkew": random.choice((1, 1, 2)), "topologyKey": random.choice((HOSTNAME, ZONE))}
    constraint["whenUnsatisfiable"] = random.choice(("DoNotSchedule", "ScheduleAnyway"))
    constraint["labelSelector"] = _selector(random)
    if constraint["whenUnsatisfiable"] == "DoNotSchedule" and random.randrange(4) == 0:
        constraint["minDomains"] = random.randint(1, 4)
    if random.randrange(4) == 0:
        constraint["nodeTaintsPolicy"] = "Honor"
    if random.randrange(4) == 0:
        constraint["nodeAffinityPolicy"] = "Ignore"
    return constraint


def _namespace(random: Random, name: str) -> Manifest:
    labels = {"tier": "prod"} if random.randrange(2) else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _budget(random: Random, number: int) -> Manifest:
    spec: Manifest = {"selector": _selector(random)}
    spec[random.choice(("minAvailable", "maxUnavailable"))] = random.choice((0, 1, 2, "50%"))
    metadata = {"name": f"budget{number}", "namespace": random.choice(NAMESPACES)}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


def _service(random: Random, number: int) -> Manifest:
    spec = {"selector": {"app": random.choice(APPS)}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"service{number}"}, "spec": spec}


def _configuration(random: Random) -> Manifest:
    strategy: Manifest = {"type": random.choice(("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"))}
    strategy["resources"] = [{"name": "cpu", "weight": 3}, {"name": random.choice(("memory", "example.com/gpu"))}]
    if strategy["type"] == "RequestedToCapacityRatio":
        shape = [{"utilization": 0, "score": 8}, {"utilization": 60, "score": 1}, {"utilization": 100, "score": 10}]
        strategy["requestedToCapacityRatio"] = {"shape": shape}
    fit: Manifest = {"scoringStrategy": strategy}
    if random.randrange(3) == 0:
        fit["ignoredResources"] = ["example.com/gpu"]
    few = {
        "minCandidateNodesPercentage": random.choice((0, 30, 100)),
        "minCandidateNodesAbsolute": random.choice((0, 1, 2)),
    }
    if not any(few.values()):
        few["minCandidateNodesAbsolute"] = 1
    affinity = {"hardPodAffinityWeight": random.choice((0, 1, 20))}
    args = [("NodeResourcesFit", fit), ("DefaultPreemption", few), ("InterPodAffinity", affinity)]
    profile: Manifest = {"schedulerName": "default-scheduler"}
    profile["pluginConfig"] = [{"name": name, "args": values} for name, values in args if random.randrange(3)]
    dropped = [{"name": name} for name in SCORE_PLUGINS if random.randrange(5) == 0]
    profile["plugins"] = {"score": {"disabled": dropped if random.randrange(8) else [{"name": "*"}]}}
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [profile]}


def _timeline(random: Random, running: list[Manifest]) -> Manifest:
    events: list[Manifest] = []
    if running and random.randrange(3) == 0:
        metadata = random.choice(running)["metadata"]
        pod = {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"]}
        events.append({"at": random.choice((1, 4)), "delete": pod})
    if random.randrange(3) == 0:
        events.append({"at": random.choice((2, 5)), "create": _pod(random, "late")})
    spec = {"events": events, "untilSeconds": 30}
    return {"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "metadata": {"name": "fuzz"}, "spec": spec}
