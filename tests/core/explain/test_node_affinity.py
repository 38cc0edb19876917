"""The explanation of a node affinity names the condition that is not met."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.explain.attempt import explain
from scheduler_core.framework.facts import Fact
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import node, pod, scenario


def required(*terms: list[dict[str, Any]], field: str = "matchExpressions") -> Fact:
    """Return the fact about the required affinity of a pod, on a node with disk=hdd and gen=4."""
    wanting = pod("web")
    selector = {"nodeSelectorTerms": [{field: term} for term in terms]}
    wanting["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}
    explained = explain(parse_scenario(scenario(node("n1", labels={"disk": "hdd", "gen": "4"}), wanting)), 1, ["n1"])
    filters = {one.plugin: one for one in explained.nodes[0].filters}
    (fact,) = filters["NodeAffinity"].facts
    return fact


def condition(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


@pytest.mark.parametrize(
    ("operator", "values", "wanted"),
    [("In", ("ssd", "nvme"), "nvme, ssd"), ("NotIn", ("hdd",), "hdd"), ("DoesNotExist", (), "")],
)
def test_the_condition_that_is_not_met_is_given_with_what_the_node_has(
    operator: str, values: tuple[str, ...], wanted: str
) -> None:
    fact = required([condition("gen", "Gt", "3"), condition("disk", operator, *values)])
    assert not fact.holds
    assert fact.values == {"terms": 1, "key": "disk", "operator": operator, "wanted": wanted, "node": "hdd"}


def test_a_label_that_the_node_lacks_is_given_as_empty() -> None:
    assert required([condition("rack", "Exists")]).values["node"] == ""


def test_of_several_alternatives_none_is_singled_out() -> None:
    fact = required([condition("disk", "In", "ssd")], [condition("gen", "In", "5")])
    assert fact.values == {"terms": 2}


def test_a_single_condition_that_is_met_is_given_too() -> None:
    fact = required([condition("disk", "In", "hdd")])
    assert fact.holds
    assert fact.values == {"terms": 1, "key": "disk", "operator": "In", "wanted": "hdd", "node": "hdd"}


def test_a_node_s_name_counts_as_a_label() -> None:
    fact = required([condition("metadata.name", "In", "n2")], field="matchFields")
    assert fact.values == {"terms": 1, "key": "metadata.name", "operator": "In", "wanted": "n2", "node": "n1"}
