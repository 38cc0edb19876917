"""Mistakes in DeviceClasses, ResourceSlices, ResourceClaims and their pods are reported in one sentence with the line.

Tested over the API, with the editor's check, and on the command line.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kschedui.cli.main import main
from kschedui.runs import worker
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
)
from tests.web.conftest import Browser, body_of

REQUEST = "spec.devices.requests[0].exactly"
CLUSTER = (node("n1"), device_class(), resource_slice("n1-gpu", ["gpu-0", "gpu-1"]))


class Plain(yaml.SafeDumper):
    """A YAML dumper without aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class Mistake(NamedTuple):
    """An invalid scenario. Its only problem is at `path` of the last object.

    `objects` are added to CLUSTER, or replace its objects of the same names.
    """

    objects: tuple[Manifest, ...]
    path: str
    message: str
    refused: bool = True  # False: only a warning

    @property
    def documents(self) -> list[Manifest]:
        own = {(one["kind"], one["metadata"]["name"]) for one in self.objects}
        return [one for one in CLUSTER if (one["kind"], one["metadata"]["name"]) not in own] + list(self.objects)

    @property
    def text(self) -> str:
        return yaml.dump_all(self.documents, Dumper=Plain, sort_keys=False)

    @property
    def line(self) -> int:
        """Return the line of the path in the text: of its key, or of the key above it if it is missing."""
        *_, last = yaml.compose_all(self.text, Loader=yaml.SafeLoader)
        line = last.start_mark.line
        for key in self.path.replace("[", ".").replace("]", "").split("."):
            if isinstance(last, yaml.SequenceNode):
                last = last.value[int(key)]
                line = last.start_mark.line
                continue
            pairs = {name.value: (name, value) for name, value in last.value}
            if key not in pairs:
                break
            name, last = pairs[key]
            line = name.start_mark.line
        return line + 1


def slice_with(*devices: Manifest, **spec: Any) -> Manifest:
    return resource_slice("n1-gpu", devices, **spec)


def slice_of(**device: Any) -> Manifest:
    return slice_with({"name": "gpu-0", **device})


def slice_in_pool(**pool: Any) -> Manifest:
    made = slice_of()
    return {**made, "spec": {**made["spec"], "pool": pool}}


def claim_with(**exactly: Any) -> Manifest:
    return device_claim("one", device_request(**exactly))


def selecting(*expressions: str) -> Manifest:
    return device_claim("one", device_request("gpu", "gpu", *expressions))


def allocated(*devices: str, request: str = "gpu", **status: Any) -> Manifest:
    results = [
        {"request": request, "driver": "gpu.example.com", "pool": "n1-gpu", "device": device} for device in devices
    ]
    return device_claim("one", status={"allocation": {"devices": {"results": results}}, **status})


def capacity(policy: Manifest) -> Manifest:
    shared = {"name": "gpu-0", "allowMultipleAllocations": True}
    return slice_with({**shared, "capacity": {"memory": {"value": "80Gi", "requestPolicy": policy}}})


def configured(**opaque: Any) -> Manifest:
    return device_class("gpu", config=[{"opaque": opaque}])


