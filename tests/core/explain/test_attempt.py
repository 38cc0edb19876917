"""Explanations agree with kube-scheduler's recorded decisions, and with each other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.explain.attempt import Explainer, Watcher, explain
from scheduler_core.explain.records import AttemptExplanation, FilterExplanation, NodeExplanation
from scheduler_core.framework.facts import Fact
from scheduler_core.framework.interface import Code, Status, Verdicts
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import DEFAULT_RELEASE
from scheduler_core.scenario.parse import Scenario, parse_scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.events import AnyEvent
from tests.builders import (
    claims,
    configuration,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    parse,
    pod,
    resource_slice,
    scenario,
)
from tests.conformance.records import records_of, scenario_of
from tests.sampling import rest_slow

CASES = sorted(case for case in records_of(DEFAULT_RELEASE.version) if not case.startswith("gang/"))  # tried together
GANGS = Path(__file__).parents[2] / "conformance" / "gang"
MAX_NODES = 12  # that are explained for each attempt

H100 = 'device.attributes["gpu.example.com"].model == "h100"'


class EveryAttempt(Watcher):
    """Explains each attempt during a run."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(0)
        self.explained: list[AttemptExplanation] = []
        self._simulation = simulation
        self._emit = simulation.scheduler.emit
        simulation.scheduler.emit = self.watch

    def watch(self, event: AnyEvent) -> None:
        self._emit(event)
        self._attempt = len(self.explained) + 1
        if self.see(event):
            assert self.course is not None
            framework = self._simulation.scheduler.frameworks[self.course.started.profile]
            explainer = Explainer(framework, self.course)
            self.explained.append(explainer.explain(framework.cluster.nodes.names[:MAX_NODES]))
            self.course = None


def explanations(text: str) -> Iterator[AttemptExplanation]:
    simulation = Simulation(replace(parse_scenario(text), controllers=()), REGISTRY)
    watcher = EveryAttempt(simulation)
    for _ in simulation.run():
        yield from watcher.explained[:0]
    yield from watcher.explained


def rejection(found: NodeExplanation) -> dict[str, Any] | None:
    """Return the verdict that the scheduler recorded, the first rejection by a plugin that was evaluated, or None."""
    for one in found.filters:
        if one.evaluated and one.code not in ("Success", "Skip"):
            return {"plugin": one.plugin, "code": one.code, "reasons": one.reasons}
    return None


def check_facts(one: FilterExplanation) -> None:
    if not one.facts:
        return
    failing = [fact for fact in one.facts if not fact.holds]
    assert bool(failing) == (one.code not in ("Success", "Skip")), one
    for fact in one.facts:
        assert fact.text.endswith("."), fact
        assert fact.key.startswith(f"{one.plugin}."), fact


def check_scores(found: NodeExplanation, record: dict[str, Any]) -> None:
    expected = {plugin: by_node[found.node] for plugin, by_node in record["scores"].items() if found.node in by_node}
    assert {one.plugin: [one.raw, one.normalized, one.weighted] for one in found.scores} == expected
    for one in found.scores:
        assert one.weighted == one.normalized * one.weight
        assert one.arithmetic, one
        assert str(one.normalized) in re.findall(r"-?\d+", one.arithmetic[-1]), one


@pytest.mark.parametrize("case", rest_slow(3, CASES))
def test_an_explanation_says_what_the_scheduler_decided(case: str) -> None:
    lines = records_of("1.36")[case].splitlines()
    records = [record for record in map(json.loads, lines) if "attempt" in record]
    for record, explained in zip(records, explanations(scenario_of(case)), strict=True):
        assert (explained.attempt, explained.pod) == (record["attempt"], record["pod"])
        for found in explained.nodes:
            assert rejection(found) == record["filter"].get(found.node), (record["attempt"], found.node)
            check_scores(found, record)
            for one in found.filters:
                check_facts(one)


def two_nodes() -> AttemptExplanation:
    known = parse(
        node("small", cpu=1), node("large", cpu=4, memory="8Gi"),
        pod("running", cpu="1500m", memory="3Gi", node="large"),
        pod("new", cpu="2", memory="1Gi"),
    )  # fmt: skip
    return explain(known, 1)


