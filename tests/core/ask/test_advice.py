"""Advice about a pending pod of a rollout: only pods that it replaces can make room for it."""

from __future__ import annotations

import pytest

from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.ask.smallest.advice import advise
from tests.builders import Manifest, node, parse, pod


def replica(name: str, template: str, at: int, *, on: str | None = None) -> Manifest:
    """Return a pod of the Deployment "web", which fills a node."""
    made = pod(name, cpu=4, node=on, labels={"app": "web", "pod-template-hash": template})
    owner = {"kind": "ReplicaSet", "name": f"web-{template}", "apiVersion": "apps/v1", "uid": "u", "controller": True}
    made["metadata"] |= {"creationTimestamp": f"2026-01-01T00:00:{at:02}Z", "ownerReferences": [owner]}
    return made


def replica_set(template: str, revision: int) -> Manifest:
    labels = {"app": "web", "pod-template-hash": template}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
    metadata = {"name": f"web-{template}", "annotations": {"deployment.kubernetes.io/revision": str(revision)}}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("objects", "kinds"),
    [
        ([replica("old", "aaa", 1, on="n1"), replica("new", "bbb", 9)], ["rollout"]),
        ([replica("new", "bbb", 9, on="n1"), replica("old", "aaa", 1)], []),
        (  # rolled back: the new revision has an old template
            [
                replica_set("aaa", 3),
                replica_set("bbb", 2),
                replica("now", "aaa", 1),
                replica("before", "bbb", 9, on="n1"),
            ],
            ["rollout"],
        ),
        (
            [
                replica_set("aaa", 1),
                replica_set("bbb", 2),
                replica("old", "aaa", 9),
                replica("new", "bbb", 9, on="n1"),
            ],
            [],
        ),
    ],
    ids=["older", "newer", "rolled back", "evicted during a rollout"],
)
def test_only_pods_of_older_revisions_are_said_to_make_room(objects: list[Manifest], kinds: list[str]) -> None:
    moment = before_attempt(parse(node("n1", cpu=4), *objects), 1)
    assert moment.pod is not None
    assert [advice.kind for advice in advise(moment, moment.pod.key)] == kinds
