"""The cache of verdicts for similar pods changes the speed of a run, and nothing else."""

from __future__ import annotations

import json

import pytest

from scheduler_core import encode, parse_scenario, simulate
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.runtime.verdict_cache import VerdictCache
from tests.bench.mixed_workloads import mixed
from tests.builders import configuration, node, parse, pod
from tests.core.runs import bound, run


def crowded():
    """Return a scenario of 150 nodes with 1 to 3 CPUs, of which many fill up, and 400 pods of a few shapes."""
    objects = mixed(150)
    for number, one in enumerate(objects["nodes"]):
        one["status"]["allocatable"]["cpu"] = one["status"]["capacity"]["cpu"] = str(1 + number % 3)
    documents = [*objects["nodes"], *objects["pending"][:400]]
    return parse_scenario("\n---\n".join(json.dumps(document) for document in documents))


def room_before_taints():
    """Return a scenario whose profile has its filters in another order: room before taints."""
    order = ["NodeResourcesFit", "TaintToleration", "NodeAffinity", "NodeUnschedulable"]
    plugins = {"filter": {"disabled": [{"name": "*"}], "enabled": [{"name": name} for name in order]}}
    nodes = [
        node("full", cpu=1, taints=["away=now:NoSchedule"]),
        node("tainted", cpu=4, taints=["away=now:NoSchedule"]),
    ]
    return parse(*nodes, *(pod(f"p{i}", cpu=2) for i in range(3)), configuration(profiles=[{"plugins": plugins}]))


@pytest.mark.parametrize("make", [crowded, lambda: parse(*changing()[0], events=changing()[1]), room_before_taints])
def test_the_trace_is_the_same_without_it(make, monkeypatch):
    kept = [encode(event) for event in simulate(make())]
    monkeypatch.setattr(VerdictCache, "results", lambda *_: None)
    assert kept == [encode(event) for event in simulate(make())]


def changing():
    """Return nodes and similar pods, and events that create, change and delete nodes and pods."""
    nodes = [node(f"n{i}", cpu=2, images={"app:1": 300_000_000} if i % 2 else None) for i in range(5)]
    pods = [pod(f"p{i}", cpu="400m", image="app:1") for i in range(8)]
    change = [
        {"at": 1, "create": node("extra", cpu=4, images={"app:1": 300_000_000})},
        *({"at": 2, "create": pod(f"q{i}", cpu="400m", image="app:1")} for i in range(6)),
        {"at": 3, "update": node("n1", cpu=2, taints=["away=now:NoSchedule"])},
        {"at": 4, "delete": {"kind": "Pod", "name": "p0"}},
        *({"at": 5, "create": pod(f"r{i}", cpu="400m", image="app:1")} for i in range(6)),
    ]
    return [*nodes, *pods], change


def test_states_are_numbered_anew_when_there_are_many(monkeypatch):
    def filling():
        return parse(
            node("a"), node("b", cpu=8), *(pod(f"p{i}", cpu=("100m", "150m", "70m")[i % 3]) for i in range(20))
        )

    expected = [encode(event) for event in simulate(filling())]
    numbered = []
    number = NodeTable._number_states
    monkeypatch.setattr("scheduler_core.cluster.nodes.MIN_KEPT_STATES", 1)
    monkeypatch.setattr(NodeTable, "_number_states", lambda table: numbered.append(table) or number(table))
    assert expected == [encode(event) for event in simulate(filling())]
    assert len(numbered) > 2


def test_a_node_that_has_changed_is_judged_again():
    tainted = node("n", taints=["away=now:NoSchedule"])
    pods = [{"at": at, "create": pod(f"p{at}", cpu="100m")} for at in (1, 2, 4)]
    events = run(node("n"), events=[*pods, {"at": 3, "update": tainted}])
    assert bound(events) == {"p1": "n", "p2": "n"}