GENERATED = {
    "name": "other-gpu",
    "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
    "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "1", "controller": True}],
}
COUNTERS = {"memory": {"value": "1"}}
MISTAKES = {
    "CEL that does not compile": Mistake(
        (selecting("device.driver == 1"),),
        f"{REQUEST}.selectors[0].cel.expression",
        'Invalid value: "device.driver == 1": compilation failed: ERROR: <input>:1:15: found no matching overload',
        refused=False,
    ),
    "CEL that is no condition": Mistake(
        (device_class("gpu", "device.driver"),),
        "spec.selectors[0].cel.expression",
        "must evaluate to bool",
        refused=False,
    ),
    "CEL that costs too much": Mistake(
        (
            selecting(
                "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, "
                "device.attributes.all(c, device.attributes.all(d, c == d))))"
            ),
        ),
        f"{REQUEST}.selectors[0].cel.expression",
        "Forbidden: too complex, exceeds cost limit",
        refused=False,
    ),
    "an expression that is too long": Mistake(
        (selecting(f"true || {'x' * 10_240}"),),
        f"{REQUEST}.selectors[0].cel.expression",
        "too long: may not be more than 10240 bytes",
    ),
    "an empty expression": Mistake((selecting(""),), f"{REQUEST}.selectors[0].cel.expression", "Required value"),
    "an incomplete pool": Mistake(
        (resource_slice("more", ["x"], slices=2),),
        "spec.pool.resourceSliceCount",
        "the pool more of driver gpu.example.com is incomplete: 1 of its 2 slices of generation 1 exist",
        refused=False,
    ),
    "a missing class": Mistake(
        (device_claim("one", device_request("gpu", "nope")),),
        f"{REQUEST}.deviceClassName",
        'there is no DeviceClass "nope"',
        refused=False,
    ),
    "no class": Mistake(
        (device_claim("one", device_request("gpu", "")),), f"{REQUEST}.deviceClassName", "Required value"
    ),
    "a missing claim": Mistake(
        (pod("a", resourceClaims=claims("nope")),),
        "spec.resourceClaims[0].resourceClaimName",
        'there is no ResourceClaim "nope"',
        refused=False,
    ),
    "a missing template": Mistake(
        (pod("a", resourceClaims=claims("nope", template=True)),),
        "spec.resourceClaims[0].resourceClaimTemplateName",
        'there is no ResourceClaimTemplate "nope"',
        refused=False,
    ),
    "another pod's claim, by its name": Mistake(
        ({**device_claim("other-gpu"), "metadata": GENERATED}, pod("a", resourceClaims=claims("other-gpu"))),
        "spec.resourceClaims[0].resourceClaimName",
        'ResourceClaim "other-gpu" was generated for another pod',
        refused=False,
    ),
    "another pod's claim, as generated": Mistake(
        (
            {**device_claim("other-gpu"), "metadata": GENERATED},
            {
                **pod("a", resourceClaims=claims("gpu", template=True)),
                "status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "other-gpu"}]},
            },
        ),
        "spec.resourceClaims[0].name",
        'ResourceClaim "other-gpu" was generated for another pod',
        refused=False,
    ),
    "a container's claim that the pod does not have": Mistake(
        (
            {
                **pod("a"),
                "spec": {"containers": [{"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}]},
            },
        ),
        "spec.containers[0].resources.claims[0]",
        'Not found: "gpu": must be one of the names in pod.spec.resourceClaims',
    ),
    "33 devices": Mistake(
        (claim_with(count=33),),
        "spec.devices.requests",
        "33 devices are requested, and a claim can have at most 32",
        refused=False,
    ),
    "33 allocated devices": Mistake(
        (allocated(*(f"d{i}" for i in range(33))),),
        "status.allocation.devices.results",
        "Too many: 33: must have at most 32 items",
    ),
    "33 requests": Mistake(
        (device_claim("one", *(device_request(f"r{i}") for i in range(33))),),
        "spec.devices.requests",
        "Too many: 33: must have at most 32 items",
    ),
    "33 selectors": Mistake(
        (selecting(*["true"] * 33),), f"{REQUEST}.selectors", "Too many: 33: must have at most 32 items"
    ),
    "33 constraints": Mistake(
        (device_claim("one", constraints=[{"matchAttribute": "a.b/c"}] * 33),),
        "spec.devices.constraints",
        "Too many: 33: must have at most 32 items",
    ),
    "9 subrequests": Mistake(
        (
            device_claim(
                "one",
                {"name": "gpu", "firstAvailable": [{"name": f"s{i}", "deviceClassName": "gpu"} for i in range(9)]},
            ),
        ),
        "spec.devices.requests[0].firstAvailable",
        "Too many: 9: must have at most 8 items",
    ),
    "129 devices in a slice": Mistake(
        (slice_with(*({"name": f"d{i}"} for i in range(129))),),
        "spec.devices",
        "Too many: 129: must have at most 128 items",
    ),
    "65 devices in a slice, one of them tainted": Mistake(
        (
            slice_with(
                {"name": "t", "taints": [{"key": "a", "effect": "NoSchedule"}]}, *({"name": f"d{i}"} for i in range(64))
            ),
        ),
        "spec.devices",
        "Too many: 65: must have at most 64 items",
    ),
    "17 taints": Mistake(
        (slice_of(taints=[{"key": f"k{i}", "effect": "NoSchedule"} for i in range(17)]),),
        "spec.devices[0].taints",
        "Too many: 17: must have at most 16 items",
    ),
    "a taint that is no label": Mistake(
        (slice_of(taints=[{"key": "a b", "effect": "NoSchedule"}]),), "spec.devices[0].taints[0].key", "Invalid value"
    ),
    "33 attributes": Mistake(
        (slice_with(device("gpu-0", **{f"a{i}": i for i in range(33)})),),
        "spec.devices[0]",
        "the total number of attributes and capacities must not exceed 32",
    ),
    "an attribute of 65 characters": Mistake(
        (slice_with(device("gpu-0", model="x" * 65)),),
        "spec.devices[0].attributes.model.string",
        "too long: may not be more than 64 bytes",
    ),
    "a driver of 66 bytes in 30 characters": Mistake(
        (slice_with({"name": "gpu-0"}, driver="\N{CJK UNIFIED IDEOGRAPH-8ABF}" * 18),),
        "spec.driver",
        "too long: may not be more than 63 bytes",
    ),
    "an attribute with two values": Mistake(
        (slice_of(attributes={"model": {"string": "a", "int": 1}}),),
        "spec.devices[0].attributes.model",
        "exactly one value must be specified",
    ),
    "a version that is none": Mistake(
        (slice_of(attributes={"driver": {"version": "1.2"}}),),
        "spec.devices[0].attributes.driver.version",
        "must be a string compatible with semver.org spec 2.0.0",
    ),
    "3 counter sets that a device consumes": Mistake(
        (slice_of(consumesCounters=[{"counterSet": f"s{i}", "counters": COUNTERS} for i in range(3)]),),
        "spec.devices[0].consumesCounters",
        "Too many: 3: must have at most 2 items",
    ),
    "9 counter sets": Mistake(
        (slice_with(sharedCounters=[{"name": f"s{i}", "counters": COUNTERS} for i in range(9)]),),
        "spec.sharedCounters",
        "Too many: 9: must have at most 8 items",
    ),
    "the same counter set twice": Mistake(
        (slice_with(sharedCounters=[{"name": "s", "counters": COUNTERS}] * 2),),
        "spec.sharedCounters[1]",
        'Duplicate value: "s"',
    ),
    "33 counters": Mistake(
        (slice_with(sharedCounters=[{"name": "s", "counters": {f"c{i}": {"value": "1"} for i in range(33)}}]),),
        "spec.sharedCounters[0].counters",
        "Too many: 33: must have at most 32 items",
    ),
    "devices beside shared counters": Mistake(
        (slice_with({"name": "gpu-0"}, sharedCounters=[{"name": "s", "counters": COUNTERS}]),),
        "spec.sharedCounters",
        "only one of `sharedCounters` or `devices` is allowed",
    ),
    "allNodes that is false": Mistake(
        (slice_with({"name": "gpu-0"}, allNodes=False),), "spec.allNodes", "must be either unset or set to true"
    ),
    "a slice of no node": Mistake(
        (slice_with({"name": "gpu-0"}, node=None),),
        "spec",
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
    ),
    "a device's node in a slice of one node": Mistake(
        (slice_of(nodeName="n1"),), "spec.devices[0].nodeName", "can only be set if `perDeviceNodeSelection`"
    ),
    "a device of no node": Mistake(
        (slice_with({"name": "gpu-0"}, node=None, perDeviceNodeSelection=True),),
        "spec.devices[0]",
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection`",
    ),
    "5 binding conditions": Mistake(
        (slice_of(bindingConditions=[f"c{i}" for i in range(5)], bindingFailureConditions=["f"]),),
        "spec.devices[0].bindingConditions",
        "Too many: 5: must have at most 4 items",
    ),
    "binding conditions without those of failure": Mistake(
        (slice_of(bindingConditions=["a"]),),
        "spec.devices[0].bindingConditions",
        "bindingFailureConditions are required to use bindingConditions",
    ),
    "a binding condition that is one of failure, too": Mistake(
        (slice_of(bindingConditions=["a"], bindingFailureConditions=["a"]),),
        "spec.devices[0].bindingFailureConditions[0]",
        "must not overlap",
    ),
    "a policy without a default": Mistake(
        (capacity({"validValues": ["1Gi"]}),),
        "spec.devices[0].capacity.memory.requestPolicy.default",
        "required when validValues or validRange is defined",
    ),
    "a default that is not valid": Mistake(
        (capacity({"default": "3Gi", "validValues": ["1Gi", "2Gi"]}),),
        "spec.devices[0].capacity.memory.requestPolicy.validValues",
        "default value is not valid according to the requestPolicy",
    ),
    "valid values that are not sorted": Mistake(
        (capacity({"default": "1Gi", "validValues": ["2Gi", "1Gi"]}),),
        "spec.devices[0].capacity.memory.requestPolicy.validValues[1]",
        "values must be sorted in ascending order",
    ),
    "a valid value above the capacity": Mistake(
        (capacity({"default": "1Gi", "validValues": ["1Gi", "81Gi"]}),),
        "spec.devices[0].capacity.memory.requestPolicy.validValues[1]",
        "option is larger than capacity value: 80Gi",
    ),
    "a default below the range": Mistake(
        (capacity({"default": "1Gi", "validRange": {"min": "2Gi"}}),),
        "spec.devices[0].capacity.memory.requestPolicy.validRange.min",
        "default is less than min: 2Gi",
    ),
    "a default between two steps": Mistake(
        (capacity({"default": "4Gi", "validRange": {"min": "1Gi", "step": "2Gi"}}),),
        "spec.devices[0].capacity.memory.requestPolicy.validRange.step",
        "value is not a multiple of a given step (2Gi) from (1Gi)",
    ),
    "a count of All": Mistake(
        (claim_with(allocationMode="All", count=2),),
        f"{REQUEST}.count",
        "must not be specified when allocationMode is 'All'",
    ),
    "a constraint on a request that is not there": Mistake(
        (device_claim("one", constraints=[{"requests": ["nic"], "matchAttribute": "a.b/c"}]),),
        "spec.devices.constraints[0].requests[0]",
        "must be the name of a request in the claim",
    ),
    "an attribute without a domain in a constraint": Mistake(
        (device_claim("one", constraints=[{"matchAttribute": "model"}]),),
        "spec.devices.constraints[0].matchAttribute",
        "a fully qualified name must be a domain and a name separated by a slash",
    ),
    "a value that Exists is compared with": Mistake(
        (claim_with(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]),),
        f"{REQUEST}.tolerations[0].value",
        "must be empty for operator `Exists`",
    ),
    "an unknown effect": Mistake(
        (claim_with(tolerations=[{"key": "a", "effect": "Never"}]),),
        f"{REQUEST}.tolerations[0].effect",
        "Unsupported value",
    ),
    "a configuration without parameters": Mistake(
        (configured(driver="gpu.example.com"),), "spec.config[0].opaque.parameters", "Required value"
    ),
    "parameters that are no object": Mistake(
        (configured(driver="gpu.example.com", parameters=[1]),),
        "spec.config[0].opaque.parameters",
        "must be a valid JSON object",
    ),
    "a device allocated to a request that is not there": Mistake(
        (allocated("gpu-0", request="nic"),),
        "status.allocation.devices.results[0].request",
        "must be the name of a request in the claim",
    ),
    "257 users of a claim": Mistake(
        (allocated("gpu-0", reservedFor=[{"resource": "pods", "name": f"p{i}", "uid": f"{i}"} for i in range(257)]),),
        "status.reservedFor",
        "Too many: 257: must have at most 256 items",
    ),
    "a user of a claim that is not allocated": Mistake(
        (device_claim("one", status={"reservedFor": [{"resource": "pods", "name": "a", "uid": "1"}]}),),
        "status.reservedFor",
        "may not be specified when `allocated` is not set",
    ),
    "a condition of a device that the claim does not have": Mistake(
        (
            allocated(
                "gpu-0",
                devices=[{"driver": "gpu.example.com", "pool": "n1-gpu", "device": "gpu-1", "conditions": []}],
            ),
        ),
        "status.devices[0]",
        "must be an allocated device in the claim",
    ),
    "an unknown field of a claim": Mistake(
        (claim_with(colour="red"),), f"{REQUEST}.colour", 'unknown field "colour"', refused=False
    ),
    "an unknown field of a class": Mistake(
        (device_class("gpu", selector=[]),), "spec.selector", 'unknown field "selector"; did you mean', refused=False
    ),
    "an unknown field of a device": Mistake(
        (slice_of(memory="40Gi"),), "spec.devices[0].memory", 'unknown field "memory"', refused=False
    ),
    "an unknown field of a pool": Mistake(
        (slice_in_pool(name="p", resourceSliceCount=1, slices=1),),
        "spec.pool.slices",
        'unknown field "slices"',
        refused=False,
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_about_devices_is_one_sentence_with_its_line_everywhere(
    author: Browser, mistake: Mistake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = author.post_json("/api/v1/check", text=mistake.text).json()
    rows, others = checked["errors"], checked["warnings"]
    if not mistake.refused:
        rows, others = others, rows
    assert [row["path"] for row in rows] == [mistake.path], checked
    assert others == []
    (row,) = rows
    assert mistake.message in row["message"]
    assert (row["document"], row["line"]) == (len(mistake.documents), mistake.line)

    saved = author.post_json("/api/v1/scenarios", text=mistake.text)
    assert saved.status_code == (422 if mistake.refused else 201), saved.content
    if mistake.refused:
        assert saved.json()["errors"] == [row]

    file = tmp_path / "devices.yaml"
    file.write_text(mistake.text)
    status = main(["check", "--syntax", str(file)])
    assert status == (2 if mistake.refused else 0)
    printed = "".join(capsys.readouterr())
    assert f"line {mistake.line}, {mistake.path}: {row['message'].splitlines()[0]}" in printed
    assert printed.count("line ") == 1 + row["message"].count("line "), printed


@pytest.mark.parametrize(
    "fine",
    [
        claim_with(tolerations=[{"operator": "Exists"}]),
        claim_with(tolerations=[{"value": "b"}]),
        allocated("gpu-0", reservedFor=[{"resource": "pods", "name": "other", "uid": "1"}]),
        configured(driver="GPU.example.com", parameters={"mode": "shared"}),
        slice_of(bindingConditions=["a"], bindingFailureConditions=["b"]),
        capacity({"default": "3Gi", "validRange": {"min": "1Gi", "max": "5Gi", "step": "2Gi"}}),
        slice_with(*({"name": f"d{i}"} for i in range(128))),
    ],
)
def test_what_the_api_server_takes_is_taken(author: Browser, fine: Manifest) -> None:
    checked = author.post_json("/api/v1/check", text=Mistake((fine,), "", "").text).json()
    assert (checked["errors"], checked["warnings"]) == ([], [])


ERRORS = {
    "device.attributes['gpu.example.com'].none == 1": "CEL runtime error: no such key: none",
    "device.driver == 1": "CEL compile error: compilation failed: ERROR: <input>:1:15: found no matching overload",
}


@pytest.mark.parametrize(("expression", "message"), ERRORS.items())
def test_an_error_of_a_selector_ends_the_attempt_in_kube_schedulers_words_everywhere(
    author: Browser, expression: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = f'running "DynamicResources" filter plugin: claim default/one: selector #0: {message}'
    text = Mistake((selecting(expression), pod("a", resourceClaims=claims("one"))), "", "").text
    file = tmp_path / "devices.yaml"
    file.write_text(text)
    main(["simulate", "--quiet", str(file)])
    record = json.loads(capsys.readouterr().out.splitlines()[0])
    assert record["outcome"] == "Error"
    assert sentence in record["message"]
    run = author.post_json("/api/v1/preview", text=text).json()["run"]
    worker.execute(run)
    decision = json.loads(body_of(author.get(f"/api/v1/runs/{run}/decisions")).splitlines()[0])
    assert (decision["outcome"], decision["message"]) == ("Error", record["message"])
