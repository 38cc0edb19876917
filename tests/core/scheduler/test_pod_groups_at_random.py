"""Random scenarios with pod groups: no errors, equal runs for equal seeds, and all promises of gangs hold."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace.decisions import decisions
from scheduler_core.trace.summaries import nodes_of, pods_of
from tests.builders import Manifest, budget, node, pod, priority_class, required_affinity, scenario

SEEDS = range(40)
RACK = "example.com/rack"
CLASSES = {"low": 10, "middle": 100, "high": 1000}


def pod_group(name: str, gang: int | None, **spec: Any) -> Manifest:
    policy = {"basic": {}} if gang is None else {"gang": {"minCount": gang}}
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": policy, **spec},
    }


def generated(seed: int) -> str:
    """Return a cluster that is often too small, with groups that are added and removed."""
    draw = random.Random(seed)
    preempts, placed = draw.random() < 0.4, draw.random() < 0.4
    gates = {"GenericWorkload": True, "GangScheduling": True, "SchedulerPopFromBackoffQ": draw.random() < 0.3}
    gates |= {"WorkloadAwarePreemption": True} if preempts else {}
    gates |= {"TopologyAwareWorkloadScheduling": True} if placed else {}
    names = [f"n{i}" for i in range(draw.randint(0, 6))]
    objects: list[Manifest] = [priority_class(name, value) for name, value in CLASSES.items()]
    for name in names:
        labels = {RACK: draw.choice("abc")} if draw.random() < 0.8 else {}
        objects.append(node(name, cpu=draw.randint(2, 6), labels=labels, pods=draw.randint(2, 8)))
    pods: list[Manifest] = []
    events: list[Manifest] = []
    for g in range(draw.randint(1, 3)):
        spec: Manifest = {}
        if preempts and draw.random() < 0.7:
            spec = {
                "priorityClassName": draw.choice(list(CLASSES)),
                "disruptionMode": draw.choice(["Pod", "PodGroup"]),
            }
        if placed and draw.random() < 0.6:
            spec["schedulingConstraints"] = {"topology": [{"key": RACK}]}
        members = draw.randint(1, 5)
        group = pod_group(f"g{g}", draw.choice([None, *range(1, members + 2)]), **spec)
        if draw.random() < 0.8:
            objects.append(group)
        else:
            events.append({"at": draw.randint(1, 5), "create": group})
        for m in range(members):
            one = member(draw, f"g{g}-{m}", f"g{g}")
            if names and not one["spec"].get("schedulingGates") and draw.random() < 0.1:
                one["spec"]["nodeName"] = draw.choice(names)
            if draw.random() < 0.7 or "nodeName" in one["spec"]:
                pods.append(one)
            else:
                events.append({"at": draw.randint(1, 9), "create": one})
    for i in range(draw.randint(0, 6)):
        where = draw.choice([None, *names])
        pods.append(pod(f"p{i}", cpu=draw.randint(1, 3), node=where, priority_class=draw.choice(list(CLASSES))))
    pods = [one for one in pods if draw.random() < 0.95]
    for one in pods:
        if draw.random() < 0.15:
            one_event = {"kind": "Pod", "name": one["metadata"]["name"], "namespace": "default"}
            events.append({"at": draw.randint(1, 12), "delete": one_event})
    if draw.random() < 0.3:
        events.append({"at": 4, "create": node("late", cpu=8, labels={RACK: "a"})})
    if draw.random() < 0.3:
        objects.append(budget("some", {"app": "x"}, minAvailable=1))
    faults = [{"pod": "default/g0-0", "point": draw.choice(["Reserve", "Permit", "PreBind", "Bind"])}]
    more = {"faults": faults} if draw.random() < 0.3 else {}
    more |= {"bindingSeconds": draw.choice([0.5, 2])} if draw.random() < 0.3 else {}
    return scenario(*objects, *pods, featureGates=gates, events=events, untilSeconds=60, **more)


def member(draw: random.Random, name: str, group: str) -> Manifest:
    spec: Manifest = {"schedulingGroup": {"podGroupName": group}}
    if draw.random() < 0.2:
        spec["affinity"] = required_affinity({"app": "x"}, anti=True)
    if draw.random() < 0.1:
        spec["preemptionPolicy"] = "Never"
        kind = None
    else:
        kind = draw.choice([None, *CLASSES])
    gates = ["wait"] if draw.random() < 0.05 else []
    seconds = {"kschedui.io/termination-seconds": "3"} if draw.random() < 0.3 else None
    labels = {"app": draw.choice("xy")}
    return pod(
        name, cpu=draw.randint(1, 3), priority_class=kind, gates=gates, labels=labels, annotations=seconds, **spec
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_generated_scenario_with_groups_runs_to_its_end_and_twice_alike(seed: int) -> None:
    text = generated(seed)
    events = list(simulate(parse_scenario(text)))
    assert msgspec.json.encode(events) == msgspec.json.encode(list(simulate(parse_scenario(text))))
    check_nodes(events)
    check_groups(events)
    assert list(decisions(events))[-1]["final"]


def check_nodes(events: list[Any]) -> None:
    """Assert that no node has more pods bound than it has capacity for, unless it had from the start."""
    nodes: dict[str, Any] = {}
    pods: dict[str, Any] = {}
    used: Counter[str] = Counter()
    where: dict[str, str] = {}
    for event in events:
        match event:
            case trace.RunStarted():
                nodes = {one.name: one for one in nodes_of(event)}
                pods = {one.pod: one for one in pods_of(event)}
                where = {one.pod: one.node for one in pods.values() if one.node}
                for key, name in where.items():
                    used[name] += pods[key].requests.get("cpu", 0)
            case trace.ObjectApplied():
                nodes |= {event.name: event.node} if event.node else {}
                pods |= {event.pod.pod: event.pod} if event.pod else {}
            case trace.PodBound():
                where[event.pod] = event.node
                used[event.node] += pods[event.pod].requests.get("cpu", 0)
                assert used[event.node] <= nodes[event.node].allocatable["cpu"], event
            case trace.ObjectDeleted() if event.kind == "Pod":
                key = f"{event.namespace}/{event.name}"
                if key in where:
                    used[where.pop(key)] -= pods[key].requests.get("cpu", 0)


def check_groups(events: list[Any]) -> None:
    """Assert that a cycle that schedules a gang has enough members, and that a trial leaves no pod on its node."""
    started: groups.PodGroupCycleStarted | None = None
    assumed: set[str] = set()
    for event in events:
        match event:
            case groups.PodGroupCycleStarted():
                started, assumed = event, set()
            case trace.PodAssumed():
                assumed.add(event.pod)
            case trace.PodUnreserved():
                assumed.discard(event.pod)
            case groups.PodGroupDecided():
                assert not assumed
            case groups.PodGroupEvaluated() if event.success:
                assert started is not None
                placed = sum(bool(one.node) for one in event.members)
                assert placed + started.scheduled >= (started.min_count or 1)
            case groups.PodGroupEvaluated() if started is not None and started.min_count:
                assert not any(one.permit == "Success" and not one.requires_preemption for one in event.members) or (
                    event.waiting_on_preemption or "failed to schedule other pod" in event.message
                )
