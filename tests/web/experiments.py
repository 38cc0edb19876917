"""Helpers for tests of experiments."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from kschedui.experiments import store, worker
from kschedui.experiments.plan import plan
from kschedui.models import Batch, Experiment, Result
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from tests.builders import node, pod, priority_class, scenario

TEXT = scenario(
    *(node(f"n{i}", cpu=2) for i in range(3)),
    priority_class("high", 1000),
    *(pod(f"low-{i}", cpu=1, node=f"n{i % 3}", priority=10 * i) for i in range(6)),
    *(pod(f"high-{i}", cpu=2, priority_class="high") for i in range(2)),
    title="Preemption",
)
PRIORITY = {"name": "priority", "field": {"kind": "PriorityClass", "name": "high", "path": "value"}}
FACTORS: list[dict[str, Any]] = [
    {**PRIORITY, "field": {**PRIORITY["field"], "values": [0, 45, 1000]}},  # type: ignore[dict-item]
    {"seeds": {"count": 20}},
]
SIZE = 60


def begin_experiment(
    factors: Any = None, text: str = TEXT, editor: str = "somebody", party: str = "a party"
) -> Experiment:
    """Begin an experiment on the text, whose batches are then queued, and return it."""
    visitor = Visitor(editor=editor)
    version = scenarios.create(visitor, text)
    return store.begin(visitor, plan(version, FACTORS if factors is None else factors, None), party)


def finish() -> None:
    """Work as one worker until no batch is queued."""
    while worker.serve():
        pass


def numbers(experiment: Experiment) -> list[int]:
    """Return the numbers of the cells that have a result."""
    return list(Result.objects.filter(experiment=experiment).order_by("number").values_list("number", flat=True))


def expire() -> None:
    """Let the leases of all workers expire."""
    Batch.objects.filter(lease_until__isnull=False).update(lease_until=timezone.now() - timedelta(seconds=1))


def rows(experiment: Experiment) -> list[Any]:
    """Return (number, measures, error) of every result."""
    return list(store.in_order(experiment))


# A pod that may be placed on any of sixteen equal nodes, and a second pod that needs the whole of one certain node. If
# the first pod is on that node, it is evicted or the second one waits, depending on their priorities.
OUTLIERS = scenario(
    *(node(f"n{i}", cpu=4, labels={"disk": "ssd" if i == 7 else "hdd"}) for i in range(16)),
    priority_class("high", 1000),
    pod("web", cpu=1, priority=5),
    title="One node with an SSD",
    kubernetesVersion="1.34",  # the last release that selects at random among equal nodes
    seed=1,
    events=[{"at": 1, "create": pod("db", cpu=4, priority_class="high", nodeSelector={"disk": "ssd"})}],
)


def outlier_factors(*, seeds: int, priorities: int) -> list[dict[str, Any]]:
    """Return factors: a number of seeds, and values of the priority class from 0 in steps of ten."""
    field = {"kind": "PriorityClass", "name": "high", "path": "value", "values": [10 * i for i in range(priorities)]}
    return [{"name": "priority", "field": field}, {"seeds": {"count": seeds}}]
