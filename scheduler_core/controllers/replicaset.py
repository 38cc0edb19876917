"""replicaset-controller and replicationcontroller-controller (pkg/controller/replicaset/replica_set.go)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from scheduler_core.apis.core import Workload
from scheduler_core.apis.workloads import ReplicaSetSpec
from scheduler_core.cluster.statuses import Condition
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import (
    Owned,
    in_order_of_deletion,
    is_active,
    is_available,
    is_terminating,
    next_available,
    pod_manifest,
    suffix,
)

BURST_REPLICAS = 500


def reconcile(replica_set: Workload, api: Api) -> None:
    """Create or delete pods until `spec.replicas` are active, then write the status (syncReplicaSet).

    Raises AdmissionRefused.
    """
    spec = replica_set.spec
    assert isinstance(spec, ReplicaSetSpec)
    api.claim_pods(replica_set)
    refused = manage_replicas(replica_set, spec, api)
    _write_status(replica_set, spec, refused, api)
    if refused:
        raise refused


def manage_replicas(replica_set: Workload, spec: ReplicaSetSpec, api: Api) -> AdmissionRefused | None:
    """Create missing pods or delete surplus ones, at most 500 at once. Return the API server's refusal; None without
    one.
    """
    active = [owned for owned in api.pods_of(replica_set) if is_active(*owned)]
    missing = spec.replicas - len(active)
    cause = because(
        "pods-missing" if missing > 0 else "pods-too-many",
        owner=api.label(replica_set),
        active=len(active),
        replicas=spec.replicas,
    )

    def create(_: int) -> None:
        name = f"{replica_set.name}-{suffix(f'{replica_set.uid}/{api.next_pod_number(replica_set)}', 5)}"
        api.create_pod(replica_set, pod_manifest(replica_set, spec.template, name), cause, template=spec.template)

    if missing > 0:
        return slow_start(min(missing, BURST_REPLICAS), create)
    surplus = min(-missing, BURST_REPLICAS)
    for pod, _ in _pods_to_delete(active, surplus, replica_set, api):
        api.delete_pod(pod, cause)
    return None


def slow_start(count: int, create: Callable[[int], Any]) -> AdmissionRefused | None:
    """Create in batches of 1, 2, 4, ... (slowStartBatch). Return None, or the refusal that ended the batches.

    A batch is created by goroutines, of which Go runs the last one first.
    """
    done, batch = 0, 1
    while done < count:
        refused: AdmissionRefused | None = None
        numbers = list(range(done, min(done + batch, count)))
        for number in (numbers[-1], *numbers[:-1]):
            try:
                create(number)
            except AdmissionRefused as error:
                refused = error
        if refused is not None:
            return refused
        done += len(numbers)
        batch *= 2
    return None


def _pods_to_delete(active: Sequence[Owned], surplus: int, replica_set: Workload, api: Api) -> Sequence[Owned]:
    if surplus <= 0:
        return ()
    if surplus == len(active):
        return active
    related = Counter(
        pod.node_name
        for other in _related(replica_set, api)
        for pod, status in api.pods_of(other)
        if is_active(pod, status) and pod.node_name
    )
    return in_order_of_deletion(active, related, api.now)[:surplus]


def _related(replica_set: Workload, api: Api) -> list[Workload]:
    """Return all ReplicaSets of the same owner (getPodsRankedByRelatedPodsOnSameNode)."""
    if replica_set.owner is None:
        return [replica_set]
    return api.owned(replica_set.owner.uid, replica_set.kind) or [replica_set]


def _write_status(replica_set: Workload, spec: ReplicaSetSpec, refused: AdmissionRefused | None, api: Api) -> None:
    """Write the status (calculateStatus), and sync again when the next pod becomes available."""
    pods = api.pods_of(replica_set)
    active = [status for pod, status in pods if is_active(pod, status)]
    numbers = {
        "replicas": len(active),
        "readyReplicas": sum(status.ready for status in active),
        "availableReplicas": sum(is_available(status, spec.min_ready_seconds, api.now) for status in active),
    }
    if api.release.rules.terminating_replicas_are_counted:
        numbers["terminatingReplicas"] = sum(is_terminating(*owned) for owned in pods)
    old = api.workload_status(replica_set)
    failure = old.condition("ReplicaFailure")
    if refused is not None and failure is None:
        failure = Condition("ReplicaFailure", "True", "FailedCreate", str(refused), api.second, api.second)
    elif refused is None:
        failure = None
    api.write_status(replica_set, numbers, () if failure is None else (failure,))
    seconds = next_available(active, spec.min_ready_seconds, api.now)
    if seconds is not None:
        api.later(seconds, replica_set.key)
