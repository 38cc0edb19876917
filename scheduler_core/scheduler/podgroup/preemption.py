"""Preemption for a whole group (podgrouppreemption.go), with the feature gate WorkloadAwarePreemption.

All pods of lower priority in the cluster are removed; then they are restored, unit by unit, if the group still fits.
The whole group is evaluated again each time.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.apis.core import Pod, PodDisruptionBudget, PodGroupKey
from scheduler_core.cluster.cluster import key_of
from scheduler_core.framework.pod_groups import not_found
from scheduler_core.plugins.default_preemption.budgets import covers
from scheduler_core.scheduler.podgroup.algorithm import try_pod_group
from scheduler_core.scheduler.podgroup.group import QueuedPodGroup
from scheduler_core.scheduler.podgroup.results import GroupResult, Victims
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.trace.pod_group_events import PodGroupPreemptionEvaluated
from scheduler_core.trace.records import VictimUnit

PLUGIN = "DefaultPreemption"
NOT_REGISTERED = "default preemption plugin is not registered, workload aware preemption is disabled"
CONSTRAINED = "workload aware preemption is not supported for pod groups with scheduling constraints"
NEVER = "not eligible due to preemptionPolicy=Never."
NO_VICTIMS = "No preemption victims found for incoming preemptor"


class Unit(msgspec.Struct):
    """Pods that are evicted together: a single pod, or a group with disruptionMode PodGroup (kube-scheduler: victim).

    `start`: the earliest start of its pods. `of_group`: it is a group, or part of one.
    """

    pods: list[Pod]
    priority: int
    start: float
    of_group: bool
    pod_group: PodGroupKey = ""

    @property
    def importance(self) -> tuple[float, ...]:
        """Return a sort key, the most important first: priority, groups before pods, larger groups, earlier start."""
        return -self.priority, not self.of_group, -len(self.pods) if self.of_group else 0, self.start


def run_workload_aware_preemption(scheduler: Scheduler, group: QueuedPodGroup, result: GroupResult) -> None:
    """Find and evict victims, and record the outcome in the group's result."""
    victims = _find_victims(scheduler, group)
    scheduler.emit(
        PodGroupPreemptionEvaluated(
            group.key,
            victims.status,
            victims.message,
            [pod.key for pod in victims.pods],
            victims.simulations,
            list(victims.units),
        )
    )
    if victims.status == "Success":
        result.outcome = "WaitingOnPreemption"
        for pod in victims.pods:
            scheduler.evict(pod, group.key)
    elif victims.status == "Error":
        result.outcome, result.message, result.cause = "Error", victims.message, victims.message
    else:
        result.message = f"{result.message}, {victims.message}"


def _find_victims(scheduler: Scheduler, group: QueuedPodGroup) -> Victims:
    stored = group.stored()
    if not group.framework.has(PLUGIN):
        return Victims("Unschedulable", NOT_REGISTERED)
    if stored is None:
        return Victims("Error", f"failed to get pod group object: {not_found(group.key)}")
    if stored.topology_key:
        return Victims("Unschedulable", CONSTRAINED)
    if any(attempt.pod.preemption_policy == "Never" for attempt in group.attempts):
        return Victims("Unschedulable", NEVER)
    units = [unit for unit in _all_units(scheduler, group) if unit.priority < stored.priority]
    if not units:
        return Victims("UnschedulableAndUnresolvable", NO_VICTIMS)
    with scheduler.trying():
        return _Search(scheduler, group, units).run()


def _all_units(scheduler: Scheduler, group: QueuedPodGroup) -> list[Unit]:
    """Return all units of victims, node by node, in the order of the node's pods (unordered in kube-scheduler)."""
    cluster, groups = scheduler.cluster, group.framework.pod_groups
    units: dict[str, Unit] = {}
    for pod in (cluster.pods.pods[slot] for row in range(len(cluster.nodes)) for slot in cluster.pods.on_row(row)):
        stored = groups.get(pod.pod_group_key) if pod.pod_group else None
        start = cluster.now if pod.start_time is None else pod.start_time
        if stored is None or stored.disruption_mode == "Pod":
            units[f"pod {pod.key}"] = Unit([pod], pod.priority, start, bool(pod.pod_group))
        else:
            unit = units.setdefault(stored.key, Unit([], stored.priority, start, of_group=True, pod_group=stored.key))
            unit.pods.append(pod)
    return list(units.values())


class _Search:
    """A search for victims. The units are removed from their nodes during the search; the caller restores them."""

    def __init__(self, scheduler: Scheduler, group: QueuedPodGroup, units: Sequence[Unit]) -> None:
        self._scheduler = scheduler
        self._group = group
        self._units = units
        self._simulations = 0

    def run(self) -> Victims:
        """Return the units that must be evicted for the group to fit, or the reason that it does not fit even so."""
        places = {
            pod.key: self._scheduler.cluster.pods.node_name[self._scheduler.cluster.pods.slot_of[pod.key]]
            for unit in self._units
            for pod in unit.pods
        }
        cluster = self._scheduler.cluster
        for key in places:
            cluster.remove_from_node(key)
        result = self._try()
        if not result.success:
            failed = result.outcome == "Error"
            return Victims("Error" if failed else "Unschedulable", result.message, simulations=self._simulations)
        ordered = sorted(self._units, key=lambda unit: unit.importance)
        budgets = _Budgets(self._group)
        violating = [any(budgets.charge(pod) for pod in unit.pods) for unit in ordered]
        tried = sorted(zip(ordered, violating, strict=True), key=lambda pair: not pair[1])
        victims: list[Unit] = []
        victim_units: list[VictimUnit] = []
        for unit, violates in tried:
            for pod in unit.pods:
                cluster.put_back_on_node(pod.key, places[pod.key])
            fits = self._try().success
            if not fits:
                victims.append(unit)
                for pod in unit.pods:
                    cluster.remove_from_node(pod.key)
            victim_units.append(
                VictimUnit([pod.key for pod in unit.pods], unit.priority, fits, unit.pod_group, violates)
            )
        victims.sort(key=lambda unit: unit.importance)
        pods = [pod for unit in victims for pod in unit.pods]
        return Victims("Success", "", pods, self._simulations, victim_units)

    def _try(self) -> GroupResult:
        self._simulations += 1
        return try_pod_group(self._scheduler, self._group, post_filters=False)


class _Budgets:
    """The remaining disruptions of each budget while units are visited by importance."""

    def __init__(self, group: QueuedPodGroup) -> None:
        allowed = group.framework.disruptions_allowed()
        items = group.framework.cluster.objects("PodDisruptionBudget")
        self._left = [(item, [allowed[key_of(item)]]) for item in items if isinstance(item, PodDisruptionBudget)]

    def charge(self, pod: Pod) -> bool:
        """Charge the pod to its budgets, up to the first that is exhausted. Return whether a budget is exhausted."""
        for budget, remaining in self._left:
            if not covers(budget, pod.namespace, pod.labels) or pod.name in budget.disrupted_pods:
                continue
            remaining[0] -= 1
            if remaining[0] < 0:
                return True
        return False
