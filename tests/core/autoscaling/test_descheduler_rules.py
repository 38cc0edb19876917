"""Rules of the descheduler that no recorded run reaches, in whole runs."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.controller_events import EventRecorded, EvictionAnswered, PodDeletionRequested
from tests.builders import Manifest, budget, node, pod, required_affinity, scenario, spread
from tests.core.autoscaling.builders import own

REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def running(name: str, on: str = "n1", **more: Any) -> Manifest:
    made = pod(name, **{"cpu": "100m", "labels": {"app": "a"}, **more}, node=on)
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name, "controller": True}
    made["metadata"]["ownerReferences"] = [{**owner, **more.pop("owner", {})}]
    return made


def profile(point: str, name: str, evictor: Manifest | None = None, **args: Any) -> Manifest:
    config = [{"name": "DefaultEvictor", "args": evictor or {}}, {"name": name, "args": args}]
    return {"name": name, "pluginConfig": config, "plugins": {point: {"enabled": [name]}}}


def evicted(*objects: Manifest, profiles: list[Manifest], at: float = 10.0, **policy: Any) -> list[str]:
    """Return the names of the pods that the first pass evicts, in order."""
    whole = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": profiles, **policy}
    actor = own("Descheduler", policy=whole, startSeconds=at)
    events = simulate(parse_scenario(scenario(*objects, actor, untilSeconds=at + 1)))
    return [event.pod.partition("/")[2] for event in events if isinstance(event, EvictionAnswered)]


def test_plugins_that_balance_come_after_those_of_all_profiles_that_deschedule() -> None:
    tainted = node("n1", taints=["old:NoSchedule"])
    twins = [running(name, on="n2", owner={"name": "o", "uid": "o"}) for name in ("x", "y")]
    profiles = [profile("balance", "RemoveDuplicates"), profile("deschedule", "RemovePodsViolatingNodeTaints")]
    nodes = [tainted, node("n2"), node("n3"), running("late")]
    assert evicted(*nodes, *twins, profiles=profiles) == ["late", "y"]


def test_finished_pods_can_be_too_old() -> None:
    done = running("done", restartPolicy="Never", annotations={"kschedui.io/run-seconds": "2"})
    wanted = profile("deschedule", "PodLifeTime", maxPodLifeTimeSeconds=5, states=["Succeeded"])
    assert evicted(node("n1"), node("n2"), done, running("on"), profiles=[wanted]) == ["done"]


def test_a_preference_counts_even_if_the_better_node_is_full() -> None:
    better = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}
    choosy = running("choosy", cpu=1, affinity={"nodeAffinity": {PREFERRED: [better]}})
    nodes = [node("n1", cpu=4), node("n2", cpu=1, labels={"disk": "ssd"}), running("full", on="n2", cpu=1)]
    wanted = profile("deschedule", "RemovePodsViolatingNodeAffinity", nodeAffinityType=[PREFERRED])
    assert evicted(*nodes, choosy, profiles=[wanted]) == ["choosy"]


def test_kinds_of_affinity_are_looked_at_one_after_the_other() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    preferring = running("b", affinity={"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": term}]}})
    requiring = running("c", affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}})
    nodes = [node("n1"), node("n2", labels={"disk": "ssd"})]
    wanted = profile("deschedule", "RemovePodsViolatingNodeAffinity", nodeAffinityType=[REQUIRED, PREFERRED])
    assert evicted(*nodes, preferring, requiring, profiles=[wanted], maxNoOfPodsToEvictTotal=1) == ["c"]


def test_anti_affinity_holds_between_chosen_pods_on_one_node_without_the_label() -> None:
    anti = {"podAntiAffinity": required_affinity({"app": "a"}, "zone", anti=True)["podAntiAffinity"]}
    first, second = running("x", affinity=anti), running("y", labels={"app": "a", "tier": "b"})
    nodes = [node("n1"), node("n2")]
    name = "RemovePodsViolatingInterPodAntiAffinity"
    assert evicted(*nodes, first, second, profiles=[profile("deschedule", name)]) == ["x"]
    only = {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}
    assert not evicted(*nodes, first, second, profiles=[profile("deschedule", name, labelSelector=only)])


def test_pods_with_the_most_restarts_go_first() -> None:
    pods = [
        running(name, annotations={"kschedui.io/restart-count": str(count)})
        for name, count in zip("xyz", (3, 9, 6), strict=True)
    ]
    wanted = profile("deschedule", "RemovePodsHavingTooManyRestarts", podRestartThreshold=2)
    assert evicted(node("n1"), node("n2"), *pods, profiles=[wanted]) == ["y", "z", "x"]


def test_protected_pods_are_not_counted_in_domains() -> None:
    zones = [node("n1", labels={"zone": "a"}), node("n2", labels={"zone": "b"})]
    spreading = {"topologySpreadConstraints": [spread({"app": "a"}, "zone", maxSkew=1)]}
    name = "RemovePodsViolatingTopologySpreadConstraint"
    movable = [running(f"m{number}", **spreading) for number in range(2)]
    bare = [pod(f"b{number}", cpu="100m", node="n2", labels={"app": "a"}) for number in range(2)]
    assert len(evicted(*zones, *movable, *bare, profiles=[profile("balance", name)])) == 1


def test_a_destination_has_to_be_tolerated_in_all_its_taints() -> None:
    low = profile("balance", "LowNodeUtilization", thresholds={"cpu": 20}, targetThresholds={"cpu": 30})
    pods = [running(f"p{number}", cpu=2) for number in range(4)]
    for taints, count in (([], 2), (["soft:PreferNoSchedule"], 0)):
        nodes = [node("n1", cpu=10), node("n2", cpu=10, taints=taints)]
        assert len(evicted(*nodes, *pods, profiles=[low])) == count


@pytest.mark.parametrize(("at", "names"), [(60.0, []), (80.0, ["young"])])
def test_the_age_of_a_pod_counts_from_when_it_ran(at: float, names: list[str]) -> None:
    young = running("young")
    del young["spec"]["nodeName"]
    wanted = profile("deschedule", "PodLifeTime", evictor={"minPodAge": "50s"}, maxPodLifeTimeSeconds=1)
    whole = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [wanted]}
    actor = own("Descheduler", policy=whole, startSeconds=at)
    text = scenario(node("n1"), node("n2"), actor, events=[{"at": 20, "create": young}], untilSeconds=at + 1)
    events = simulate(parse_scenario(text))
    assert [event.pod.partition("/")[2] for event in events if isinstance(event, EvictionAnswered)] == names


def test_refused_evictions_have_an_event_if_the_policy_says_so() -> None:
    tainted, guard = node("n1", taints=["old:NoSchedule"]), budget("b", {"app": "c"}, minAvailable=1)
    pods = [running("x", labels={"app": "c"}), running("y"), running("z")]
    wanted = profile("deschedule", "RemovePodsViolatingNodeTaints")
    policy: Manifest = {"profiles": [wanted], "maxNoOfPodsToEvictTotal": 1, "gracePeriodSeconds": 7}
    policy |= {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy"}
    policy |= {"evictionFailureEventNotification": True}
    actor = own("Descheduler", policy=policy, startSeconds=10)
    events = list(simulate(parse_scenario(scenario(tainted, node("n2"), guard, *pods, actor, untilSeconds=11))))
    recorded = [event.message for event in events if isinstance(event, EventRecorded)]
    failed = "pod eviction from n1 node by sigs.k8s.io/descheduler failed: "
    violates = "Cannot evict pod as it would violate the pod's disruption budget."
    assert f'{failed}error when evicting pod (ignoring) "x": {violates}' in recorded
    assert f"{failed}total eviction limit exceeded (1)" in recorded
    assert [event.grace for event in events if isinstance(event, PodDeletionRequested)] == [7.0]
