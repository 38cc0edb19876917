"""The values of a scenario's CEL rules for a pod on each node, at the start of its run."""

from __future__ import annotations

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.apis.rules import Point
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.records import NodeName

MAX_NODES = 30
MAX_PODS = 200  # the number of pods that can be selected


class PointValues(msgspec.Struct, frozen=True):
    """The values of an expression: one per node, or a single one for preEnqueue, which reads no node.

    `value` is "true", "false", a number or "error"; `text` is the message of a rejection or an error.
    """

    point: Point
    values: list[tuple[str, str]]


class RuleValues(msgspec.Struct, frozen=True):
    """The values of one rule."""

    rule: str
    points: list[PointValues]


class PodValues(msgspec.Struct, frozen=True):
    """The values of all rules for a pod; `pods` can be selected, and `nodes` are the first ones of the cluster."""

    pod: PodKey
    pods: list[PodKey]
    nodes: list[NodeName]
    rules: list[RuleValues]


def evaluate_rules(scenario: Scenario, pod: PodKey = "", registry: Registry = REGISTRY) -> PodValues | None:
    """Return the values for a pod to be scheduled, by default or if it is unknown the first one.

    None: there are no rules or no such pods.
    """
    waiting = [item for item in scenario.objects if isinstance(item, Pod) and not item.node_name]
    waiting += [
        event.object
        for event in scenario.events
        if event.action == "create" and isinstance(event.object, Pod) and not event.object.node_name
    ]
    if not scenario.rules or not waiting:
        return None
    # Imported here: only scenarios with rules need the compiler.
    from scheduler_core.plugins.rules.plugin import make_rule_plugin

    selected = next((queued for queued in waiting if queued.key == pod), waiting[0])
    simulation = Simulation(scenario, registry)
    next(simulation.run())
    scheduler = simulation.scheduler
    scheduler.cluster.snapshot()
    framework = scheduler.frameworks.get(selected.scheduler_name) or next(iter(scheduler.frameworks.values()))
    rows = np.arange(min(len(scheduler.cluster.nodes), MAX_NODES), dtype=np.intp)
    rules = []
    for rule in scenario.rules:
        values = make_rule_plugin(rule, framework).values(selected, rows)
        rules.append(RuleValues(rule.name, [PointValues(point, value) for point, value in values.items()]))
    names = scheduler.cluster.nodes.names[:MAX_NODES]
    return PodValues(selected.key, [queued.key for queued in waiting[:MAX_PODS]], names, rules)
