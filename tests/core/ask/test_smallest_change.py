"""The smallest change works, and one unit less does not: on examples here, and on inputs of the conformance tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.ask.editing.edits import Edit, NotPossible
from scheduler_core.ask.editing.text import apply_edits
from scheduler_core.ask.moments.moment import Moment, at_end, before_attempt
from scheduler_core.ask.smallest.nearest import nearest
from scheduler_core.ask.smallest.smallest_change import Change, ChangeSearch, smallest_changes
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import (
    Manifest,
    claims,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    parse,
    pod,
    required_affinity,
    resource_slice,
    scenario,
    spread,
)
from tests.core.ask.less import without_one_edit
from tests.sampling import rest_slow

FILES = sorted(
    path
    for path in (Path(__file__).parents[2] / "conformance").glob("*/*.yaml")
    if path.parent.name not in ("gang", "older")
)


def changes(*objects: Manifest) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Return (node, [(kind, name, before, after)]) of each change for the first attempt's pod."""
    found = smallest_changes(before_attempt(parse(*objects), 1))
    return [(one.node, [(c.kind, c.name, c.before, c.after) for c in one.changed]) for one in found]


def does(moment: Moment, change: Change, edits: list[Edit]) -> bool:
    """Return whether the pod fits or, if the change has victims, preempts with the edits."""
    assert moment.pod is not None
    world = moment.world()
    try:
        world.apply_edits(edits, {})
        decision = world.decide(moment.pod.key, all_nodes=True)
    except NotPossible:
        return False
    return bool(decision.nominated) if change.victims else change.node in decision.record["feasible"]


@pytest.mark.parametrize("path", rest_slow(4, FILES[::12]), ids=lambda path: path.stem)
def test_each_change_is_enough_and_not_without_one_of_its_edits(path: Path) -> None:
    scenario = parse_scenario(path.read_text())
    pending = [one for one in decisions(simulate(scenario)) if one.get("outcome") == "Unschedulable"]
    for record in pending[:1]:
        moment = before_attempt(scenario, record["attempt"])
        for change in smallest_changes(moment):
            assert does(moment, change, change.edits), change
            for less in without_one_edit(change):
                assert not does(moment, change, less), (change, less)


def test_a_request_goes_down_to_what_is_free() -> None:
    found = changes(node("n1", cpu=4), pod("old", cpu="1500m", node="n1"), pod("web", cpu=3))
    assert found[0] == ("n1", [("request", "cpu", "3", "2500m")])


def test_the_nearer_node_comes_first() -> None:
    found = changes(node("n1", cpu=2), node("n2", cpu=3), pod("web", cpu=4))
    assert [place for place, what in found if what[0][0] == "request"] == ["n2", "n1"]


def test_two_resources_that_are_short_go_together() -> None:
    found = changes(node("n1", cpu=1, memory="1Gi"), pod("web", cpu=2, memory="2Gi"))
    assert found == [("n1", [("request", "cpu", "2", "1"), ("request", "memory", "2Gi", "1Gi")])]


def test_every_taint_that_keeps_it_away_is_tolerated() -> None:
    found = changes(node("n1", taints=["gpu=yes:NoSchedule", "dedicated:NoExecute"]), pod("web"))
    assert [(kind, name) for kind, name, *_ in found[0][1]] == [
        ("toleration", "gpu=yes:NoSchedule"),
        ("toleration", "dedicated:NoExecute"),
    ]


def test_a_node_gets_the_label_that_is_asked_for() -> None:
    found = changes(node("n1", labels={"disk": "hdd"}), pod("web", nodeSelector={"disk": "ssd"}))
    assert ("n1", [("label", "disk", "hdd", "ssd")]) in found


def test_a_node_with_two_objections_has_both_answered() -> None:
    found = changes(node("n1", cpu=1, unschedulable=True), pod("web", cpu=2))
    assert found == [("n1", [("uncordon", "n1", "true", None), ("request", "cpu", "2", "1")])]


def test_the_priority_is_just_above_a_pod_that_makes_room() -> None:
    low, high = pod("low", cpu=1, node="n1", priority=5), pod("high", cpu=3, node="n1", priority=7)
    found = changes(node("n1", cpu=4), low, high, pod("web", cpu=2, priority=1))
    assert ("n1", [("priority", "priority", 1, 8)]) in found


