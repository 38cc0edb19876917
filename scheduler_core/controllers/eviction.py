"""The Eviction API (registry/core/pod/storage/eviction.go) and `kubectl drain`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from scheduler_core.apis.core import Pod, PodDisruptionBudget, PodKey
from scheduler_core.cluster.cluster import key_of
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.disruption import SYNC_FAILED, budgets_of, disrupted_pods, write
from scheduler_core.controllers.kubelet_admission import MIRROR
from scheduler_core.trace.controller_events import EvictionAnswered
from scheduler_core.trace.records import Because

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
CREATED, TOO_MANY, SERVER_ERROR = 201, 429, 500
MESSAGES: Mapping[int, str] = {
    TOO_MANY: VIOLATES,
    SERVER_ERROR: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
}
CONFLICT_SECONDS = 0.5  # evictions that write one budget at the same moment are tried again
DRAIN_RETRY_SECONDS = 5.0
NO_CONTROLLER = "cannot delete Pods that declare no controller (use --force to override)"
Later = Callable[[float, Callable[[], None]], None]


class _Answer(NamedTuple):
    code: int
    message: str = ""
    causes: Sequence[str] = ()


def evict(pod: Pod, api: Api, by: str = "", because_of: Because | None = None, *, grace: float | None = None) -> int:
    """Evict a pod if its budget allows it. Return the HTTP status code of the API server.

    `by`: the actor; `because_of`: the cause; `grace`: the grace period in seconds, if it is not the pod's own.
    """
    answer = _answer_to(pod, api)
    api.emit(EvictionAnswered(pod.key, answer.code, by or api.actor, answer.message, list(answer.causes)))
    if answer.code == CREATED and api.status(pod).deletion_requested is None:
        api.set_disruption_target(pod, "EvictionByEvictionAPI")
        api.delete_pod(pod, because_of or because("evicted"), by=by, grace=grace)
    return answer.code


def _answer_to(pod: Pod, api: Api) -> _Answer:
    """Return the response to an eviction, and use up one of the disruptions that the budget allows."""
    budgets = _budgets_to_ask(pod, api)
    if len(budgets) > 1:
        return _Answer(SERVER_ERROR, MESSAGES[SERVER_ERROR])
    if not budgets:
        return _Answer(CREATED)
    budget = budgets[0]
    numbers = api.workload_status(budget)
    healthy, desired = numbers.number("currentHealthy"), numbers.number("desiredHealthy")
    if _evicts_unhealthy(budget, pod, api):
        return _Answer(CREATED)
    if _allowed(budget, api) <= 0:
        condition = numbers.condition("DisruptionAllowed")
        if condition is not None and condition.reason == SYNC_FAILED:
            why = f"because it failed sync: {condition.message}"
            return _Answer(
                TOO_MANY,
                VIOLATES,
                [f"The disruption budget {budget.name} does not allow evicting pods currently {why}"],
            )
        needs = f"The disruption budget {budget.name} needs {desired} healthy pods and has {healthy} currently"
        other = f"The disruption budget {budget.name} does not allow evicting pods currently"
        return _Answer(TOO_MANY, VIOLATES, [needs if healthy <= desired else other])
    _decrement(budget, pod, api)
    return _Answer(CREATED)


def writes_budget(pod: Pod, api: Api) -> bool:
    """Return whether an eviction of the pod would write the status of a budget."""
    budgets = _budgets_to_ask(pod, api)
    return len(budgets) == 1 and not _evicts_unhealthy(budgets[0], pod, api) and _allowed(budgets[0], api) > 0


def _budgets_to_ask(pod: Pod, api: Api) -> Sequence[PodDisruptionBudget]:
    """Return the budgets of the pod; none if it is evicted in any case (canIgnorePDB)."""
    status = api.status(pod)
    if status.phase != "Running" or status.deletion_requested is not None:
        return ()
    return budgets_of(pod, api)


def _evicts_unhealthy(budget: PodDisruptionBudget, pod: Pod, api: Api) -> bool:
    """Return whether the pod is evicted because it is not ready, without one of the allowed disruptions."""
    if api.status(pod).ready:
        return False
    if budget.evicts_unhealthy and api.release.rules.budgets_say_when_unhealthy_pods_go:
        return True
    numbers = api.workload_status(budget)
    return numbers.number("currentHealthy") >= numbers.number("desiredHealthy") > 0


def _allowed(budget: PodDisruptionBudget, api: Api) -> int:
    return api.workload_status(budget).number("disruptionsAllowed")


def _decrement(budget: PodDisruptionBudget, pod: Pod, api: Api) -> None:
    """Use up one of the allowed disruptions (checkAndDecrement)."""
    disrupted_pods(api).setdefault(key_of(budget), {})[pod.key] = api.now
    status = api.workload_status(budget)
    healthy, desired = status.number("currentHealthy"), status.number("desiredHealthy")
    allowed, expected = status.number("disruptionsAllowed") - 1, status.number("expectedPods")
    was_healthy = api.status(pod).ready and healthy > desired
    write(budget, healthy - was_healthy, desired, expected, api, allowed=allowed)


class Drain:
    """`kubectl drain` of a node: its pods are evicted at once; refused evictions are retried every 5 s.

    `force`: pods without a controller are evicted too. Without it, kubectl refuses to drain; here these pods stay.
    """

    def __init__(self, node_name: str, api: Api, later: Later, retry_later: Later, *, force: bool = True) -> None:
        self._node_name, self._api, self._later, self._retry_later = node_name, api, later, retry_later
        self._force = force

    def start(self) -> list[PodKey]:
        """Evict all pods except those of DaemonSets and mirror pods; return those that stay as they have no controller.

        The evictions begin at the same time. Those that write the same budget collide: the second sees the new status,
        later ones are retried.
        """
        pods = [pod for pod, _ in self._api.pods_on(self._node_name) if not stays_in_drain(pod)]
        kept = [] if self._force else [pod.key for pod in pods if not self._api.is_controlled(pod)]
        pods = [pod for pod in pods if pod.key not in kept]
        writers = [pod.key for pod in pods if writes_budget(pod, self._api)]
        late = {key: CONFLICT_SECONDS * number for number, key in enumerate(writers[2:], start=1)}
        for pod in pods:
            if pod.key in late:
                self._later(late[pod.key], partial(self._evict, pod))
            else:
                self._evict(pod)
        return kept

    def _evict(self, pod: Pod) -> None:
        stored = self._api.pod(pod.key)
        if stored is None or stored.uid != pod.uid or self._api.status(stored).deletion_requested is not None:
            return
        if evict(stored, self._api, "kubectl drain") == TOO_MANY:
            self._retry_later(DRAIN_RETRY_SECONDS, partial(self._evict, pod))


def stays_in_drain(pod: Pod) -> bool:
    """Return whether a drain ignores the pod: one of a DaemonSet, or a mirror pod (drain/filters.go)."""
    return MIRROR in pod.annotations or (pod.owner is not None and pod.owner.kind in ("DaemonSet", "Node"))
