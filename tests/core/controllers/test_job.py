"""Jobs: failures by index, failures that a policy ignores, indexes that are not completed any more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.controllers.worlds import final, node, rows, template, workload

Rows = list[dict[str, Any]]


def job(annotations: dict[str, str], **spec: Any) -> Any:
    of = template("sum", "10m", annotations=annotations, restartPolicy="Never")
    return workload("Job", "sum", of, **{"completions": 2, "parallelism": 2, "completionMode": "Indexed", **spec})


def patched(at: float, **spec: Any) -> dict[str, Any]:
    return {"at": at, "patch": {"kind": "Job", "name": "sum", "patch": {"spec": spec}}}


def created(found: Rows, name: str) -> list[int]:
    """Return the seconds, rounded, in which pods of an index were created."""
    return [round(row["t"]) for row in found if row["what"] == "created" and row["name"].split("#")[0] == name]


def statuses(found: Rows, field: str) -> list[tuple[int, Any]]:
    """Return the values of a field of the Job's status, each with its second, rounded."""
    written = [row for row in found if row["what"] == "status" and row["kind"] == "Job" and field in row["details"]]
    return [(round(row["t"]), row["details"][field]) for row in written]


def job_status(found: Rows) -> dict[str, Any]:
    (status,) = [entry for entry in final(found)["workloads"] if entry["kind"] == "Job"]
    return status


def reasons(found: Rows) -> list[str]:
    return [condition["reason"] for condition in job_status(found).get("conditions", ())]


FAILS = {"run-seconds": "2", "exit-indexes": "1"}


def test_a_failed_pod_of_an_index_is_counted_when_the_index_has_its_next_pod() -> None:
    found = rows(node("n1"), job(FAILS, backoffLimitPerIndex=1))
    assert created(found, "sum/1") == [0, 13]
    assert statuses(found, "failed") == [(14, 1), (17, 2)]
    assert reasons(found) == ["FailedIndexes", "FailedIndexes"]


@pytest.mark.parametrize("ignored", [False, True])
def test_an_index_waits_after_a_failure_that_the_policy_ignores_too(ignored: bool) -> None:
    rule = {"action": "Ignore" if ignored else "Count", "onExitCodes": {"operator": "In", "values": [1]}}
    found = rows(node("n1"), job(FAILS, backoffLimitPerIndex=5, podFailurePolicy={"rules": [rule]}))
    assert created(found, "sum/1") == [0, 13, 36]
    assert statuses(found, "failed") == ([] if ignored else [(14, 1), (37, 2)])


def test_indexes_beyond_the_completions_do_not_count_any_more() -> None:
    """Indexes 1 to 3 succeed, 0 and 4 fail twice; at the second time there are only two, and later five again."""
    events = [patched(8, completions=2, parallelism=2), patched(10, completions=5, parallelism=5)]
    ended = job({"run-seconds": "2", "exit-indexes": "0,4"}, completions=5, parallelism=5)
    found = rows(node("n1"), ended, events=events, untilSeconds=20)
    assert statuses(found, "completedIndexes") == [(4, "1-3"), (8, "1")]
    assert statuses(found, "failed") == [(4, 2), (8, 3)]
    assert created(found, "sum/2") == [0, 17]


def test_a_pod_that_is_no_target_of_a_disruption_does_not_match_a_rule_for_the_status_false() -> None:
    rule = {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "False"}]}
    found = rows(node("n1"), job(FAILS, podFailurePolicy={"rules": [rule]}), untilSeconds=10)
    assert reasons(found) == []


def test_pods_that_a_policy_ignores_are_not_counted_when_the_job_fails() -> None:
    """Pod 1 is evicted; before it has stopped, pod 0 fails with an exit code that fails the Job."""
    disrupted = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    broken = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
    slow = job(
        {"run-seconds": "4", "exit-indexes": "0", "stop-seconds": "8"}, podFailurePolicy={"rules": [disrupted, broken]}
    )
    found = rows(node("n1"), slow, events=[{"at": 3, "evict": "sum/1"}], untilSeconds=30)
    assert reasons(found) == ["PodFailurePolicy", "PodFailurePolicy"]
    assert job_status(found)["status"]["failed"] == 1


def test_a_job_that_is_suspended_when_all_its_pods_have_succeeded_is_complete() -> None:
    found = rows(node("n1"), job({"run-seconds": "2"}), events=[patched(3.5, suspend=True)], untilSeconds=10)
    assert reasons(found) == ["CompletionsReached", "CompletionsReached"]


def test_failed_indexes_of_an_existing_job_get_no_pod() -> None:
    existing = job({"run-seconds": "2"}, backoffLimitPerIndex=0)
    found = rows(node("n1"), {**existing, "status": {"failed": 1, "failedIndexes": "1"}}, untilSeconds=10)
    assert (created(found, "sum/0"), created(found, "sum/1")) == ([0], [])
    assert reasons(found) == ["FailedIndexes", "FailedIndexes"]


def test_more_than_a_thousand_pods_may_fail_at_once() -> None:
    """The back-off after 1,100 failures is the longest one."""
    amount = {"completions": 1100, "parallelism": 1100, "backoffLimit": 5000, "completionMode": "NonIndexed"}
    nodes = [node(f"n{number}", cpu="40") for number in range(11)]
    found = rows(*nodes, job({"run-seconds": "2", "exit-code": "1"}, **amount), untilSeconds=20)
    assert job_status(found)["status"]["failed"] == 1100
