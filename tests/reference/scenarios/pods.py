"""Random nodes and pods for the fuzz harness."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

Manifest = dict[str, Any]

HOSTNAME, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"
REGION = "topology.kubernetes.io/region"
APPS = ("web", "db", "job")
NAMESPACES = ("default", "default", "team")
PRIORITIES = (-10, 0, 0, 10, 10, 100, 1000)
IMAGES = {"big:1": 700 * 2**20, "mid:latest": 300 * 2**20, "small:2": 30 * 2**20}
TAINTS = (("dedicated", "gpu", "NoSchedule"), ("old", "", "PreferNoSchedule"), ("broken", "", "NoExecute"),
          ("old", "very", "PreferNoSchedule"))  # fmt: skip
FEATURES = ("RestartAllContainersOnContainerExits", "SomethingElse")
EXIT_CODES = {"operator": "In", "values": [42]}
HARD, SOFT = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


def chance(random: Random, one_in: int) -> bool:
    """Return True with probability 1 / `one_in`."""
    return random.randrange(one_in) == 0


def draw_node(random: Random, name: str) -> Manifest:
    labels = {HOSTNAME: name}
    if random.randrange(5):
        labels[ZONE] = random.choice(("a", "b", "c"))
    if chance(random, 8):
        labels[REGION] = random.choice(("x", "y"))
    if random.randrange(2):
        labels["disk"] = random.choice(("ssd", "hdd"))
    if random.randrange(2):
        labels[RACK] = random.choice(("r1", "r2"))
    if chance(random, 3):
        labels["gen"] = random.choice(("1", "2", "3", "old"))
    capacity = {
        "cpu": random.choice(("1", "2", "3", "3500m", "4")),
        "memory": f"{random.randint(1, 6)}Gi",
        "pods": str(random.randint(2, 9)),
    }
    if chance(random, 3):
        capacity["example.com/gpu"] = str(random.randint(0, 3))
    if chance(random, 3):
        capacity["ephemeral-storage"] = "4Gi"
    taints = [dict(zip(("key", "value", "effect"), t, strict=True)) for t in TAINTS if chance(random, 9)]
    taints = list({(taint["key"], taint["effect"]): taint for taint in taints}.values())
    images = [{"names": [i], "sizeBytes": size} for i, size in IMAGES.items() if chance(random, 3)]
    if images and chance(random, 4):
        images[0]["names"].append("alias:1")
        images[0]["sizeBytes"] += random.choice((0, 2**20))
    spec: Manifest = {"taints": taints} if taints else {}
    if chance(random, 12):
        spec["unschedulable"] = True
    metadata: Manifest = {"name": name, "labels": labels}
    status: Manifest = {"capacity": capacity, "images": images}
    if features := [feature for feature in FEATURES if chance(random, 2)]:
        status["declaredFeatures"] = features
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def draw_pod(random: Random, name: str) -> Manifest:
    labels = {"app": random.choice(APPS)} if random.randrange(6) else {}
    if chance(random, 2):
        labels["rev"] = random.choice(("1", "2"))
    spec: Manifest = {"containers": [_container(random, i) for i in range(random.choice((1, 1, 1, 2)))]}
    if chance(random, 6):
        spec["initContainers"] = [_init_container(random, i) for i in range(random.choice((1, 1, 2)))]
    if chance(random, 8):
        spec["overhead"] = {"cpu": "100m", "memory": "64Mi"} if chance(random, 2) else {"cpu": "500m"}
    if chance(random, 10):
        _pod_level_resources(random, spec)
    spec["priority"] = random.choice(PRIORITIES)
    if chance(random, 12):
        spec["preemptionPolicy"] = "Never"
    if chance(random, 20):
        spec["hostNetwork"] = True
    if chance(random, 12):
        rule = {"action": random.choice(("Restart", *["RestartAllContainers"] * 4)), "exitCodes": EXIT_CODES}
        spec["containers"][0].update({"restartPolicy": "Never", "restartPolicyRules": [rule]})
    if chance(random, 3):
        spec["tolerations"] = [_toleration(random) for _ in range(random.choice((1, 1, 2)))]
    if chance(random, 7):
        spec["nodeSelector"] = {"disk": random.choice(("ssd", "hdd"))}
    affinity = {key: value for key, value in _affinity(random).items() if value}
    if affinity:
        spec["affinity"] = affinity
    if chance(random, 4):
        constraints = [_spread(random) for _ in range(random.randint(1, 2))]
        unique = {(c["topologyKey"], c["whenUnsatisfiable"]): c for c in constraints}
        spec["topologySpreadConstraints"] = list(unique.values())
    if chance(random, 12):
        spec["schedulingGates"] = [{"name": "example.com/hold"}]
    if chance(random, 8):
        spec["volumes"] = [_disk(random)]
    metadata: Manifest = {"name": name, "namespace": random.choice(NAMESPACES), "labels": labels}
    if chance(random, 4):
        metadata["annotations"] = {"kschedui.io/termination-seconds": str(random.choice((3, 7, 40)))}
    if chance(random, 6):
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "controller": True}
        metadata["ownerReferences"] = [owner | {"uid": "11111111-1111-1111-1111-111111111111"}]
    if chance(random, 8):
        spec["schedulerName"] = random.choice(("packer", "nobody"))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def draw_running(random: Random, name: str, nodes: list[str]) -> Manifest:
    pod = draw_pod(random, name)
    pod["spec"].pop("schedulingGates", None)
    pod["spec"]["nodeName"] = random.choice(nodes) if random.randrange(25) else "n0"
    pod["status"] = {"phase": "Running", "startTime": f"2024-12-31T00:0{random.randint(0, 3)}:00Z"}
    return pod


def draw_model(random: Random) -> Manifest:
    """Return a pod with affinity, spread constraints or a host port, which most pods of a scenario then follow."""
    while True:
        pod = draw_pod(random, "model")
        container = pod["spec"]["containers"][0]
        if any(key in pod["spec"] for key in ("affinity", "topologySpreadConstraints")) or "ports" in container:
            return pod


def follow_model(random: Random, pod: Manifest, model: Manifest | None) -> None:
    """Give the pod the model's rules and namespace, and usually small requests, so that the rules decide.

    Every fourth pod on average is left as it is.
    """
    if model is None or chance(random, 4):
        return
    spec, like = pod["spec"], model["spec"]
    for key in ("affinity", "topologySpreadConstraints", "tolerations", "volumes"):
        spec.pop(key, None)
        if key in like:
            spec[key] = copy.deepcopy(like[key])
    if "ports" in like["containers"][0]:
        spec["containers"][0]["ports"] = like["containers"][0]["ports"]
    pod["metadata"]["namespace"] = model["metadata"]["namespace"]
    if chance(random, 2):
        pod["metadata"]["labels"] = model["metadata"]["labels"]
    if "resources" not in spec and random.randrange(3):
        spec["containers"][0]["resources"] = {"requests": {"cpu": random.choice(("50m", "200m"))}}
    spec.pop("nodeSelector", None)
    if chance(random, 2):  # the same containers and resources, too
        for key in ("containers", "initContainers", "overhead", "resources"):
            spec.pop(key, None)
            if key in like:
                spec[key] = copy.deepcopy(like[key])


def request_little(pod: Manifest) -> None:
    """Remove rules and large requests that would exclude the pod from most nodes, so that its volumes decide."""
    for key in ("affinity", "topologySpreadConstraints", "nodeSelector", "initContainers", "overhead", "resources"):
        pod["spec"].pop(key, None)
    pod["spec"]["containers"] = [{"name": "c0", "image": "x", "resources": {"requests": {"cpu": "50m"}}}]


def selector(random: Random) -> Manifest:
    """Return a random label selector."""
    kind = random.randrange(8)
    if kind == 0:
        return {}
    if kind == 1:
        return {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [random.choice(APPS)]}]}
    if kind == 2:
        return {"matchExpressions": [{"key": "rev", "operator": random.choice(("Exists", "DoesNotExist"))}]}
    return {"matchLabels": {"app": random.choice(APPS)}}


def _container(random: Random, number: int) -> Manifest:
    requests: Manifest = {}
    if random.randrange(6):
        requests["cpu"] = random.choice(("100m", "300m", "500m", "1", "1500m", "2", "0"))
    if random.randrange(3):
        requests["memory"] = random.choice(("64Mi", "200Mi", "1Gi", "2Gi"))
    if chance(random, 12):
        requests["ephemeral-storage"] = random.choice(("1Gi", "3Gi"))
    limits: Manifest = {}
    if chance(random, 8):
        requests["example.com/gpu"] = limits["example.com/gpu"] = random.choice(("1", "2", "0"))
    if chance(random, 12):
        limits["cpu"] = "2"
    container: Manifest = {"name": f"c{number}", "image": random.choice(("big:1", "mid", "small:2", "x", "alias:1"))}
    container["resources"] = {"requests": requests, "limits": limits}
    if number == 0 and chance(random, 6):
        container["ports"] = [_port(random)]
    return container


def _port(random: Random) -> Manifest:
    number = random.choice((80, 81))
    port: Manifest = {"containerPort": number, "hostPort": number}
    if random.randrange(2):
        port["hostIP"] = random.choice(("10.0.0.1", "10.0.0.2", "0.0.0.0"))
    if chance(random, 4):
        port["protocol"] = "UDP"
    return port


def _init_container(random: Random, number: int) -> Manifest:
    container = _container(random, number + 5)
    container["name"] = f"i{number}"
    if chance(random, 2):
        container["restartPolicy"] = "Always"
        if chance(random, 4):
            container["ports"] = [_port(random)]
    return container


def _pod_level_resources(random: Random, spec: Manifest) -> None:
    """Add pod-level resources, and replace all containers with two that do not request more than the pod does."""
    spec["containers"] = [{"name": "c0", "image": "mid"}, {"name": "c1", "image": "x"}]
    spec.pop("initContainers", None)
    if chance(random, 2):
        spec["containers"][0]["resources"] = {"requests": {random.choice(("cpu", "memory")): "50"}}
        if "memory" in spec["containers"][0]["resources"]["requests"]:
            spec["containers"][0]["resources"] = {"requests": {"memory": "64Mi"}}
        else:
            spec["containers"][0]["resources"] = {"requests": {"cpu": "100m"}}
    both = {"cpu": random.choice(("300m", "1")), "memory": random.choice(("256Mi", "1Gi"))}
    requests = both if chance(random, 2) else {"cpu": both["cpu"]}
    spec["resources"] = {"requests": requests}
    if chance(random, 3):
        spec["resources"]["limits"] = {"cpu": "2"}


def _toleration(random: Random) -> Manifest:
    if chance(random, 8):
        return {"operator": "Exists"}
    key = random.choice([*(t[0] for t in TAINTS), "node.kubernetes.io/unschedulable"])
    found: Manifest = {"key": key, "operator": "Exists"}
    if chance(random, 2):
        found = {"key": key, "value": random.choice(("gpu", "", "very"))}
    if chance(random, 2):
        found["effect"] = random.choice(("NoSchedule", "PreferNoSchedule", "NoExecute"))
    return found


def _disk(random: Random) -> Manifest:
    """Return an inline volume of a type that VolumeRestrictions restricts."""
    read_only = {"readOnly": True} if chance(random, 2) else {}
    kind = random.randrange(4)
    if kind == 0:
        return {"name": "disk", "awsElasticBlockStore": {"volumeID": "v1"} | read_only}
    if kind == 1:
        return {"name": "disk", "gcePersistentDisk": {"pdName": random.choice(("d1", "d2"))} | read_only}
    if kind == 2:
        monitors = random.choice((["m1", "m2"], ["m2"], ["m3"]))
        return {"name": "disk", "rbd": {"monitors": monitors, "image": "im"} | read_only}
    return {"name": "disk", "iscsi": {"targetPortal": "1.2.3.4:3260", "iqn": "iqn.2020-01.io:x", "lun": 0} | read_only}


def _affinity(random: Random) -> Manifest:
    found: Manifest = {}
    if chance(random, 5):
        found["nodeAffinity"] = _node_affinity(random)
    for kind, odds in (("podAffinity", 8), ("podAntiAffinity", 5)):
        rules: Manifest = {}
        if chance(random, odds):
            rules[HARD] = [_term(random) for _ in range(random.choice((1, 1, 2)))]
        if chance(random, odds):
            rules[SOFT] = [{"weight": random.choice((1, 50)), "podAffinityTerm": _term(random)}]
        found[kind] = rules
    return found


def node_expression(random: Random) -> Manifest:
    """Return a random requirement on a node's labels."""
    kind = random.randrange(4)
    if kind == 0:
        return {"key": "gen", "operator": random.choice(("Gt", "Lt")), "values": [random.choice(("0", "1", "2"))]}
    if kind == 1:
        return {"key": random.choice(("gen", RACK, ZONE)), "operator": random.choice(("Exists", "DoesNotExist"))}
    return {"key": "disk", "operator": random.choice(("In", "NotIn")), "values": ["ssd"]}


