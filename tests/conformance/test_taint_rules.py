"""DeviceTaintRules: decisions of kube-scheduler 1.36.3, and evictions by kube-controller-manager in real time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.controller_events import EventRecorded, PodConditionSet, PodDeletionRequested
from scheduler_core.trace.events import ClockAdvanced
from tests.conformance.records import HERE, files_in
from tests.conformance.test_conformance import all_differences

GATE = "DRADeviceTaintRules: true"


def files() -> Mapping[str, str]:
    """Return the scenarios and records by file name."""
    return files_in(HERE / "taint-rules.tar.xz")


DECIDED = sorted(name.removesuffix(".yaml") for name in files() if name.endswith("-taint-rules.yaml"))
EVICTED = sorted(name.removesuffix(".yaml") for name in files() if name.endswith("-evictions.yaml"))


def unequal(case: str, text: str) -> Iterator[str]:
    return all_differences(parse_scenario(text), files()[f"{case}.expected.jsonl"])


@pytest.mark.parametrize("case", DECIDED)
def test_decisions_with_taint_rules_equal_the_recorded_ones(case: str) -> None:
    assert not list(unequal(case, files()[f"{case}.yaml"]))


def test_55_scenarios_are_decided_otherwise_without_the_gate() -> None:
    without = {case: files()[f"{case}.yaml"].replace(GATE, GATE.replace("true", "false")) for case in DECIDED}
    assert sum(any(unequal(case, text)) for case, text in without.items()) == 55


@pytest.mark.parametrize("case", EVICTED)
def test_pods_are_evicted_when_the_device_taint_eviction_controller_evicted_them(case: str) -> None:
    """Deletion times may differ by a second: recorded ones are whole seconds, and the real controller may be late."""
    expected: dict[str, Any] = json.loads(files()[f"{case}.expected.json"])
    got = evictions(files()[f"{case}.yaml"], expected)
    for pod, recorded in expected.items():
        if recorded["deletedAt"] is not None and got[pod]["deletedAt"] is not None:
            assert recorded["deletedAt"] == pytest.approx(got[pod]["deletedAt"], abs=1)
            recorded["deletedAt"] = got[pod]["deletedAt"]
    assert got == expected


@pytest.mark.parametrize("case", EVICTED[:10])
def test_the_gate_is_on_by_default_in_1_37(case: str) -> None:
    text = files()[f"{case}.yaml"]
    in_1_37 = text.replace(f"featureGates: {{{GATE}}}", "kubernetesVersion: '1.37'")
    pods = json.loads(files()[f"{case}.expected.json"])
    assert evictions(in_1_37, pods) == evictions(text, pods)


def evictions(text: str, pods: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the deletion time, the condition's reason and the events of each pod, in the recorded form."""
    found: dict[str, dict[str, Any]] = {pod: {"deletedAt": None, "condition": "", "events": {}} for pod in pods}
    now = 0.0
    for event in simulate(parse_scenario(text)):
        if isinstance(event, ClockAdvanced):
            now = event.time
        elif isinstance(event, PodDeletionRequested):
            found[event.pod.partition("/")[2]]["deletedAt"] = now
        elif isinstance(event, PodConditionSet):
            found[event.pod.partition("/")[2]]["condition"] = event.condition.reason
        elif isinstance(event, EventRecorded) and event.kind == "Pod":
            counts = found[event.name]["events"]
            words = f"{event.reason}: {event.message}"
            counts[words] = counts.get(words, 0) + 1
    return {pod: {**entry, "events": sorted(map(list, entry["events"].items()))} for pod, entry in found.items()}
