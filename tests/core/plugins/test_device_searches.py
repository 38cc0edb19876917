"""The trace of a search for devices agrees with Filter, and each step names what decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.apis.yaml_lines import YamlLines
from scheduler_core.explain.attempt import explain
from scheduler_core.releases import RELEASES
from scheduler_core.trace.device_events import DevicesSearched, DeviceTry, NodeSearch
from scheduler_core.trace.events import CycleStarted, NodesFiltered, ObjectApplied, PodAssumed
from tests.builders import claims, device, device_claim, device_class, device_request, node, parse, pod, resource_slice
from tests.conformance.records import HERE, scenario_of

CASES = sorted(path.stem for path in (HERE / "dra").glob("*.yaml"))
PAIR = {"name": "pair", "deviceClassName": "gpu", "count": 2}
MEMORY = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0'


def searches(*objects: Any, **spec: Any) -> list[DevicesSearched]:
    return [event for event in simulate(parse(*objects, **spec)) if isinstance(event, DevicesSearched)]


def tries_of(search: DevicesSearched, name: str) -> list[tuple[str, str, str]]:
    found = next(one for one in search.nodes if one.node == name)
    return [(step.kind, " ".join(one.rpartition("/")[2] for one in step.devices), step.text) for step in found.tries]


def marked(search: DevicesSearched, step: DeviceTry) -> str:
    return search.documents[step.document].lines[step.line].strip()


def test_a_selector_that_fails_is_shown_with_its_values_and_its_line() -> None:
    small, large = device("gpu-0", memory="40Gi"), device("gpu-1", memory="80Gi")
    [search] = searches(
        node("n1"),
        device_class(),
        resource_slice("n1", [small, large]),
        device_claim("c", device_request("gpu", "gpu", MEMORY)),
        pod("p", resourceClaims=claims("c")),
    )
    assert tries_of(search, "n1") == [("selector", "gpu-0", "memory 40Gi < 80Gi"), ("taken", "gpu-1", "")]
    assert MEMORY in marked(search, search.nodes[0].tries[0])
    assert search.nodes[0].found == [("default/c", "gpu", "gpu.example.com/n1/gpu-1")]


def test_going_back_is_shown_with_the_constraint_that_forced_it() -> None:
    roots = ["a", "b", "b"]
    devices = [device(f"gpu-{number}", root=root) for number, root in enumerate(roots)]
    [search] = searches(
        node("n1"),
        device_class(),
        resource_slice("n1", devices),
        device_claim("c", device_request(count=2), constraints=[{"matchAttribute": "gpu.example.com/root"}]),
        pod("p", resourceClaims=claims("c")),
    )
    assert tries_of(search, "n1") == [
        ("taken", "gpu-0", ""),
        ("constraint", "gpu-1 gpu-2", "root b ≠ a"),
        ("returned", "gpu-0", ""),
        ("taken", "gpu-1", ""),
        ("taken", "gpu-2", ""),
    ]
    assert marked(search, search.nodes[0].tries[1]) == "- matchAttribute: gpu.example.com/root"


def test_a_device_of_another_claim_is_shown_with_its_holder() -> None:
    *_, search = searches(
        node("n1"),
        device_class(),
        resource_slice("n1", ["gpu-0"]),
        device_claim("one"),
        device_claim("two"),
        pod("first", resourceClaims=claims("one")),
        pod("second", resourceClaims=claims("two")),
    )
    assert tries_of(search, "n1") == [("held", "gpu-0", "default/one")]


def test_a_claim_with_admin_access_is_not_shown_as_the_holder() -> None:
    *_, search = searches(
        node("n1"),
        device_class(),
        resource_slice("n1", ["gpu-0"]),
        device_claim("one"),
        device_claim("three"),
        device_claim("watching", device_request(adminAccess=True)),
        pod("first", resourceClaims=claims("one")),
        pod("monitor", resourceClaims=claims("watching")),
        pod("third", resourceClaims=claims("three")),
    )
    assert tries_of(search, "n1") == [("held", "gpu-0", "default/one")]


def test_a_shared_device_of_which_nothing_is_consumed_is_given_back_by_every_request() -> None:
    shared = {**device("gpu-0", memory="80Gi"), "allowMultipleAllocations": True}
    nothing = {"capacity": {"requests": {"memory": "0"}}}
    [search] = searches(
        node("n1"),
        device_class(),
        device_class("nic"),
        resource_slice("n1", [shared]),
        device_claim("c", device_request("a", **nothing), device_request("b", **nothing), device_request("c", "nic")),
        pod("p", resourceClaims=claims("c")),
    )
    assert [one.outcome for one in search.nodes] == ["none"]


def test_a_pool_that_is_not_considered_says_why() -> None:
    [search] = searches(
        node("n1"),
        device_class(),
        resource_slice("part", ["gpu-0"], slices=2),
        resource_slice("twice", ["gpu-0"], pool="twice"),
        resource_slice("twice-2", ["gpu-0"], pool="twice", slices=1),
        resource_slice(
            "far",
            ["gpu-9"],
            node=None,
            nodeSelector={"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]},
        ),
        device_claim("c"),
        pod("p", resourceClaims=claims("c")),
    )
    problems = {pool.pool: (pool.problem, pool.message) for pool in search.nodes[0].pools}
    assert problems["part"] == ("incomplete", "1/2")
    assert problems["far"] == ("elsewhere", "")


def test_a_claim_that_has_its_devices_elsewhere_names_the_nodes() -> None:
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}
    results = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n2", "device": "gpu-0"}]
    status = {"allocation": {"devices": {"results": results}, "nodeSelector": selector}}
    [search] = searches(
        node("n1"),
        node("n2"),
        device_class(),
        resource_slice("n2", ["gpu-0"], node="n2"),
        device_claim("c", status=status),
        pod("p", resourceClaims=claims("c")),
    )
    assert tries_of(search, "n1") == [("elsewhere", "gpu-0", "name in n2")]
    assert tries_of(search, "n2") == []
    assert {one.node: one.outcome for one in search.nodes} == {"n1": "unavailable", "n2": "found"}


@pytest.mark.parametrize(
    ("devices", "requests", "shortage"),
    [
        (1, [device_request(count=2)], ("gpu", 1, 2)),
        (0, [device_request(count=2)], ("gpu", 0, 2)),
        (3, [device_request("a", count=2), device_request("b", count=2)], ("b", 1, 2)),
        (2, [device_request("a", count=2), device_request("b")], None),
        (0, [device_request()], None),
        (1, [{"name": "gpu", "firstAvailable": [PAIR]}], ("gpu/pair", 1, 2)),
    ],
)
def test_a_node_with_too_few_devices_says_how_many_of_how_many(
    devices: int, requests: list[Any], shortage: tuple[str, int, int] | None
) -> None:
    """One more device is in use by another pod. A request for a single device needs no number."""
    held = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": "held"}]
    taken = {"allocation": {"devices": {"results": held}}, "reservedFor": [{"resource": "pods", "name": "user"}]}
    objects = [
        node("n1"),
        device_class(),
        resource_slice("n1", ["held", *(f"gpu-{number}" for number in range(devices))]),
        device_claim("taken", status=taken),
        pod("user", node="n1", resourceClaims=claims("taken")),
        device_claim("c", *requests),
        pod("p", resourceClaims=claims("c")),
    ]
    [search] = searches(*objects)
    found = search.nodes[0].shortage
    assert (found and (found.request, found.found, found.wanted)) == shortage
    filters = {one.plugin: one for one in explain(parse(*objects), 1).nodes[0].filters}
    texts = [fact.text for fact in filters["DynamicResources"].facts]
    if shortage is not None:
        assert texts[0] == "Request {} can have {} of {} devices.".format(*shortage)
    assert all(" of " not in text for text in texts[shortage is not None :])


def test_a_pod_without_claims_leaves_no_search() -> None:
    assert searches(node("n1"), device_class(), resource_slice("n1", ["gpu-0"]), pod("p")) == []


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.36"])
def test_recorded_searches_come_to_what_filter_and_prebind_came_to(release: str) -> None:
    """`taken` minus `returned` is what was found; what was found on the chosen node is what the claims get."""
    searched = 0
    for case in CASES[::7]:
        search: DevicesSearched | None = None
        chosen = ""
        given: list[str] = []
        for event in simulate(parse_scenario(scenario_of(f"dra/{case}"), release=RELEASES[release])):
            match event:
                case CycleStarted():
                    _check_given(search, chosen, given, case)
                    search, chosen, given = None, "", []
                case NodesFiltered():
                    feasible = event.feasible
                case DevicesSearched():
                    search = event
                    searched += len(event.nodes)
                    _check(event, case)
                    if not event.more and not feasible:
                        assert all(one.outcome != "found" for one in event.nodes) or event.nodes[-1].outcome == "error"
                case PodAssumed():
                    chosen = event.node
                case ObjectApplied(claim=claim) if claim is not None and chosen and claim.allocated and search:
                    if claim.claim in search.claims:
                        given += [f"{one.driver}/{one.pool}/{one.device}" for one in claim.devices]
    assert searched > 100


def _check(event: DevicesSearched, case: str) -> None:
    for one in event.nodes:
        for step in one.tries:
            assert step.kind not in ("selector", "constraint", "taint", "counters", "held", "error") or step.text, case
            if step.document >= 0:
                assert 0 <= step.line < len(event.documents[step.document].lines)
        if one.outcome == "found" and not one.unfinished:
            assert sorted(_kept(one)) == sorted(device for _, _, device in one.found), (case, one.node)


def _kept(search: NodeSearch) -> Iterator[str]:
    kept: list[str] = []
    for step in search.tries:
        if step.kind == "taken":
            kept += step.devices
        elif step.kind == "returned":
            kept.remove(step.devices[0])
    yield from kept


def _check_given(search: DevicesSearched | None, chosen: str, given: list[str], case: str) -> None:
    for one in search.nodes if search is not None else ():
        if one.node == chosen and given:
            assert {device for _, _, device in one.found} <= set(given), case


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (
            {"a": {"b": [1, True, "yes", "x: y", ""]}},
            ["a:", "  b:", "  - 1", "  - true", "  - 'yes'", "  - 'x: y'", "  - ''"],
        ),
        ({"a": [{"b": "c d", "e": []}, {}]}, ["a:", "- b: c d", "  e: []", "- {}"]),
        ({"a": "one\ntwo\n", "b": None}, ["a: |-", "  one", "  two", "b: null"]),
        ({"it's": 'device.driver == "x"'}, ["'it''s': 'device.driver == \"x\"'"]),
    ],
)
def test_plain_data_becomes_yaml(data: dict[str, Any], lines: list[str]) -> None:
    assert YamlLines(data).lines == lines


def test_a_path_leads_to_its_line() -> None:
    document = YamlLines({"spec": {"requests": [{"name": "a"}, {"name": "b", "count": 2}]}})
    assert document.line_of(("spec", "requests", 1, "count")) == 4
    assert document.line_of(("spec", "requests", 1, "missing")) == 3
