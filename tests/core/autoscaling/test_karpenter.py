"""Rules of Karpenter that no recorded run shows: limits, budgets, annotations, drains, volumes, and what events say."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from scheduler_core.apis.karpenter import Budget, InstanceType, NodePool
from scheduler_core.autoscaling.karpenter.disruption import allowed_disruptions
from scheduler_core.trace.controller_events import EventRecorded, PodDeletionRequested
from scheduler_core.trace.events import AnyEvent, ObjectApplied, ObjectDeleted
from tests.builders import Manifest, budget, node, pod, required_affinity, spread
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool
from tests.core.runs import run

TYPES = [instance_type("two", 2, 0.1), instance_type("four", 4, 0.2), instance_type("eight", 8, 0.4)]
ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
FOREVER: Manifest = {"spec": {"expireAfter": "Never", "requirements": [ON_DEMAND]}}
EAGER = {"consolidateAfter": "0s", "budgets": [{"nodes": "100%"}]}
LAUNCHED = [{"type": name, "status": "True"} for name in ("Launched", "Registered", "Initialized", "Ready")]


def world(*objects: Manifest, types: Sequence[Manifest] = TYPES, flags: Sequence[str] = (), **spec: Any) -> Run:
    """Run a scenario with Karpenter, for a minute unless `untilSeconds` is given."""
    until = {"untilSeconds": 60, **spec}
    return Run(run(node_class(), karpenter(*flags, instanceTypes=list(types)), *objects, **until))


@dataclasses.dataclass
class Run:
    """The events of a run."""

    events: list[AnyEvent]

    def messages(self, reason: str, name: str = "") -> list[str]:
        """Return the messages of Karpenter's events with a reason, on one object if it is named."""
        recorded = [event for event in self.events if isinstance(event, EventRecorded) and event.source == "karpenter"]
        return [event.message for event in recorded if event.reason == reason and name in ("", event.name)]

    def claims(self) -> list[Any]:
        """Return the claims that were created, with their types, requirements and requests."""
        applied = [event for event in self.events if isinstance(event, ObjectApplied) and event.action == "create"]
        return [event.node_claim for event in applied if event.node_claim is not None]

    def gone(self, kind: str = "NodeClaim") -> list[str]:
        """Return the names of the deleted objects of a kind."""
        return [event.name for event in self.events if isinstance(event, ObjectDeleted) and event.kind == kind]


def launched(name: str, of_type: str = "four", *, pool: str = "p", zone: str = "a", **spec: Any) -> list[Manifest]:
    """Return a claim with its node, which is initialized."""
    (kind,) = [entry for entry in TYPES if entry["name"] == of_type]
    labels = {
        "karpenter.sh/nodepool": pool,
        "karpenter.sh/capacity-type": "on-demand",
        "node.kubernetes.io/instance-type": of_type,
        "topology.kubernetes.io/zone": zone,
    }
    made = node(name, cpu=kind["cpu"], memory=kind["memory"])
    made["metadata"]["labels"] |= {**labels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
    claim = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": name, "labels": labels, "creationTimestamp": "2024-12-31T23:30:00Z"},
        "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, **spec},
        "status": {"nodeName": name, "conditions": LAUNCHED, **made["status"]},
    }
    return [made, claim]


def owned(made: Manifest, kind: str = "ReplicaSet", of: str = "apps/v1") -> Manifest:
    owner = {"kind": kind, "name": "o", "apiVersion": of, "uid": "u", "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


def claim_of(name: str, **spec: Any) -> Manifest:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}


def with_claim(name: str, claim: str, **spec: Any) -> Manifest:
    return pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}], **spec)


def storage_class(*zones: str, mode: str = "WaitForFirstConsumer") -> Manifest:
    places = [{"key": "topology.kubernetes.io/zone", "values": [zone]} for zone in zones]
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "example.com/disk",
        "volumeBindingMode": mode,
        "allowedTopologies": [{"matchLabelExpressions": [place]} for place in places],
    }