def test_a_rejection_gives_the_numbers() -> None:
    small = two_nodes().nodes[0]
    fit = next(one for one in small.filters if one.plugin == "NodeResourcesFit")
    fact = next(fact for fact in fit.facts if fact.key == "NodeResourcesFit.cpu")
    assert (fit.evaluated, fit.code, fit.reasons) == (True, "UnschedulableAndUnresolvable", ["Insufficient cpu"])
    assert (fact.left, fact.op, fact.right, fact.holds) == ("2", ">", "1", False)
    assert fact.values == {"request": 2000, "requested": 0, "allocatable": 1000, "free": 1000}
    assert fact.field == "spec.containers[*].resources.requests.cpu"


def test_plugins_after_the_first_rejection_are_asked_but_marked() -> None:
    known = parse(node("n1", cpu=1, unschedulable=True), pod("new", cpu=2))
    filters = {one.plugin: one for one in explain(known, 1).nodes[0].filters}
    assert filters["NodeUnschedulable"].evaluated
    assert not filters["NodeResourcesFit"].evaluated
    assert filters["NodeResourcesFit"].reasons == ["Insufficient cpu"]


def test_a_score_is_arithmetic_with_this_pods_numbers() -> None:
    known = parse(
        node("a", cpu=4, memory="8Gi"), node("b", cpu=4, memory="8Gi"),
        pod("running", cpu="1", memory="2Gi", node="a"), pod("new", cpu="500m", memory="1Gi"),
    )  # fmt: skip
    scores = {one.plugin: one for one in explain(known, 1, ["a"]).nodes[0].scores}
    assert scores["NodeResourcesFit"].arithmetic == [
        "cpu (4000 - 1500) * 100 / 4000 = 62",
        "memory (8Gi - 3Gi) * 100 / 8Gi = 62",
        "(62 + 62) / 2 = 62",
    ]


def test_a_node_without_a_topology_label_has_no_domain_whose_pods_are_counted() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}}}
    known = parse(
        service, node("a", zone="z"), node("b"), pod("old", node="b", labels={"app": "web"}),
        pod("new", labels={"app": "web"}),
    )  # fmt: skip
    spread = {
        found.node: next(score for score in found.scores if score.plugin == "PodTopologySpread")
        for found in explain(known, 1, ["a", "b"]).nodes
    }
    assert [fact.right for fact in spread["a"].facts] == [
        "matching pods on the node a",
        "matching pods on topology.kubernetes.io/zone=z",
    ]
    assert [fact.right for fact in spread["b"].facts] == ["matching pods on the node b"]
    assert "topology.kubernetes.io/zone: 0 (the node has no such label)" in spread["b"].arithmetic


