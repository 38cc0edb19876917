"""Before 1.28, a filter with nothing to check for the pod is not skipped when nominated pods are added."""

from __future__ import annotations

import pytest

from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import SchedulingFailed
from tests.builders import node, pod, required_affinity
from tests.core.plugins.volumes.world import claim, storage_class, using, volume
from tests.core.runs import only, run

SLOW = {"kschedui.io/termination-seconds": "20"}
SINCE_1_25 = [release for release in RELEASES if release >= "1.25"]
VICTIM = pod("victim", node="n1", host_port=80, priority=0, annotations=SLOW)  # of the pod that is nominated


@pytest.mark.parametrize("release", RELEASES)
def test_the_anti_affinity_of_a_nominated_pod_forbids_a_pod_without_terms_up_to_1_26(release: str) -> None:
    first = pod("first", host_port=80, priority=9, affinity=required_affinity({"app": "web"}, anti=True))
    second = pod("second", priority=0, labels={"app": "web"})
    events = run(node("n1"), VICTIM, first, second, kubernetesVersion=release)
    rejected = [event.unschedulable_plugins for event in only(SchedulingFailed, events, "second")][:1]
    name = "MatchInterPodAffinity" if release in ("1.15", "1.16") else "InterPodAffinity"
    assert rejected == ([[name]] if release < "1.27" else [])


@pytest.mark.parametrize("release", SINCE_1_25)
def test_the_read_write_once_pod_claim_of_a_nominated_pod_forbids_another_pod_in_1_27_alone(release: str) -> None:
    exclusive = claim("once", modes=["ReadWriteOncePod"], volume="pv", phase="Bound")
    storage = storage_class("fast"), volume("pv", accessModes=["ReadWriteOncePod"]), exclusive
    first = pod("first", host_port=80, priority=9, volumes=using("once"))
    second = pod("second", priority=0, volumes=using("once"))
    events = run(node("n1"), *storage, VICTIM, first, second, kubernetesVersion=release)
    rejected = [event.unschedulable_plugins for event in only(SchedulingFailed, events, "second")][:1]
    assert rejected == ([["VolumeRestrictions"]] if release == "1.27" else [])


@pytest.mark.parametrize("release", SINCE_1_25)
def test_the_read_write_once_pod_claim_of_a_running_pod_forbids_another_pod_since_1_27(release: str) -> None:
    exclusive = claim("once", modes=["ReadWriteOncePod"], volume="pv", phase="Bound")
    storage = storage_class("fast"), volume("pv", accessModes=["ReadWriteOncePod"]), exclusive
    running = pod("running", node="n1", priority=9, volumes=using("once"))
    events = run(
        node("n1"), *storage, running, pod("new", priority=0, volumes=using("once")), kubernetesVersion=release
    )
    rejected = [event.unschedulable_plugins for event in only(SchedulingFailed, events, "new")][:1]
    assert rejected == ([["VolumeRestrictions"]] if release >= "1.27" else [])
