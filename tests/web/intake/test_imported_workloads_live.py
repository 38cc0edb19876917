"""Workloads of a dump stay active: their controllers adopt the existing pods, and create none twice."""

from __future__ import annotations

from typing import Any

import pytest

from kschedui.scenarios.intake import import_source
from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.editing.text import append_events
from scheduler_core.trace.actor_rows import actor_rows
from tests.builders import budget, node, pod
from tests.dumps import as_yaml, listed

Manifest = dict[str, Any]
NODES = [node("n1", cpu=4), node("n2", cpu=4)]


def owner(kind: str, name: str) -> Manifest:
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "name": name, "uid": f"u-{kind}-{name}", "controller": True}


def workload(kind: str, name: str, template: Manifest, owned_by: Manifest | None = None, **spec: Any) -> Manifest:
    metadata: Manifest = {"name": name, "namespace": "shop", "uid": f"u-{kind}-{name}"}
    if owned_by:
        metadata["ownerReferences"] = [owned_by]
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {"template": template, **spec}}


def of_template(labels: Manifest, **spec: Any) -> Manifest:
    return {"metadata": {"labels": labels}, "spec": {**pod("x", cpu="500m")["spec"], **spec}}


def running(name: str, labels: Manifest, owned_by: Manifest, on: str, **metadata: Any) -> Manifest:
    made = pod(name, cpu="500m", node=on, labels=labels, namespace="shop")
    made["metadata"] |= {"uid": f"u-{name}", "ownerReferences": [owned_by], **metadata}
    return made


def deployment() -> list[Manifest]:
    hashed = {"app": "web", "pod-template-hash": "5d4f"}
    selectors = [{"selector": {"matchLabels": labels}, "replicas": 2} for labels in ({"app": "web"}, hashed)]
    return [
        workload("Deployment", "web", of_template({"app": "web"}), **selectors[0]),
        workload("ReplicaSet", "web-5d4f", of_template(hashed), owner("Deployment", "web"), **selectors[1]),
        running("web-5d4f-a", hashed, owner("ReplicaSet", "web-5d4f"), "n1"),
        running("web-5d4f-b", hashed, owner("ReplicaSet", "web-5d4f"), "n2"),
    ]


def stateful_set() -> list[Manifest]:
    labels = {"app": "db"}
    spec = {"selector": {"matchLabels": labels}, "replicas": 2, "serviceName": "db"}
    hashed = {**labels, "controller-revision-hash": "db-77"}
    made = workload("StatefulSet", "db", of_template(labels), **spec)
    made["status"] = {"updateRevision": "db-77", "currentRevision": "db-77", "replicas": 2}
    return [made, *(running(f"db-{n}", hashed, owner("StatefulSet", "db"), "n1") for n in range(2))]


def daemon_set() -> list[Manifest]:
    labels = {"app": "agent"}
    made = workload("DaemonSet", "agent", of_template(labels), selector={"matchLabels": labels})
    return [made, *(running(f"agent-{n}", labels, owner("DaemonSet", "agent"), n) for n in ("n1", "n2"))]


def job() -> list[Manifest]:
    """Return a Job with two of three completions, a pod that has succeeded, and one that is running."""
    labels = {"batch.kubernetes.io/job-name": "sum"}
    made = workload("Job", "sum", of_template(labels, restartPolicy="Never"), completions=3, parallelism=1)
    made["status"] = {"succeeded": 2, "active": 1, "startTime": "2025-01-01T00:00:00Z"}
    done = running("sum-a", labels, owner("Job", "sum"), "n1")
    done["status"] = {"phase": "Succeeded"}
    last = running("sum-c", labels, owner("Job", "sum"), "n2")
    last["spec"]["restartPolicy"] = "Never"
    return [made, done, last]


DUMPS = {"Deployment": deployment, "StatefulSet": stateful_set, "DaemonSet": daemon_set, "Job": job}


def rows(objects: list[Manifest], *events: Manifest) -> list[Manifest]:
    text = import_source(as_yaml(listed(objects))).text
    return list(actor_rows(simulate(parse_scenario(append_events(text, events, str) if events else text))))


def names(rows: list[Manifest], what: str) -> list[str]:
    return [
        row["real"] if "real" in row else row["name"] for row in rows if row["what"] == what and row["kind"] == "Pod"
    ]


@pytest.mark.parametrize("kind", DUMPS)
def test_nothing_is_made_twice(kind: str) -> None:
    found = rows([*NODES, *DUMPS[kind]()])
    assert not names(found, "created")
    assert not names(found, "deletion-requested")


def test_an_evicted_pod_comes_back_from_its_replica_set_as_the_budget_allows() -> None:
    guard = budget("web", {"app": "web"}, namespace="shop", minAvailable=1)
    guard["status"] = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    found = rows([*NODES, guard, *deployment()], {"at": 5, "drain": ["n1", "n2"]}, {"at": 20, "uncordon": ["n1", "n2"]})
    codes = [row["details"]["code"] for row in found if row["what"] == "evicted"]
    assert codes[:2] == [201, 429]
    assert codes[-1] == 201
    assert {row["owner"] for row in found if row["what"] == "created" and row["kind"] == "Pod"} == {"ReplicaSet/web@1"}
    assert len(names(found, "created")) == 2


def test_a_rollout_of_an_imported_deployment_replaces_the_pods_that_existed() -> None:
    restart = {"kind": "Deployment", "namespace": "shop", "name": "web", "action": "restart"}
    found = rows([*NODES, *deployment()], {"at": 5, "rollout": restart})
    assert sorted(names(found, "deletion-requested")) == ["web-5d4f-a", "web-5d4f-b"]
    assert {row["owner"] for row in found if row["what"] == "created" and row["kind"] == "Pod"} == {"ReplicaSet/web@2"}


def test_a_job_ends_with_the_pod_that_was_missing() -> None:
    found = rows([*NODES, *job()], {"at": 5, "finish": {"pod": "sum-c", "namespace": "shop"}})
    assert not names(found, "created")
    (ended,) = [row for row in found if row["what"] == "condition" and row["details"]["type"] == "Complete"]
    assert ended["name"] == "sum"


def test_a_deployment_without_its_replica_set_stays_out_and_its_pods_come_back() -> None:
    objects = [one for one in deployment() if one["kind"] != "ReplicaSet"]
    delete = {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web-5d4f-a"}
    found = rows([*NODES, *objects], {"at": 5, "delete": delete})
    assert names(found, "created") == ["web-5d4f-a"]


def test_a_pod_of_a_lost_node_is_made_elsewhere_after_its_toleration() -> None:
    lost = node("n1", cpu=4, taints=["node.kubernetes.io/unreachable:NoExecute"])
    objects = deployment()
    toleration = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
    objects[2]["spec"]["tolerations"] = [{**toleration, "tolerationSeconds": 60}]
    made = [row for row in rows([lost, NODES[1], *objects]) if row["what"] == "created" and row["kind"] == "Pod"]
    assert [(row["t"], row["owner"]) for row in made] == [(60.0, "ReplicaSet/web@1")]
