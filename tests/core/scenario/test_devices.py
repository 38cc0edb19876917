"""DeviceClasses, ResourceSlices, ResourceClaims and their templates: what is read, and what is reported."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.apis.devices import DeviceClass, DeviceRequest, ResourceClaim, ResourceSlice
from scheduler_core.apis.quantity import Quantity
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, parse_scenario
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

GPUS = (node("n1"), device_class(), resource_slice("n1-gpu", ["gpu-0", "gpu-1"]))


def read(*objects: Manifest, release: str = "1.36", events: list[Manifest] | None = None) -> Scenario:
    text = scenario(*objects, **({"events": events} if events else {}))
    return parse_scenario(text, release=RELEASES[release])


def only(kind: type, found: Scenario) -> Any:
    (item,) = [item for item in found.objects if isinstance(item, kind)]
    return item


def warning(*objects: Manifest, **options: Any) -> tuple[str, int, str]:
    """Return path, line and message of the only problem."""
    (one,) = read(*objects, **options).warnings
    return one.path, one.line, str(one.message)


def errors(*objects: Manifest, release: str = "1.36") -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as refused:
        read(*objects, release=release)
    return [(one.path, str(one.message)) for one in refused.value.errors]


def test_a_claim_is_read_with_its_defaults() -> None:
    claim = only(ResourceClaim, read(*GPUS, device_claim("one")))
    assert claim.spec.requests == (DeviceRequest("gpu", "gpu", mode="ExactCount", count=1),)
    assert (claim.allocation, claim.finalizer, claim.reserved_for) == (None, False, ())


def test_a_slice_is_read_with_attributes_and_amounts_that_can_be_compared() -> None:
    gpu = device("gpu-0", memory="80Gi", model="a100", numa=1, nvlink=True)
    (found,) = only(ResourceSlice, read(node("n1"), resource_slice("n1-gpu", [gpu]))).devices
    assert {name: (one.kind, one.value) for name, one in found.attributes.items()} == {
        "model": ("string", "a100"),
        "numa": ("int", 1),
        "nvlink": ("bool", True),
    }
    assert found.capacity["memory"].value == Quantity.parse("81920Mi")


def test_the_beta_versions_of_the_api_are_converted() -> None:
    v1 = device_claim("one", device_request(count=2))
    request = v1["spec"]["devices"]["requests"][0]
    flat = {**v1, "apiVersion": "resource.k8s.io/v1beta1"}
    flat["spec"] = {"devices": {"requests": [{"name": "gpu", **request["exactly"]}]}}
    beta2 = {**v1, "apiVersion": "resource.k8s.io/v1beta2"}
    assert {only(ResourceClaim, read(*GPUS, one)).spec for one in (v1, flat, beta2)} == {
        only(ResourceClaim, read(*GPUS, v1)).spec
    }
    new = resource_slice("n1-gpu", [device("gpu-0", model="a100")])
    old = {**new, "apiVersion": "resource.k8s.io/v1beta1"}
    inner = {key: value for key, value in new["spec"]["devices"][0].items() if key != "name"}
    old["spec"] = {**new["spec"], "devices": [{"name": "gpu-0", "basic": inner}]}
    converted, written = (only(ResourceSlice, read(node("n1"), one)) for one in (old, new))
    assert replace(converted, manifest={}) == replace(written, manifest={})


def test_a_release_in_which_the_feature_is_off_leaves_the_kinds_out() -> None:
    found = read(node("n1"), device_class(), release="1.33")
    assert [str(one.message) for one in found.warnings] == [
        "DeviceClass is left out: feature gate DynamicResourceAllocation is off"
    ]
    assert not [item for item in found.objects if isinstance(item, DeviceClass)]


@pytest.mark.parametrize(
    ("changed", "path", "message"),
    [
        (device_claim("c", device_request(count=-1)), "count", "Invalid value: -1: must be greater than zero"),
        (
            device_claim("c", device_request(allocationMode="All", count=2)),
            "count",
            "must not be specified when allocationMode is 'All'",
        ),
        (device_claim("c", {"name": "gpu"}), "requests[0]", "exactly one of `exactly` or `firstAvailable` is required"),
        (device_claim("c", device_request("GPU")), "name", "Invalid value"),
        (
            device_claim("c", constraints=[{"requests": ["nic"], "matchAttribute": "a.b/c"}]),
            "constraints[0].requests[0]",
            "must be the name of a request",
        ),
        (resource_slice("s", ["a", "a"]), "devices[1]", 'Duplicate value: "a"'),
        (resource_slice("s", ["a"], slices=0), "resourceSliceCount", "must be greater than zero"),
        (resource_slice("s", ["a"], node=None), "spec", "exactly one of `nodeName`"),
        (resource_slice("s", [f"d{i}" for i in range(129)]), "devices", "must have at most 128 items"),
        (device_class("gpu", ""), "expression", "Required value"),
    ],
)
def test_what_the_api_server_refuses_is_an_error_at_its_field(changed: Manifest, path: str, message: str) -> None:
    others = [one for one in GPUS if (one["kind"], one["metadata"]) != (changed["kind"], changed["metadata"])]
    found = errors(*others, changed)
    assert any(at.endswith(path) and message in said for at, said in found), found


def test_an_expression_that_does_not_compile_is_a_warning_with_the_api_servers_message() -> None:
    path, line, message = warning(*GPUS, device_claim("one", device_request("gpu", "gpu", "device.driver == 1")))
    assert path == "spec.devices.requests[0].exactly.selectors[0].cel.expression"
    assert line > 0
    assert message.startswith('Invalid value: "device.driver == 1": compilation failed: ERROR: <input>:1:15: found no')


def test_an_expression_is_warned_about_by_every_kind_that_has_some() -> None:
    wrong = device_request("gpu", "gpu", "nonsense")
    listed = {"name": "any", "firstAvailable": [{**wrong["exactly"], "name": "a"}]}
    template = {**device_claim("t", listed), "kind": "ResourceClaimTemplate"}
    template["spec"] = {"spec": template["spec"]}
    event = [{"at": 1, "create": device_claim("later", wrong)}]
    found = read(node("n1"), device_class("gpu", "nonsense"), template, events=event)
    assert {one.path for one in found.warnings} == {
        "spec.selectors[0].cel.expression",
        "spec.spec.devices.requests[0].firstAvailable[0].selectors[0].cel.expression",
        "spec.events[0].create.spec.devices.requests[0].exactly.selectors[0].cel.expression",
    }


@pytest.mark.parametrize(
    ("objects", "path", "message"),
    [
        (
            (device_claim("one", device_request("gpu", "nope")),),
            "spec.devices.requests[0].exactly.deviceClassName",
            'there is no DeviceClass "nope"',
        ),
        (
            (device_claim("one", device_request(count=33)),),
            "spec.devices.requests",
            "33 devices are requested, and a claim can have at most 32",
        ),
        (
            (resource_slice("n1-more", ["x"], slices=2),),
            "spec.pool.resourceSliceCount",
            "the pool n1-more of driver gpu.example.com is incomplete: 1 of its 2 slices of generation 1 exist",
        ),
        (
            (device_claim("c", device_request(colour="red")),),
            "spec.devices.requests[0].exactly.colour",
            'unknown field "colour"',
        ),
        (
            (pod("a", resourceClaims=claims("nope")),),
            "spec.resourceClaims[0].resourceClaimName",
            'there is no ResourceClaim "nope"',
        ),
        (
            (pod("a", resourceClaims=claims("nope", template=True)),),
            "spec.resourceClaims[0].resourceClaimTemplateName",
            'there is no ResourceClaimTemplate "nope"',
        ),
        (
            (
                device_claim("a-t"),
                {
                    **pod("a", resourceClaims=claims("t", template=True)),
                    "status": {"resourceClaimStatuses": [{"name": "t", "resourceClaimName": "a-t"}]},
                },
            ),
            "spec.resourceClaims[0].name",
            'ResourceClaim "a-t" was generated for another pod',
        ),
    ],
)
def test_what_cannot_be_meant_is_a_warning_with_its_line(
    objects: tuple[Manifest, ...], path: str, message: str
) -> None:
    found = warning(*GPUS, *objects)
    assert (found[0], found[2]) == (path, message)
    assert found[1] > 0


def test_what_the_timeline_will_bring_is_not_missed() -> None:
    events = [{"at": 1, "create": device_class("late")}, {"at": 2, "create": device_claim("late")}]
    early = device_claim("early", device_request("gpu", "late"))
    assert not read(*GPUS, early, pod("a", resourceClaims=claims("late")), events=events).warnings
