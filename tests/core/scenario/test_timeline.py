"""The Scenario document: events, updates, faults, expectations, gates and extender scripts."""

# ruff: noqa: E501 - tables of cases read best with one case a line

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import (
    CoschedulingPodGroup,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
)
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES
from scheduler_core.scenario.parse import ExpectedPod, Fault, ScenarioErrors, claimed, merge_update, parse_scenario
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.scenario_document import build_scenario_document
from tests.builders import Manifest, budget, configuration, node, parse, pod, priority_class, scenario


def problems(*objects: Manifest, **spec: Any) -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*objects, **spec))
    return [(error.path, error.message) for error in caught.value.errors]


def created(manifest: Manifest, *objects: Manifest, at: float = 1) -> Any:
    """Return the object of an event that creates it."""
    return parse(*objects, events=[{"at": at, "create": manifest}]).events[0].object


# --- events ---


def test_events_are_sorted_by_time_and_equal_times_keep_their_order() -> None:
    events = [
        {"at": 3, "create": pod("late")},
        {"at": 1.5, "create": pod("b")},
        {"at": 1.5, "delete": {"kind": "Pod", "name": "b"}},
        {"at": 0, "create": node("n1")},
    ]
    found = parse(events=events).events
    assert [(event.at, event.action, event.kind, event.namespace, event.name) for event in found] == [
        (0.0, "create", "Node", "", "n1"),
        (1.5, "create", "Pod", "default", "b"),
        (1.5, "delete", "Pod", "default", "b"),
        (3.0, "create", "Pod", "default", "late"),
    ]
    assert found[2].object is None


def test_created_pods_begin_at_the_whole_second_of_their_event() -> None:
    pending, running = created(pod("a"), at=2.7), created(pod("a", node="n1"), at=2.7)
    assert (pending.creation_timestamp, pending.start_time) == (2.0, None)
    assert (running.creation_timestamp, running.start_time) == (2.0, 2.0)


def test_pod_that_has_ended_is_left_to_the_simulation() -> None:
    assert created({**pod("a", node="n1"), "status": {"phase": "Failed"}}).phase == "Failed"


def test_priority_class_must_exist_when_the_pod_is_created() -> None:
    create_class = {"at": 2, "create": priority_class("high", 5)}
    found = parse(events=[{"at": 3, "create": pod("a", priority_class="high")}, create_class])
    assert isinstance(pod_found := found.events[1].object, Pod)
    assert pod_found.priority == 5
    too_early = problems(events=[{"at": 1, "create": pod("a", priority_class="high")}, create_class])
    assert too_early[0][0] == "spec.events[0].create.spec.priorityClassName"
    gone = [
        {"at": 1, "delete": {"kind": "PriorityClass", "name": "high"}},
        {"at": 2, "create": pod("a", priority_class="high")},
    ]
    assert problems(priority_class("high", 5), events=gone)[0][0] == "spec.events[1].create.spec.priorityClassName"


def test_updated_pod_needs_no_class_since_it_keeps_its_priority() -> None:
    delete_class = {"at": 1, "delete": {"kind": "PriorityClass", "name": "high"}}
    found = parse(
        priority_class("high", 5),
        pod("a", priority_class="high"),
        events=[delete_class, {"at": 2, "update": pod("a", priority_class="high")}],
    )
    old = next(one for one in found.objects if isinstance(one, Pod))
    assert found.events[1].object
    kept = merge_update(old, found.events[1].object)
    assert isinstance(kept, Pod)
    assert (kept.priority, kept.priority_class_name) == (5, "high")


@pytest.mark.parametrize(
    ("event", "path", "part"),
    [
        ({"create": pod("a")}, "spec.events[0].at", "Required value"),
        ({"at": -1, "create": pod("a")}, "spec.events[0].at", "0 to ten years"),
        ({"at": "soon", "create": pod("a")}, "spec.events[0].at", "expected a number"),
        ({"at": 1}, "spec.events[0]", "exactly one of create, update, delete"),
        ({"at": 1, "create": pod("a"), "update": pod("a")}, "spec.events[0]", "exactly one of"),
        ({"at": 1, "creat": pod("a")}, "spec.events[0].creat", 'did you mean "create"?'),
        ({"at": 1, "create": "pod"}, "spec.events[0].create", "expected a mapping"),
        ({"at": 1, "create": {"kind": "Pod"}}, "spec.events[0].create.apiVersion", "Required value"),
        ({"at": 1, "create": {"apiVersion": "v1", "kind": "Nod"}}, "spec.events[0].create.kind", 'did you mean "Node"?'),
        ({"at": 1, "create": node("here")}, "spec.events[0].create.metadata.name", "Node here exists already"),
        ({"at": 1, "update": node("gone")}, "spec.events[0].update.metadata.name", 'no Node "gone" exists at this time'),
        ({"at": 1, "update": pod("gone")}, "spec.events[0].update.metadata.name", 'no Pod "gone" exists at this time'),
        ({"at": 1, "delete": {"kind": "Node", "name": "gone"}}, "spec.events[0].delete.name", 'no Node "gone" exists'),
        ({"at": 1, "delete": {"kind": "Pod"}}, "spec.events[0].delete.name", "Required value"),
        ({"at": 1, "delete": {"kind": "Pot", "name": "a"}}, "spec.events[0].delete.kind", 'did you mean "Pod"?'),
        ({"at": 1, "delete": {"name": "a"}}, "spec.events[0].delete.kind", "Required value"),
        ({"at": 1, "create": pod("a", cpu="1 core")}, "spec.events[0].create.spec.containers[0].resources.requests.cpu", "is not a quantity"),
    ],
)  # fmt: skip
def test_event_that_is_refused(event: dict[str, Any], path: str, part: str) -> None:
    found = problems(node("here"), events=[event])
    assert found[0][0] == path
    assert part in found[0][1]


