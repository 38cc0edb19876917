"""Victims that violate a PodDisruptionBudget, found for many nodes at once."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.plugins.default_preemption.budgets import violating

WEB, DB = {"app": "web"}, {"app": "db"}


def budget(selector=None, *, disrupted=()):
    selector = LabelSelector.from_labels(WEB) if selector is None else selector
    return PodDisruptionBudget("b", "default", selector, selector, disrupted_pods=frozenset(disrupted))


def violations_of(*nodes, budgets, allowed):
    """Return for each pod whether its eviction violates a budget.

    A node is a list of (namespace, labels), the most important pod first.
    """
    specs = [("default", WEB), ("default", DB), ("other", WEB), ("default", {})]
    pods = [pod for node in nodes for pod in node]
    table = SimpleNamespace(
        specs=specs,
        spec=np.array([specs.index(pod) for pod in pods]),
        pods=[SimpleNamespace(name=f"p{i}") for i in range(len(pods))],
    )
    index = np.repeat(np.arange(len(nodes)), [len(node) for node in nodes])
    return violating(table, np.arange(len(pods)), index, budgets, allowed).tolist()


def test_the_most_important_pods_use_the_budget_up_and_the_rest_violate_it():
    assert violations_of([("default", WEB)] * 3, budgets=[budget()], allowed=[1]) == [False, True, True]


def test_every_node_starts_with_the_full_budget():
    web = ("default", WEB)
    assert violations_of([web, web], [web], [web, web], budgets=[budget()], allowed=[1]) == [
        False,
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("spared", [("default", DB), ("other", WEB), ("default", {})])
def test_pods_of_other_labels_or_namespaces_or_without_labels_take_nothing(spared):
    assert violations_of([spared, ("default", WEB)], budgets=[budget()], allowed=[1]) == [False, False]


def test_an_empty_selector_covers_nothing():
    assert violations_of([("default", WEB)], budgets=[budget(LabelSelector.everything())], allowed=[0]) == [False]


def test_a_pod_that_is_disrupted_already_does_not_count():
    found = violations_of([("default", WEB)] * 3, budgets=[budget(disrupted=["p0"])], allowed=[1])
    assert found == [False, False, True]


def test_one_exhausted_budget_of_several_is_enough():
    both = [budget(), budget(LabelSelector.from_labels(WEB))]
    assert violations_of([("default", WEB)], budgets=both, allowed=[5, 0]) == [True]
