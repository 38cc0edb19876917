"""The three textbook scenarios of preemption to their end: the evicted pod enters the queue again."""

from __future__ import annotations

from typing import Any

from tests.core.controllers.worlds import Manifest, final, node, rows, rows_of, template, workload

HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}


def deployment(name: str, replicas: int, cpu: str, **spec: Any) -> Manifest:
    return workload("Deployment", name, template(name, cpu, **spec), replicas=replicas)


def urgent(cpu: str = "1") -> Manifest:
    return {"at": 5, "create": deployment("urgent", 1, cpu, priorityClassName="high")}


def places(found: list[dict[str, Any]]) -> dict[str, str]:
    return {pod["name"]: pod.get("node") or "" for pod in final(found)["pods"]}


def test_with_room_nobody_is_preempted() -> None:
    found = rows(HIGH, node("n1", cpu="2"), deployment("web", 1, "1"), events=[urgent()])
    assert places(found) == {"web@1/0": "n1", "urgent@1/0": "n1"}
    assert not rows_of(found, "deletion-requested")


def test_without_room_the_pod_of_lower_priority_goes_and_its_replacement_waits_in_the_queue() -> None:
    found = rows(HIGH, node("n1", cpu="1"), deployment("web", 1, "1"), events=[urgent()])
    assert [row[2] for row in rows_of(found, "deletion-requested")] == ["web@1/0"]
    assert places(found) == {"urgent@1/0": "n1", "web@1/1": ""}


def test_the_evicted_pod_enters_the_queue_again_and_gets_a_node_when_there_is_one() -> None:
    events = [urgent(), {"at": 15, "create": node("n2", cpu="1")}]
    found = rows(HIGH, node("n1", cpu="1"), deployment("web", 1, "1"), events=events)
    assert places(found) == {"urgent@1/0": "n1", "web@1/1": "n2"}
    nominated = [row for row in found if row["what"] == "nominated" and row["details"].get("node") == "n1"]
    assert [row["name"] for row in nominated] == ["urgent@1/0"]
    assert [row["t"] >= 15 for row in found if row["what"] == "bound" and row["name"] == "web@1/1"] == [True]
