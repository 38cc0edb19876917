"""The verdicts that a snapshot caches equal those that it would compute again."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod
from scheduler_core.autoscaling.snapshot import Snapshot, filters_of
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.scenario.types import Scenario
from tests.builders import Manifest, node, pod, required_affinity, scenario, spread, taint

ZONES = "abc"
MATCH = {"app": "x"}


def any_pod(rng: random.Random, name: str) -> Manifest:
    """Return a pod of a random kind; for some kinds the verdict depends on more than the node."""
    more: dict[str, Manifest] = {
        "plain": {},
        "tolerant": {"tolerations": [{"operator": "Exists"}]},
        "in a zone": {"nodeSelector": {"topology.kubernetes.io/zone": "a"}},
        "on a node": {"nodeSelector": {"kubernetes.io/hostname": "n1"}},
        "apart": {"affinity": required_affinity(MATCH, anti=True)},
        "with": {"affinity": required_affinity(MATCH)},
        "spread": {"topologySpreadConstraints": [spread(MATCH)]},
    }
    kinds = ("plain", "plain", "plain", *more)
    made = pod(name, cpu=rng.choice((1, 2)), labels=rng.choice((MATCH, {"app": "y"})))
    made["spec"] |= more[rng.choice(kinds)]
    if rng.random() < 0.2:
        made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return made


def snapshot_of(rng: random.Random) -> tuple[Snapshot, list[Pod]]:
    """Return a cluster with four nodes, and pending pods."""
    nodes = [node(f"n{number}", cpu=rng.choice((2, 3)), zone=rng.choice(ZONES)) for number in range(4)]
    nodes[3]["spec"] = {"taints": [taint("only=this:NoSchedule")]}
    parsed = parse_scenario(scenario(*nodes, *(any_pod(rng, f"p{number}") for number in range(12))))
    return of_nodes(parsed), [item for item in parsed.objects if isinstance(item, Pod)]


def of_nodes(parsed: Scenario) -> Snapshot:
    """Return a snapshot of the scenario's nodes."""
    return Snapshot(cluster_of(parsed), parsed.release, filters_of(parsed.release))


def cluster_of(parsed: Scenario) -> Cluster:
    """Return a cluster with the scenario's nodes."""
    cluster = Cluster()
    for item in parsed.objects:
        if isinstance(item, Node):
            cluster.apply(item)
    return cluster


def change(rng: random.Random, snapshot: Snapshot, pods: list[Pod], step: int) -> Snapshot:
    """Place or remove a pod, add or remove a node, or copy the snapshot. Return the snapshot to continue with."""
    names = [item.name for item in snapshot.nodes()]
    act = rng.random()
    if act < 0.55:
        snapshot.place(rng.choice(pods), rng.choice(names))
    elif act < 0.7 and (placed := list(snapshot.cluster.pods.all())):
        snapshot.remove_pod(rng.choice(placed).key)
    elif act < 0.85:
        like = snapshot.nodes()[0]
        name = f"new-{step}"
        labels = {**like.labels, "kubernetes.io/hostname": name}
        snapshot.add_node(replace(like, name=name, uid=name, labels=labels), like="the first")
    elif act < 0.9 and len(names) > 3:
        snapshot.remove_node(names[-1])
    else:
        return snapshot.copy()
    return snapshot


@pytest.mark.parametrize("seed", range(6))
def test_kept_verdicts_are_those_of_a_new_snapshot(seed: int) -> None:
    rng = random.Random(seed)
    snapshot, pods = snapshot_of(rng)
    release = parse_scenario(scenario(node("n0"))).release
    for step in range(12):
        snapshot = change(rng, snapshot, pods, step)
        new = Snapshot(snapshot.cluster, release, filters_of(release))
        for each in pods:
            names = [item.name for item in snapshot.nodes()]
            reasons = {name: new.reasons(each, name) for name in names}
            assert {name: snapshot.reasons(each, name) for name in names} == reasons
            passing = [name for name in names if not reasons[name]]
            assert all(snapshot.find_node(each, lambda name: True, hint) == hint for hint in passing)
            assert bool(snapshot.find_node(each, lambda name: True)) == bool(passing)
            assert all(snapshot.find_node(each, name.__eq__) == name * (name in passing) for name in names)


def test_the_search_goes_on_after_the_last_match() -> None:
    parsed = parse_scenario(scenario(*(node(f"n{number}") for number in range(3)), pod("p")))
    snapshot = of_nodes(parsed)
    (waiting,) = (item for item in parsed.objects if isinstance(item, Pod))
    assert [snapshot.find_node(waiting, lambda name: True) for _ in range(4)] == ["n0", "n1", "n2", "n0"]
