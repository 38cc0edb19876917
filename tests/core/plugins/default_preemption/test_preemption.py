"""Preemption in whole runs: which pods may preempt, the victims, the chosen node, and the pod's message."""

from __future__ import annotations

import pytest

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.plugins.default_preemption.candidates import candidates_wanted
from scheduler_core.simulation.simulation import simulate
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.events import SchedulingFailed
from scheduler_core.trace.preemption_events import NominationCleared, PreemptionEvaluated, VictimEvicted, candidates_of
from tests.builders import budget, configuration, node, parse, pod

EARLY, LATE = "2024-12-31T00:00:00Z", "2024-12-31T06:00:00Z"


def events(kind, *objects, **spec):
    """Return the events of one type in a run."""
    return [event for event in simulate(parse(*objects, **spec)) if isinstance(event, kind)]


def preemption(*objects, **spec):
    """Return the first PreemptionEvaluated event."""
    return events(PreemptionEvaluated, *objects, **spec)[0]


def extended(**fields):
    """Return a configuration with one extender that has these fields."""
    extender = {"urlPrefix": "http://e", "httpTimeout": "1s", **fields}
    return configuration(extenders=[extender])


def full_node(name, *victims):
    """Return a node of 2 CPUs, and its pods from (name, cpu, priority, further fields)."""
    pods = [pod(v, cpu=cpu, priority=priority, node=name, **fields) for v, cpu, priority, fields in victims]
    return [node(name, cpu=2), *pods]


def test_enough_candidates_are_a_share_of_the_nodes_but_not_fewer_than_the_absolute_number():
    args = DefaultPreemptionArgs(min_candidate_nodes_percentage=10, min_candidate_nodes_absolute=100)
    assert [candidates_wanted(n, args) for n in (0, 7, 100, 999, 1010, 5000)] == [0, 7, 100, 100, 101, 500]


def test_a_pod_that_never_preempts_is_told_so():
    found = preemption(*full_node("n", ("low", 2, 0, {})), pod("high", cpu=2, priority=9, preemptionPolicy="Never"))
    assert (found.eligible, candidates_of(found)) == (False, [])
    assert found.reason == "not eligible due to preemptionPolicy=Never."
    assert found.message == "preemption: not eligible due to preemptionPolicy=Never."


def test_pods_are_taken_off_by_arrival_and_given_back_from_the_most_important_down():
    found = preemption(
        *full_node(
            "n",
            ("young", "700m", 5, {"start_time": LATE}),
            ("old", "700m", 5, {"start_time": EARLY}),
            ("tiny", "100m", 1, {}),
            ("peer", "100m", 9, {}),
        ),
        pod("high", cpu="1", priority=9),
    )
    [candidate] = candidates_of(found)
    assert candidate.removed == ["default/young", "default/old", "default/tiny"]
    assert [(step.pod, step.reprieved) for step in candidate.reprieve] == [
        ("default/old", True),
        ("default/young", False),
        ("default/tiny", True),
    ]
    assert candidate.victims == found.victims == ["default/young"]
    assert (candidate.highest_priority, candidate.priority_sum) == (5, 5 + 2**31)


def test_pods_whose_eviction_violates_a_budget_are_given_back_first():
    found = preemption(
        *full_node("n", ("web", "1", 1, {"labels": {"app": "web"}}), ("plain", "1", 5, {})),
        budget("web", {"app": "web"}, maxUnavailable=0),
        pod("high", cpu="1", priority=9),
    )
    [candidate] = candidates_of(found)
    assert [(step.pod, step.reprieved, step.violates_pdb) for step in candidate.reprieve] == [
        ("default/web", True, True),
        ("default/plain", False, False),
    ]
    assert (candidate.pdb_violations, found.victims) == (0, ["default/plain"])


def test_every_candidate_that_lost_names_its_rung():
    found = preemption(
        *full_node("a", ("a1", "2", 5, {})),
        *full_node("b", ("b1", "1", 1, {}), ("b2", "1", 1, {})),
        *full_node("c", ("c1", "2", 1, {"start_time": EARLY})),
        *full_node("d", ("d1", "2", 1, {"start_time": LATE})),
        pod("high", cpu=2, priority=9),
    )
    assert {c.node: c.rung for c in candidates_of(found)} == {"a": 2, "b": 3, "c": 5, "d": 0}
    assert (found.nominated_node, found.victims) == ("d", ["default/d1"])


