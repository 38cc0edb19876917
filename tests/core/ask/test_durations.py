"""The parts of a pod's time add up to the whole, and a cause that is removed takes its time with it."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.durations import Duration, Durations, Part
from scheduler_core.releases import DEFAULT_RELEASE
from scheduler_core.trace.controller_events import EventRecorded, PodFinished, PodReadinessChanged
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, ObjectApplied, ObjectDeleted, PodBound, RunFinished
from tests.builders import node as plain_node
from tests.builders import parse
from tests.builders import pod as plain_pod
from tests.conformance.records import records_of, scenario_of
from tests.core.autoscaling.builders import own
from tests.core.controllers.worlds import node, template, text, workload


def followed(events: list[AnyEvent]) -> dict[str, Duration]:
    durations = Durations()
    for step, event in enumerate(events):
        durations.take(step, event)
    return durations.of


def durations_of(*objects: Any, **spec: Any) -> dict[str, Duration]:
    return followed(list(simulate(parse_scenario(text(*objects, **spec)))))


def causes_of(parts: list[Part]) -> list[tuple[str, float, str]]:
    return [(part.cause, round(part.end - part.start, 2), part.until) for part in parts]


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": template(name, cpu)["spec"] | spec}


def created(at: float, item: Any) -> dict[str, Any]:
    return {"at": at, "create": item}


def web(replicas: int, cpu: str = "500m", **spec: Any) -> Any:
    return workload("Deployment", "web", template("web", cpu, **spec), replicas=replicas)


HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
LOW = {**HIGH, "metadata": {"name": "low"}, "value": 0}
PRIORITIES = st.sampled_from(["high", "low"])
WORLDS = int(os.environ.get("KSCHEDUI_SEQUENCES", "60"))  # `make test-promises` draws 10,000
URGENT = pod("urgent", priorityClassName="high")


def preempted(grace: int) -> dict[str, Duration]:
    victims = web(2, "1", terminationGracePeriodSeconds=grace)
    kubelet = {"startSeconds": 1}
    events = [created(20, URGENT), created(50, node("n2"))]
    return durations_of(node("n1", "2"), HIGH, victims, events=events, kubelet=kubelet)


def test_a_pod_waits_for_the_grace_of_its_victims_and_a_replacement_for_a_node() -> None:
    for grace in (7, 3):
        found = preempted(grace)
        deleted = f"AssignedPodDelete {list(found)[1]}"
        assert causes_of(found["default/urgent"].parts) == [("victims", grace + 0.1, deleted), ("starting", 1.1, "")]
        (replacement,) = [one for one in found.values() if one.begin == 20 and one.pod != "default/urgent"]
        assert causes_of(replacement.parts) == [
            ("unschedulable", grace + 0.1, deleted),
            ("unschedulable", 29.9 - grace, "NodeAdd n2"),
            ("starting", 1.1, ""),
        ]
        assert replacement.parts[0].message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
        assert (round(replacement.seconds, 2), replacement.ended) == (31.1, "ready")


def test_a_gate_a_backoff_and_the_binding_take_their_time() -> None:
    full, a = plain_pod("full", cpu="1", node="n1"), plain_pod("a", cpu="1")
    gated = {**a, "spec": {**a["spec"], "schedulingGates": [{"name": "g"}]}}
    events = [{"at": 3, "update": a}, {"at": 3.5, "delete": {"kind": "Pod", "name": "full"}}]
    ungated = "UnschedulablePodUpdatePodSchedulingGatesEliminated default/a"
    for backoff in (False, True):
        for binding in (0, 5):
            gates = {"SchedulerPopFromBackoffQ": not backoff}
            spec = {"events": events, "bindingSeconds": binding, "featureGates": gates}
            found = followed(list(simulate(parse(plain_node("n1", cpu="1"), full, gated, **spec))))["default/a"]
            assert causes_of(found.parts) == [
                ("gated", 3.0, ungated),
                ("unschedulable", 0.5, "AssignedPodDelete default/full"),
                *([("backoffQ", 1.5, "BackoffComplete")] if backoff else []),
                *([("binding", 5.0, "")] if binding else []),
            ]
            assert (found.seconds, found.ended) == (3.5 + 1.5 * backoff + binding, "bound")


def autoscaler(boot: int) -> list[Any]:
    group = {"minimum": 0, "maximum": 4, "size": 0, "template": {**node("x", "2"), "metadata": {"labels": {"g": "a"}}}}
    times = {"startSeconds": 2, "bootSeconds": boot, "readySeconds": 2}
    return [own("NodeGroup", "a", **group), own("ClusterAutoscaler", flags=["--scan-interval=2s"], **times)]


def test_an_unschedulable_pod_waits_for_the_node_that_the_autoscaler_asked_for() -> None:
    for boot in (3, 9):
        (found,) = durations_of(node("full", "100m"), *autoscaler(boot), web(1)).values()
        before, *parts = found.parts
        assert (before.cause, before.until) == ("unschedulable", "")
        assert causes_of(parts)[:2] == [("node", boot, "NodeAdd a-1"), ("node", 2.0, "NodeUpdateNodeTaint a-1")]
        assert round(found.end - before.end, 3) == boot + 2 + 1.1


TEAM = {"kind": "ResourceQuota", "name": "team"}
WEB = {"kind": "Deployment", "name": "web"}


def quota(pods: int) -> dict[str, Any]:
    spec = {"hard": {"pods": str(pods)}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": spec}


def test_a_quota_keeps_pods_of_a_workload_from_being_created() -> None:
    events = [
        {"at": 5, "scale": {**WEB, "replicas": 4}},
        {"at": 10, "patch": {**TEAM, "body": {"spec": {"hard": {"pods": "3"}}}}},
    ]
    found = durations_of(node("n1", "8"), quota(1), web(2), events=events, untilSeconds=60)
    ready, second, third, refused = found.values()
    assert causes_of(ready.parts) == [("starting", 1.1, "")]
    assert [part.cause for part in second.parts] == ["quota", "starting"]
    assert second.parts[0].message.startswith("exceeded quota: team, requested: pods=1")
    assert (second.begin, second.ended) == (ready.begin, "ready")
    assert second.parts[0].end > 10
    assert (third.begin, third.ended) == (5, "ready")
    # The fourth pod is not created while the third is refused.
    assert causes_of(refused.parts) == [("quota", 55.0, "")]
    assert refused.ended == "waiting"


def test_what_waits_in_active_queue_is_behind_the_pods_that_were_tried_meanwhile() -> None:
    observed = [{"at": at, "pod": f"default/{name}", "node": "n1"} for at, name in ((2, "a"), (3, "b"), (7, "c"))]
    pods = [plain_pod(name, cpu="100m") for name in "abc"]
    found = followed(list(simulate(parse(plain_node("n1", cpu="1"), *pods, observed=observed))))
    ahead = {key: [(part.cause, part.end, part.ahead) for part in one.parts] for key, one in found.items()}
    assert ahead == {
        "default/a": [("activeQ", 2.0, [])],
        "default/b": [("activeQ", 3.0, ["default/a"])],
        "default/c": [("activeQ", 7.0, ["default/a", "default/b"])],
    }


@st.composite
def worlds(draw: st.DrawFn) -> str:
    """Draw a small overloaded cluster with victims, gates, deletions, new nodes and an autoscaler."""
    times = st.floats(0, 40).map(lambda at: round(at, 2))
    gates = st.sampled_from([{}, {"schedulingGates": [{"name": "g"}]}])
    pods = [
        pod(f"p{number}", draw(st.sampled_from(["300m", "1", "3"])), **draw(gates), priorityClassName=draw(PRIORITIES))
        for number in range(draw(st.integers(1, 5)))
    ]
    deployment = web(draw(st.integers(0, 4)), "700m", terminationGracePeriodSeconds=draw(st.integers(0, 9)))
    events: list[Any] = [created(draw(times), one) for one in pods]
    names = [one["metadata"]["name"] for one in pods if draw(st.booleans())]
    events += [{"at": 41, "delete": {"kind": "Pod", "name": name}} for name in names]
    if draw(st.booleans()):
        events.append(created(draw(times), node("n2", "2")))
    around: list[Any] = [deployment] if draw(st.booleans()) else []
    around += autoscaler(draw(st.integers(1, 9))) if draw(st.booleans()) else []
    if draw(st.booleans()):
        around.append(quota(draw(st.integers(0, 3))))
        more = [draw(st.integers(0, 5)) for _ in range(draw(st.integers(0, 2)))]
        events += [{"at": draw(times), "patch": {**TEAM, "body": quota(pods)}} for pods in more]
        scaled = [draw(st.integers(0, 6)) for _ in range(draw(st.integers(0, 2)))] if deployment in around else []
        events += [{"at": draw(times), "scale": {**WEB, "replicas": replicas}} for replicas in scaled]
    spec = {"bindingSeconds": draw(st.sampled_from([0, 0.5])), "untilSeconds": draw(st.integers(5, 90))}
    return text(node("n1", "2"), HIGH, LOW, *around, events=events, **spec)


def ends_of(events: list[AnyEvent]) -> dict[str, tuple[float, float]]:
    """Return creation and end of the pods that were created, from their events."""
    begun, ended, bound, now = {}, {}, {}, 0.0
    ready = False
    for event in events:
        match event:
            case ClockAdvanced():
                now = event.time
            case ObjectApplied(kind="Pod", action="create"):
                begun[f"{event.namespace}/{event.name}"] = now
            case PodBound():
                bound[event.pod] = now
            case PodReadinessChanged(ready=True) | PodFinished():
                ready = True
                ended.setdefault(event.pod, now)
            case ObjectDeleted(kind="Pod"):
                ended.setdefault(f"{event.namespace}/{event.name}", now)
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    rest = {key: finished.time if ready or key not in bound else bound[key] for key in begun}
    return {key: (at, ended.get(key, rest[key])) for key, at in begun.items()}


@settings(max_examples=WORLDS)
@given(worlds())
def test_the_parts_of_the_time_add_up_without_rest(world: str) -> None:
    events = list(simulate(parse_scenario(world)))
    found = followed(events)
    ends = ends_of(events)
    assert {key: one.end for key, one in found.items() if key in ends} == {key: end for key, (_, end) in ends.items()}
    for key, one in found.items():
        refused = [part for part in one.parts if part.cause == "quota"]
        assert one.begin == (refused[0].start if refused else ends[key][0])
        if refused:
            assert refused == one.parts[:1]
            assert isinstance(events[refused[0].step], EventRecorded)
        assert refused[0].end == ends[key][0] if refused and key in ends else key in ends or refused
    check_parts(found)


@pytest.mark.slow
def test_the_parts_add_up_in_every_recorded_run() -> None:
    cases = records_of(DEFAULT_RELEASE.version)
    assert len(cases) > 700
    for case in cases:
        check_parts(followed(list(simulate(parse_scenario(scenario_of(case))))))


def check_parts(durations: dict[str, Duration]) -> None:
    for one in durations.values():
        edges = [one.begin, *(at for part in one.parts for at in (part.start, part.end)), one.end]
        assert all(before == after for before, after in zip(edges[::2], edges[1::2], strict=True)), one
        assert all(part.start < part.end for part in one.parts), one
        assert not any(part.until for part in one.parts if part.cause in ("permit", "binding", "starting", "not ready"))