def test_object_may_be_created_again_once_it_is_deleted() -> None:
    events = [{"at": 1, "delete": {"kind": "Node", "name": "n1"}}, {"at": 2, "create": node("n1")}]
    assert len(parse(node("n1"), events=events).events) == 2


def test_pods_can_go_as_victims_so_events_about_them_are_left_to_the_simulation() -> None:
    events = [
        {"at": 1, "create": pod("a")},
        {"at": 2, "delete": {"kind": "Pod", "name": "a"}},
        {"at": 3, "update": pod("a")},
        {"at": 4, "delete": {"kind": "Pod", "name": "a"}},
    ]
    assert len(parse(pod("a"), events=events).events) == 4
    warned = parse(events=[{"at": 1, "delete": {"kind": "Pod", "name": "never"}}])
    assert "no Pod default/never exists before this time" in warned.warnings[0].message


def test_namespace_that_is_only_mentioned_can_be_updated() -> None:
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    assert len(parse(pod("a", namespace="shop"), events=[{"at": 1, "update": shop}]).events) == 1


# --- updates ---


def test_updated_pod_keeps_what_belongs_to_the_system() -> None:
    old = created({**pod("a", node="n1", priority=5, labels={"v": "1"}), "status": {"nominatedNodeName": "n2"}}, at=3)
    new = created(pod("a", priority=9, labels={"v": "2"}), at=8)
    found = merge_update(old, new)
    assert isinstance(found, Pod)
    assert (found.uid, found.creation_timestamp, found.start_time) == (old.uid, 3.0, 3.0)
    assert (found.node_name, found.priority, found.phase, found.labels) == ("n1", 5, "Running", {"v": "2"})
    assert found.manifest["spec"]["nodeName"] == "n1"
    assert found.manifest["spec"]["priority"] == 5


def test_update_can_end_a_pod() -> None:
    old = created(pod("a", node="n1"))
    ended = merge_update(old, created({**pod("a"), "status": {"phase": "Succeeded"}}))
    assert isinstance(ended, Pod)
    assert ended.phase == "Succeeded"


def test_updated_node_without_status_keeps_the_stored_one() -> None:
    old, bare = created(node("n1", cpu=8)), node("n1", unschedulable=True)
    del bare["status"]
    kept = merge_update(old, created(bare))
    assert isinstance(kept, Node)
    assert (kept.allocatable["cpu"], kept.unschedulable, kept.uid) == (8000, True, old.uid)
    changed = merge_update(old, created(node("n1", cpu=2)))
    assert isinstance(changed, Node)
    assert changed.allocatable["cpu"] == 2000


def test_updated_budget_keeps_a_given_status() -> None:
    old = created({**budget("b", {"a": "b"}), "status": {"disruptionsAllowed": 3}})
    found = merge_update(old, created(budget("b", {"a": "c"})))
    assert isinstance(found, PodDisruptionBudget)
    assert (found.disruptions_allowed, found.selector) == (3, LabelSelector.from_labels({"a": "c"}))


VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/"}}


def volume(phase: str = "", **spec: Any) -> Any:
    manifest = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {**VOLUME, **spec}}
    return created({**manifest, "status": {"phase": phase}} if phase else manifest)


def test_updated_volume_without_status_keeps_its_phase_its_deletion_and_its_claim() -> None:
    claim = {"namespace": "default", "name": "c", "uid": "u"}
    leaving = replace(volume("Bound", claimRef=claim), terminating=True)
    kept = merge_update(leaving, volume(mountOptions=["ro"]))
    assert isinstance(kept, PersistentVolume)
    assert (kept.phase, kept.terminating, kept.claim_ref, kept.claim_uid) == ("Bound", True, "default/c", "u")
    freed = merge_update(volume("Released", claimRef=claim), volume())
    assert isinstance(freed, PersistentVolume)
    assert (freed.phase, freed.claim_ref) == ("Available", "")
    failed = merge_update(volume("Available"), volume("Failed"))
    assert isinstance(failed, PersistentVolume)
    assert failed.phase == "Failed"


