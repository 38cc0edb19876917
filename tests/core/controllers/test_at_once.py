"""Controllers that react to a change as soon as it is delivered; controllers without objects are left out."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from scheduler_core import parse_scenario, simulate
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.live import Live
from scheduler_core.trace.events import ObjectApplied, ObjectDeleted
from tests.conformance.records import HERE, scenario_of
from tests.core.controllers.worlds import Manifest, node, template, text, workload

DEVICE_CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {},
}
TEMPLATE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "one-gpu"},
    "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}},
}


def gpus(node_name: str, count: int) -> Manifest:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": node_name},
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": node_name,
            "pool": {"name": node_name, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": f"gpu-{number}"} for number in range(count)],
        },
    }


def test_claims_of_a_deployments_pods_come_and_go_with_their_causes() -> None:
    needs = template("web", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}])
    needs["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]
    web = workload("Deployment", "web", needs, replicas=2)
    fewer = {"at": 30, "scale": {"kind": "Deployment", "name": "web", "replicas": 1}}
    events = list(
        simulate(parse_scenario(text(DEVICE_CLASS, TEMPLATE, gpus("n1", 2), node("n1"), web, events=[fewer])))
    )
    made = [event for event in events if isinstance(event, ObjectApplied) and event.kind == "ResourceClaim"]
    created = [event for event in made if event.action == "create"]
    assert len(created) == 2
    assert {event.by for event in created} == {"resourceclaim-controller"}
    assert all(event.because is not None and event.because.name == "claim-of-template" for event in created)
    gone = [event for event in events if isinstance(event, ObjectDeleted) and event.kind == "ResourceClaim"]
    assert [event.by for event in gone] == ["resourceclaim-controller"]


def test_a_trace_without_other_controllers_names_no_actor() -> None:
    events = simulate(replace(parse_scenario(scenario_of("dra/069-templates")), controllers=()))
    applied = [event for event in events if isinstance(event, ObjectApplied) and event.kind == "ResourceClaim"]
    assert applied
    assert all(not event.by and event.because is None for event in applied)


def test_no_controller_is_made_where_none_has_anything_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[str] = Counter()
    for part in (Live, Api):

        def counting(self: object, *args: object, _made: object = part.__init__, **more: object) -> None:
            made[type(self).__name__] += 1
            _made(self, *args, **more)  # type: ignore[operator]

        monkeypatch.setattr(part, "__init__", counting)
    for path in sorted(HERE.glob("public/*.yaml"))[::12]:
        scenario = parse_scenario(path.read_text(encoding="utf-8"))
        if scenario.controllers or any(event.action not in ("create", "update", "delete") for event in scenario.events):
            continue
        if "PersistentVolumeClaim" in path.read_text(encoding="utf-8"):
            continue
        for _ in simulate(scenario):
            pass
        made["runs"] += 1
    assert made["runs"] > 15
    assert made["Live"] == made["Api"] == 0
    for _ in simulate(parse_scenario(text(node("n1"), workload("Deployment", "web", replicas=1)))):
        pass
    assert made["Live"] == made["Api"] == 1
