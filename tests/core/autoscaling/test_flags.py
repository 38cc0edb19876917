"""Flags of Cluster Autoscaler that change its passes, in whole runs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.autoscaling_rows import autoscaling_rows
from scheduler_core.trace.controller_events import EventRecorded
from scheduler_core.trace.events import ObjectApplied
from tests.builders import Manifest, budget, node, pod, scenario
from tests.core.autoscaling.builders import own

AGENT = "example.com/agent-not-ready"


def sizes(*objects: Manifest, flags: list[str], until: float = 30.0) -> list[tuple[float, str, int]]:
    """Return (time, group, size) for each time that a group was resized."""
    actor = own("ClusterAutoscaler", flags=flags)
    read = parse_scenario(scenario(*objects, actor, untilSeconds=until))
    rows = autoscaling_rows(simulate(read), [item.name for item in read.node_groups], 0.0)
    deltas = [
        (row["t"], row["name"], row["details"].get("delta") or -len(row["details"]["nodes"]))
        for row in rows
        if row["what"] in ("cloud-increase", "cloud-delete")
    ]
    total: Counter[str] = Counter()
    found = []
    for time, name, delta in deltas:
        total[name] += delta
        found.append((time, name, total[name]))
    return found


def group(name: str = "g", *, labels: dict[str, str] | None = None, memory: str = "8Gi", **spec: Any) -> Manifest:
    template = node("of", cpu=2, memory=memory, labels=labels)
    return own("NodeGroup", name, **{"size": 0, "maximum": 9, "template": template, **spec})


@pytest.mark.parametrize(
    ("key", "flags", "nodes"),
    [
        (AGENT, [], 5),  # the node is ready, and no pod tolerates the taint: another one is added, again and again
        (AGENT, [f"--startup-taint={AGENT}"], 1),
        (AGENT, [f"--ignore-taint={AGENT}"], 1),
        (AGENT, ["--startup-taint-prefix=example.com/"], 1),
        ("startup-taint.cluster-autoscaler.kubernetes.io/agent", [], 1),
        ("ignore-taint.cluster-autoscaler.kubernetes.io/agent", [], 1),
        (AGENT, [f"--status-taint={AGENT}"], 5),
    ],
)
def test_a_node_with_a_startup_taint_is_still_on_its_way(key: str, flags: list[str], nodes: int) -> None:
    tainted = group(startupTaints=[{"key": key, "effect": "NoSchedule"}])
    resized = sizes(pod("p", cpu=1), tainted, flags=["--scan-interval=5s", *flags])
    assert min(resized[-1][2], 5) == nodes


@pytest.mark.parametrize("cordons", [False, True])
def test_a_deletion_that_fails_takes_back_the_own_cordon_alone(cordons: bool) -> None:
    owner = {"kind": "ReplicaSet", "name": "r", "apiVersion": "apps/v1", "uid": "u", "controller": True}
    small = pod("small", cpu="100m", node="n1", labels={"app": "a"})
    small["metadata"]["ownerReferences"] = [owner]
    cordoned = node("n1", cpu=2)
    cordoned["spec"] = {"unschedulable": not cordons}
    own_cordon = f"--cordon-node-before-terminating={str(cordons).lower()}"
    flags = ["--scale-down-unneeded-time=10s", "--max-pod-eviction-time=20s", own_cordon]
    read = parse_scenario(
        scenario(
            cordoned, node("n2", cpu=2), small, budget("b", {"app": "a"}, maxUnavailable=1),
            own("NodeGroup", "g", nodes=["n1"]), own("ClusterAutoscaler", flags=flags),
            events=[{"at": 22, "update": budget("b", {"app": "a"}, maxUnavailable=0)}], untilSeconds=120,
        )
    )  # fmt: skip
    events = list(simulate(read))
    assert "ScaleDownFailed" in {event.reason for event in events if isinstance(event, EventRecorded)}
    written = [event for event in events if isinstance(event, ObjectApplied) and event.name == "n1"]
    changes = [change for event in written for change in event.changes or () if change.field == "unschedulable"]
    cordon = [change.after is not None for change in changes]
    assert cordon == ([True, False] if cordons else [])


def test_without_frequent_loops_a_pass_waits_for_the_interval() -> None:
    assert sizes(pod("p", cpu=1), group(), flags=[])[0][0] < 5
    assert sizes(pod("p", cpu=1), group(), flags=["--frequent-loops-enabled=false"])[0][0] >= 10


@pytest.mark.parametrize(
    ("flags", "balanced"),
    [
        ([], False),
        (["--memory-difference-ratio=0.3", "--max-allocatable-difference-ratio=0.3", "--max-free-difference-ratio=0.3"],
         True),
        (["--balancing-label=pool"], True),
        (["--balancing-label=team"], False),
    ],
)  # fmt: skip
def test_groups_are_similar_by_the_ratios_or_labels_of_the_flags(flags: list[str], balanced: bool) -> None:
    groups = [
        group("a", labels={"pool": "x", "team": "a"}, memory="8Gi"),
        group(
            "b",
            labels={"pool": "x", "team": "b"} if "label" in str(flags) else {"pool": "x", "team": "a"},
            memory="7Gi",
        ),
    ]
    pods = [pod(f"p{number}", cpu=2) for number in range(4)]
    resized = sizes(*pods, *groups, flags=["--balance-similar-node-groups", *flags])
    assert len({name for _, name, _ in resized}) == (2 if balanced else 1)


def test_an_instance_that_never_registers_is_deleted_below_the_minimum_if_the_flag_says_so() -> None:
    flags = ["--scan-interval=2s", "--max-node-provision-time=10s", "--enforce-node-group-min-size"]
    stuck = group(minimum=1, fail={"mode": "stuck"})
    assert [size for _, _, size in sizes(stuck, flags=flags, until=40)] == [1]
    forced = [size for _, _, size in sizes(stuck, flags=[*flags, "--force-delete-unregistered-nodes"], until=40)]
    assert forced[:2] == [1, 0]


def test_options_of_a_group_stand_for_the_flags() -> None:
    """Only the one of two empty groups that has a short time of its own shrinks during the run."""
    hasty = group("hasty", size=1, options={"scaleDownUnneededTime": "5s"})
    slow = group("slow", size=1, options={"scaleDownUtilizationThreshold": 0.7, "maxNodeProvisionTime": 60})
    resized = sizes(hasty, slow, flags=["--scan-interval=2s", "--scale-down-delay-after-add=1s"], until=60)
    assert [name for _, name, _ in resized] == ["hasty"]


@pytest.mark.parametrize(("unready", "ready", "grows"), [(3, 0, True), (4, 0, False), (4, 4, False), (4, 5, True)])
def test_a_cluster_with_too_many_unready_nodes_is_left_alone_also_if_they_are_in_no_group(
    unready: int, ready: int, grows: bool
) -> None:
    """At most 3 nodes, or 45 % of all, may be unready."""
    nodes = [node(f"n{number}", cpu=0) for number in range(unready + ready)]
    for number, one in enumerate(nodes):
        one["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
        if number < unready:
            one["spec"] = {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]}
    assert bool(sizes(*nodes, pod("p", cpu=1), group(), flags=[])) is grows