def test_updated_claim_keeps_its_volume() -> None:
    def claim(size: str, **spec: Any) -> Any:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
        return created({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec})

    kept = merge_update(claim("1Gi", volumeName="v"), claim("2Gi"))
    assert isinstance(kept, PersistentVolumeClaim)
    assert (kept.volume_name, kept.bound, kept.phase, kept.request) == ("v", True, "Bound", 2 << 30)


def test_updated_node_claim_keeps_its_node_and_dates_because_its_spec_is_immutable() -> None:
    old = NodeClaim("c", "pool", {"a": "1"}, created=3.0, deleted=9.0, node="n1", instance_types=("m5.large",))
    built = NodeClaim("c", "", {"b": "2"}, created=20.0, manifest={"metadata": {"name": "c"}})
    found = merge_update(old, built)
    assert isinstance(found, NodeClaim)
    assert (found.created, found.deleted, found.node, found.pool, found.instance_types) == (
        3.0,
        9.0,
        "n1",
        "pool",
        ("m5.large",),
    )
    assert found.labels == {"a": "1", "b": "2"}


def test_updated_coscheduling_group_keeps_its_creation_time() -> None:
    old = CoschedulingPodGroup("g", "default", 2, None, 3.0)
    found = merge_update(old, CoschedulingPodGroup("g", "default", 4, None, 8.0))
    assert isinstance(found, CoschedulingPodGroup)
    assert (found.min_member, found.creation_timestamp) == (4, 3.0)


