"""Cases of gangs that are not recorded: the checks of this test, terms of members in a trial, and faults."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Scenario, ScenarioErrors
from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from tests.builders import Manifest, node, pod, required_affinity, scenario
from tests.core.runs import standing_at_the_end

GATES = {"GenericWorkload": True, "GangScheduling": True, "SchedulerPopFromBackoffQ": False}


def gang(minimum: int, name: str = "g", **spec: Any) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}, **spec},
    }


def member(name: str, group: str = "g", **more: Any) -> Manifest:
    return pod(name, schedulingGroup={"podGroupName": group}, **more)


def text(*objects: Manifest, gates: dict[str, bool] | None = None, **spec: Any) -> str:
    return scenario(*objects, featureGates={**GATES, **(gates or {})}, untilSeconds=spec.pop("until", 20), **spec)


def bound(found: Scenario) -> dict[str, str]:
    return standing_at_the_end(list(simulate(found)))


def events_of(found: Scenario, kind: type[Any]) -> list[Any]:
    return [event for event in simulate(found) if isinstance(event, kind)]


def problems(written: str, release: str = "1.36") -> list[str]:
    try:
        return [str(one.message) for one in parse_scenario(written, release=RELEASES[release]).warnings]
    except ScenarioErrors as error:
        return [str(one) for one in error.errors]


def test_a_release_without_pod_groups_is_reported_with_line_and_release() -> None:
    found = problems(text(node("n1"), gang(1), member("a")), "1.35")
    assert "document 2, line 3, kind: Kubernetes 1.35 has no PodGroup of scheduling.k8s.io/v1alpha2" in found
    assert "document 3, line 5, spec.schedulingGroup: Kubernetes 1.35 has no such field" in found


def test_without_the_gate_groups_are_left_out_with_a_warning() -> None:
    found = problems(scenario(node("n1"), gang(1), member("a")))
    assert found == [
        "PodGroup is left out: feature gate GenericWorkload is off; in spec.featureGates, GenericWorkload: true would "
        "change that",
        "ignored: feature gate GenericWorkload is off in Kubernetes 1.36; in spec.featureGates, GenericWorkload: true "
        "would change that",
    ]


def test_a_gang_without_its_gate_is_reported_with_the_gates_that_it_needs() -> None:
    found = problems(scenario(node("n1"), gang(1), member("a"), featureGates={"GenericWorkload": True}))
    assert found == [
        "ignored: feature gate GangScheduling is off in Kubernetes 1.36; in spec.featureGates, GenericWorkload: true, "
        "GangScheduling: true would change that"
    ]


def test_a_gate_needs_those_that_it_depends_on() -> None:
    found = problems(scenario(node("n1"), featureGates={"GenericWorkload": True, "WorkloadAwarePreemption": True}))
    assert any("feature gate WorkloadAwarePreemption needs feature gate GangScheduling" in one for one in found)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"schedulingPolicy": {}}, "one of basic and gang"),
        ({"schedulingPolicy": {"gang": {"minCount": 0}}}, "must be at least 1"),
        ({"schedulingPolicy": {"gang": {"minCount": 1}, "basic": {}}}, "one of basic and gang"),
    ],
)
def test_a_pod_group_that_the_api_server_refuses_is_refused(spec: Manifest, problem: str) -> None:
    assert any(problem in one for one in problems(text(node("n1"), {**gang(1), "spec": spec})))


def test_both_kinds_of_pod_group_may_stand_in_one_file() -> None:
    other = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "other"},
        "spec": {"minMember": 2},
    }
    assert bound(parse_scenario(text(node("n1"), other, gang(1), member("a")))) == {"default/a": "n1"}


def test_terms_of_a_member_are_not_seen_on_a_node_that_had_none_when_the_cycle_began() -> None:
    shy = member("a", affinity=required_affinity({"app": "x"}, anti=True), priority=5)
    other = member("b", labels={"app": "x"})
    assert bound(parse_scenario(text(node("n1"), gang(2), shy, other))) == {"default/a": "n1", "default/b": "n1"}


def test_they_are_seen_where_another_pod_has_such_terms() -> None:
    anti = required_affinity({"app": "x"}, anti=True)
    shy, other = member("a", affinity=anti, priority=5), member("b", labels={"app": "x"})
    old = pod("old", node="n1", affinity=required_affinity({"app": "nobody"}, anti=True))
    found = parse_scenario(text(node("n1"), old, gang(2), shy, other, until=0))
    assert bound(found) == {"default/old": "n1"}


def test_a_fault_of_one_member_leaves_the_others_waiting_on_permit() -> None:
    faults = [{"pod": "default/b", "point": "Permit", "times": 2}]
    found = parse_scenario(text(node("n1"), gang(2), member("a"), member("b"), faults=faults))
    outcomes = [event.outcome for event in events_of(found, groups.PodGroupCycleFinished)]
    assert outcomes[:2] == ["Error", "Error"]
    assert set(bound(found)) == {"default/a", "default/b"}


def test_a_fault_when_the_group_is_bound_sends_that_member_back_alone() -> None:
    faults = [{"pod": "default/b", "point": "Bind"}]
    found = parse_scenario(text(node("n1"), gang(2), member("a"), member("b"), faults=faults))
    cycles = events_of(found, groups.PodGroupCycleStarted)
    assert [one.pods for one in cycles] == [["default/a", "default/b"], ["default/b"]]
    assert cycles[1].scheduled == 1
    assert set(bound(found)) == {"default/a", "default/b"}


def test_a_group_that_does_not_fit_is_not_popped_from_backoff_without_end() -> None:
    found = parse_scenario(
        text(
            node("n1", cpu=1),
            gang(2),
            *(member(name, cpu=1) for name in "ab"),
            gates={"SchedulerPopFromBackoffQ": True},
            until=0,
        )
    )
    assert len(events_of(found, groups.PodGroupCycleStarted)) == 11


def test_only_tried_leaves_no_trace_in_the_order_of_a_nodes_pods() -> None:
    """Workload-aware preemption removes pods and restores them; afterwards the order of the node's pods is the same."""
    low = [pod(f"low-{i}", cpu=1, node="n1", priority=i) for i in range(3)]
    group = gang(2, priority=10)
    found = parse_scenario(
        text(
            node("n1", cpu=3), *low, group, *(member(name, cpu=1, priority=10) for name in "ab"),
            gates={"WorkloadAwarePreemption": True}, until=0,
        )
    )  # fmt: skip
    preempted = events_of(found, groups.PodGroupPreemptionEvaluated)[0]
    assert preempted.victims == ["default/low-1", "default/low-0"]
    assert [(unit.pods, unit.reprieved) for unit in preempted.units] == [
        (["default/low-2"], True),
        (["default/low-1"], False),
        (["default/low-0"], False),
    ]


# Members that are tried together are in no queue, so of their nominations only the names are known (nominatedPodToInfo)


def test_a_member_does_not_yield_to_the_nomination_of_one_that_is_tried_with_it() -> None:
    """The smaller member preempts and is nominated; then the larger one lacks only memory, not cpu too."""
    objects = (
        node("n1", cpu="2", memory="2Gi"),
        pod("busy", cpu="1", memory="1Gi", priority=2000, node="n1"),
        pod("low", memory="1Gi", node="n1"),
        member("large", cpu="1", memory="2Gi", priority=1000),
        member("small", cpu="500m", memory="1Gi", priority=1000),
    )
    gates = {"GenericWorkload": True, "GangScheduling": False}
    told_of_large = [
        event.message
        for event in events_of(parse_scenario(text(*objects, gates=gates, until=2)), trace.SchedulingFailed)
        if event.pod == "default/large"
    ]
    assert [message.partition(". ")[0] for message in told_of_large] == [
        "0/1 nodes are available: 1 Insufficient memory"
    ] * 2
