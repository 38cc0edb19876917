"""disruption-controller (pkg/controller/disruption/disruption.go): the status of PodDisruptionBudgets."""

from __future__ import annotations

from typing import Any

from scheduler_core.apis.core import Pod, PodDisruptionBudget
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.apis.workloads import scaled
from scheduler_core.cluster.cluster import key_of
from scheduler_core.cluster.statuses import Condition
from scheduler_core.controllers.api import Api, size_of
from scheduler_core.controllers.pods import Owned

FORGOTTEN_AFTER = 120.0  # DeletionTimeout: an eviction that deleted no pod no longer counts
SYNC_FAILED = "SyncFailed"
MANAGER = "controllermanager"  # the source of the events
UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of "
    "the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please "
    'set ".spec.minAvailable" field of the PDB to an integer value.'
)
WITHOUT_SCALE = {"DaemonSet": "daemonsets.apps", "Job": "jobs.batch"}  # kinds without the scale subresource


class NoScale(Exception):
    """The owner of a pod has no scale, so that the expected pods cannot be counted; the text is the reason."""


def reconcile(key: str, api: Api) -> None:
    """Write the status of a budget (trySync, updatePdbStatus).

    A status from the scenario is kept until one of the pods changes.
    """
    budget = api.cluster.get("PodDisruptionBudget", key)
    if not isinstance(budget, PodDisruptionBudget):
        return
    pods = api.selected(budget.namespace, budget.controller_selector)
    if not pods:
        api.record(budget, "NoPods", "No matching pods found", source=MANAGER)
    try:
        expected, desired = _expected_and_desired(budget, pods, api)
    except NoScale as error:
        message = f"Failed to calculate the number of expected pods: {error}"
        api.record(budget, "CalculateExpectedPodCountFailed", message, "Warning", MANAGER)
        _fail_safe(budget, str(error), api)
        return
    if _is_relative(budget) and any(pod.owner is None for pod, _ in pods):
        api.record(budget, "UnmanagedPods", UNMANAGED.format(go_text(budget.controller_selector)), "Warning", MANAGER)
    disrupted = _disrupted(budget, pods, api)
    healthy = sum(
        status.ready and status.deletion_requested is None and pod.key not in disrupted for pod, status in pods
    )
    if api.is_starting and budget.disruptions_allowed is not None:
        healthy = healthy if budget.current_healthy is None else budget.current_healthy
        desired = desired if budget.desired_healthy is None else budget.desired_healthy
        write(budget, healthy, desired, expected, api, allowed=budget.disruptions_allowed)
    else:
        write(budget, healthy, desired, expected, api)


def write(
    budget: PodDisruptionBudget, healthy: int, desired: int, expected: int, api: Api, *, allowed: int | None = None
) -> None:
    """Write a status. `allowed` None: the number of healthy pods beyond the desired ones can be disrupted."""
    if allowed is None:
        allowed = max(healthy - desired, 0) if expected > 0 else 0
    reason = "SufficientPods" if allowed > 0 else "InsufficientPods"
    old = api.workload_status(budget).condition("DisruptionAllowed")
    status = "True" if allowed > 0 else "False"
    changed = old.changed if old is not None and old.status == status else api.second
    condition = Condition("DisruptionAllowed", status, reason, "", changed, changed)
    numbers: dict[str, int | str] = {
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "disruptionsAllowed": allowed,
    }
    if disrupted := disrupted_pods(api).get(key_of(budget)):
        numbers["disruptedPods"] = " ".join(api.statuses.pods[key].called for key in disrupted)
    api.write_status(budget, numbers, (condition,))


def _fail_safe(budget: PodDisruptionBudget, message: str, api: Api) -> None:
    """Allow no disruption, since the expected number of pods is unknown (failSafe)."""
    status = api.workload_status(budget)
    old = status.condition("DisruptionAllowed")
    changed = old.changed if old is not None and old.status == "False" else api.second
    condition = Condition("DisruptionAllowed", "False", SYNC_FAILED, message, changed, changed)
    api.write_status(budget, {**status.numbers, "disruptionsAllowed": 0}, (condition,))


