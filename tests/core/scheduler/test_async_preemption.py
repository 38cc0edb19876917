"""With SchedulerAsyncPreemption, victims are deleted during the next cycles, and the preemptor is held back until then.

There are no recorded runs: these tests follow kube-scheduler's source (framework/preemption, prepareCandidateAsync;
plugins/defaultpreemption, PreEnqueue).
"""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from scheduler_core.scheduler.async_preemption import CALL_SECONDS
from scheduler_core.trace import events as trace
from scheduler_core.trace import preemption_events as preemption
from scheduler_core.trace.events import AnyEvent
from tests.builders import node, pod, scenario

ON = {"SchedulerAsyncPreemption": True}
GRACE = {"kschedui.io/termination-seconds": "3"}
TWO_LOW = [pod("low-1", cpu=2, node="n1", priority=1), pod("low-2", cpu=2, node="n1", priority=1)]
HIGH = pod("high", cpu=4, priority=100)


def run(*documents: Any, release: str = "1.36", **spec: Any) -> list[tuple[float, AnyEvent]]:
    """Return the events, each with its time."""
    parsed = parse_scenario(scenario(*documents, featureGates=ON, **spec), release=RELEASES[release])
    found, now = [], 0.0
    for event in simulate(parsed):
        now = event.time if isinstance(event, trace.ClockAdvanced) else now
        found.append((now, event))
    return found


def of(found: list[tuple[float, AnyEvent]], kind: type) -> list[tuple[float, Any]]:
    return [(time, event) for time, event in found if isinstance(event, kind)]


def bound(found: list[tuple[float, AnyEvent]]) -> dict[str, float]:
    return {event.pod: time for time, event in of(found, trace.PodBound)}


@pytest.mark.parametrize("release", ["1.33", "1.34", "1.35", "1.36"])
def test_victims_are_deleted_after_the_attempt_the_last_one_last(release: str) -> None:
    found = run(node("n1", cpu=4), *TWO_LOW, HIGH, release=release)
    assert [(round(time, 3), one.pod) for time, one in of(found, preemption.VictimEvicted)] == [
        (CALL_SECONDS, "default/low-1"),
        (2 * CALL_SECONDS, "default/low-2"),
    ]
    assert bound(found)["default/high"] == pytest.approx(2 * CALL_SECONDS)


def test_other_pods_are_tried_while_the_victims_are_deleted() -> None:
    found = run(node("n1", cpu=4), node("n2", cpu=1), *TWO_LOW, HIGH, pod("small", cpu=1, priority=50))
    assert bound(found)["default/small"] == 0.0


def test_the_preemptor_is_held_back_until_the_last_deletion_was_sent() -> None:
    found = run(node("n1", cpu=4), *TWO_LOW, HIGH)
    ((time, gated),) = of(found, trace.PodGated)
    assert (round(time, 3), gated.plugin) == (CALL_SECONDS, "DefaultPreemption")
    assert gated.message == "waiting for the preemption for this pod to be finished"
    assert len(of(found, trace.CycleStarted)) == 2, "the first deletion woke it in vain"


def test_a_single_victim_holds_nobody_back() -> None:
    found = run(node("n1", cpu=2), pod("low", cpu=2, node="n1", priority=1), pod("high", cpu=2, priority=100))
    assert not of(found, trace.PodGated)
    assert bound(found)["default/high"] == pytest.approx(CALL_SECONDS)


def test_lower_nominations_on_the_node_end_with_the_first_call() -> None:
    lingering = pod("low", cpu=4, node="n1", priority=1, annotations=GRACE)
    middle = pod("middle", cpu=4, priority=50)
    top = {"at": 1, "create": pod("top", cpu=4, priority=100)}
    found = run(node("n1", cpu=4), lingering, middle, events=[top], release="1.34")  # later ones send no call here
    cleared = [(time, one.pod) for time, one in of(found, preemption.NominationCleared) if one.pod == "default/middle"]
    assert cleared == [(1 + CALL_SECONDS, "default/middle")]


def test_after_a_call_that_failed_no_more_are_sent_and_the_preemptor_is_tried_again() -> None:
    fault = {"pod": "default/low-1", "point": "Preempt", "times": 1, "message": "no answer"}
    found = run(node("n1", cpu=4), *TWO_LOW, HIGH, faults=[fault])
    finished = [(round(time, 3), one.error) for time, one in of(found, preemption.PreemptionFinished)]
    assert finished == [(CALL_SECONDS, "no answer"), (pytest.approx(3 * CALL_SECONDS), "")]
    (first, *_) = [one for _, one in of(found, trace.PodEnqueued) if one.event == "ForceActivate"]
    assert first.pod == "default/high"
    assert "default/high" in bound(found)


def test_without_the_gate_a_call_that_fails_fails_the_preemption() -> None:
    fault = {"pod": "default/low-1", "point": "Preempt", "times": 1, "message": "no answer"}
    text = scenario(node("n1", cpu=4), *TWO_LOW, HIGH, faults=[fault])
    events = list(simulate(parse_scenario(text)))
    (failed, *_) = [event for event in events if isinstance(event, trace.SchedulingFailed)]
    assert failed.outcome == "Unschedulable"
    assert failed.message.endswith("preemption: no answer")


@pytest.mark.parametrize(("release", "starts"), [("1.34", 1), ("1.35", 0)])
def test_victims_that_end_already_need_no_call_from_1_35_on(release: str, starts: int) -> None:
    ending = pod("low", cpu=4, node="n1", priority=1)
    ending["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
    found = run(node("n1", cpu=4), ending, HIGH, release=release)
    assert len(of(found, preemption.PreemptionStarted)) == starts
    assert [one.outcome for _, one in of(found, trace.AttemptFinished)] == ["Nominated"]


def test_a_preemptor_that_is_deleted_meanwhile_still_costs_its_victims() -> None:
    gone = {"at": 0.05, "delete": {"kind": "Pod", "name": "high"}}
    found = run(node("n1", cpu=4), *TWO_LOW, HIGH, events=[gone])
    assert len(of(found, preemption.VictimEvicted)) == 2
    assert len(of(found, preemption.PreemptionFinished)) == 1


def test_the_gate_is_off_unless_a_scenario_sets_it_and_there_is_none_before_1_33() -> None:
    assert all(not release.default_gates().get("SchedulerAsyncPreemption", False) for release in RELEASES.values())
    with pytest.raises(ScenarioErrors, match="cannot set feature gate SchedulerAsyncPreemption to true"):
        parse_scenario(scenario(node("n1"), featureGates=ON), release=RELEASES["1.32"])
