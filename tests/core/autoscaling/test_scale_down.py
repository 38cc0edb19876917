"""Cluster Autoscaler removes nodes with static pods, and counts the pods that drains move as pending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from scheduler_core import simulate
from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.cluster_autoscaler.actuation import Actuator
from scheduler_core.autoscaling.cluster_autoscaler.drainability import is_daemon_set_pod, is_long_terminating
from scheduler_core.cluster.statuses import PodStatus
from scheduler_core.controllers.api import Api
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.controller_events import EventRecorded, EvictionAnswered
from tests.builders import Manifest, node, parse, pod, scenario
from tests.core.autoscaling.builders import own

PREFIX = "cluster-autoscaler.kubernetes.io/"
MIRROR = {"kubernetes.io/config.mirror": "x"}
FLAGS = ("--scale-down-unneeded-time=20s", "--scale-down-delay-after-add=0s")


def owned(made: Manifest, kind: str = "ReplicaSet") -> Manifest:
    owner = {"kind": kind, "name": "o", "apiVersion": "apps/v1", "uid": "u", "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


def pods_of(*manifests: Manifest) -> list[Pod]:
    return [item for item in parse(*manifests).objects if isinstance(item, Pod)]


def removal_of(*pods: Manifest, flags: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return the evicted pods and the autoscaler's messages of a run in which only the node n1 can go."""
    busy = pod("busy", cpu=5, node="n2")
    actor = own("ClusterAutoscaler", flags=[*FLAGS, *flags])
    group = own("NodeGroup", "g", nodes=["n1"], minimum=0)
    text = scenario(node("n1", cpu=10), node("n2", cpu=8), busy, *pods, group, actor, untilSeconds=200)
    events = list(simulate(parse_scenario(text)))
    evicted = [event.pod for event in events if isinstance(event, EvictionAnswered)]
    return evicted, [event.message for event in events if isinstance(event, EventRecorded)]


def test_an_empty_node_with_a_static_pod_is_removed() -> None:
    evicted, messages = removal_of(owned(pod("kube-proxy", node="n1", annotations=MIRROR), "Node"))
    assert "Scale-down: empty node n1 removed" in messages
    assert not evicted


def test_a_drain_neither_evicts_static_pods_nor_waits_for_them() -> None:
    static = owned(pod("kube-proxy", cpu=1, node="n1", annotations=MIRROR), "Node")
    evicted, messages = removal_of(static, owned(pod("web", cpu=1, node="n1")))
    assert "Scale-down: node n1 removed with drain" in messages
    assert evicted == ["default/web"]
    assert any(message.endswith("pods to reschedule: o/1") for message in messages)


def test_expendable_pods_go_with_an_empty_node() -> None:
    evicted, messages = removal_of(owned(pod("spare", cpu=1, node="n1", priority=-20)))
    assert "Scale-down: empty node n1 removed" in messages
    assert not evicted


def test_a_node_waits_for_a_pod_that_runs_to_its_completion() -> None:
    waits = {f"{PREFIX}safe-to-evict": "on-completion"}
    _, messages = removal_of(pod("batch", cpu=1, node="n1", annotations=waits))
    assert not any("removing" in message for message in messages)
    ends = {**waits, "kschedui.io/run-seconds": "60"}
    evicted, messages = removal_of(pod("batch", cpu=1, node="n1", annotations=ends, restartPolicy="Never"))
    assert "Scale-down: empty node n1 removed" in messages
    assert not evicted


@pytest.mark.parametrize(("kind", "stays"), [("ReplicaSet", True), ("StatefulSet", False)])
def test_only_replica_sets_have_a_minimal_number_of_replicas(kind: str, stays: bool) -> None:
    labels = {"app": "o"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template, "serviceName": "o"}
    workload = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "o", "uid": "u"}, "spec": spec}
    web = owned(pod("o-0", cpu=1, node="n1", labels=labels), kind)
    _, messages = removal_of(workload, web, flags=["--min-replica-count=2"])
    assert any("removing node n1" in message for message in messages) != stays


def test_all_pods_that_a_drain_moves_count_as_pending_but_no_static_ones() -> None:
    pods = pods_of(
        pod("bare", node="n1"),
        owned(pod("web", node="n1")),
        owned(pod("leaving", node="n1")),
        owned(pod("static", node="n1", annotations=MIRROR), "Node"),
        owned(pod("daemon", node="n1"), "DaemonSet"),
        owned(pod("like-daemon", node="n1", annotations={f"{PREFIX}daemonset-pod": "true"})),
    )
    api = Statuses({one.name: PodStatus(one.name, phase="Running") for one in pods}, pods)
    api.statuses["leaving"] = PodStatus("leaving", phase="Running", deletion_requested=1.0)
    actuator = Actuator(cast(Api, api), cast(Any, None), {"expendable-pods-priority-cutoff": -10}, print, print)
    actuator.in_progress = {"n1": True}
    assert [one.name for one in actuator.drained_pods()] == ["bare", "web"]
    assert is_daemon_set_pod(pods[5])


def test_a_terminating_pod_counts_until_30_s_after_its_deletion_time_and_another_grace_period() -> None:
    pods = pods_of(pod("web", node="n1", terminationGracePeriodSeconds=10))
    api = Statuses({"web": PodStatus("web", phase="Running", deletion_requested=100.0, grace=5.0)}, pods)
    api.now = 145.0
    assert not is_long_terminating(pods[0], cast(Api, api))
    api.now = 145.1
    assert is_long_terminating(pods[0], cast(Api, api))


class Statuses:
    """Stands in for the API server: pods of one node with their statuses."""

    def __init__(self, statuses: dict[str, PodStatus], pods: list[Pod]) -> None:
        self.statuses, self.pods, self.now = statuses, pods, 0.0

    def status(self, one: Pod) -> PodStatus:
        return self.statuses[one.name]

    def pods_on(self, _: str) -> list[tuple[Pod, PodStatus]]:
        return [(one, self.status(one)) for one in self.pods]
