"""Karpenter's document, its NodePools and instance types: what is read, and what is rejected on which line."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.karpenter import NodePool
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from tests.builders import Manifest, scenario
from tests.core.autoscaling.builders import karpenter, node_class, node_pool

TYPE = {"name": "t", "cpu": "2", "memory": "4Gi"}
OFFERING = {"zone": "a", "capacityType": "spot", "price": 0.1}


def of_type(**fields: Any) -> Manifest:
    return karpenter(instanceTypes=[{**TYPE, "offerings": [OFFERING], **fields}])


def changed(pool: Manifest, path: str, value: Any) -> Manifest:
    """Return the pool with another value at a path such as spec.weight."""
    pool = deepcopy(pool)
    *parents, last = path.split(".")
    inner = pool
    for key in parents:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return pool


def problems(*objects: Manifest) -> list[tuple[str, str, int]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*objects))
    return [(error.path, error.message, error.line) for error in caught.value.errors]


def test_fields_that_are_absent_have_the_defaults_of_the_api() -> None:
    read = parse_scenario(scenario(node_class(), node_pool("p", {"spec": {}}), karpenter()))
    (pool,) = (item for item in read.objects if isinstance(item, NodePool))
    assert pool.expire_after == 720 * 3600
    assert pool.consolidate_after == 0.0
    assert pool.consolidates_underutilized
    assert [budget.nodes for budget in pool.budgets] == ["10%"]
    (actor,) = read.actors
    assert isinstance(actor, KarpenterSettings)
    assert actor.flags["batch-max-duration"] == 10.0
    assert len(actor.instance_types) == 48


def test_a_pool_without_the_actor_has_no_effect() -> None:
    assert parse_scenario(scenario(node_pool("p", {}))).actors == ()


POOL = node_pool("p", {})


@pytest.mark.parametrize(
    ("objects", "path", "words"),
    [
        ([karpenter("--batch-idle=2s")], "spec.flags[0]", "Karpenter has no flag --batch-idle; did you mean"),
        ([karpenter("--feature-gates=NodeRepair=true")], "spec.flags[0]", "NodeRepair is not simulated"),
        ([karpenter("--preference-policy=Never")], "spec.flags[0]", "Respect"),
        ([of_type(offerings=[{**OFFERING, "price": -0.1}])], "spec.instanceTypes[0].offerings[0].price", "0"),
        ([of_type(offerings=[])], "spec.instanceTypes[0].offerings", "a zone, a capacity type and a price"),
        ([of_type(gpu=1)], "spec.instanceTypes[0].gpu", "unknown field"),
        ([karpenter(), changed(POOL, "spec.weight", 101)], "spec.weight", "between 1 and 100"),
        ([karpenter(), changed(POOL, "spec.replicas", 2)], "spec.replicas", "not simulated"),
        ([karpenter(), changed(POOL, "spec.limit", {"cpu": 1})], "spec.limit", 'unknown field "limit"'),
        (
            [karpenter(), changed(POOL, "spec.disruption.budgets", [{"nodes": "ten"}])],
            "spec.disruption.budgets[0].nodes",
            "a number or a percentage",
        ),
        (
            [karpenter(), changed(POOL, "spec.template.spec.expireAfter", "soon")],
            "spec.template.spec.expireAfter",
            "expected a duration",
        ),
        (
            [karpenter(), changed(POOL, "spec.template.spec.nodeClassRef.name", "other")],
            "spec.template.spec.nodeClassRef.name",
            "no KWOKNodeClass",
        ),
        (
            [
                karpenter(),
                changed(
                    POOL,
                    "spec.template.spec.requirements",
                    [{"key": "kubernetes.io/arch", "operator": "In", "values": ["s390x"]}],
                ),
            ],
            "spec.template.spec.requirements",
            "no instance type meets the requirements",
        ),
        (
            [
                karpenter(),
                changed(POOL, "spec.template.spec.requirements", [{"key": "x", "operator": "Gt", "values": ["a"]}]),
            ],
            "spec.template.spec.requirements[0].values",
            "a positive integer",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_mistake_is_named_with_its_place(objects: list[Manifest], path: str, words: str) -> None:
    found = problems(node_class(), *objects)
    assert [(at, words in message) for at, message, _ in found] == [(path, True)]
    assert found[0][2] > 1, "the line of the mistake"