def disrupted_pods(api: Api) -> dict[str, dict[str, float]]:
    """Return `status.disruptedPods` of each budget: the pods whose eviction was granted, with the times."""
    known: dict[str, dict[str, float]] = api.memory.setdefault("disruption", {})
    return known


def _expected_and_desired(budget: PodDisruptionBudget, pods: list[Owned], api: Api) -> tuple[int, int]:
    """Return the expected number of pods and the number that must be healthy (getExpectedPodCount).

    Percentages are rounded up. Without minAvailable and maxUnavailable, no pod is expected, so that no disruption is
    allowed. Raises NoScale.
    """
    if budget.max_unavailable is not None:
        expected = expected_scale(pods, api)
        return expected, max(expected - scaled(budget.max_unavailable, expected, up=True), 0)
    if budget.min_available is None:
        return 0, 0
    if isinstance(budget.min_available, int):
        return len(pods), budget.min_available
    expected = expected_scale(pods, api)
    return expected, scaled(budget.min_available, expected, up=True)


def _is_relative(budget: PodDisruptionBudget) -> bool:
    """Return whether the expected number of pods is that of their controllers."""
    return budget.max_unavailable is not None or isinstance(budget.min_available, str)


def expected_scale(pods: list[Owned], api: Api) -> int:
    """Return the sum of the scales of the pods' controllers (getExpectedScale).

    A controller that is not in the scenario counts with its existing pods. Raises NoScale.
    """
    sizes: dict[str, int] = {}
    absent = 0
    for pod, _ in pods:
        if pod.owner is not None and pod.owner.kind in WITHOUT_SCALE:
            raise NoScale(f"{WITHOUT_SCALE[pod.owner.kind]} does not implement the scale subresource")
        if api.has_absent_owner(pod):
            absent += 1
            continue
        if pod.owner is None:
            continue
        owner = api.workload(pod.owner.kind, f"{pod.namespace}/{pod.owner.name}")
        if owner is not None and owner.owner is not None:
            owner = api.workload(owner.owner.kind, f"{pod.namespace}/{owner.owner.name}") or owner
        if owner is not None and owner.uid not in sizes:
            sizes[owner.uid] = size_of(owner) or 0
    return sum(sizes.values()) + absent


def go_text(selector: LabelSelector) -> str:
    """Return a selector as Go prints a LabelSelector.

    A requirement of one value is printed as one of the labels, even if it was written as an expression.
    """
    labels, expressions = "", ""
    for entry in selector.requirements:
        if entry.operator == "In" and len(entry.values) == 1:
            labels += f"{entry.key}: {entry.values[0]},"
        else:
            values = " ".join(entry.values)
            expressions += f"LabelSelectorRequirement{{Key:{entry.key},Operator:{entry.operator},Values:[{values}],}},"
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


def _disrupted(budget: PodDisruptionBudget, pods: list[Owned], api: Api) -> dict[str, float]:
    """Return the time of each granted eviction whose pod is not being deleted yet (buildDisruptedPodMap).

    A grant is forgotten after FORGOTTEN_AFTER seconds; the budget is synced again when the next one expires.
    """
    granted = disrupted_pods(api).get(key_of(budget), {})
    staying = {pod.key for pod, status in pods if status.deletion_requested is None}
    remaining = {key: at for key, at in granted.items() if key in staying and at + FORGOTTEN_AFTER > api.now}
    disrupted_pods(api)[key_of(budget)] = remaining
    if remaining:
        api.later(min(remaining.values()) + FORGOTTEN_AFTER - api.now, key_of(budget))
    return remaining


def budgets_of(pod: Pod, api: Api) -> list[PodDisruptionBudget]:
    """Return the budgets that select a pod; an empty selector selects none."""
    budgets: list[Any] = []
    for item in api.cluster.objects("PodDisruptionBudget"):
        if isinstance(item, PodDisruptionBudget) and item.namespace == pod.namespace:
            selector = item.controller_selector
            if not selector.empty and selector.matches(pod.labels):
                budgets.append(item)
    return budgets
