"""Claims without recorded runs: members of one pod group, pods that are being bound, preemption."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.events import AttemptFinished, SchedulingFailed
from tests.builders import (
    Manifest,
    claims,
    device_claim,
    device_class,
    device_request,
    node,
    pod,
    priority_class,
    resource_slice,
    scenario,
)
from tests.core.runs import standing_at_the_end
from tests.core.scheduler.test_pod_groups import gang, member, text

GPUS = ("gpu-0", "gpu-1")


def nodes(*names: str) -> list[Manifest]:
    slices = [resource_slice(f"{name}-gpu", GPUS, node=name) for name in names]
    return [device_class(), *slices, *(node(name) for name in names)]


def end_of(written: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the nodes of pods, and the devices of claims, at the end of a run."""
    events = list(simulate(parse_scenario(written)))
    *_, last = decisions(events)
    given = {
        key: [f"{one['pool']}/{one['device']}" for one in claim["allocation"]["results"]]
        for key, claim in last["final"]["claims"].items()
        if claim["allocation"] is not None
    }
    return standing_at_the_end(events), given


@pytest.mark.parametrize("order", [("shared", "own"), ("own", "shared")])
def test_members_of_a_gang_share_a_claim_that_none_of_them_has_written_yet(order: tuple[str, str]) -> None:
    needed = [device_claim("shared", device_request()), device_claim("own", device_request())]
    first, second = member("a", resourceClaims=claims("shared")), member("b", resourceClaims=claims(*order))
    placed, given = end_of(text(*nodes("n1", "n2"), *needed, gang(2), first, second))
    assert placed["default/a"] == placed["default/b"] == "n1"
    assert given == {"default/shared": ["n1-gpu/gpu-0"], "default/own": ["n1-gpu/gpu-1"]}


def test_a_gang_for_which_there_are_too_few_devices_leaves_them_to_others() -> None:
    needed = [device_claim(name, device_request()) for name in ("a", "b", "c", "d")]
    members = [member(name, resourceClaims=claims(name)) for name in ("a", "b", "c")]
    placed, given = end_of(text(*nodes("n1"), *needed, gang(3), *members, pod("d", resourceClaims=claims("d"))))
    assert placed == {"default/d": "n1"}
    assert given == {"default/d": ["n1-gpu/gpu-0"]}


def test_a_claim_that_another_pod_is_being_bound_with_cannot_be_taken_up() -> None:
    pods = [pod(name, resourceClaims=claims("shared")) for name in ("a", "b")]
    written = scenario(*nodes("n1"), device_claim("shared"), *pods, bindingSeconds=5)
    events = list(simulate(parse_scenario(written)))
    failed = [event.message for event in events if isinstance(event, SchedulingFailed)]
    assert "resource claim default/shared is in the process of being allocated" in failed[0]
    assert standing_at_the_end(events) == {"default/a": "n1", "default/b": "n1"}


def test_preemption_frees_cpu_but_no_devices() -> None:
    busy: dict[str, Any] = {"priorityClassName": "low", "priority": 1}
    holder = pod("holder", cpu="3", node="n1", resourceClaims=claims("held"), **busy)
    allocation = {
        "devices": {
            "results": [
                {"request": "gpu", "driver": "gpu.example.com", "pool": "n1-gpu", "device": one} for one in GPUS
            ]
        }
    }
    held = device_claim("held", device_request(count=2))
    held["status"] = {"allocation": allocation, "reservedFor": [{"resource": "pods", "name": "holder"}]}
    wanted = pod("wants-a-gpu", cpu="1", resourceClaims=claims("wanted"), priorityClassName="high")
    roomy = pod("wants-cpu", cpu="3", priorityClassName="high")
    classes = [priority_class("low", 1), priority_class("high", 100)]
    for waiting, evicted in ((wanted, False), (roomy, True)):
        written = scenario(*classes, *nodes("n1"), held, device_claim("wanted"), holder, waiting, untilSeconds=300)
        events = list(simulate(parse_scenario(written)))
        outcomes = [event.outcome for event in events if isinstance(event, AttemptFinished)]
        assert (outcomes[-1] == "Scheduled") is evicted
        assert ("default/holder" not in standing_at_the_end(events)) is evicted


@pytest.mark.parametrize(("release", "complete"), [("1.35", False), ("1.36", True)])
def test_the_number_of_slices_is_that_of_the_first_one_for_the_node_from_1_36_on(release: str, complete: bool) -> None:
    written = scenario(
        device_class(),
        resource_slice("a", ["gpu-0"], pool="pool", slices=3, node=None, allNodes=True),
        resource_slice("b", ["gpu-1"], pool="pool", slices=2, node="n1"),
        node("n1"),
        device_claim("c"),
        pod("p", resourceClaims=claims("c")),
        kubernetesVersion=release,
    )
    events = list(simulate(parse_scenario(written)))
    assert standing_at_the_end(events) == ({"default/p": "n1"} if complete else {})


