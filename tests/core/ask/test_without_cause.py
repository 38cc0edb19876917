"""The time of a pod without one of its causes: a new run without the cause is shorter by the cause's time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.apis.messages import NotAnswerable
from scheduler_core.ask.durations import Cause, Duration, Durations
from scheduler_core.ask.without_cause import WithoutCause, run_without
from tests.core.autoscaling.builders import own
from tests.core.controllers.worlds import node, template, text, workload

HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}


def pod(name: str, cpu: str = "1", annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template(name, cpu)["spec"] | spec}


def without(cause: Cause, name: str, scenario: str) -> WithoutCause:
    return run_without(cause, name, scenario, lambda text: simulate(parse_scenario(text)), written)


def written(documents: Iterable[Any]) -> str:
    return "\n---\n".join(map(json.dumps, documents))


def seconds(duration: Duration, cause: str) -> float:
    return sum(part.end - part.start for part in duration.parts if part.cause == cause)


VICTIMS = [
    HIGH,
    node("n1", "2"),
    workload("Deployment", "web", template("web", "1", terminationGracePeriodSeconds=30), replicas=2),
]
URGENT = {"at": 10, "create": pod("urgent", priorityClassName="high")}
SLOW = pod("slow", annotations={"kschedui.io/start-seconds": "7", "kschedui.io/ready-after-seconds": "5"})


@pytest.mark.parametrize(
    ("cause", "name", "scenario", "took"),
    [
        ("victims", "urgent", text(*VICTIMS, kubelet={"startSeconds": 2}, events=[URGENT]), 30),
        ("starting", "slow", text(node("n1", "2"), SLOW), 7),
        ("starting", "fast", text(node("n1", "2"), pod("fast"), kubelet={"startSeconds": 9}), 9),
        ("not ready", "slow", text(node("n1", "2"), SLOW), 5),
        (
            "gated",
            "held",
            text(
                node("n1", "2"),
                pod("held", schedulingGates=[{"name": "quota"}]),
                events=[{"at": 40, "update": pod("held")}],
            ),
            40,
        ),
    ],
)
def test_a_cause_that_is_removed_takes_its_time_with_it(cause: Cause, name: str, scenario: str, took: float) -> None:
    found = without(cause, f"default/{name}", scenario)
    assert seconds(found.before, cause) == pytest.approx(took, abs=0.2)  # what a kubelet and a watch add
    assert found.before.seconds - found.after.seconds == pytest.approx(seconds(found.before, cause), abs=0.2)


def test_a_pod_of_a_controller_is_found_by_what_its_owner_calls_it() -> None:
    spec = template("web", "1", terminationGracePeriodSeconds=30)
    spec["metadata"]["annotations"] = {"kschedui.io/start-seconds": "6"}  # in the template, and so in the pods' names
    scenario = text(node("n1", "2"), workload("Deployment", "web", spec, replicas=2))
    pods = [event.pod.pod for event in simulate(parse_scenario(scenario)) if getattr(event, "called", "")]  # type: ignore[union-attr]
    found = without("starting", pods[0], scenario)
    assert found.after.pod != pods[0]
    assert seconds(found.before, "starting") == pytest.approx(6, abs=0.2)
    assert seconds(found.after, "starting") == pytest.approx(0, abs=0.2)


def test_a_node_that_boots_at_once_is_there_at_once() -> None:
    template_of = {**node("x", "4"), "metadata": {"labels": {"group": "a"}}}
    times = {"startSeconds": 2, "bootSeconds": 50, "readySeconds": 10}
    group = own("NodeGroup", "a", minimum=0, maximum=4, size=0, template=template_of)
    actor = own("ClusterAutoscaler", flags=["--scan-interval=2s"], **times)
    web = workload("Deployment", "web", template("web", "3"), replicas=1)
    scenario = text(node("n1", "100m"), group, actor, web, untilSeconds=200)
    (called,) = [event.pod.pod for event in simulate(parse_scenario(scenario)) if getattr(event, "called", "")]  # type: ignore[union-attr]
    found = without("node", called, scenario)
    assert seconds(found.before, "node") == pytest.approx(60, abs=0.2)
    assert found.before.seconds - found.after.seconds == pytest.approx(60, abs=0.2)


def test_without_a_quota_its_pods_are_created_at_once() -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": "1"}}}
    raised = {"at": 20, "patch": {"kind": "ResourceQuota", "name": "team", "body": {"spec": {"hard": {"pods": "9"}}}}}
    web = workload("Deployment", "web", template("web", "1"), replicas=2)
    for events in ([raised], []):  # it is created in the end, or never
        scenario = text(node("n1", "4"), quota, web, events=events, untilSeconds=90)
        durations = Durations()
        for step, event in enumerate(simulate(parse_scenario(scenario))):
            durations.take(step, event)
        (key,) = [one.pod for one in durations.of.values() if one.parts[0].cause == "quota"]
        found = without("quota", key, scenario)
        assert seconds(found.before, "quota") > 20
        assert found.after.ended == "ready"
        assert seconds(found.after, "quota") == 0
        if events:
            assert found.before.seconds - found.after.seconds == pytest.approx(seconds(found.before, "quota"), abs=0.2)


@pytest.mark.parametrize(
    ("cause", "name", "said"),
    [
        ("activeQ", "slow", "activeQ is not a setting"),
        ("rain", "slow", "'rain' is not a setting"),
        ("gated", "none", "none"),
    ],
)
def test_what_cannot_be_answered_says_so(cause: Any, name: str, said: str) -> None:
    with pytest.raises(NotAnswerable, match=said):
        without(cause, f"default/{name}", text(node("n1", "2"), SLOW))
