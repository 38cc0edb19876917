"""Victims on all nodes that violate a PodDisruptionBudget (default_preemption.go: filterPodsWithPDBViolation).

On each node, pods are processed from the most important to the least important. Each pod uses one disruption of every
budget that covers it, and violates the budget if none is left. Every node starts with the full budgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.cluster.pods import PodTable


def covers(budget: PodDisruptionBudget, namespace: str, labels: Mapping[str, str]) -> bool:
    """Return whether the budget covers pods with these labels.

    As in kube-scheduler, an empty selector covers no pod, and no budget covers a pod without labels.
    """
    if not labels or budget.namespace != namespace or budget.selector.empty:
        return False
    return budget.selector.matches(labels)


def violating(
    pods: PodTable,
    slots: NDArray[np.intp],
    index: NDArray[np.intp],
    budgets: Sequence[PodDisruptionBudget],
    allowed: Sequence[int],
) -> NDArray[np.bool_]:
    """Return a bool per pod: whether its eviction violates a budget.

    `slots` are the pods, grouped by node (`index`, ascending), the most important of each node first; `allowed` is each
    budget's status.disruptionsAllowed. A pod that a budget already lists as disrupted does not count.
    """
    violates = np.zeros(len(slots), np.bool_)
    distinct, code = np.unique(pods.spec[slots], return_inverse=True)
    specs = [pods.specs[number] for number in distinct.tolist()]
    for budget, disruptions in zip(budgets, allowed, strict=True):
        covered = np.array([covers(budget, *spec) for spec in specs], np.bool_)[code]
        if budget.disrupted_pods:
            covered &= np.array(
                [pods.pods[slot].name not in budget.disrupted_pods for slot in slots.tolist()], np.bool_
            )
        violates |= covered & (_running_count(covered, index) > disruptions)
    return violates


def violating_before_1_19(
    pods: PodTable,
    slots: NDArray[np.intp],
    index: NDArray[np.intp],
    budgets: Sequence[PodDisruptionBudget],
    allowed: Sequence[int],
    *,
    use_up: bool,
) -> NDArray[np.bool_]:
    """Return a bool per pod as `violating` does; a pod uses no budget after the first one that it violates.

    Pods that a budget already lists as disrupted count too. `use_up`: whether pods use disruptions of a budget at all
    (`victims_use_up_budgets`).
    """
    violates = np.zeros(len(slots), np.bool_)
    node, remaining = -1, list(allowed)
    for position, (slot, row) in enumerate(zip(slots.tolist(), index.tolist(), strict=True)):
        if row != node:
            node, remaining = row, list(allowed)
        spec = pods.specs[int(pods.spec[slot])]
        for number, budget in enumerate(budgets):
            if covers(budget, *spec):
                if remaining[number] <= 0:
                    violates[position] = True
                    break
                if use_up:
                    remaining[number] -= 1
    return violates


def _running_count(flags: NDArray[np.bool_], index: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return, for each flag, the number of flags set in the same group so far, including itself."""
    total = np.cumsum(flags)
    starts = np.flatnonzero(np.diff(index, prepend=-1))
    before_group = np.where(starts > 0, total[starts - 1], 0)
    lengths = np.diff(np.append(starts, len(index)))
    counted: NDArray[np.int64] = total - np.repeat(before_group, lengths)
    return counted
