"""Every value of a dump may be of any type: it is converted, or refused with a sentence."""

from __future__ import annotations

import io
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.intake import import_source
from scheduler_core import parse_scenario
from scheduler_core.scenario.reading.problems import ScenarioErrors
from tests.builders import Manifest, node, pod
from tests.dumps import as_yaml, listed
from tests.sampling import rest_slow

LABELS = {
    "eks.amazonaws.com/nodegroup": "group",
    "karpenter.sh/capacity-type": "spot",
    "karpenter.sh/nodepool": "pool",
    "node.kubernetes.io/instance-type": "m5.large",
}
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def node_pool(name: str) -> Manifest:
    amounts = {"cpu": "16", "memory": "65536"}
    requirements = [
        {"key": f"karpenter.k8s.aws/instance-{key}", "operator": "In", "values": [value]}
        for key, value in amounts.items()
    ]
    template = {"metadata": {"labels": {"team": "ml"}}, "spec": {"requirements": requirements, "taints": [TAINT]}}
    spec = {"limits": {"cpu": "12", "nodes": "5"}, "template": template}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": spec}


NODE_CLAIM = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodeClaim",
    "metadata": {"name": "claim", "labels": {"karpenter.sh/nodepool": "pool"}},
    "status": {"nodeName": "n2", "capacity": {"cpu": "4"}},
}
STATUS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cluster-autoscaler-status", "namespace": "kube-system"},
    "data": {"status": "nodeGroups: [{name: eks-group-1, health: {minSize: 1, maxSize: 3}}]"},
}
RUNNING = {**pod("w", cpu=1, tolerations=[TAINT]), "status": {"phase": "Running", "containerStatuses": [{"name": "c"}]}}
OBJECTS = [
    node("n1", cpu=4, taints=["gpu=yes:NoSchedule"], labels=LABELS),
    node_pool("pool"),
    node_pool("empty"),
    NODE_CLAIM,
    STATUS,
    RUNNING,
]


def places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of all values below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*place, key)
        yield from places(item, (*place, key))


def replaced(number: int, place: tuple[str | int, ...], value: object) -> list[Manifest]:
    """Return the objects with another value at a place of one of them."""
    objects = deepcopy(OBJECTS)
    at: Any = objects[number]
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return objects


@pytest.mark.parametrize(
    "value",
    rest_slow(4, [None, "x", -1, [], {}, [None], {"a": 1}, True, "9" * 5000]),
    ids=lambda value: repr(value)[:9],
)
def test_a_value_of_any_type_is_converted_or_refused(value: object) -> None:
    refused = 0
    for number, one in enumerate(OBJECTS):
        for place in places(one):
            text = as_yaml(listed(replaced(number, place, value))).encode()
            for autoscaler in (None, "karpenter", "cluster-autoscaler"):
                try:
                    parse_scenario(import_source(io.BytesIO(text), Conversion(autoscaler=autoscaler)).text)
                except ScenarioErrors:
                    refused += 1
    assert refused


@pytest.mark.parametrize(
    "status",
    [
        "nodeGroups: 5",
        "nodeGroups: [x]",
        "nodeGroups: [{health: {minSize: x, maxSize: 3}}]",
        "[",
        "[" * 5000,
        f"Name: group\n  Health: Healthy (minSize={'9' * 5000}, maxSize={'9' * 5000})",
        "nodeGroups: 2024-13-45",
    ],
)
def test_a_status_of_cluster_autoscaler_that_says_nothing_is_ignored(status: str) -> None:
    objects = [*OBJECTS[:1], {**STATUS, "data": {"status": status}}]
    imported = import_source(io.BytesIO(as_yaml(listed(objects)).encode()), Conversion(autoscaler="cluster-autoscaler"))
    assert "maximum" not in imported.text
