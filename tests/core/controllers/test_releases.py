"""Fields of Jobs and budgets that older API servers drop."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Limits
from scheduler_core.trace.actor_rows import actor_rows
from tests.core.controllers.worlds import node, template, text, workload

Rows = list[dict[str, Any]]


def rows(release: str, *objects: Any, **spec: Any) -> Rows:
    parsed = parse_scenario(text(node("n1"), *objects, untilSeconds=70, **spec), Limits(), {}, RELEASES[release])
    return list(actor_rows(simulate(parsed)))


def job(annotations: dict[str, str], **spec: Any) -> Any:
    of = template("sum", "100m", annotations=annotations, restartPolicy="Never")
    return workload("Job", "sum", of, **{"completions": 3, "parallelism": 3, **spec})


def conditions(found: Rows) -> set[str]:
    (status,) = [entry for entry in found[-1]["workloads"] if entry["kind"] == "Job"]
    return {condition["reason"] for condition in status.get("conditions", ())}


@pytest.mark.parametrize(("release", "policy"), [("1.30", False), ("1.31", True)])
def test_a_success_policy_ends_a_job_from_1_31_on(release: str, policy: bool) -> None:
    rules = {"rules": [{"succeededIndexes": "0"}]}
    indexed = job({"run-seconds": "3", "exit-indexes": "1,2"}, completionMode="Indexed", successPolicy=rules)
    assert ("SuccessPolicy" in conditions(rows(release, indexed))) is policy


@pytest.mark.parametrize(("release", "by_index"), [("1.28", False), ("1.29", True)])
def test_failures_count_by_index_from_1_29_on(release: str, by_index: bool) -> None:
    indexed = job({"run-seconds": "1", "exit-indexes": "1"}, completionMode="Indexed", backoffLimitPerIndex=0)
    assert ("FailedIndexes" in conditions(rows(release, indexed))) is by_index


@pytest.mark.parametrize(("release", "waits"), [("1.28", False), ("1.29", True)])
def test_a_pod_is_replaced_when_it_has_failed_from_1_29_on(release: str, waits: bool) -> None:
    slow = job({"run-seconds": "60", "stop-seconds": "15"}, podReplacementPolicy="Failed")
    events = [{"at": 5, "delete": {"kind": "Pod", "name": "sum/0"}}]
    made = [row["t"] for row in rows(release, slow, events=events) if row["what"] == "created" and row["t"] > 5]
    stopped = 20.1
    assert (made[0] > stopped) is waits


@pytest.mark.parametrize(("release", "goes"), [("1.26", False), ("1.27", True)])
def test_a_budget_lets_unhealthy_pods_go_from_1_27_on(release: str, goes: bool) -> None:
    spec = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2, "unhealthyPodEvictionPolicy": "AlwaysAllow"}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": spec}
    web = workload("Deployment", "web", template("web", "100m", annotations={"ready": "false"}), replicas=2)
    found = rows(release, budget, web, events=[{"at": 5, "evict": "web@1/0"}])
    assert [row["details"]["code"] for row in found if row["what"] == "evicted"] == [201 if goes else 429]


@pytest.mark.parametrize(
    ("version", "active"),
    [("1.31.2", [0, 2]), ("1.35.6", []), ("1.36.2", []), ("1.36.3", [1, 2]), ("1.37.0", [1, 2])],
)
def test_a_job_in_its_back_off_reports_its_active_pods_from_1_36_3_on(version: str, active: list[int]) -> None:
    """One of two pods fails. Up to 1.31, 0 is stored; later it is refused until the back-off is over."""
    two = job({}, parallelism=2, completions=2, backoffLimit=3)
    fails = {"at": 5, "finish": {"pod": "sum/0", "exitCode": 1}}
    scenario = parse_scenario(text(node("n1"), two, events=[fails], kubernetesVersion=version))
    statuses = [row["details"] for row in actor_rows(simulate(scenario)) if row["what"] == "status" and row["t"] > 5]
    assert [status["active"] for status in statuses if "active" in status] == active
