"""`kubectl rollout` on workloads: earlier revisions, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.controllers.worlds import final, node, rows, workload

Manifest = dict[str, Any]


def rollout(kind: str, at: float, action: str, **more: Any) -> Manifest:
    return {"at": at, "rollout": {"kind": kind, "name": "web", "action": action, **more}}


def image(kind: str, at: float, version: str) -> Manifest:
    containers = [{"name": "c", "image": version}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    return {"at": at, "patch": {"kind": kind, "name": "web", "patch": patch}}


def errors(*events: Manifest, kind: str = "Deployment") -> list[str]:
    found = rows(node("n1"), workload(kind, "web", replicas=1), events=list(events))
    return [row["details"]["error"] for row in found if "error" in row.get("details", {})]


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet", "Deployment"])
def test_undo_after_undo_returns_to_the_revision_before_it(kind: str) -> None:
    """Each rollback makes the earlier template the latest revision: v1, v2, v1 again (3), v2 again (4)."""
    size = {} if kind == "DaemonSet" else {"replicas": 1}
    events = [image(kind, 5, "v2"), rollout(kind, 15, "undo"), rollout(kind, 25, "undo")]
    for more, revision in (([], 2), ([rollout(kind, 35, "undo", toRevision=3)], 1)):
        found = rows(node("n1"), workload(kind, "web", **size), events=[*events, *more])
        assert not [row for row in found if "error" in row.get("details", {})]
        (pod,) = final(found)["pods"]
        of = pod["owner"].rpartition("@")[2] if kind == "Deployment" else pod["revision"]
        assert int(of) == revision


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Deployment", 'no rollout history found for deployment "web"'),
        ("StatefulSet", "no last revision to roll back to"),
    ],
)
def test_without_an_earlier_revision_nothing_can_be_undone(kind: str, message: str) -> None:
    assert errors(rollout(kind, 5, "undo"), kind=kind) == [message]
    unknown = "unable to find specified revision 7 in history"
    assert errors(rollout(kind, 5, "undo", toRevision=7), kind=kind) == [unknown]


def test_what_a_paused_deployment_refuses() -> None:
    events = [
        rollout("Deployment", 5 + at, action)
        for at, action in enumerate(("resume", "pause", "pause", "restart", "undo"))
    ]
    assert errors(*events) == [
        "is not paused",
        "is already paused",
        "can't restart paused deployment (run rollout resume first)",
        "cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    ]
