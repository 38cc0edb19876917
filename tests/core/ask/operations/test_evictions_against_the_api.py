"""Evictions agree with a plain reference of the Eviction API (eviction.go), for random states of budgets and pods."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.controllers.disruption import disrupted_pods
from scheduler_core.controllers.eviction import VIOLATES, evict, writes_budget
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.parse import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.controller_events import EvictionAnswered
from tests.builders import budget, node, parse, pod

STATES, AT_ONCE = 2000, 250
Manifest = dict[str, Any]
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "some", "uid": "u-some", "controller": True}


@dataclass
class ApiServer:
    """Budgets and pods as manifests. The status of a budget is that of its manifest until one of its pods changes."""

    pods: dict[str, Manifest]
    budgets: list[Manifest]
    status: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.budgets:
            self.status[one["metadata"]["name"]] = {**self.computed(one), **one.get("status", {})}

    def computed(self, one: Manifest) -> dict[str, int]:
        covered = [pod for pod in self.pods.values() if self.selects(one, pod)]
        healthy = sum(bool(pod["spec"].get("nodeName")) and is_ready(pod) and not ends(pod) for pod in covered)
        spec, expected = one["spec"], len(covered)
        if "maxUnavailable" in spec:
            desired = max(0, expected - scaled(spec["maxUnavailable"], expected))
        elif "minAvailable" in spec:
            desired = scaled(spec["minAvailable"], expected)
        else:
            desired = expected = 0
        allowed = max(0, healthy - desired) if expected else 0
        return {"currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed}

    def selects(self, one: Manifest, pod: Manifest) -> bool:
        wanted = one["spec"]["selector"]["matchLabels"]
        labels = pod["metadata"].get("labels", {})
        return bool(labels) and all(labels.get(key) == value for key, value in wanted.items())

    def evict(self, pod: Manifest) -> str:
        """Evict a pod (`EvictionREST.Create`). Return the error message, or "" for 201."""
        if ends(pod):
            return ""
        refusal = self.refusal(pod)
        if not refusal:
            pod["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
            for one in self.budgets:
                if self.selects(one, pod):
                    self.status[one["metadata"]["name"]] = self.computed(one)
        return refusal

    def refusal(self, pod: Manifest) -> str:
        of_pod = [one for one in self.budgets if self.selects(one, pod)]
        if len(of_pod) > 1:
            return SEVERAL
        if not of_pod:
            return ""
        name = of_pod[0]["metadata"]["name"]
        status = self.status[name]
        if not is_ready(pod):
            if of_pod[0]["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
                return ""
            if status["currentHealthy"] >= status["desiredHealthy"] and status["desiredHealthy"] > 0:
                return ""
        if status["disruptionsAllowed"] > 0:
            return ""
        if status["currentHealthy"] > status["desiredHealthy"]:  # of a budget without a rule
            return f"{VIOLATES} The disruption budget {name} does not allow evicting pods currently"
        return (
            f"{VIOLATES} The disruption budget {name} needs {status['desiredHealthy']} healthy pods"
            f" and has {status['currentHealthy']} currently"
        )


def is_ready(pod: Manifest) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return all(one["status"] == "True" for one in conditions if one["type"] == "Ready")


def ends(pod: Manifest) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def scaled(value: int | str, of: int) -> int:
    return value if isinstance(value, int) else -(-int(value.rstrip("%")) * of // 100)


def state(random: Random) -> tuple[list[Manifest], list[Manifest]]:
    """Return pods of one or two workloads, some not ready or terminating, and budgets, some with a status."""
    pods = []
    for number in range(random.randint(1, 6)):
        one = pod(f"p{number}", node=random.choice(("n1", "n2")), labels={"app": random.choice("aab"), "tier": "t"})
        one["metadata"]["ownerReferences"] = [OWNER]
        if random.random() < 0.4:
            one["status"] = {"conditions": [{"type": "Ready", "status": random.choice(("False", "Unknown", "True"))}]}
        if random.random() < 0.1:
            one["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
            one["metadata"]["annotations"] = {"kschedui.io/termination-seconds": "30"}
        pods.append(one)
    budgets = []
    for number in range(random.choice((0, 1, 1, 1, 2))):
        match = random.choice(({"app": "a"}, {"app": "b"}, {"tier": "t"}))
        number_of = random.choice((0, 1, 2, "0%", "50%", "100%"))
        spec: Manifest = random.choice(({}, {"minAvailable": number_of}, {"maxUnavailable": number_of}))
        if random.random() < 0.4:
            spec["unhealthyPodEvictionPolicy"] = random.choice(("AlwaysAllow", "IfHealthyBudget"))
        one = budget(f"b{number}", match, **spec)
        if random.random() < 0.5:
            desired, healthy = random.randint(0, 3), random.randint(0, 4)
            one["status"] = {"desiredHealthy": desired, "currentHealthy": healthy}
            one["status"]["disruptionsAllowed"] = max(0, healthy - desired)
        budgets.append(one)
    return pods, budgets


@pytest.mark.parametrize("first", range(0, STATES, AT_ONCE))
def test_each_eviction_is_answered_as_by_the_api_server(first: int) -> None:
    refused = allowed = 0
    for seed in range(first, first + AT_ONCE):
        random = Random(seed)
        pods, budgets = state(random)
        reference = ApiServer({one["metadata"]["name"]: one for one in pods}, budgets)
        mine = running(parse(node("n1"), node("n2"), *pods, *budgets), {name_of(one) for one in pods})
        for one in random.sample(pods, len(pods)):
            expected = reference.evict(one)
            assert answer(mine, name_of(one)) == expected, (seed, name_of(one))
            refused, allowed = refused + bool(expected), allowed + (not expected)
    assert refused > AT_ONCE / 4 < allowed


def running(scenario: Scenario, names: set[str]) -> Simulation:
    """Return the cluster at time 0, before any kubelet has acted."""
    scenario = replace(scenario, controllers=("disruption-controller",), until_seconds=0.0)
    simulation = Simulation(scenario, REGISTRY)
    for _ in simulation.run():
        pass
    assert {one.name for one in simulation.cluster.pods.all()} == names
    return simulation


def answer(simulation: Simulation, name: str) -> str:
    """Return the API server's answer to an eviction, "" if it is granted.

    Whether it writes the budget is known before.
    """
    live = simulation._live
    assert live is not None
    answered: list[EvictionAnswered] = []
    live.api._delivery.emit = lambda event: answered.append(event) if isinstance(event, EvictionAnswered) else None
    pod = live.api.pod(f"default/{name}")
    assert pod is not None
    writes = writes_budget(pod, live.api)
    evict(pod, live.api, "kubectl")
    assert writes == any(pod.key in disrupted for disrupted in disrupted_pods(live.api).values())
    live.run()
    return "" if answered[-1].code == 201 else " ".join([answered[-1].message, *answered[-1].causes])


def name_of(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])