def test_nodes_without_victims_and_nodes_where_evicting_is_not_enough_are_distinguished():
    found = preemption(
        *full_node("peers", ("peer", "2", 9, {})),
        *full_node("both", ("big", "1500m", 9, {}), ("little", "500m", 1, {})),
        node("small", cpu=1),
        pod("high", cpu=2, priority=9),
    )
    assert {name: verdict.reasons for name, verdict in found.failed.items()} == {
        "peers": ["No preemption victims found for incoming pod"],
        "both": ["Insufficient cpu"],
    }
    assert found.unhelpful == 1
    assert found.message == (
        "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )


def test_a_preemptor_waits_while_its_victims_terminate_on_the_nominated_node():
    objects = full_node("n", ("low", 2, 0, {"annotations": {"kschedui.io/termination-seconds": "20"}}))
    retried = {"at": 14, "create": node("other", cpu=2, taints=["dedicated=yes:NoSchedule"])}
    found = events(PreemptionEvaluated, *objects, pod("high", cpu=2, priority=9), events=[retried])
    assert found[0].nominated_node == "n"
    assert [e.reason for e in found[1:]] == ["not eligible due to a terminating pod on the nominated node."]


def test_what_rejects_the_nominated_node_is_named_for_the_nodes_that_pre_filter_cut_off_too():
    """The nominated node is tried first, and the plugin that rejects it joins the same set (`unscheduledPlugins`)."""
    lingering = {"annotations": {"kschedui.io/termination-seconds": "20"}}
    objects = [*full_node("n", ("low", "1500m", 0, lingering), ("tiny", "100m", 9, {})), node("other", cpu=2)]
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    gone = [{"at": 3, "delete": {"kind": "Pod", "name": "tiny"}}]
    found = events(SchedulingFailed, *objects, pod("high", cpu=1, priority=9, affinity=affinity), events=gone)
    cut_off = ["[NodeAffinity].", "[NodeAffinity NodeResourcesFit]."]
    assert [one.message.partition("plugin(s) ")[2].partition(".")[0] + "." for one in found] == cut_off


def test_room_for_pods_nominated_with_at_least_the_same_priority_is_not_given_away():
    slow = {"annotations": {"kschedui.io/termination-seconds": "20"}}
    objects = full_node("n", ("low", 2, 0, slow))
    first, second = pod("first", cpu=2, priority=9), pod("second", cpu=2, priority=9)
    found = events(PreemptionEvaluated, *objects, first, second)
    assert found[0].nominated_node == "n"
    assert found[1].message == "preemption: 0/1 nodes are available: 1 Insufficient cpu."


def test_a_lower_nomination_on_the_chosen_node_is_cleared():
    slow = {"annotations": {"kschedui.io/termination-seconds": "20"}}
    objects = full_node("n", ("low", "1", 0, slow), ("other", "1", 0, slow))
    urgent = {"at": 1, "create": pod("urgent", cpu=2, priority=99)}
    run = list(simulate(parse(*objects, pod("first", cpu="1", priority=9), events=[urgent])))
    cleared = [e for e in run if isinstance(e, NominationCleared) and e.pod == "default/first"]
    assert [(e.node, e.cause) for e in cleared][:1] == [("n", "preempted-by-higher-priority")]


def test_a_victim_that_is_terminating_already_is_not_evicted_twice():
    slow = {"annotations": {"kschedui.io/termination-seconds": "20"}}
    objects = full_node("n", ("low", 2, 0, slow))
    urgent = {"at": 1, "create": pod("urgent", cpu=2, priority=99)}
    run = list(simulate(parse(*objects, pod("first", cpu=2, priority=9), events=[urgent])))
    assert [e.victims for e in run if isinstance(e, PreemptionEvaluated)][:2] == [["default/low"], ["default/low"]]
    assert [e.pod for e in run if isinstance(e, VictimEvicted)] == ["default/low"]


def test_an_extender_takes_the_best_candidate_away():
    script = [{"urlPrefix": "http://e", "preempt": [{"nodes": ["a"]}]}]
    objects = [*full_node("a", ("a1", 2, 1, {})), *full_node("b", ("b1", 2, 5, {})), pod("high", cpu=2, priority=9)]
    found = preemption(*objects, extended(preemptVerb="preempt"), extenders=script)
    assert (found.nominated_node, [c.node for c in candidates_of(found)]) == ("b", ["b"])
    assert found.extenders == ["http://e"]


def test_without_a_candidate_that_the_extenders_keep_nobody_is_evicted():
    script = [{"urlPrefix": "http://e", "preempt": [{}]}]
    objects = [*full_node("a", ("a1", 2, 1, {})), pod("high", cpu=2, priority=9)]
    found = preemption(*objects, extended(preemptVerb="preempt"), extenders=script)
    assert (found.message, candidates_of(found)) == ("preemption: no candidate node for preemption", [])


@pytest.mark.parametrize("release", ["1.15", "1.16", "1.18"])
def test_before_1_19_no_message_says_that_the_extenders_keep_no_candidate(release: str):
    script = [{"urlPrefix": "http://e", "preempt": [{}]}]
    objects = [*full_node("a", ("a1", 2, 1, {})), pod("high", cpu=2, priority=9), extended(preemptVerb="preempt")]
    failed = events(SchedulingFailed, *objects, extenders=script, kubernetesVersion=release)[0]
    assert failed.message == "0/1 nodes are available: 1 Insufficient cpu."
    assert not preemption(*objects, extenders=script, kubernetesVersion=release).message


def test_a_failing_extender_ends_preemption_unless_it_is_ignorable():
    script = [{"urlPrefix": "http://e", "failures": [{"verb": "preempt", "message": "refused"}]}]
    objects = [*full_node("a", ("a1", 2, 1, {})), pod("high", cpu=2, priority=9)]
    strict = preemption(*objects, extended(preemptVerb="preempt"), extenders=script)
    assert (strict.message, strict.nominated_node) == ("preemption: refused", "")
    lax = preemption(*objects, extended(preemptVerb="preempt", ignorable=True), extenders=script)
    assert lax.nominated_node == "a"


def test_a_node_that_only_an_extender_refuses_needs_no_victim_which_is_an_error():
    script = [{"urlPrefix": "http://e", "filter": [{"reject": "no"}]}]
    objects = [node("n"), pod("low", cpu=1, priority=1, node="n"), pod("high", cpu=1, priority=9)]
    found = preemption(*objects, extended(filterVerb="filter"), extenders=script)
    assert found.message == 'preemption: expected at least one victim pod on node "n"'


def test_up_to_1_36_the_message_of_a_pod_that_preempts_says_nothing_of_preemption():
    objects = [*full_node("n", ("low", 2, 0, {})), pod("high", cpu=2, priority=9)]
    message = "0/1 nodes are available: 1 Insufficient cpu."
    failed = events(SchedulingFailed, *objects, kubernetesVersion="1.36")[0]
    assert (failed.message, failed.nominated_node) == (message, "n")
    newer = events(SchedulingFailed, *objects, kubernetesVersion="1.37")[0]
    found = "preemption: found a potential placement for pod on node n, preempting 1 victims"
    assert (newer.message, newer.nominated_node) == (f"{message} {found}", "n")


def test_of_very_many_candidates_the_best_are_written_out_and_the_others_are_columns():
    nodes = [one for i in range(300) for one in full_node(f"n{i:03}", (f"v{i:03}", 2, 1 + i % 3, {}))]
    few = {"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 100}}
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [few]}
    found = preemption(*nodes, configuration(profiles=[profile]), pod("high", cpu=2, priority=9))
    assert (len(candidates_of(found)), found.candidates_wanted) == (32, 300)
    assert found.nominated_node == "n297"
    assert {c.node for c in candidates_of(found) if not c.rung} == {"n297"}
    assert found.more is not None
    assert found.more.count == 268
    rungs = decode_column(found.more.rung, 268).tolist()
    assert (rungs.count(2), rungs.count(5)) == (200, 68)