def test_a_pod_that_never_preempts_is_told_to() -> None:
    web = pod("web", cpu=4, priority=9, preemptionPolicy="Never")
    found = smallest_changes(before_attempt(parse(node("n1", cpu=4), pod("low", cpu=4, node="n1", priority=9), web), 1))
    change = next(one for one in found if one.victims)
    assert [(edit.path[-1], edit.value) for edit in change.edits] == [("preemptionPolicy", None), ("priority", 10)]


def test_a_pod_whose_class_never_preempts_needs_no_higher_priority() -> None:
    web = pod("web", cpu=4, priority=9, preemptionPolicy="Never")
    found = changes(node("n1", cpu=4), pod("low", cpu=4, node="n1", priority=8), web)
    assert ("n1", [("priority", "preemptionPolicy", "Never", "PreemptLowerPriority")]) in found


def test_one_more_node_of_the_smallest_kind_that_does() -> None:
    nodes = [node("small", cpu=1), node("large", cpu=4), node("huge", cpu=16, unschedulable=True)]
    full = pod("old", cpu=4, node="large", priority=0)
    found = changes(*nodes, full, pod("web", cpu=3, priority=-1))
    assert ("large-like-1", [("nodes", "large", 0, 1)]) in found


def test_a_spread_constraint_is_loosened_by_as_little_as_does() -> None:
    nodes = [node("a", zone="a"), node("b", zone="b", cpu="100m")]
    old = [pod(f"old-{number}", node="a", labels={"app": "web"}, cpu="100m") for number in range(2)]
    web = pod("web", cpu=1, labels={"app": "web"}, topologySpreadConstraints=[spread({"app": "web"})])
    assert ("a", [("spread", "topology.kubernetes.io/zone", 1, 3)]) in changes(*nodes, *old, web)


def test_a_required_term_that_stands_in_the_way_goes() -> None:
    old = pod("old", node="n1", labels={"app": "web"})
    web = pod("web", affinity=required_affinity({"app": "web"}, anti=True))
    assert ("n1", [("affinity", "podAntiAffinity", "kubernetes.io/hostname", None)]) in changes(node("n1"), old, web)


def test_a_label_by_which_another_pod_keeps_it_away_goes() -> None:
    old = pod("old", node="n1", affinity=required_affinity({"app": "web"}, anti=True))
    found = changes(node("n1"), old, pod("web", labels={"app": "web", "tier": "front"}))
    assert ("n1", [("pod-label", "app", "web", None)]) in found


def test_a_host_port_that_is_taken_is_not_asked_for() -> None:
    found = changes(node("n1"), pod("old", node="n1", host_port=80), pod("web", host_port=80))
    assert ("n1", [("port", "80", 80, None)]) in found


def test_a_node_that_is_full_of_pods_takes_one_more() -> None:
    found = changes(node("n1", pods=1), pod("old", node="n1", priority=9), pod("web"))
    assert ("n1", [("room", "pods", 1, 2)]) in found


def test_a_pod_that_finds_a_node_needs_no_change() -> None:
    assert changes(node("n1"), pod("web")) == []


ZONE = "topology.kubernetes.io/zone"


def kafka(zone: str, volume_zone: str) -> list[Manifest]:
    """Return a pod that selects one zone, and its volume in another."""
    where = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [volume_zone]}]}]}
    volume = claim_and_volume("data", nodeAffinity={"required": where})
    used = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    return [*volume, pod("kafka-2", nodeSelector={ZONE: zone}, volumes=[used])]


def claim_and_volume(name: str, **spec: object) -> list[Manifest]:
    both = {"accessModes": ["ReadWriteOnce"], "storageClassName": "disks"}
    volume = {**both, "capacity": {"storage": "1Gi"}, "csi": {"driver": "d", "volumeHandle": name}, **spec}
    claim = {**both, "resources": {"requests": {"storage": "1Gi"}}, "volumeName": name}
    return [
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": volume},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": claim},
    ]


