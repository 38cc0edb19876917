"""Deployments and ReplicaSets: what they create, and when."""

import pytest

from scheduler_core import ScenarioErrors, encode, parse_scenario, simulate
from tests.core.controllers.worlds import final, node, rows, rows_of, template, text, workload

NEW_IMAGE = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "v2"}]}}}}


def test_a_deployment_makes_a_replica_set_which_makes_its_pods() -> None:
    happened = rows(node("n1"), workload("Deployment", "web", replicas=2))
    names = [name for _, _, name in rows_of(happened, "created")]
    assert names == ["web", "web@1", "web@1/0", "web@1/1"]
    pods = final(happened)["pods"]
    assert [(pod["name"], pod["node"], pod["phase"], pod["ready"]) for pod in pods] == [
        ("web@1/0", "n1", "Running", True),
        ("web@1/1", "n1", "Running", True),
    ]
    deployment = final(happened)["workloads"][0]
    assert deployment["status"]["availableReplicas"] == 2
    assert {condition["reason"] for condition in deployment["conditions"]} == {
        "MinimumReplicasAvailable",
        "NewReplicaSetAvailable",
    }


def test_a_victim_of_a_deployment_is_made_again() -> None:
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    boss = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "boss"}}
    boss["spec"] = template("boss", "3")["spec"] | {"priorityClassName": "high"}
    happened = rows(
        node("n1"),
        high,
        workload("Deployment", "web", template("web", "2"), replicas=1),
        events=[{"at": 5, "create": boss}],
    )
    assert ("web@1/1", "Pending") in [(pod["name"], pod["phase"]) for pod in final(happened)["pods"]]


def test_a_deleted_priority_class_admits_no_more_pods() -> None:
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    web = workload("Deployment", "web", template("web", priorityClassName="high"), replicas=1)
    events = [
        {"at": 5, "delete": {"kind": "PriorityClass", "name": "high"}},
        {"at": 6, "delete": {"kind": "Pod", "name": "web@1/0"}},
    ]
    happened = rows(node("n1"), high, web, events=events)
    (condition,) = [one for one in final(happened)["workloads"][1]["conditions"] if one["type"] == "ReplicaFailure"]
    assert condition["reason"] == "FailedCreate"


def test_a_rollout_never_has_fewer_available_pods_than_allowed() -> None:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    patch = {"at": 5, "patch": {"kind": "Deployment", "name": "web", "patch": NEW_IMAGE}}
    happened = rows(node("n1"), workload("Deployment", "web", replicas=3, strategy=strategy), events=[patch])
    sizes = [(row["name"], row["details"]["to"]) for row in happened if row["what"] == "scaled"]
    assert sizes == [("web@1", 2), ("web@2", 2), ("web@1", 1), ("web@2", 3), ("web@1", 0)]


def test_no_controllers_make_nothing() -> None:
    happened = rows(node("n1"), workload("Deployment", "web"), workload("ReplicaSet", "api"), controllers=[])
    assert not final(happened)["pods"]


def test_a_run_is_the_same_each_time() -> None:
    scenario = parse_scenario(text(node("n1"), workload("Deployment", "web", replicas=3)))
    first, second = (b"\n".join(map(encode, simulate(scenario))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"scale": {"kind": "Job", "name": "b", "replicas": 1}}, "the server does not allow scale on Job"),
        ({"scale": {"kind": "Deployment", "name": "web", "replicas": -1}}, "must be greater than or equal to 0"),
        ({"patch": {"kind": "Deployment", "name": "web", "patch": 7}}, "a patch must be a mapping"),
        ({"failNode": "n9"}, 'no Node "n9" exists at this time'),
        ({"finish": {"pod": "web@1/0", "exitCode": "x"}}, "expected an integer"),
    ],
)
def test_a_request_that_cannot_be_is_one_sentence_with_its_line(event: dict[str, object], sentence: str) -> None:
    with pytest.raises(ScenarioErrors, match=sentence) as refused:
        parse_scenario(text(node("n1"), workload("Deployment", "web"), events=[{"at": 5, **event}]))
    assert refused.value.line > 1


@pytest.mark.parametrize("sizes", [{"desired-replicas": "many", "max-replicas": "x"}, {"max-replicas": "0"}, {}])
def test_sizes_in_annotations_that_are_no_numbers_are_ignored(sizes: dict[str, str]) -> None:
    """Without a size to compare with, all new pods go to the newest of two equal ReplicaSets."""
    web = workload("Deployment", "web", template("web", image="v3"), replicas=10, paused=True)
    web = {**web, "metadata": {"name": "web", "uid": "web"}}
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web", "controller": True}
    annotations = {f"deployment.kubernetes.io/{name}": value for name, value in sizes.items()}
    old = [
        {
            **workload("ReplicaSet", "web", template("web", image=image), replicas=2),
            "metadata": {"name": f"web-{image}", "ownerReferences": [owner], "annotations": annotations},
        }
        for image in ("v1", "v2")
    ]
    found = final(rows(node("n1"), web, *old))
    assert [entry["spec"] for entry in found["workloads"] if entry["kind"] == "ReplicaSet"] == [2, 11]


def test_a_refused_creation_may_be_tried_more_than_a_thousand_times() -> None:
    """Each change of the pod that exists makes its ReplicaSet try again."""
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}}
    changes = [
        {"at": 3 + number / 100, "ready": {"pod": "web@1/0", "value": bool(number % 2)}} for number in range(1200)
    ]
    found = rows(node("n1"), quota, workload("Deployment", "web", replicas=2), events=changes, untilSeconds=20)
    refused = [row for row in found if row["what"] == "event" and row["details"]["reason"] == "FailedCreate"]
    assert sum(row["details"].get("count", 1) for row in refused) > 1024
