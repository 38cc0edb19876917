"""The controllers, in the order in which they take turns, and what wakes each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, Pod, Workload
from scheduler_core.controllers import deployment, garbage_collector, replicaset
from scheduler_core.controllers.api import Api, Change

Key = Any  # of the object that is reconciled: mostly "namespace/name"
Wakes = Callable[[Change, Api], Iterable[Key]]
NO_DELAY = 0.0


class Controller(msgspec.Struct, frozen=True):
    """A controller. `wakes` returns the keys of the objects that a change concerns.

    `kind`: that of the objects, "" if it is told keys of another form. `batch`: changes of pods are answered so many
    seconds later, together. `backoff`: the first wait after a refused write, which doubles to the second number.
    """

    name: str
    kind: str
    reconcile: Callable[[Any, Api], None]
    wakes: Wakes
    batch: float = NO_DELAY
    backoff: tuple[float, float] = (0.005, 1000.0)


def _of_kind(kind: str) -> Wakes:
    """Wake the object itself, and the owner of a pod."""

    def wakes(change: Change, api: Api) -> Iterable[Key]:
        if change.kind == kind and change.what != "deleted":
            yield change.object.key
        elif change.kind == "Pod" and _concerns_owners(change):
            for pod in (change.object, change.old):
                if isinstance(pod, Pod) and pod.owner is not None and pod.owner.kind == kind:
                    yield f"{pod.namespace}/{pod.owner.name}"

    return wakes


def _concerns_owners(change: Change) -> bool:
    return change.what != "bound"


def _of_deployments(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Deployment" and change.what in ("added", "updated", "status"):
        yield change.object.key
    elif change.kind == "ReplicaSet" and change.object.owner is not None:
        yield f"{change.object.namespace}/{change.object.owner.name}"
    elif change.kind == "Pod" and change.what in ("deleted", "finished"):
        pod: Pod = change.object
        if pod.owner is not None and pod.owner.kind == "ReplicaSet":
            replica_set = api.workload("ReplicaSet", f"{pod.namespace}/{pod.owner.name}")
            if replica_set is not None and replica_set.owner is not None:
                yield f"{pod.namespace}/{replica_set.owner.name}"


def _of_deletions(change: Change, api: Api) -> Iterable[Key]:
    if change.what == "deleted" and isinstance(change.object, Pod | Workload | Node):
        item = change.object
        kind = item.kind if isinstance(item, Workload) else type(item).__name__
        yield f"{kind} {item.name}", item.uid


CONTROLLERS: tuple[Controller, ...] = (
    Controller("deployment-controller", "Deployment", deployment.reconcile, _of_deployments),
    Controller("replicaset-controller", "ReplicaSet", replicaset.reconcile, _of_kind("ReplicaSet")),
    Controller(
        "replicationcontroller-controller",
        "ReplicationController",
        replicaset.reconcile,
        _of_kind("ReplicationController"),
    ),
    Controller("garbage-collector-controller", "", garbage_collector.reconcile, _of_deletions),
)