def test_a_selector_of_another_zone_than_the_volumes_is_changed_and_no_node_is_told_to_be_elsewhere() -> None:
    nodes = [node(f"{zone}{number}", zone=zone) for zone in "abc" for number in range(3)]
    found = smallest_changes(before_attempt(parse(*nodes, *kafka("c", "b")), 1))
    assert [(one.kind, one.name, one.after) for one in found[0].changed] == [("selector", ZONE, "b")]
    assert sorted([found[0].node, *found[0].others]) == ["b0", "b1", "b2"]
    assert not found[0].false
    assert all(one.false for one in found if "label" in one.kinds)
    assert [one.false for one in found] == sorted(one.false for one in found), "what is untrue comes last"


def test_a_selector_that_no_node_meets_is_not_answered_by_lying_about_a_cloud() -> None:
    found = smallest_changes(before_attempt(parse(node("n1", zone="a"), pod("web", nodeSelector={ZONE: "z"})), 1))
    assert not found[0].false
    assert [(one.kind, one.after) for one in found[0].changed] == [("selector", "a")]


def absent(*objects: Manifest) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in ChangeSearch(before_attempt(parse(*objects), 1)).missing()]


def test_what_no_edit_brings_is_named() -> None:
    used = {"name": "data", "persistentVolumeClaim": {"claimName": "gone"}}
    assert absent(node("n1"), pod("web", volumes=[used])) == [("claim", "gone")]
    gpu = pod("web", limits={"example.com/gpu": "1"})
    assert absent(node("n1"), gpu) == [("resource", "example.com/gpu")]
    nodes = [node("n1", zone="a")]
    assert absent(*nodes, *kafka("a", "b")) == [("place", "data")]
    claim = claim_and_volume("data")[1]
    web = pod("web", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    assert absent(*nodes, claim, web) == [("volume", "data")]
    unbound = {**claim, "spec": {**claim["spec"], "volumeName": "", "storageClassName": "nowhere"}}
    assert absent(*nodes, unbound, web) == [("class", "nowhere")]


def test_the_nearest_node_takes_the_fewest_changes_and_all_of_them_are_listed() -> None:
    """A node with a small lack of cpu and the wrong zone needs more changes than one with a large lack of cpu alone."""
    objects = [node("b0", zone="b", cpu=1), node("c0", zone="c", cpu=4), *kafka("c", "b")]
    objects[-1]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "4500m"}}
    moment = before_attempt(parse(*objects), 1)
    first, *_ = nearest(moment, "default/kafka-2")
    assert first.node == "b0"
    changes = {one.kind: (one.before, one.after) for one in first.changed}
    assert changes == {"request": ("4500m", "1"), "selector": ("c", "b")}


def test_a_gated_pod_is_told_its_gates_first() -> None:
    moment = at_end(parse(node("n1", cpu=1), pod("web", cpu=2, gates=["example.com/quota"])))
    found = smallest_changes(moment, "default/web")
    assert [(one.kind, one.name) for one in found[0].changed] == [("gate", "example.com/quota"), ("request", "cpu")]


def test_a_pod_of_a_scheduler_that_nobody_runs_is_given_to_another() -> None:
    moment = at_end(parse(node("n1"), pod("web", schedulerName="volcano")))
    found = smallest_changes(moment, "default/web")
    assert [(one.kind, one.before, one.after) for one in found[0].changed] == [
        ("scheduler", "volcano", "default-scheduler")
    ]


def template(name: str, **exactly: object) -> Manifest:
    made = device_claim(name, device_request(**exactly))
    return {**made, "kind": "ResourceClaimTemplate", "spec": {"spec": made["spec"]}}


H100 = "device.attributes['gpu.example.com'].model == 'h100'"


