"""Searches for devices are shared by similar nodes and claims; only the speed changes."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.plugins.dynamic_resources.alike import Searches
from scheduler_core.plugins.dynamic_resources.allocator import Allocator
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import AnyEvent
from tests.builders import (
    Manifest,
    claims,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    pod,
    resource_slice,
    scenario,
)

GPU = "gpu.example.com"
MODELS = (("a100", "40Gi"), ("a100", "80Gi"), ("h100", "80Gi"))
SELECTORS = (
    f'device.attributes["{GPU}"].model == "a100"',
    f'device.capacity["{GPU}"].memory.compareTo(quantity("80Gi")) >= 0',
    f'device.attributes["{GPU}"].exists(name, name == "uuid")',
    f'device.attributes["{GPU}"].numa > 0',
    f'device.attributes["{GPU}"].uuid != "0-1"',
)
CONSTRAINTS = (f"{GPU}/numa", f"{GPU}/root", f"{GPU}/uuid")


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the names of the nodes that are searched."""
    names: list[str] = []
    allocate = Allocator.allocate

    def counted(self: Any, node: Any, *others: Any) -> Any:
        names.append(node.name)
        return allocate(self, node, *others)

    monkeypatch.setattr(Allocator, "allocate", counted)
    return names


def gpus(rng: Random, number: int, count: int = 4) -> list[Manifest]:
    """Return the devices of a node: the model of the node, different UUIDs."""
    model, memory = MODELS[number % len(MODELS)]
    return [
        device(f"g{at}", memory=memory, model=model, numa=at % 2, root=f"r{at // 2}", uuid=f"{number}-{at}")
        | ({"taints": [{"key": "broken", "effect": "NoSchedule"}]} if rng.random() < 0.05 else {})
        for at in range(count)
    ]


def partitions(number: int) -> list[Manifest]:
    """Return the two slices of a pool: three devices, and the counters that they share."""
    counters = [{"name": "card", "counters": {"slots": {"value": "2"}}}]
    consumes = [{"counterSet": "card", "counters": {"slots": {"value": "1"}}}]
    parts = [device(f"part-{at}", model="mig") | {"consumesCounters": consumes} for at in range(3)]
    return [
        resource_slice(f"n{number}-mig", parts, driver="mig", pool=f"mig-{number}", node=f"n{number}", slices=2),
        resource_slice(
            f"n{number}-mig-counters",
            [],
            driver="mig",
            pool=f"mig-{number}",
            node=f"n{number}",
            slices=2,
            sharedCounters=counters,
        ),
    ]


def request(rng: Random, name: str, classes: tuple[str, ...]) -> Manifest:
    if rng.random() < 0.25:
        listed = [
            {"name": f"s{at}", "deviceClassName": rng.choice(classes), "count": rng.choice((1, 2, 3))}
            for at in range(rng.choice((1, 2)))
        ]
        return {"name": name, "firstAvailable": listed}
    mode = {"allocationMode": "All"} if rng.random() < 0.15 else {"count": rng.choice((1, 1, 2))}
    chosen = rng.choice(classes)
    selectors = [rng.choice(SELECTORS)] if chosen == "gpu" and rng.random() < 0.7 else []
    return device_request(name, chosen, *selectors, **mode)


def claim(rng: Random, name: str, classes: tuple[str, ...]) -> Manifest:
    requests = [request(rng, f"r{at}", classes) for at in range(rng.choice((1, 1, 2)))]
    constraints = [{"matchAttribute": rng.choice(CONSTRAINTS)}] if rng.random() < 0.5 else []
    return device_claim(name, *requests, constraints=constraints)


def random_cluster(rng: Random, release: str) -> str:
    nodes = [node(f"n{number}") for number in range(9)]
    slices = [
        resource_slice(f"n{number}-gpu", gpus(rng, number), node=f"n{number}", pool=f"p{number}") for number in range(9)
    ]
    everywhere = [device(f"net-{at}", model="nic", numa=at % 2) for at in range(4)]
    slices.append(resource_slice("net", everywhere, driver="net", node=None, allNodes=True))
    classes: tuple[str, ...] = ("gpu", "gpu", "net")
    if release == "1.36":
        slices += [piece for number in range(0, 9, 2) for piece in partitions(number)]
        classes += ("mig",)
    pods = [pod(f"p{number}", resourceClaims=claims(f"c{number}")) for number in range(10)]
    pods += [pod(f"q{number}", resourceClaims=claims(f"c{number + 10}", f"c{number + 11}")) for number in range(4)]
    broken = resource_slice("n1-gpu", gpus(rng, 2)[:2], node="n1", pool="p1", generation=2)
    events = [
        {"at": 5, "delete": {"kind": "Pod", "name": "p1"}},
        {"at": 6, "update": broken},
        {"at": 7, "update": device_class("net", 'device.driver == "net.example.com"', "true")},
        {"at": 8, "delete": {"kind": "Pod", "name": "p2"}},
        {"at": 9, "create": pod("late", resourceClaims=claims("c3"))},
    ]
    needed = [claim(rng, f"c{number}", classes) for number in range(15)]
    return scenario(*map(device_class, dict.fromkeys(classes)), *slices, *needed, *nodes, *pods, events=events)


def run(text: str, release: str) -> list[AnyEvent]:
    return list(simulate(parse_scenario(text, release=RELEASES[release])))


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.36"])
@pytest.mark.parametrize("seed", range(8))
def test_the_trace_is_the_one_without_sharing(
    seed: int, release: str, searched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = random_cluster(Random(seed), release)
    shared = run(text, release)
    count = len(searched)
    searched.clear()
    monkeypatch.setattr(
        Searches,
        "solve",
        lambda self, allocator, node, claims, shape: allocator.allocate(node, self._pools.of_node(node), claims),
    )
    assert run(text, release) == shared
    assert count < len(searched)


def test_nodes_that_differ_in_names_alone_are_searched_once(searched: list[str]) -> None:
    same = [device(f"g{index}", model="a100", numa=index % 2) for index in range(4)]
    own = [
        [one | {"attributes": one["attributes"] | {"uuid": {"string": f"{at}"}}} for one in same] for at in range(20)
    ]
    objects = [resource_slice(f"n{at}", own[at], node=f"n{at}") for at in range(20)]
    nodes = [node(f"n{at}") for at in range(20)]
    needed = [device_claim(f"c{at}", device_request("gpu", "gpu", SELECTORS[0])) for at in range(3)]
    pods = [pod(f"p{at}", resourceClaims=claims(f"c{at}")) for at in range(3)]
    run(scenario(device_class(), *objects, *needed, *nodes, *pods), "1.36")
    assert len(searched) == 2  # a node whose devices are all free, and one that has given one away
