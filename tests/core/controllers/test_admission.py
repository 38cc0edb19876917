"""Refusals by quotas and LimitRanges, in the API server's words; the use that quotas count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.controllers.worlds import node, rows, template, workload

Manifest = dict[str, Any]
Rows = list[dict[str, Any]]


def quota(hard: dict[str, str], name: str = "q", **spec: Any) -> Manifest:
    kind = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}}
    return {**kind, "spec": {"hard": hard, **spec}}


def limit_range(name: str, *limits: Manifest) -> Manifest:
    kind = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}}
    return {**kind, "spec": {"limits": list(limits)}}


def container(name: str, requests: Manifest | None = None, limits: Manifest | None = None, **more: Any) -> Manifest:
    return {"name": name, "image": "v1", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def pod(*containers: Manifest, name: str = "p", **spec: Any) -> Manifest:
    kind = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
    return {**kind, "spec": {"containers": list(containers), **spec}}


def refusals(*objects: Manifest, at: float = 2, create: Manifest) -> list[str]:
    """Return why the API server refuses to create a pod; a Deployment makes the controllers run."""
    anything = workload("Deployment", "x", template("x", "1m"), replicas=0)
    found = rows(node("n1"), *objects, anything, events=[{"at": at, "create": create}], untilSeconds=5)
    prefix = f'pods "{create["metadata"]["name"]}" is forbidden: '
    return [error.removeprefix(prefix) for error in errors(found)]


def errors(found: Rows) -> list[str]:
    return [row["details"]["error"] for row in found if "error" in row.get("details", {})]


def statuses(found: Rows) -> list[Manifest]:
    """Return the changes of the quota's status."""
    return [row["details"] for row in found if row["what"] == "status" and row["kind"] == "ResourceQuota"]


def test_each_container_must_state_what_a_quota_limits() -> None:
    create = pod(
        container("b", {"cpu": "1"}),
        container("a", limits={"cpu": "1", "memory": "1Gi"}),
        initContainers=[container("c", {"memory": "1Gi"})],
    )
    hard = {"requests.cpu": "9", "limits.memory": "9Gi", "pods": "9"}
    assert refusals(quota(hard), create=create) == [
        "failed quota: q: must specify limits.memory for: b,c; requests.cpu for: c"
    ]
    assert refusals(quota({"requests.ephemeral-storage": "9Gi"}), create=create) == []
    stated = {**create, "spec": {**create["spec"], "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}}
    assert refusals(quota(hard), create=stated) == []


def test_what_must_be_stated_is_checked_before_what_is_exceeded() -> None:
    quotas = quota({"pods": "0"}, "a"), quota({"cpu": "1"}, "b")
    assert refusals(*quotas, create=pod(container("c"))) == ["failed quota: b: must specify cpu for: c"]


def test_a_quota_that_comes_later_counts_the_pods_that_exist() -> None:
    web = workload("Deployment", "web", template("web", "500m"), replicas=2)
    events = [
        {"at": 5, "create": quota({"pods": "2", "requests.cpu": "1"})},
        {"at": 6, "create": pod(container("c", {"cpu": "0"}))},
    ]
    found = rows(node("n1"), web, events=events, untilSeconds=10)
    assert [(status["used.pods"], status["used.requests.cpu"]) for status in statuses(found)] == [("2", "1")]
    assert "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2" in errors(found)[0]


def test_finished_pods_count_as_objects_only() -> None:
    of = template("sum", "100m", annotations={"run-seconds": "1"}, restartPolicy="Never")
    found = rows(node("n1"), quota({"pods": "5", "count/pods": "5"}), workload("Job", "sum", of), untilSeconds=10)
    assert [(status["used.pods"], status.get("used.count/pods")) for status in statuses(found)] == [
        ("1", "1"),
        ("0", None),
    ]


SCOPES = [
    ({"scopes": ["BestEffort"]}, {}, True),
    ({"scopes": ["BestEffort"]}, {"ephemeral-storage": "1Gi"}, True),
    ({"scopes": ["NotBestEffort"]}, {"cpu": "0"}, False),
    ({"scopes": ["NotBestEffort"]}, {"cpu": "1"}, True),
    ({"scopes": ["CrossNamespacePodAffinity"]}, {}, False),
]


@pytest.mark.parametrize(("spec", "requests", "in_scope"), SCOPES)
def test_scopes(spec: Manifest, requests: Manifest, in_scope: bool) -> None:
    assert bool(refusals(quota({"pods": "0"}, **spec), create=pod(container("c", requests)))) is in_scope


def test_affinity_to_pods_of_other_namespaces_is_a_scope() -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {}, "namespaceSelector": {}}
    affinity = {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}
    }
    create = pod(container("c"), affinity=affinity)
    assert refusals(quota({"pods": "0"}, scopes=["CrossNamespacePodAffinity"]), create=create)


def test_the_first_limit_range_names_its_violations_with_canonical_quantities() -> None:
    first = limit_range(
        "a",
        {"type": "Container", "max": {"cpu": "0.5"}, "min": {"memory": "1024Mi"}},
        {"type": "Pod", "max": {"memory": "3Gi"}},
    )
    second = limit_range("b", {"type": "Container", "min": {"cpu": "8"}})
    create = pod(
        container("c", limits={"cpu": "1000m", "memory": "2048Mi"}),
        initContainers=[container("side", limits={"cpu": "100m", "memory": "1.5Gi"}, restartPolicy="Always")],
    )
    assert refusals(first, second, create=create) == [
        "[maximum cpu usage per Container is 500m, but limit is 1, "
        "maximum memory usage per Pod is 3Gi, but limit is 3584Mi]"
    ]


@pytest.mark.parametrize(
    ("requests", "limits", "text"),
    [
        ({"cpu": "0"}, {"cpu": "1"}, "no request is specified or request is 0"),
        ({"cpu": "1"}, {}, "no limit is specified or limit is 0"),
        ({"cpu": "1"}, {"cpu": "3"}, "provided ratio is 3.000000"),
        ({"cpu": "1"}, {"cpu": "2500m"}, ""),
    ],
)
def test_the_ratio_of_limit_and_request(requests: Manifest, limits: Manifest, text: str) -> None:
    ratio = limit_range("r", {"type": "Container", "maxLimitRequestRatio": {"cpu": "2500m"}})
    expected = [f"cpu max limit to request ratio per Container is 2500m, but {text}"] if text else []
    assert refusals(ratio, create=pod(container("c", requests, limits))) == expected
