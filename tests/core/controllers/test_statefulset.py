"""StatefulSets: the pods that they adopt, and the claims that a pending pod lacks."""

from __future__ import annotations

from typing import Any

from tests.core.controllers.worlds import final, node, rows, template, workload

Manifest = dict[str, Any]


def bare(name: str) -> Manifest:
    pod = template("web", "100m")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **pod["metadata"]}, "spec": pod["spec"]}


def test_orphans_are_adopted_by_name() -> None:
    found = rows(node("n1"), bare("web-0"), bare("other"), workload("StatefulSet", "web", replicas=1))
    owners = {pod["name"]: pod.get("owner") for pod in final(found)["pods"]}
    assert owners["other"] is None
    assert "StatefulSet/web" in owners.values()


def test_a_pending_pod_gets_a_claim_that_was_deleted_at_the_next_sync() -> None:
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    events = [
        {"at": 5, "delete": {"kind": "PersistentVolumeClaim", "name": "data-web-0"}},
        {"at": 8, "scale": {"kind": "StatefulSet", "name": "web", "replicas": 2}},
    ]
    found = rows(node("n1"), workload("StatefulSet", "web", replicas=1, volumeClaimTemplates=[claim]), events=events)
    made = [row for row in found if row["what"] == "created" and row["kind"] == "PersistentVolumeClaim"]
    assert [(int(row["t"]), row["name"]) for row in made] == [(0, "data-web-0"), (8, "data-web-0")]
