"""Cached dry runs for a pod are used for the next similar pod, wherever nothing has changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core import parse_scenario
from scheduler_core.plugins.default_preemption import candidates
from scheduler_core.plugins.default_preemption.by_node import ByNode, DryRunCache
from scheduler_core.releases import RELEASES
from scheduler_core.simulation.simulation import simulate
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from tests.builders import node, parse, pod

RECORDED = sorted((Path(__file__).parents[3] / "conformance" / "public").glob("*-preemption.yaml"))


@pytest.fixture
def tried(monkeypatch):
    """Return a list that gets the nodes of each batch of dry runs."""
    batches = []
    run = candidates.dry_run

    def noting(handle, cycle, rows, budgets):
        batches.append([handle.cluster.nodes.names[row] for row in rows.tolist()])
        return run(handle, cycle, rows, budgets)

    monkeypatch.setattr(candidates, "dry_run", noting)
    return batches


def full(*names, **fields):
    """Return nodes of 2 CPUs, each full with one pod of priority 0."""
    return [thing for name in names for thing in (node(name, cpu=2), pod(f"low-{name}", cpu=2, node=name, **fields))]


def high(*names, **fields):
    return [pod(name, cpu=2, priority=9, **fields) for name in names]


def test_only_what_changed_is_tried_again(tried):
    list(simulate(parse(*full("a", "b", "c", "d"), *high("one", "two", "three", "four"))))
    # The results of the first pod of a kind are not kept, so that the second tries all nodes too. Each later pod tries
    # only the node that the pod before it changed.
    assert tried == [["a", "b", "c", "d"], ["a", "b", "c", "d"], ["c"], ["b"]]


def test_another_priority_has_dry_runs_of_its_own(tried):
    list(simulate(parse(*full("a", "b", "c"), *high("one", "two"), pod("three", cpu=2, priority=8))))
    assert tried[2] == ["a", "b", "c"]


def test_nothing_is_kept_where_budgets_count_pods_elsewhere(tried):
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "budget", "namespace": "default"},
        "spec": {"minAvailable": 0, "selector": {"matchLabels": {"app": "low"}}},
    }
    list(simulate(parse(budget, *full("a", "b", "c", labels={"app": "low"}), *high("one", "two", "three"))))
    assert tried == [["a", "b", "c"]] * 3


def test_nothing_is_kept_of_pods_that_ask_about_pods_elsewhere(tried):
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {}}]}
    pods = high("one", "two", "three", affinity={"podAntiAffinity": apart})
    list(simulate(parse(*full("a", "b", "c"), *pods)))
    assert tried == [["a", "b", "c"]] * 3


def test_a_run_is_the_same_as_if_nothing_were_kept(monkeypatch):
    """For every third recorded scenario of preemption."""
    scenarios = [parse_scenario(path.read_text(), release=RELEASES["1.34"]) for path in RECORDED[::3]]
    kept = [list(simulate(scenario)) for scenario in scenarios]
    monkeypatch.setattr(DryRunCache, "results_for", lambda self, cycle, *, budgets: ByNode(self._handle))
    assert kept == [list(simulate(scenario)) for scenario in scenarios]
    assert sum(isinstance(event, PreemptionEvaluated) for events in kept for event in events) > len(scenarios)