@pytest.mark.parametrize(
    ("release", "reason"),
    [
        (
            "1.34",
            'add reservation to claim default/c: ResourceClaim.resource.k8s.io "c" is invalid: status.reservedFor: '
            "Forbidden: may not be specified when `allocated` is not set",
        ),
        ("1.36", "claim default/c got deallocated elsewhere in the meantime"),
    ],
)
def test_a_claim_that_is_deallocated_before_it_is_written_fails_the_binding(release: str, reason: str) -> None:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": "n1-gpu", "device": "gpu-0"}
    allocation = {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": terms}}
    written = scenario(
        *nodes("n1", "n2"),
        device_claim("c", status={"allocation": allocation}),
        pod("binds", resourceClaims=claims("c")),
        pod("deallocates", resourceClaims=claims("c"), nodeSelector={"kubernetes.io/hostname": "n2"}),
        kubernetesVersion=release,
        bindingSeconds=5,
    )
    events = list(simulate(parse_scenario(written)))
    messages = [event.message for event in events if isinstance(event, SchedulingFailed)]
    assert f'running PreBind plugin "DynamicResources": {reason}' in messages


def test_shares_that_consume_nothing_leave_the_counters_of_their_device_to_be_charged_again() -> None:
    counters = [{"name": "set", "counters": {"slots": {"value": "2"}}}]
    uses = [{"counterSet": "set", "counters": {"slots": {"value": "1"}}}]
    shared: Manifest = {"name": "gpu-0", "allowMultipleAllocations": True, "consumesCounters": uses}
    objects = [
        node("n1"),
        device_class(),
        resource_slice("n1", [], pool="n1", slices=2, sharedCounters=counters),
        resource_slice("n1-gpu", [shared], pool="n1", slices=2),
        *(device_claim(name) for name in ("a", "b", "c")),
        *(pod(name, resourceClaims=claims(name)) for name in ("a", "b", "c")),
    ]
    objects[2]["spec"].pop("devices")
    placed, _ = end_of(scenario(*objects, kubernetesVersion="1.36"))
    assert placed == {"default/a": "n1", "default/b": "n1", "default/c": "n1"}
    objects[2]["spec"]["sharedCounters"] = [{"name": "set", "counters": {"slots": {"value": "1"}}}]
    placed, _ = end_of(scenario(*objects, kubernetesVersion="1.36"))
    assert placed == {"default/a": "n1"}


def test_shares_of_nothing_are_given_back_one_after_the_other() -> None:
    shared: Manifest = {"name": "gpu-0", "allowMultipleAllocations": True, "capacity": {"memory": {"value": "80Gi"}}}
    nothing = device_request("gpu", capacity={"requests": {"memory": "0"}})
    names = ("a", "b", "c")
    placed, _ = end_of(
        scenario(
            node("n1"),
            device_class(),
            resource_slice("n1", [shared]),
            *(device_claim(name, nothing) for name in names),
            *(pod(name, resourceClaims=claims(name)) for name in names),
            device_claim("whole", device_request("gpu", capacity={"requests": {"memory": "80Gi"}})),
            events=[
                *({"at": 5, "delete": {"kind": "Pod", "name": name}} for name in names),
                {"at": 6, "create": pod("last", resourceClaims=claims("whole"))},
            ],
            kubernetesVersion="1.36",
        )
    )
    assert placed == {"default/last": "n1"}


@pytest.mark.parametrize(
    ("release", "messages"),
    [("1.35", ['running "DynamicResources" filter plugin: allocation max size exceeded']), ("1.36", [])],
)
def test_a_search_that_exceeds_the_limit_everywhere_is_an_error_before_1_36(release: str, messages: list[str]) -> None:
    either: Manifest = {
        "name": "either",
        "firstAvailable": [
            {"name": "many", "deviceClassName": "gpu", "count": 30},
            {"name": "all", "deviceClassName": "nic", "allocationMode": "All"},
        ],
    }
    objects = [
        resource_slice("n1-gpu", [f"gpu-{number}" for number in range(35)]),
        resource_slice("n1-nic", ["nic-0", "nic-1"], driver="nic"),
        device_claim("c", either, device_request("more", count=10)),
    ]
    assert messages_of(release, *objects) == messages


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.36"])
def test_a_claim_for_many_devices_that_are_free_is_allocated_at_once(release: str) -> None:
    objects = [
        resource_slice("n1-gpu", [f"gpu-{number}" for number in range(32)]),
        device_claim("c", device_request(count=32)),
    ]
    assert messages_of(release, *objects) == []


def messages_of(release: str, *objects: Manifest) -> list[str]:
    """Return the messages of failed attempts of a pod with the claim c on one node."""
    given = (node("n1"), device_class(), device_class("nic"), *objects, pod("p", resourceClaims=claims("c")))
    events = simulate(parse_scenario(scenario(*given, kubernetesVersion=release, untilSeconds=1)))
    return [event.message for event in events if isinstance(event, SchedulingFailed)]
