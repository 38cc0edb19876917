"""Each mistake in workloads, settings and events is reported in one sentence, with the field and its line."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import ScenarioErrors, parse_scenario, simulate
from scheduler_core.controllers.cronjob import next_time
from scheduler_core.trace.actor_rows import actor_rows
from scheduler_core.trace.events import ObjectApplied
from tests.builders import pod
from tests.core.controllers.worlds import Manifest, node, template, text, workload


def mismatched() -> Manifest:
    made = dict(workload("Deployment", "web"))
    made["spec"] = {**made["spec"], "selector": {"matchLabels": {"app": "other"}}}
    return made


def quota(pods: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": pods}}}


WEB = workload("Deployment", "web")
WRONG: list[tuple[list[Manifest], dict[str, Any], str]] = [
    ([mismatched()], {}, "spec.template.metadata.labels: Invalid value: "),
    ([workload("Deployment", "web", template("web", terminationGracePeriodSeconds=-1))], {}, "-1: must be greater"),
    ([quota("-1")], {}, 'spec.hard.pods: Invalid value: "-1": must be greater than or equal to 0'),
    ([WEB], {"controllers": ["deploymnt"]}, 'spec.controllers[0]: no controller "deploymnt" is known; did you mean'),
    ([WEB], {"controllers": ["-deploymnt"]}, 'no controller "-deploymnt" is known; did you mean "deployment"?'),
    (
        [workload("DaemonSet", "d")],
        {"events": [{"at": 1, "scale": {"kind": "DaemonSet", "name": "d", "replicas": 2}}]},
        "the server does not allow scale on DaemonSet; expected Deployment, ReplicaSet, ReplicationController or",
    ),
    (
        [WEB],
        {"events": [{"at": 1, "delete": {"kind": "Pod", "name": "web@1/0", "gracePeriodSeconds": -5}}]},
        "gracePeriodSeconds: Invalid value: -5: must be greater than or equal to 0",
    ),
    ([], {"events": [{"at": 1, "drain": {"node": "n1", "force": "yes"}}]}, 'drain.force: "yes" is a string; expected'),
    ([], {"events": [{"at": 1, "drain": "n9"}]}, 'no Node "n9" exists at this time'),
]


@pytest.mark.parametrize(("objects", "spec", "sentence"), WRONG)
def test_a_mistake_is_one_sentence_with_its_line(objects: list[Manifest], spec: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioErrors) as error:
        parse_scenario(text(node("n1"), *objects, **spec))
    (problem,) = error.value.errors
    assert problem.line > 1
    assert sentence in str(problem)


@pytest.mark.parametrize("name", ["db-0", "leaving"])
def test_a_pod_with_the_name_of_another_is_refused(name: str) -> None:
    """The pod of a controller, or one that is being deleted."""
    created = pod(name, labels={"app": "x"})
    leaving = pod("leaving", terminationGracePeriodSeconds=30, annotations={"kschedui.io/termination-seconds": "30"})
    events = [{"at": 50, "delete": {"kind": "Pod", "name": "leaving"}}, {"at": 60, "create": created}]
    written = text(node("n1"), workload("StatefulSet", "db", replicas=1, serviceName="db"), leaving, events=events)
    rows = list(actor_rows(simulate(parse_scenario(written))))
    assert f'pods "{name}" already exists' in str([row for row in rows if row["t"] == 60])


def test_a_stateful_set_waits_for_a_name_that_the_pod_of_another_owner_has() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "of-another", "controller": True}
    other = pod("db-0", node="n1", labels={"app": "db"})
    other["metadata"]["ownerReferences"] = [owner]
    events = [{"at": 30, "delete": {"kind": "Pod", "name": "db-0"}}]
    written = text(node("n1"), workload("StatefulSet", "db", replicas=1, serviceName="db"), other, events=events)
    created = [event for event in simulate(parse_scenario(written)) if isinstance(event, ObjectApplied)]
    assert [event.name for event in created if event.kind == "Pod"] == ["db-0"]


def test_a_quota_that_is_never_met_is_reported_by_the_api_server() -> None:
    rows = list(actor_rows(simulate(parse_scenario(text(node("n1"), quota("0"), WEB)))))
    details = [row.get("details") or {} for row in rows]
    refusals = [detail["message"] for detail in details if detail.get("reason") == "FailedCreate"]
    assert "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0" in refusals[0]


def test_requests_are_carried_out_when_no_controller_runs() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    pod["spec"] = {"nodeName": "n1", "containers": [{"name": "c", "image": "v1"}]}  # type: ignore[assignment]
    scenario = text(node("n1"), pod, controllers=[], events=[{"at": 5, "drain": "n1"}])
    rows = list(actor_rows(simulate(parse_scenario(scenario))))
    assert [row["name"] for row in rows if row["what"] == "deleted"] == ["p"]
    assert not rows[-1]["pods"]


def test_controllers_are_named_as_kube_controller_manager_names_them() -> None:
    names = parse_scenario(text(node("n1"), controllers=["*", "-job"])).controllers
    assert "deployment-controller" in names
    assert "job-controller" not in names


@pytest.mark.parametrize("value", ["several", "", "9" * 5000])
def test_a_replica_set_with_an_annotation_that_is_no_number_is_scaled_by_the_status(value: str) -> None:
    """getIntFromAnnotation: such an annotation counts as missing."""
    names = ("desired-replicas", "max-replicas", "revision")
    old = workload("ReplicaSet", "web-1", replicas=2)
    old["metadata"] |= {
        "annotations": {f"deployment.kubernetes.io/{name}": value for name in names},
        "ownerReferences": [{"kind": "Deployment", "name": "web", "uid": "u1", "controller": True}],
    }
    new = workload("Deployment", "web", replicas=3)
    new["metadata"]["uid"] = "u1"
    events = [{"at": 5, "scale": {"kind": "Deployment", "name": "web", "replicas": 5}}]
    list(simulate(parse_scenario(text(node("n1"), new, old, events=events))))


@pytest.mark.parametrize("name", ["start-seconds", "ready-after-seconds", "run-seconds", "exit-code"])
@pytest.mark.parametrize("value", ["inf", "nan", "1e400", "soon"])
def test_a_kubelet_ignores_times_that_are_not_finite(name: str, value: str) -> None:
    annotations = {"kschedui.io/run-seconds": "5", f"kschedui.io/{name}": value}
    made = pod("p", annotations=annotations, restartPolicy="Never")
    assert len(list(simulate(parse_scenario(text(node("n1"), made))))) < 50


@pytest.mark.parametrize("schedule", ["1-99999999999 * * * *", "60 * * * *", "* * * * 7", "5-1 * * * *", "*/0 * * * *"])
def test_a_schedule_outside_the_ranges_of_its_fields_creates_no_job(schedule: str) -> None:
    assert next_time(schedule, 0.0) is None


def test_the_next_time_of_a_schedule_may_be_a_year_away() -> None:
    """T0 is Wednesday, 2025-01-01."""
    day = 86_400.0
    assert next_time("@yearly", 0.0) == 365 * day
    assert next_time("0 0 31 2 *", 0.0) is None
    assert next_time("30 1 * * mon", 0.0) == 5 * day + 90 * 60
    assert next_time("*/20 23 2,3 1 *", 0.0) == day + 23 * 3600
