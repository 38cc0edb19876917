"""Recordings of other tools become scenarios with notes about what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kschedui.cli import main
from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.replay.placing import place_decisions
from scheduler_core.ask.replay.replaying import replay
from tests.builders import node, pod


def change(time: str, event: str, resource: dict[str, Any]) -> str:
    return json.dumps({"time": f"2025-01-01T00:00:{time}Z", "event": event, "resource": resource})


def made_at(item: dict[str, Any], second: str) -> dict[str, Any]:
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": f"2025-01-01T00:00:{second}Z"}}


def imported(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    assert main.main(["import", str(path)]) == 0
    written = capsys.readouterr()
    return written.out, written.err


@pytest.fixture
def simulator_file(tmp_path: Path) -> Path:
    """Return the path of a recording of kube-scheduler-simulator with two nodes.

    A pod is created at 2 s and bound to the emptier node at 3 s; another pod is deleted at 4 s.
    """
    bound = {**pod("a", cpu=1), "metadata": {"name": "a", "namespace": "default", "uid": "1"}}
    bound = {**bound, "spec": {**bound["spec"], "nodeName": "large"}}
    waiting = {**bound, "spec": {key: value for key, value in bound["spec"].items() if key != "nodeName"}}
    gone = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "old", "namespace": "default"}}
    old = made_at(pod("old", cpu=1), "00")
    old["spec"]["nodeName"] = "small"
    old["metadata"]["namespace"] = "default"
    lines = [
        change("01.000000000", "Add", made_at(node("small", cpu=2), "00")),
        change("01.000000001", "Add", made_at(node("large", cpu=8), "00")),
        change("01.1", "Add", old),
        change("02.0", "Add", made_at(waiting, "02")),
        change("03.0", "Update", made_at(bound, "02")),
        change("04.0", "Delete", gone),
    ]
    path = tmp_path / "record.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_recording_of_the_simulator_is_replayed(simulator_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, notes = imported(simulator_file, capsys)
    assert "has no Events" in notes
    scenario = place_decisions(parse_scenario(text))
    decisions = replay(simulate(scenario)).decisions
    assert [(one.event.pod, one.event.node, one.event.verdict) for one in decisions] == [
        ("default/a", "large", "equal")
    ]
    assert [event.action for event in scenario.events] == ["create", "update", "delete"]


def test_a_line_that_is_no_change_is_refused_with_its_number(
    simulator_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator_file.write_text(simulator_file.read_text() + '{"time": "yesterday", "event": "Add", "resource": {}}\n')
    assert main.main(["import", str(simulator_file)]) == 2
    assert "line 7: expected a time" in capsys.readouterr().err


def test_a_trace_of_simkube_makes_the_pods_of_its_workloads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", cpu=1)["spec"]}
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    larger = {**web, "spec": {**web["spec"], "replicas": 3}}
    trace = {
        "version": 3,
        "config": {"trackedObjects": {}},
        "events": [
            {"ts": 1000, "applied_objs": [web], "deleted_objs": []},
            {"ts": 1010, "applied_objs": [larger], "deleted_objs": []},
            {"ts": 1020, "applied_objs": [], "deleted_objs": [web]},
        ],
        "index": {},
        "pod_lifecycles": {},
    }
    path = tmp_path / "trace.sktrace"
    path.write_bytes(msgspec.msgpack.encode(trace))
    text, notes = imported(path, capsys)
    assert "A SimKube trace has no nodes" in notes
    scenario = parse_scenario(text)
    pods = [item for item in scenario.objects if type(item).__name__ == "Pod"]
    changes = [(event.at, event.action, event.kind) for event in scenario.events if event.kind == "Pod"]
    assert len(pods) == 2
    assert [(round(at), action) for at, action, _ in changes] == [(10, "create"), *[(20, "delete")] * 3]


def test_a_trace_that_is_cut_off_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace"
    whole = {"version": 3, "config": {}, "events": [], "index": {}, "pod_lifecycles": {}}
    path.write_bytes(msgspec.msgpack.encode(whole)[:20])
    assert main.main(["import", str(path)]) == 2
    assert "not a trace that SimKube" in capsys.readouterr().err