@pytest.mark.parametrize("by_template", [False, True])
def test_what_is_proposed_for_claims_holds_in_a_run_of_the_text_that_it_is_written_into(*, by_template: bool) -> None:
    """The claims are named by pods, one of them allocated before the run, or made from templates, one allocated in the
    run."""
    models = {"n1": ("h100", "h100"), "n2": ("h100", "h100", "a100")}
    gpus = {name: [device(f"gpu-{at}", model=model) for at, model in enumerate(models[name])] for name in models}
    gpus["n2"][0]["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
    results = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1-gpu", "device": "gpu-0"}]
    status = {"allocation": {"devices": {"results": results}}, "reservedFor": [{"resource": "pods", "name": "user"}]}
    wanted: Manifest = {"count": 2, "selectors": [{"cel": {"expression": H100}}]}
    by_name = device_claim("held", status=status), device_claim("two", device_request(**wanted))
    first = {"nodeSelector": {"kubernetes.io/hostname": "n1"}} if by_template else {"node": "n1"}
    text = scenario(
        *map(node, models),
        device_class("gpu"),
        *(resource_slice(f"{name}-gpu", gpus[name], node=name) for name in models),
        *((template("held"), template("two", **wanted)) if by_template else by_name),
        pod("user", resourceClaims=claims("held", template=by_template), **first),
        pod("waits", resourceClaims=claims("two", template=by_template)),
    )
    found = smallest_changes(before_attempt(parse_scenario(text), 2 if by_template else 1))
    kinds = {kind for one in found for kind in one.kinds}
    assert kinds >= {"device-count", "device-selector", "device-toleration", "device-holder"}
    for change in found:
        *_, last = decisions(simulate(parse_scenario(apply_edits(text, change.edits, json.dumps))))
        assert "default/waits" in last["final"]["bound"], change


def test_a_class_that_is_not_there_is_replaced_by_the_one_of_a_similar_name() -> None:
    slices = resource_slice("n1-gpu", ["gpu-0"])
    waits = device_claim("one", device_request("gpu", "gpus")), pod("a", resourceClaims=claims("one"))
    found = changes(node("n1"), device_class("net"), device_class("gpu"), slices, *waits)
    assert found == [("n1", [("device-class", "one gpu", "gpus", "gpu")])]


@pytest.mark.parametrize("users", [[], ["first"], ["first", "second"]])
def test_a_claim_that_is_allocated_elsewhere_is_released_by_deleting_the_pods_that_use_it(users: list[str]) -> None:
    there = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    results = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1-gpu", "device": "gpu-0"}]
    allocation = {
        "devices": {"results": results},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [there]}]},
    }
    reserved = [{"resource": "pods", "name": name} for name in users]
    text = scenario(
        node("n1", cpu=2),
        node("n2"),
        device_class("gpu"),
        *(resource_slice(f"{name}-gpu", ["gpu-0"], node=name) for name in ("n1", "n2")),
        device_claim("shared", status={"allocation": allocation, "reservedFor": reserved}),
        *(pod(name, node="n1", cpu=1, resourceClaims=claims("shared")) for name in users),
        pod("waits", cpu=3, resourceClaims=claims("shared")),
    )
    found = smallest_changes(before_attempt(parse_scenario(text), 1))
    on_n2 = next(one for one in found if one.node == "n2" and "nodes" not in one.kinds)
    assert [(one.kind, one.name, one.before) for one in on_n2.changed] == [
        ("device-holder", "shared", ", ".join(users) or None)
    ]
    *_, last = decisions(simulate(parse_scenario(apply_edits(text, on_n2.edits, json.dumps))))
    assert last["final"]["bound"]["default/waits"] == "n2"


def test_one_more_node_is_like_one_with_the_devices_that_are_wanted() -> None:
    slices = [
        resource_slice(f"{name}-gpu", [device("gpu-0", model=model)], node=name)
        for name, model in (("n1", "a"), ("n2", "b"))
    ]
    results = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n2-gpu", "device": "gpu-0"}]
    held = device_claim("held", status={"allocation": {"devices": {"results": results}}})
    wanted = device_request("gpu", "gpu", "device.attributes['gpu.example.com'].model == 'b'")
    waits = device_claim("one", wanted), pod("a", resourceClaims=claims("one"))
    found = changes(node("n1"), node("n2"), device_class("gpu"), *slices, held, *waits)
    assert ("n2-like-1", [("nodes", "n2", 0, 1)]) in found


def test_a_label_that_go_does_not_read_as_a_number_is_below_and_above_none() -> None:
    terms = [{"matchExpressions": [{"key": "disks", "operator": "Gt", "values": ["5"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    found = changes(node("n1", labels={"disks": "1_0"}), pod("web", affinity=affinity))
    assert ("n1", [("label", "disks", "1_0", "6")]) in found
