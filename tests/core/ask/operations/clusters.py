"""Random small clusters with owners, budgets and little free capacity, and a question about each."""

from __future__ import annotations

from random import Random
from typing import Any

from scheduler_core.ask.operations.questions import Add, Drain, Lose, Question, Reschedule
from tests.builders import Manifest, budget, node, pod, priority_class, required_affinity, scenario, spread

APPS = ("web", "db", "batch")


def text(seed: int) -> str:
    """Return the text of a random scenario, which depends only on the seed."""
    random = Random(seed)
    nodes = [_node(random, f"n{number}") for number in range(1, random.randint(2, 5) + 1)]
    owned = random.random() < 0.8
    pods = [_pod(random, f"p{number}", nodes, owned=owned) for number in range(random.randint(2, 9))]
    budgets = [budget(f"keep-{app}", {"app": app}, **_allowance(random)) for app in APPS if random.random() < 0.5] + (
        [budget("again", {"app": "web"}, maxUnavailable=1)] if random.random() < 0.1 else []
    )
    spec: dict[str, Any] = {"seed": 3} if random.random() < 0.3 else {}
    if random.random() < 0.2:
        spec["untilSeconds"] = random.choice((5, 40))
    return scenario(priority_class("high", 100), *nodes, *budgets, *pods, **spec)


def question(seed: int) -> Question:
    """Return a question about the scenario of the same seed."""
    random = Random(-seed - 1)
    count = text(seed).count('"kind": "Node"')
    names = random.sample([f"n{number}" for number in range(1, count + 1)], random.choice((1, 1, min(2, count))))
    return random.choice(
        (
            Drain(names),
            Drain(names),
            Drain(names, remove=True),
            Lose(names),
            Add(names[0], random.choice((1, 2))),
            Reschedule(),
        )
    )


def _node(random: Random, name: str) -> Manifest:
    taints = ["gpu=yes:NoSchedule"] if random.random() < 0.15 else []
    return node(
        name,
        cpu=random.randint(1, 4),
        memory="4Gi",
        zone=random.choice("ab"),
        taints=taints,
        unschedulable=random.random() < 0.1,
        pods=random.choice((110, 3)),
    )


def _pod(random: Random, name: str, nodes: list[Manifest], *, owned: bool) -> Manifest:
    app = random.choice(APPS)
    more: dict[str, Any] = {}
    if random.random() < 0.2:
        more["affinity"] = required_affinity({"app": app}, anti=True)
    if random.random() < 0.2:
        more["topologySpreadConstraints"] = [spread({"app": app})]
    if random.random() < 0.15:
        more["tolerations"] = [{"operator": "Exists"}]
    if random.random() < 0.2:
        more["nodeSelector"] = {"topology.kubernetes.io/zone": random.choice("ab")}
    made = pod(
        name,
        cpu=random.choice(("250m", "500m", 1, 2)),
        node=random.choice(nodes)["metadata"]["name"] if random.random() < 0.85 else None,
        labels={"app": app},
        priority_class="high" if random.random() < 0.3 else None,
        gates=["wait"] if random.random() < 0.05 else (),
        **more,
    )
    if "nodeName" in made["spec"]:
        made["spec"].pop("schedulingGates", None)
    if random.random() < 0.2:
        made["spec"]["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    if owned and random.random() < 0.9:
        kind = random.choice(("ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"))
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": kind, "name": app, "uid": f"u-{app}", "controller": True}
        ]
    return made


def _allowance(random: Random) -> dict[str, Any]:
    return random.choice(
        (
            {"minAvailable": 1},
            {"minAvailable": "50%"},
            {"maxUnavailable": 1},
            {"maxUnavailable": 0},
            {"minAvailable": 2},
        )
    )