def test_extenders_have_their_say() -> None:
    prefix = "http://licences.example"
    config = configuration(
        extenders=[{"urlPrefix": prefix, "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 2}]
    )
    filters = [
        {"nodes": {"names": ["n1"]}, "reject": "no licence"},
        {"nodes": {"names": ["n2"]}, "reject": "never here", "unresolvable": True},
    ]
    script = {"urlPrefix": prefix, "filter": filters, "prioritize": [{"nodes": {"names": ["n3"]}, "score": 7}]}
    known = parse(*(node(f"n{i}") for i in range(1, 5)), pod("new", cpu=1), config, extenders=[script])
    by_name = {found.node: found for found in explain(known, 1).nodes}
    rejections = {name: rejection(found) for name, found in by_name.items()}
    assert rejections == {
        "n1": {"plugin": prefix, "code": "Unschedulable", "reasons": ["no licence"]},
        "n2": {"plugin": prefix, "code": "UnschedulableAndUnresolvable", "reasons": ["never here"]},
        "n3": None,
        "n4": None,
    }
    last = by_name["n3"].scores[-1]
    assert (last.plugin, last.raw, last.normalized, last.weight, last.weighted) == (prefix, 7, 70, 2, 140)


def test_a_node_kept_for_a_nominated_pod_is_judged_with_it() -> None:
    known = parse(
        node("n1", cpu=2), pod("old", cpu="1500m", node="n1", annotations={"kschedui.io/termination-seconds": "60"}),
        pod("urgent", cpu="1500m", priority=100), pod("small", cpu="600m", priority=50),
    )  # fmt: skip
    explained = explain(known, 2)
    assert explained.pod == "default/small"
    fit = next(one for one in explained.nodes[0].filters if one.plugin == "NodeResourcesFit")
    fact = next(fact for fact in fit.facts if fact.key == "NodeResourcesFit.cpu")
    assert fact.values["requested"] == 3000
    assert "counting the pods nominated to it" in fact.text


def test_the_message_of_pre_filter_is_shown() -> None:
    claim = [{"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}]
    explained = explain(parse(node("n1"), pod("new", volumes=claim)), 1)
    assert [(one.plugin, one.reasons) for one in explained.pre_filter if one.code not in ("Success", "Skip")] == [
        ("VolumeRestrictions", ['persistentvolumeclaim "nope" not found'])
    ]
    assert not any(one.evaluated for one in explained.nodes[0].filters)
    assert explained.nodes[0].scores == []


def test_an_explanation_is_plain_json() -> None:
    explained = two_nodes()
    assert msgspec.json.decode(msgspec.json.encode(explained), type=AttemptExplanation) == explained


def test_an_attempt_or_a_node_that_does_not_exist_is_refused() -> None:
    known = parse(node("n1"), pod("new"))
    with pytest.raises(NotAnswerable, match="no attempt 2"):
        explain(known, 2)
    with pytest.raises(NotAnswerable, match="no node n9"):
        explain(known, 1, ["n9"])


@pytest.mark.parametrize("nodes", [None, ["x1"]])
def test_a_member_that_its_group_never_tried_is_refused(nodes: list[str] | None) -> None:
    known = parse_scenario((GANGS / "056-tas-no-label-anywhere.yaml").read_text())
    with pytest.raises(NotAnswerable, match="Attempt 2 tried default/train-1 on no"):
        explain(known, 2, nodes)


class OddNames:
    """A plugin of another package, without explanations, that rejects nodes with an even number."""

    name = "OddNames"

    def __init__(self, args: object, handle: object) -> None:
        """Accept the arguments of a plugin."""

    def filter(self, pod: Any, state: Any, nodes: Any, rows: Any, change: Any) -> Verdicts:
        even = np.array([int(name[1:]) % 2 == 0 for name in nodes.names])[rows]
        return Verdicts.reject(even, Status(Code.UNSCHEDULABLE, ("node(s) had an even number",)))


def test_a_plugin_of_another_package_is_asked_too() -> None:
    profile = {"plugins": {"filter": {"enabled": [{"name": "OddNames"}]}}}
    text = scenario(node("n1"), node("n2"), pod("new"), configuration(profiles=[profile]))
    found = explain(
        parse_scenario(text, None, {"OddNames": ("filter",)}), 1, ["n2"], {**REGISTRY, "OddNames": OddNames}
    )
    last = found.nodes[0].filters[-1]
    assert (last.plugin, last.code, last.reasons) == ("OddNames", "Unschedulable", ["node(s) had an even number"])


@pytest.mark.parametrize("case", ["gang/002-gang-does-not-fit", "gang/050-tas-most-pods"])
def test_a_member_of_a_group_is_explained_as_it_was_tried_on_the_nodes_that_are_asked_about(case: str) -> None:
    scenario = parse_scenario(scenario_of(case))
    records = [json.loads(line) for line in records_of("1.36")[case].splitlines()]
    for record in (record for record in records if "attempt" in record):
        nodes = [*record["filter"], *record["feasible"]]
        explained = explain(scenario, record["attempt"], nodes)
        assert explained.pod == record["pod"]
        for found in explained.nodes:
            assert rejection(found) == record["filter"].get(found.node)
            check_scores(found, record)


def facts_of_devices(known: Scenario, attempt: int) -> list[Fact]:
    filters = {one.plugin: one for one in explain(known, attempt).nodes[0].filters}
    return filters["DynamicResources"].facts


def test_rejected_devices_are_listed_one_by_one() -> None:
    busy = device("gpu-2", model="h100")
    known = parse(
        node("n1"),
        device_class(),
        resource_slice("n1-gpu", [device("gpu-0", model="a100"), device("gpu-1", model="h100"), busy]),
        *(device_claim(name, device_request("gpu", "gpu", H100)) for name in ("one", "two", "three")),
        *(pod(name, resourceClaims=claims(name)) for name in ("one", "two", "three")),
    )
    devices = [facts_of_devices(known, number) for number in (1, 3)]
    assert [[(fact.text, fact.holds) for fact in facts] for facts in devices] == [
        [("The claims of the pod can have gpu-1.", True)],
        [
            ('gpu-0: model "a100" ≠ "h100".', False),
            ("gpu-1: claim default/one has it.", False),
            ("gpu-2: claim default/two has it.", False),
        ],
    ]