def test_claim_that_comes_later_fills_the_volumes_claim_ref() -> None:
    asked = {"volumeName": "v", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = created({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": asked})
    assert isinstance(claim, PersistentVolumeClaim)
    assert claimed(volume(), claim).claim_ref == "default/c"


# --- the rest of the document ---


def test_scenario_without_a_document_has_defaults() -> None:
    found = parse(node("n1"))
    assert (found.seed, found.until_seconds, found.binding_seconds, found.expect, found.events) == (
        None,
        None,
        0.0,
        None,
        (),
    )
    assert [name for name, on in found.feature_gates.items() if on] == [
        "OpportunisticBatching",
        "SchedulerPopFromBackoffQ",
    ]
    assert found.config.profile_for("default-scheduler")


def test_scenario_document_is_read() -> None:
    found = parse(
        title="T",
        description="D",
        seed=7,
        untilSeconds=60,
        bindingSeconds=0.5,
        featureGates={"SchedulerPopFromBackoffQ": False, "SchedulerQueueingHints": True},
        faults=[{"pod": "a", "point": "PreBind"}, {"pod": "x/b", "point": "Bind", "times": 2, "message": "M"}],
        expect={"pods": {"a": "n1", "x/b": "pending", "c": {"pending": True, "reason": "R"}, "d": {"node": "pending"}}, "victims": ["v"]},
    )  # fmt: skip
    assert (found.title, found.lesson.description, found.seed) == ("T", "D", 7)
    assert (found.until_seconds, found.binding_seconds) == (60.0, 0.5)
    assert found.feature_gates["SchedulerPopFromBackoffQ"] is False
    assert found.faults == (Fault("default/a", "PreBind", 1, "injected fault"), Fault("x/b", "Bind", 2, "M"))
    assert found.expect
    assert found.expect.victims == ("default/v",)
    assert found.expect.pods == {
        "default/a": ExpectedPod("n1"),
        "x/b": ExpectedPod(""),
        "default/c": ExpectedPod("", "R"),
        "default/d": ExpectedPod("pending"),
    }


@pytest.mark.parametrize(
    ("spec", "path", "part"),
    [
        ({"seed": -1}, "spec.seed", "must be 0 or greater"),
        ({"seed": 1.5}, "spec.seed", "expected an integer"),
        ({"untilSeconds": -1}, "spec.untilSeconds", "0 to ten years"),
        ({"untilSeconds": True}, "spec.untilSeconds", "expected a number"),
        ({"bindingSeconds": 1e300}, "spec.bindingSeconds", "0 to ten years"),
        ({"tilte": "x"}, "spec.tilte", 'did you mean "title"?'),
        ({"featureGates": {"SchedulerPopFromBackOffQ": True}}, "spec.featureGates.SchedulerPopFromBackOffQ", "unrecognized feature gate"),
        ({"featureGates": {"SchedulerQueueingHints": False}}, "spec.featureGates.SchedulerQueueingHints", "feature is locked to true"),
        ({"faults": [{"pod": "a", "point": "Filter"}]}, "spec.faults[0].point", "Unsupported value"),
        ({"faults": [{"pod": "a"}]}, "spec.faults[0].point", "Required value"),
        ({"faults": [{"point": "Bind"}]}, "spec.faults[0].pod", "Required value"),
        ({"faults": [{"pod": "a", "point": "Bind", "times": 0}]}, "spec.faults[0].times", "at least 1"),
        ({"expect": {"pods": {"a": 5}}}, "spec.expect.pods.a", "is not an outcome"),
        ({"expect": {"pods": {"a": {"reason": "x"}}}}, "spec.expect.pods.a", "either node, or pending: true"),
        ({"extenders": [{"urlPrefix": "http://x"}]}, "spec.extenders[0].urlPrefix", "no extender of KubeSchedulerConfiguration"),
        ({"extenders": [{}]}, "spec.extenders[0].urlPrefix", "Required value"),
    ],
)  # fmt: skip
def test_scenario_document_that_is_refused(spec: dict[str, Any], path: str, part: str) -> None:
    found = problems(**spec)
    assert found[0][0] == path
    assert part in found[0][1]


def test_a_file_has_one_scenario_document() -> None:
    text = scenario(seed=1) + "\n---\n" + scenario(seed=2)
    with pytest.raises(ScenarioErrors, match="at most one Scenario; document 1 already is one"):
        parse_scenario(text)


EXTENDER = {"urlPrefix": "http://e", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 2}


def test_extender_script_is_read() -> None:
    script = {
        "urlPrefix": "http://e",
        "filter": [
            {"pods": {"matchLabels": {"app": "cad"}}, "nodes": ["n1"], "reject": "no licence", "unresolvable": True}
        ],
        "prioritize": [{"nodes": {"names": ["n2"], "matchLabels": {"fast": "yes"}}, "score": 10}],
        "preempt": [{"pods": ["a"]}],
        "failures": [{"verb": "bind", "message": "refused", "times": 2}],
    }
    found = parse(configuration(extenders=[EXTENDER]), extenders=[script]).script_for("http://e")
    rule = found.filter[0]
    assert (rule.reject, rule.unresolvable) == ("no licence", True)
    assert rule.pods.matches("default/x", {"app": "cad"})
    assert not rule.pods.matches("default/x", {})
    assert rule.nodes.matches("n1", {})
    assert not rule.nodes.matches("n2", {})
    fast = found.prioritize[0].nodes
    assert fast.matches("n2", {})
    assert fast.matches("n3", {"fast": "yes"})
    assert not fast.matches("n3", {})
    assert found.prioritize[0].pods.matches("any/pod", {})
    assert found.preempt[0].pods.names == {"default/a"}
    assert (found.failures[0].verb, found.failures[0].message, found.failures[0].times) == ("bind", "refused", 2)


@pytest.mark.parametrize(
    ("script", "path"),
    [
        ({"filter": [{}]}, "filter[0].reject"),
        ({"prioritize": [{}]}, "prioritize[0].score"),
        ({"prioritize": [{"score": 11}]}, "prioritize[0].score"),
        ({"failures": [{"message": "x"}]}, "failures[0].verb"),
        ({"failures": [{"verb": "bind"}]}, "failures[0].message"),
        ({"preempt": [{"nodes": "n1"}]}, "preempt[0].nodes"),
        ({"preempt": [{"nodes": {"match": {}}}]}, "preempt[0].nodes.match"),
        ({"filter": [{"reject": "x", "pods": {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}}]}, "filter[0].pods.matchExpressions[0].operator"),
    ],
)  # fmt: skip
def test_extender_script_that_is_refused(script: dict[str, Any], path: str) -> None:
    found = problems(configuration(extenders=[EXTENDER]), extenders=[{"urlPrefix": "http://e", **script}])
    assert found[0][0] == f"spec.extenders[0].{path}"


def test_the_release_is_chosen_by_its_minor() -> None:
    assert parse(node("n"), kubernetesVersion="1.34").release.patch == "1.34.1"
    assert parse(node("n")).release is DEFAULT_RELEASE


def test_the_rest_of_a_file_with_an_invalid_scenario_is_read_for_the_given_release() -> None:
    given, problems = RELEASES["1.30"], Problems()
    document = build_scenario_document({"kind": "Scenario", "spec": []}, problems, given)
    assert problems.errors()
    assert document.release is given
    assert document.feature_gates == given.default_gates()


def test_a_release_that_is_not_known_is_named_with_those_that_are() -> None:
    ((path, message),) = problems(kubernetesVersion="1.2")
    assert path == "spec.kubernetesVersion"
    assert message.startswith('Unsupported value: "1.2": supported values: "1.')
