"""Histories of pods: the creator, the reason for the deletion, the replacement, and why a rollout is stuck."""

from __future__ import annotations

from typing import Any

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.histories import Histories, creation_words, deletion_words
from tests.core.controllers.worlds import node, template, text, workload

NODE = node("n1", cpu="2")


def histories(*objects: Any, events: list[Any], **spec: Any) -> Histories:
    found = Histories()
    for event in simulate(parse_scenario(text(*objects, events=events, **spec))):
        found.take(event)
    return found


def patched(cpu: str) -> dict[str, Any]:
    container = {"name": "c", "image": "v2", "resources": {"requests": {"cpu": cpu}}}
    spec = {"template": {"spec": {"containers": [container]}}}
    return {"at": 10, "patch": {"kind": "Deployment", "name": "web", "patch": {"spec": spec}}}


def reasons(found: Histories) -> list[str]:
    return [f"{standing.workload}: {reason}" for standing in found.incomplete_rollouts() for reason in standing.reasons]


def web(**spec: Any) -> Any:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return workload("Deployment", "web", replicas=3, strategy=strategy, **spec)


def test_a_pod_is_described_with_its_creator_and_its_end() -> None:
    found = histories(NODE, web(), events=[{"at": 20, "delete": {"kind": "Pod", "name": "web@1/0"}}])
    key = found.find("web@1/0")
    assert key is not None
    history = found.pods[key]
    assert "replicaset-controller made it: ReplicaSet web@1 has 0 of 3 pods." in str(creation_words(history))
    assert str(deletion_words(history)) == "At 20 s kubectl deleted it: somebody asked for it."
    assert found.pods[found.made[key]].called == "web@1/3"
    assert found.pods[found.made[key]].deleted is None


def test_a_rollout_stands_still_for_want_of_room_and_says_so() -> None:
    found = histories(NODE, web(), events=[patched("1900m")])
    (reason,) = reasons(found)
    assert reason.startswith("Deployment default/web: default/web-")
    assert "has no node: 0/1 nodes are available: 1 Insufficient cpu" in reason
    key = found.find("web@2/0")
    assert key is not None
    assert found.incomplete_rollout_of(key) is not None


def test_a_rollout_past_its_deadline_says_so() -> None:
    found = histories(NODE, web(progressDeadlineSeconds=5), events=[patched("1900m")])
    assert any("ProgressDeadlineExceeded: " in reason for reason in reasons(found))


def test_a_paused_rollout_says_so() -> None:
    pause = {"at": 9, "rollout": {"kind": "Deployment", "name": "web", "action": "pause"}}
    found = histories(NODE, web(), events=[pause, patched("100m")])
    assert reasons(found) == ["Deployment default/web: It is paused: nothing is rolled out before it is resumed."]


def test_a_quota_that_refuses_pods_is_the_reason() -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}}
    found = histories(NODE, quota, web(), events=[])
    assert any("exceeded quota: q" in reason for reason in reasons(found))


def test_a_stateful_set_waits_for_a_pod_that_is_not_ready() -> None:
    never = template("db", annotations={"ready": "false"})
    found = histories(NODE, workload("StatefulSet", "db", never, replicas=3, serviceName="db"), events=[])
    assert reasons(found) == ["StatefulSet default/db: default/db-0 is not ready on n1."]


def test_nothing_stands_still_in_a_complete_rollout() -> None:
    assert reasons(histories(NODE, web(), events=[patched("100m")])) == []