# Pods


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"nodeSelector": {"karpenter.sh/capacity-type": "spott"}},
            "no valid values found in [spott] for karpenter.sh/capacity-type, expected one of: "
            "map[on-demand:{} reserved:{} spot:{}], got: [spott]",
        ),
        ({"nodeSelector": {"karpenter.sh/own": "x"}}, "using label karpenter.sh/own is not allowed as it might"),
        ({"nodeSelector": {"karpenter.kwok.sh/kwoknodeclass": "x"}}, "restricted domain: [karpenter.kwok.sh karp"),
    ],
)
def test_requirements_that_a_pod_must_not_have_are_told(spec: Manifest, message: str) -> None:
    (told,) = world(pod("a", **spec), node_pool("p", FOREVER)).messages("FailedScheduling")
    assert told.startswith("Failed to schedule pod, ")
    assert message in told


@pytest.mark.parametrize("bound", ["abc", "1_0"])
def test_a_bound_that_is_no_positive_integer_is_told(bound: str) -> None:
    terms = [{"matchExpressions": [{"key": "example.com/rank", "operator": "Gt", "values": [bound]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    assert world(pod("a", affinity=affinity), node_pool("p", FOREVER)).messages("FailedScheduling") == [
        "Failed to schedule pod, key example.com/rank with operator Gt must have a single positive integer value"
    ]


def test_a_pod_that_no_pool_may_run_is_left_out_without_an_event() -> None:
    terms = [{"matchExpressions": [{"key": "karpenter.sh/nodepool", "operator": "In", "values": ["q"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    selecting = pod("a", nodeSelector={"karpenter.sh/nodepool": "p"}, affinity=affinity)
    seen = world(selecting, node_pool("p", FOREVER), node_pool("q", FOREVER))
    assert not seen.messages("FailedScheduling")
    assert not seen.claims()


def test_a_label_that_only_has_to_exist_gets_a_value() -> None:
    requirements = [{"key": "example.com/team", "operator": "Exists"}]
    pool = node_pool("p", {"spec": {"expireAfter": "Never", "requirements": requirements}})
    terms = [{"matchExpressions": requirements}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    assert len(world(pod("a", affinity=affinity), pool).claims()) == 1


def test_a_claim_states_the_bounds_of_its_pool() -> None:
    between = [
        {"key": "karpenter.kwok.sh/instance-cpu", "operator": operator, "values": [bound]}
        for operator, bound in (("Gt", "1"), ("Lt", "8"))
    ]
    (claim,) = world(pod("a"), node_pool("p", {"spec": {"requirements": between}})).claims()
    assert claim.requirements["karpenter.kwok.sh/instance-cpu"] == ["Gte", "2", "Lte", "7"]
    assert claim.types == ["four", "two"]


def test_pods_without_a_port_on_any_new_node_are_told_which_port_conflicts() -> None:
    ports = [{"containerPort": 80, "hostPort": 80}]
    template = {
        "metadata": {"labels": {"app": "agent"}},
        "spec": {"containers": [{"name": "c", "image": "x", "ports": ports}]},
    }
    agent = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent"},
        "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template},
    }
    (message,) = world(agent, pod("a", host_port=80), node_pool("p", FOREVER)).messages("FailedScheduling")
    assert message == (
        "Failed to schedule pod, checking host port usage, pod hostport conflicts with existing hostport configuration "
        "(existing-hostport-ip=0.0.0.0, existing-hostport-port=80, existing-hostport-protocol=TCP, "
        "pod-hostport-ip=0.0.0.0, pod-hostport-port=80, pod-hostport-protocol=TCP)"
    )


def test_a_pool_without_any_suitable_type_is_not_short_of_values() -> None:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "Exists", "minValues": 2}]
    pool = node_pool("p", {"spec": {"expireAfter": "Never", "requirements": requirements}})
    (message,) = world(pod("a", cpu=99), pool).messages("FailedScheduling")
    assert "no instance type has enough resources" in message


def test_the_limit_of_nodes_is_checked_against_those_that_exist() -> None:
    apart = [pod(name, labels={"a": "b"}, affinity=required_affinity({"a": "b"}, anti=True)) for name in "xyz"]
    late = pod("late", labels={"a": "b"}, affinity=required_affinity({"a": "b"}, anti=True))
    pool = node_pool("p", FOREVER, limits={"nodes": "3"}, disruption={"consolidateAfter": "Never"})
    seen = world(*apart, pool, events=[{"at": 30, "create": late}])
    assert len(seen.claims()) == 3
    assert seen.messages("FailedScheduling", "late") == [
        "Failed to schedule pod, node limits have been exhausted for nodepool (NodePool=p)"
    ]
    lower = node_pool("p", FOREVER, limits={"nodes": "2"}, disruption={"consolidateAfter": "Never"})
    at_once = world(*apart, lower, events=[{"at": 30, "create": late}])
    assert len(at_once.claims()) == 3
    assert at_once.messages("FailedScheduling", "late") == [
        "Failed to schedule pod, all available instance types exceed limits for nodepool (NodePool=p)"
    ]


def test_the_anti_affinity_of_a_pod_that_is_being_deleted_still_counts() -> None:
    alone = required_affinity({"app": "web"}, anti=True)
    old = owned(pod("old", node="n1", cpu=1, labels={"app": "db"}, affinity=alone, terminationGracePeriodSeconds=40))
    old["metadata"]["annotations"] = {"kschedui.io/termination-seconds": "40"}
    new = pod("new", cpu=1, labels={"app": "web"})
    seen = world(
        *launched("n1"),
        old,
        node_pool("p", FOREVER, disruption={"consolidateAfter": "Never"}),
        events=[{"at": 1, "delete": {"kind": "Pod", "name": "old"}}, {"at": 2, "create": new}],
        untilSeconds=20,
    )
    assert len(seen.claims()) == 1


def test_a_spread_without_selector_counts_all_pods_that_run() -> None:
    constraint = spread({})
    del constraint["labelSelector"]
    pool = node_pool("p", FOREVER, disruption={"consolidateAfter": "Never"})
    there = owned(pod("there", node="n1", cpu=3))
    (claim,) = world(*launched("n1"), there, pod("a", cpu=3, topologySpreadConstraints=[constraint]), pool).claims()
    assert claim.requirements["topology.kubernetes.io/zone"] == ["In", "b"]


def test_a_pod_gets_a_node_once_its_gates_are_removed() -> None:
    events = [{"at": 20, "update": pod("a", cpu=1)}]
    assert len(world(pod("a", cpu=1, gates=["x"]), node_pool("p", FOREVER), events=events).claims()) == 1


@pytest.mark.parametrize(("seconds", "claims"), [(9, 1), (15, 2)])
def test_a_batch_that_ends_before_the_last_claims_are_launched_is_lost(seconds: int, claims: int) -> None:
    events = [{"at": 0.22, "create": pod("b", cpu=7)}]
    flags = ["--batch-idle-duration=100ms"]
    seen = world(pod("a", cpu=7), node_pool("p", FOREVER), flags=flags, events=events, untilSeconds=seconds)
    assert len(seen.claims()) == claims


@pytest.mark.parametrize(
    ("name", "size", "family"), [("m5.2xlarge", "2xlarge", "m5"), ("c-4", "1500m", "c"), ("t3.tiny", "1500m", "t3")]
)
def test_the_labels_of_an_instance_type_are_those_of_kwok(name: str, size: str, family: str) -> None:
    labels = InstanceType(name, {"cpu": 1500, "memory": 1536 << 20}, ()).all_labels
    assert [labels[f"karpenter.kwok.sh/instance-{key}"] for key in ("size", "family", "cpu", "memory")] == [
        size,
        family,
        "1500m",
        "1536Mi",
    ]


# Volumes


def test_a_place_of_a_volume_without_a_type_does_not_rule_out_the_next_one() -> None:
    objects = [storage_class("a", "b"), claim_of("data", storageClassName="fast"), with_claim("x", "data", cpu=1)]
    only_b = [instance_type("four", 4, 0.2, zones="b")]
    (claim,) = world(*objects, node_pool("p", FOREVER), types=only_b).claims()
    assert claim.requirements["topology.kubernetes.io/zone"] == ["In", "b"]


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (
            [claim_of("data", storageClassName="gone")],
            'failed to get storage class, StorageClass.storage.k8s.io "gone" not found '
            "(PersistentVolumeClaim=default/data, StorageClass=gone)",
        ),
        (
            [claim_of("data", storageClassName="fast"), storage_class(mode="Immediate")],
            "pvc with immediate volume binding mode must be bound "
            "(PersistentVolumeClaim=default/data, StorageClass=fast)",
        ),
        (
            [claim_of("data", storageClassName="fast", volumeName="pv"), storage_class()],
            'PersistentVolume "pv" not found '
            "(PersistentVolume=pv, PersistentVolumeClaim=default/data, StorageClass=fast)",
        ),
    ],
)
def test_claims_of_volumes_that_cannot_be_used_are_told(objects: list[Manifest], message: str) -> None:
    (told,) = world(*objects, with_claim("x", "data"), node_pool("p", FOREVER)).messages("FailedScheduling")
    assert told == f"Failed to schedule pod, failed to validate pvc, {message}"


def test_a_node_with_as_many_volumes_as_its_driver_allows_takes_no_more() -> None:
    limits = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": "n1"},
        "spec": {"drivers": [{"name": "example.com/disk", "nodeID": "n1", "allocatable": {"count": 1}}]},
    }
    claims = [claim_of(name, storageClassName="fast") for name in ("one", "other")]
    pods = [with_claim("a", "one", node="n1"), with_claim("b", "other")]
    seen = world(node("n1", zone="a"), limits, storage_class(), *claims, *pods, node_pool("p", FOREVER))
    assert len(seen.claims()) == 1


# Disruption


def test_limits_that_are_exceeded_keep_nodes_that_need_a_replacement() -> None:
    nodes = [*launched("n1", "eight"), *launched("n2", "eight")]
    pods = [owned(pod(name, node=name.replace("p", "n"), cpu=1)) for name in ("p1", "p2")]
    seen = world(*nodes, *pods, node_pool("p", FOREVER, disruption=EAGER, limits={"cpu": "9"}))
    assert not seen.claims()
    assert not seen.gone()


def test_a_command_for_several_nodes_that_is_no_longer_valid_is_not_recorded() -> None:
    nodes = [*launched("n1", "eight"), *launched("n2", "eight")]
    pods = [owned(pod(name, node=name.replace("p", "n"), cpu=1)) for name in ("p1", "p2")]
    more = owned(pod("more", cpu=1))
    pool = node_pool("p", FOREVER, disruption={**EAGER, "consolidateAfter": "5s"})
    seen = world(*nodes, *pods, pool, events=[{"at": 20, "create": more}], untilSeconds=25)
    assert seen.messages("ConsolidationCandidate")
    assert not seen.messages("ConsolidationRejected")


def test_a_blocking_budget_is_told_every_minute_even_if_nothing_can_be_consolidated() -> None:
    busy = [owned(pod("a", node="n1", cpu=3)), owned(pod("b", node="n2", cpu=3))]
    blocked = node_pool("p", FOREVER, disruption={"consolidateAfter": "Never", "budgets": [{"nodes": "0"}]})
    nodes = [*launched("n1"), *launched("n2", pool="q")]
    seen = world(*nodes, *busy, blocked, node_pool("q", FOREVER, disruption=EAGER), untilSeconds=160)
    text = "No allowed disruptions for disruption reason Underutilized due to blocking budget"
    assert seen.messages("DisruptionBlocked", "p") == [text] * 3


@pytest.mark.parametrize(
    ("value", "reason", "message"),
    [
        ("false", "InvalidDoNotDisruptAnnotation", 'parse "false" as a duration: time: invalid duration "false", ign'),
        ("5d", "InvalidDoNotDisruptAnnotation", 'time: unknown unit "d" in duration "5d"'),
        ("90", "InvalidDoNotDisruptAnnotation", 'time: missing unit in duration "90"'),
        ("0s", "InvalidDoNotDisruptAnnotation", 'duration "0s" must be positive'),
        ("1h", "DoNotDisruptUntil", "The karpenter.sh/do-not-disrupt grace period will elapse at 3600"),
        ("1s", "DoNotDisruptGracePeriodElapsed", "grace period has elapsed, pod is now disruptable"),
    ],
)  # fmt: skip
def test_the_annotation_against_disruption_is_told(value: str, reason: str, message: str) -> None:
    annotations = {"karpenter.sh/do-not-disrupt": value}
    kept = owned(pod("a", node="n1", cpu=1, annotations=annotations, start_time="2025-01-01T00:00:00Z"))
    seen = world(*launched("n1"), kept, node_pool("p", FOREVER, disruption=EAGER))
    assert message in seen.messages(reason, "a")[0]


def test_a_spot_replacement_keeps_as_many_types_as_the_pool_requires() -> None:
    offering = {"zone": "a", "capacityType": "spot"}
    kinds = [(f"t{number:02}", 0.01 * number) for number in range(1, 21)] + [("eight", 1.0)]
    types = [
        {"name": name, "cpu": "8", "memory": "16Gi", "offerings": [{**offering, "price": price}]}
        for name, price in kinds
    ]
    many = {"key": "node.kubernetes.io/instance-type", "operator": "Exists", "minValues": 18}
    made, claim = launched("n1", "eight")
    for item in (made, claim):
        item["metadata"]["labels"]["karpenter.sh/capacity-type"] = "spot"
    pool = node_pool("p", {"spec": {"expireAfter": "Never", "requirements": [many]}}, disruption=EAGER)
    flags = ["--feature-gates=SpotToSpotConsolidation=true"]
    (new,) = world(made, claim, owned(pod("a", node="n1", cpu=1)), pool, types=types, flags=flags).claims()
    assert new.types == [name for name, _ in kinds[:18]]


@pytest.mark.parametrize(("of", "gone"), [("apps/v1", ["n1"]), ("apps.kruise.io/v1alpha1", [])])
def test_only_daemon_sets_of_kubernetes_do_not_keep_a_node(of: str, gone: list[str]) -> None:
    agent = owned(pod("a", node="n1", cpu=3), "DaemonSet", of)
    assert world(*launched("n1"), agent, node_pool("p", FOREVER, disruption=EAGER)).gone() == gone


def test_pods_that_are_bound_at_the_start_count_as_events() -> None:
    pool = node_pool("p", FOREVER, disruption={"consolidateAfter": "30s", "budgets": [{"nodes": "100%"}]})
    seen = world(*launched("n1"), *launched("n2"), owned(pod("a", node="n1", cpu=1)), pool, untilSeconds=50)
    assert seen.gone() == ["n2"]


@pytest.mark.parametrize(("of_claim", "gone"), [("1", ["n1"]), ("2", [])])
def test_a_claim_of_the_file_has_drifted_if_its_hash_is_not_that_of_its_pool(of_claim: str, gone: list[str]) -> None:
    hashes = [{"karpenter.sh/nodepool-hash": of, "karpenter.sh/nodepool-hash-version": "v3"} for of in (of_claim, "2")]
    made, claim = launched("n1")
    pool = node_pool("p", FOREVER, disruption={"consolidateAfter": "Never"})
    claim["metadata"]["annotations"], pool["metadata"]["annotations"] = hashes
    assert world(made, claim, pool).gone() == gone


def test_a_claim_of_the_file_is_given_up_if_its_node_does_not_come() -> None:
    _, claim = launched("n1")
    claim["status"]["conditions"] = LAUNCHED[:1]
    assert world(claim, node_pool("p", FOREVER)).gone() == ["n1"]


def test_a_node_that_somebody_adds_is_a_reason_to_consolidate_again() -> None:
    busy = owned(pod("a", node="n1", cpu=3))
    pool = node_pool("p", FOREVER, disruption=EAGER)
    seen = world(*launched("n1"), busy, pool, events=[{"at": 20, "create": node("own", cpu=8, zone="a")}])
    assert seen.gone() == ["n1"]


# Termination


def test_the_claims_of_a_deleted_pool_are_drained() -> None:
    events = [{"at": 10, "delete": {"kind": "NodePool", "name": "p"}}]
    seen = world(pod("a", cpu=6), node_pool("p", FOREVER), *launched("n9"), events=events, untilSeconds=40)
    assert seen.gone() == ["p-1"]


def test_a_node_with_another_name_than_its_claim_is_drained_before_it_is_deleted() -> None:
    made, claim = launched("n1")
    claim["metadata"]["name"] = "p-abc"
    events = [{"at": 5, "delete": {"kind": "Node", "name": "n1"}}]
    seen = world(made, claim, owned(pod("a", node="n1", cpu=1)), node_pool("p", FOREVER), events=events)
    assert seen.messages("Evicted") == ["Evicted pod: Forceful Termination"]
    assert seen.gone() == ["p-abc"]


def test_a_refused_eviction_is_not_repeated_for_another_pod_of_the_name() -> None:
    events = [
        {"at": 5, "delete": {"kind": "NodeClaim", "name": "n1"}},
        {"at": 30, "delete": {"kind": "Pod", "name": "a", "gracePeriodSeconds": 0}},
        {"at": 31, "delete": {"kind": "PodDisruptionBudget", "name": "b"}},
    ]
    kept = owned(pod("a", node="n1", cpu=1, labels={"app": "a"}))
    strict = budget("b", {"app": "a"}, maxUnavailable=0)
    pool = node_pool("p", FOREVER, disruption={"consolidateAfter": "Never"})
    holding = owned(pod("hold", node="n1", cpu=1, annotations={"karpenter.sh/do-not-disrupt": "true"}))
    seen = world(*launched("n1"), kept, holding, strict, pool, events=events, untilSeconds=90)
    assert not seen.messages("Evicted")


def test_the_eviction_of_a_pod_that_has_the_name_of_another_is_not_recorded_soon_after() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", cpu=1)["spec"]}
    web = {"selector": {"matchLabels": {"app": "web"}}, "serviceName": "web", "template": template}
    stateful = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": web}
    events = [{"at": 20 * number, "delete": {"kind": "NodeClaim", "name": f"p-{number}"}} for number in (1, 2)]
    pool = node_pool("p", FOREVER, disruption={"consolidateAfter": "Never"})
    seen = world(stateful, pool, events=events, untilSeconds=90)
    assert seen.gone() == ["p-1", "p-2"]
    assert len(seen.messages("Evicted")) == 1


def test_pods_of_another_scheduler_get_no_nodes() -> None:
    assert not world(pod("a", cpu=1, schedulerName="other"), node_pool("p", FOREVER)).claims()


def test_a_pod_that_should_be_gone_for_a_minute_no_longer_holds_its_node() -> None:
    stuck = owned(pod("a", node="n1", cpu=1, terminationGracePeriodSeconds=5))
    events = [
        {"at": 1, "failNode": "n1"},
        {"at": 2, "delete": {"kind": "Pod", "name": "a"}},
        {"at": 3, "delete": {"kind": "NodeClaim", "name": "n1"}},
    ]
    seen = world(*launched("n1"), stuck, node_pool("p", FOREVER), events=events, untilSeconds=100)
    assert seen.gone() == ["n1"]


def test_a_pod_that_is_being_deleted_gets_a_shorter_grace_period_if_its_node_ends_sooner() -> None:
    slow = owned(pod("a", node="n1", cpu=1, terminationGracePeriodSeconds=300))
    slow["metadata"]["annotations"] = {"kschedui.io/termination-seconds": "300"}
    events = [
        {"at": 1, "delete": {"kind": "Pod", "name": "a"}},
        {"at": 2, "delete": {"kind": "NodeClaim", "name": "n1"}},
    ]
    seen = world(
        *launched("n1", terminationGracePeriod="20s"), slow, node_pool("p", FOREVER), events=events, untilSeconds=60
    )
    graces = [event.grace for event in seen.events if isinstance(event, PodDeletionRequested)]
    assert graces[:2] == [300, 19]
    assert seen.gone() == ["n1"]


def test_an_unhealthy_pod_that_its_budget_lets_go_needs_a_place() -> None:
    sick = owned(pod("a", node="n1", cpu=1, labels={"app": "a"}, annotations={"kschedui.io/ready": "false"}))
    strict = budget("b", {"app": "a"}, maxUnavailable=0, unhealthyPodEvictionPolicy="AlwaysAllow")
    seen = world(*launched("n1", "eight"), sick, strict, node_pool("p", FOREVER, disruption=EAGER))
    assert seen.messages("ConsolidationCandidate", "n1")[0].startswith(
        "Consolidation candidate: replace: [n1] -> [1 replacement]"
    )


@pytest.mark.parametrize(("nodes", "allowed"), [("0" * 5000 + "3", 3), ("9" * 5000, 0), ("30%", 3), ("2", 2)])
def test_a_budget_whose_number_is_too_long_allows_nothing(nodes: str, allowed: int) -> None:
    pool = NodePool("p", ("", "", ""), budgets=(Budget(nodes),))
    assert allowed_disruptions(pool, 10, "Drifted", 0.0) == allowed
