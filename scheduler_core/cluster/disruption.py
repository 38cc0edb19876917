"""The simulated disruption controller: status.disruptionsAllowed of every PodDisruptionBudget.

kube-controller-manager: pkg/controller/disruption. Both bound and pending pods count; bound ones that are ready and not
terminating are healthy. A budget whose document states the number keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import msgspec

from scheduler_core.apis.core import Pod, PodDisruptionBudget
from scheduler_core.cluster.cluster import Cluster, key_of


def disruptions_allowed(cluster: Cluster) -> Mapping[str, int]:
    """Return the disruptions that each budget allows now, by "namespace/name"; as its controller says, if one runs."""
    if cluster.statuses.allowed_disruptions is not None:
        return cluster.statuses.allowed_disruptions()
    budgets = [cast(PodDisruptionBudget, item) for item in cluster.objects("PodDisruptionBudget")]
    return {key_of(budget): count_healthy(budget, cluster).allowed for budget in budgets}


class Counted(msgspec.Struct, frozen=True):
    """The number of allowed disruptions, and those of the `expected` pods, of the `healthy` and of the `desired` ones.

    The last three are 0 if the document of the budget states the allowed disruptions, or the budget has no rule.
    """

    allowed: int
    expected: int = 0
    healthy: int = 0
    desired: int = 0


def count_healthy(budget: PodDisruptionBudget, cluster: Cluster) -> Counted:
    """Return the number of disruptions that a budget allows, and the numbers from which it is computed."""
    if budget.disruptions_allowed is not None or not budget.has_rule:
        return Counted(budget.disruptions_allowed or 0)
    pods = [pod for pod in cluster.pods.all() if _covers(budget, pod)]
    healthy = sum(bool(pod.node_name) and pod.ready and not pod.terminating for pod in pods)
    desired = _desired_healthy(budget, len(pods))
    return Counted(max(0, healthy - desired) if pods else 0, len(pods), healthy, desired)


def _covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return pod.namespace == budget.namespace and budget.controller_selector.matches(pod.labels)


def _desired_healthy(budget: PodDisruptionBudget, expected: int) -> int:
    """Return the number of healthy pods that must remain; percentages of the expected pods are rounded up."""
    if budget.max_unavailable is not None:
        return max(0, expected - _scaled_value(budget.max_unavailable, expected))
    assert budget.min_available is not None
    return _scaled_value(budget.min_available, expected)


def _scaled_value(value: int | str, expected: int) -> int:
    """Return the number, or the percentage of the expected pods, rounded up (GetScaledValueFromIntOrPercent)."""
    return value if isinstance(value, int) else -(-int(value.rstrip("%")) * expected // 100)