def _node_affinity(random: Random) -> Manifest:
    rules: Manifest = {}
    if random.randrange(2):
        weights = [random.choice((1, 7)) for _ in range(random.choice((1, 2)))]
        rules[SOFT] = [{"weight": w, "preference": {"matchExpressions": [node_expression(random)]}} for w in weights]
    elif random.randrange(2):
        terms: list[Manifest] = []
        for _ in range(random.randint(1, 2)):
            names = {"key": "metadata.name", "operator": random.choice(("In", "In", "NotIn"))}
            terms.append({"matchFields": [names | {"values": [f"n{random.randrange(8)}"]}]})
            if chance(random, 3):
                terms[-1]["matchExpressions"] = [node_expression(random)]
            elif chance(random, 6):
                second = {"key": "metadata.name", "operator": "In", "values": [f"n{random.randrange(8)}"]}
                terms[-1]["matchFields"].append(second)
        rules[HARD] = {"nodeSelectorTerms": terms}
    else:
        expressions = [node_expression(random) for _ in range(random.choice((1, 1, 2)))]
        rules[HARD] = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return rules


def _term(random: Random) -> Manifest:
    term: Manifest = {"topologyKey": random.choice((HOSTNAME, ZONE, RACK)), "labelSelector": selector(random)}
    kind = random.randrange(6)
    if kind == 0:
        not_prod = {"key": "tier", "operator": random.choice(("NotIn", "In")), "values": ["prod"]}
        exists = {"key": "tier", "operator": random.choice(("Exists", "DoesNotExist"))}
        term["namespaceSelector"] = random.choice(
            ({}, {"matchLabels": {"tier": "prod"}}, {"matchExpressions": [not_prod]}, {"matchExpressions": [exists]})
        )
    elif kind == 1:
        term["namespaces"] = [random.choice(NAMESPACES)]
    if term["labelSelector"] and chance(random, 8):
        term[random.choice(("matchLabelKeys", "mismatchLabelKeys"))] = ["rev"]
        term["labelSelector"] = {"matchLabels": {"app": random.choice(APPS)}}
    return term


def _spread(random: Random) -> Manifest:
    constraint: Manifest = {
        "maxSkew": random.choice((1, 1, 2)),
        "topologyKey": random.choice((HOSTNAME, ZONE, ZONE, RACK)),
        "whenUnsatisfiable": random.choice(("DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": selector(random),
    }
    if constraint["whenUnsatisfiable"] == "DoNotSchedule" and chance(random, 4):
        constraint["minDomains"] = random.choice((1, 2, 3, 5))
    if chance(random, 5):
        constraint["nodeTaintsPolicy"] = random.choice(("Honor", "Ignore"))
    if chance(random, 5):
        constraint["nodeAffinityPolicy"] = random.choice(("Honor", "Ignore"))
    if chance(random, 6):
        constraint["matchLabelKeys"] = ["rev"]
        constraint["labelSelector"] = {"matchLabels": {"app": random.choice(APPS)}}
    return constraint
