"""Node groups: which are found, and which help; the proposed number of nodes suffices, and one fewer does not."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.ask.editing.text import append_events
from scheduler_core.ask.operations.helping import FULL, Help, helping
from scheduler_core.scenario.parse import ScenarioErrors
from tests.builders import Manifest, node, pod, required_affinity, scenario, spread

CASES = int(os.environ.get("KSCHEDUI_GROUPS", "40"))
LABEL = "eks.amazonaws.com/nodegroup"


def group(name: str, template: Manifest | None = None, **spec: Any) -> Manifest:
    if template is not None:
        spec["template"] = {key: value for key, value in template.items() if key in ("metadata", "spec", "status")}
    return {"apiVersion": "kschedui.io/v1alpha1", "kind": "NodeGroup", "metadata": {"name": name}, "spec": spec}


def drawn(seed: int) -> tuple[list[Manifest], list[Manifest]]:
    """Return objects with two declared groups, a detected one and pending pods; and the pods of their DaemonSet."""
    random = Random(seed)
    taints = ["gpu=yes:NoSchedule"] if random.random() < 0.5 else []
    templates = {
        "small": node("small", cpu=random.choice((1, 2)), zone="a"),
        "large": node("large", cpu=random.choice((4, 8)), zone="b", taints=taints, labels={"disk": "ssd"}),
    }
    there = [node(f"n{number}", cpu=2, zone="a", labels={LABEL: "pool"}) for number in (1, 2)]
    groups = [
        group(name, one, maximum=random.choice((1, 3, 20)), price=random.choice((1, 2.5)))
        for name, one in templates.items()
    ]
    daemons = []
    if random.random() < 0.5:
        for one in there:
            daemon = pod(
                f"log-{one['metadata']['name']}", cpu="300m", node=one["metadata"]["name"], labels={"d": "log"}
            )
            owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "log", "uid": "u-log", "controller": True}
            daemon["metadata"]["ownerReferences"] = [owner]
            daemons.append(daemon)
    waiting = []
    for number in range(random.randint(1, 6)):
        more: dict[str, Any] = {}
        if random.random() < 0.3:
            more["affinity"] = required_affinity({"app": "web"}, anti=True)
        if random.random() < 0.2:
            more["topologySpreadConstraints"] = [spread({"app": "web"}, "kubernetes.io/hostname")]
        if random.random() < 0.4:
            more["tolerations"] = [{"operator": "Exists"}]
        if random.random() < 0.2:
            more["nodeSelector"] = {"disk": "ssd"}
        waiting.append(pod(f"w{number}", cpu=random.choice(("900m", 1, 2, 3)), labels={"app": "web"}, **more))
    return [*there, *groups, *waiting], daemons


def scheduled(objects: list[Manifest], daemons: list[Manifest], help_: Help, count: int) -> set[str]:
    """Return the pending pods that are scheduled after `count` nodes are added by a timeline that the test writes
    itself."""
    text = scenario(*objects, *daemons)
    found = next(iter(one for one in objects if one["metadata"]["name"] == (help_.like or help_.group)))
    template = found["spec"]["template"] if found["kind"] == "NodeGroup" else found
    tainted = bool(template["spec"].get("taints"))
    events: list[Manifest] = []
    for number in range(1, count + 1):
        made = {"apiVersion": "v1", "kind": "Node", **deepcopy(template)}
        name = f"{help_.group}-new-{number}"
        made["metadata"]["name"] = made["metadata"]["labels"]["kubernetes.io/hostname"] = name
        events.append({"at": 200, "create": made})
        if daemons and not tainted:
            daemon = deepcopy(daemons[0])
            daemon["metadata"]["name"] = f"log-{name}"
            daemon["spec"].pop("nodeName")
            daemon["spec"]["nodeSelector"] = {"kubernetes.io/hostname": name}
            events.append({"at": 200, "create": daemon})
    applied = parse_scenario(append_events(text, events, json.dumps)) if events else parse_scenario(text)
    final = list(decisions(simulate(applied)))[-1]["final"]
    return {key for key in final["bound"] if key.startswith("default/w")}


@pytest.mark.parametrize("seed", range(CASES))
def test_so_many_nodes_schedule_the_pods_and_one_fewer_does_not(seed: int) -> None:
    objects, daemons = drawn(seed)
    found = helping(parse_scenario(scenario(*objects, *daemons)))
    before = scheduled(objects, daemons, Help("pool", "a", "n1", 0, [], None), 0)
    waiting = {f"default/{one['metadata']['name']}" for one in objects if one["kind"] == "Pod"}
    assert set(found.pending) == waiting - before
    assert not found.pending or {one.group for one in found.helps} == {"small", "large", "pool"}
    for one in found.helps:
        if one.pods:
            assert scheduled(objects, daemons, one, one.nodes) == before | set(one.pods)
            assert len(scheduled(objects, daemons, one, one.nodes - 1)) < len(before) + len(one.pods)
        elif one.why != FULL:
            spec = next((group["spec"] for group in objects if group["metadata"]["name"] == one.group), {"maximum": 4})
            assert scheduled(objects, daemons, one, min(4, spec["maximum"])) == before


@pytest.mark.parametrize(
    "label", ["karpenter.sh/nodepool", "cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool", LABEL]
)
def test_groups_are_found_by_the_labels_of_vendors(label: str) -> None:
    nodes = [node(f"n{number}", cpu=1, zone=zone, labels={label: "b"}) for number, zone in enumerate("aab")]
    found = helping(parse_scenario(scenario(*nodes, pod("web", cpu=1, nodeSelector={"x": "y"}))))
    [one] = found.groups
    assert (one.name, one.label, len(one.nodes)) == ("b", label, 3)
    assert [(kind.zone, kind.count) for kind in one.templates] == [("a", 2), ("b", 1)]
    assert {help_.why for help_ in found.helps} == {
        "NodeAffinity: node(s) didn't match Pod's node affinity/selector; NodeResourcesFit: Insufficient cpu"
    } or all("node affinity/selector" in help_.why for help_ in found.helps)


def test_a_declared_group_without_nodes_helps_and_costs() -> None:
    objects = [node("n1", cpu=1), group("gpu", node("x", cpu=4), maximum=3, price=1.5)]
    found = helping(parse_scenario(scenario(*objects, *(pod(f"w{number}", cpu=3) for number in range(4)))))
    [one] = found.helps
    assert (one.group, one.nodes, len(one.pods), one.price, one.short) == ("gpu", 3, 3, 4.5, True)


def test_a_full_group_does_not_help() -> None:
    nodes = [node("n1", cpu=1, labels={LABEL: "b"})]
    found = helping(parse_scenario(scenario(*nodes, group("b", maximum=1), pod("web", cpu=1), pod("more", cpu=1))))
    assert [(one.why, one.pods) for one in found.helps] == [(FULL, [])]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"maximum": -1}, "must be greater than or equal to 0"),
        ({"minimum": 3, "maximum": 2}, "must be greater than or equal to 3"),
        ({"price": -1}, "must be greater than or equal to 0"),
        ({"max": 2}, "spec.max: unknown field"),
        ({"template": {"spec": {"taints": [{"key": "a"}]}}}, "spec.taints[0].effect"),
    ],
)
def test_a_wrong_group_is_refused_with_its_place(spec: Manifest, sentence: str) -> None:
    with pytest.raises(ScenarioErrors) as error:
        parse_scenario(scenario(node("n1"), group("b", **spec)))
    assert sentence in str(error.value)
    assert "spec" in str(error.value)
