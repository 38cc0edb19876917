"""The controllers, in the order in which they take turns, and the changes to which each responds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, PersistentVolumeClaim, Pod, PodDisruptionBudget, Workload
from scheduler_core.apis.devices import DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from scheduler_core.cluster.cluster import key_of
from scheduler_core.controllers import (
    absent_owner,
    cronjob,
    daemonset,
    deployment,
    device_taint_eviction,
    disruption,
    ephemeral_volume,
    garbage_collector,
    job,
    node_lifecycle,
    persistent_volume_binder,
    pod_gc,
    podautoscaler,
    replicaset,
    resource_quota,
    resourceclaim,
    statefulset,
    taint_eviction,
    ttl_after_finished,
)
from scheduler_core.controllers.api import Api, Change

Key = Any  # of the object that is reconciled: mostly "namespace/name"
Wakes = Callable[[Change, Api], Iterable[Key]]
NO_DELAY = 0.0


class Controller(msgspec.Struct, frozen=True):
    """A controller. `wakes` returns the keys of the objects that it syncs after a change.

    `kind`: the kind of the objects, "" if its keys have another form. `batch`: the seconds after which changes of pods
    are handled together. `backoff`: the first wait in seconds after a refused write, and the longest, up to which it
    doubles. `at_once`: it responds to a change as soon as it is delivered.
    """

    name: str
    kind: str
    reconcile: Callable[[Any, Api], None]
    wakes: Wakes
    batch: float = NO_DELAY
    backoff: tuple[float, float] = (0.005, 1000.0)
    at_once: bool = False


def _of_kind(kind: str) -> Wakes:
    """Return a function that yields the keys of the objects of this kind that a change may concern.

    Those are the changed object itself, the owner of a changed pod, and the workloads that may adopt it.
    """

    def wakes(change: Change, api: Api) -> Iterable[Key]:
        if change.kind == kind and change.what != "deleted":
            yield change.object.key
        elif change.kind == "Pod":
            for pod in (change.object, change.old):
                if isinstance(pod, Pod) and pod.owner is not None and pod.owner.kind == kind:
                    key = f"{pod.namespace}/{pod.owner.name}"
                    if change.what != "bound" or (kind, key) in api.failing:  # a binding alone changes nothing
                        yield key
                elif isinstance(pod, Pod) and pod.owner is None and change.what in ("added", "updated"):
                    yield from (
                        owner.key
                        for owner in api.workloads(kind)
                        if owner.namespace == pod.namespace and owner.selector.matches(pod.labels)
                    )

    return wakes


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


def _of_daemon_sets(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Node" and change.what != "status":
        if api.is_starting:  # each DaemonSet is added itself
            return
        yield from (daemon_set.key for daemon_set in api.workloads("DaemonSet"))
    else:
        yield from _of_kind("DaemonSet")(change, api)


def _of_cron_jobs(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "CronJob" and change.what in ("added", "updated"):
        yield change.object.key
    elif change.kind == "Job" and change.object.owner is not None and change.object.owner.kind == "CronJob":
        yield f"{change.object.namespace}/{change.object.owner.name}"


def _of_autoscalers(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "HorizontalPodAutoscaler" and change.what in ("added", "updated"):
        yield change.object.key


def _of_finished_jobs(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Job" and change.what == "status":
        yield change.object.key


def _of_budgets(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "PodDisruptionBudget":
        if change.what != "deleted" and change.what != "status":
            yield key_of(change.object)
        return
    workloads = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
    if change.kind == "Pod" and change.what != "bound":
        for item in api.cluster.objects("PodDisruptionBudget"):
            assert isinstance(item, PodDisruptionBudget)
            pod: Pod = change.object
            if item.namespace == pod.namespace and item.controller_selector.matches(pod.labels):
                yield key_of(item)
    elif change.kind in workloads and change.what == "updated":
        yield from (key_of(item) for item in api.cluster.objects("PodDisruptionBudget"))


def _of_departed(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Pod" and change.what == "deleted" and api.has_absent_owner(change.object):
        yield change.object.key


def _of_nodes(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Node" and change.what != "deleted":
        yield change.object.name


def _of_tainted_pods(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Node" and isinstance(change.old, Node) and change.what == "updated":
        taints = [[t for t in node.taints if t.effect == "NoExecute"] for node in (change.old, change.object)]
        if taints[0] != taints[1]:
            yield from (pod.key for pod, _ in api.pods_on(change.object.name))
    elif change.kind == "Node" and change.what == "added":
        if any(taint.effect == "NoExecute" for taint in change.object.taints):
            yield from (pod.key for pod, _ in api.pods_on(change.object.name))
    elif change.kind == "Pod" and change.what in ("bound", "updated"):
        node = api.cluster.node(change.object.node_name)
        if node is not None and any(taint.effect == "NoExecute" for taint in node.taints):
            yield change.object.key


def _of_pods_with_devices(change: Change, api: Api) -> Iterable[Key]:
    """Yield the pods with devices that the change may concern."""
    item = change.object
    if isinstance(item, Pod):
        if change.what in ("added", "bound") and item.resource_claims:
            yield item.key
    elif isinstance(item, ResourceClaim):
        for claim in (item, change.old):
            if isinstance(claim, ResourceClaim):
                yield from device_taint_eviction.users(claim)
    elif isinstance(item, DeviceTaintRule | ResourceSlice) and not api.is_starting:  # then each claim is added itself
        for claim in api.cluster.objects("ResourceClaim"):
            assert isinstance(claim, ResourceClaim)
            if device_taint_eviction.may_concern(item, claim):
                yield from device_taint_eviction.users(claim)


def _of_lost_pods(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Node" and change.what == "deleted" and api.pods_on(change.object.name):
        yield "plan"
    elif change.kind == "Node" and change.what == "updated":
        if any(pod_gc.concerns(pod, api) for pod, _ in api.pods_on(change.object.name)):
            yield "plan"
    elif change.kind == "Pod" and change.what in ("added", "deletion"):
        exists = api.pod(change.object.key) is not None
        if exists and pod_gc.concerns(change.object, api):
            yield "plan"


def _of_quotas(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "ResourceQuota" and change.what in ("added", "updated"):
        yield change.object.key


def _of_claims(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "PersistentVolumeClaim" and change.what in ("added", "updated"):
        yield key_of(change.object)
    elif change.kind == "PersistentVolume" and change.what in ("added", "updated"):
        yield f"volume {change.object.name}"


def _of_bound_claims(change: Change, api: Api) -> Iterable[Key]:
    claim = change.object
    if isinstance(claim, PersistentVolumeClaim) and change.what != "deleted" and claim.bound:
        yield claim


def _of_ephemeral_volumes(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Pod" and change.what == "added" and any(volume.ephemeral for volume in change.object.volumes):
        yield change.object.key


def _of_resource_claims(change: Change, api: Api) -> Iterable[Key]:
    if change.kind == "Pod" and (change.what == "deleted" or change.object.resource_claims):
        yield change.object
    elif isinstance(change.object, ResourceClaimTemplate) and change.what == "added":  # pods may wait for it
        for pod in list(api.cluster.pods.all()):
            stored = api.cluster.pods.get(pod.key)
            if stored is not None and stored.resource_claims:
                yield stored
    elif isinstance(change.object, ResourceClaim) and api.is_starting:  # later, the changes of its pods suffice
        yield change.object


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
    Controller("statefulset-controller", "StatefulSet", statefulset.reconcile, _of_kind("StatefulSet")),
    Controller("daemonset-controller", "DaemonSet", daemonset.reconcile, _of_daemon_sets),
    Controller(
        "job-controller",
        "Job",
        job.reconcile,
        _of_kind("Job"),
        batch=1.0,
        backoff=(1.0, 60.0),
    ),
    Controller("cronjob-controller", "CronJob", cronjob.reconcile, _of_cron_jobs),
    Controller(
        "horizontal-pod-autoscaler-controller",
        "HorizontalPodAutoscaler",
        podautoscaler.reconcile,
        _of_autoscalers,
    ),
    Controller("ttl-after-finished-controller", "Job", ttl_after_finished.reconcile, _of_finished_jobs),
    Controller(absent_owner.NAME, "", absent_owner.reconcile, _of_departed),
    Controller("disruption-controller", "", disruption.reconcile, _of_budgets),
    Controller("node-lifecycle-controller", "", node_lifecycle.reconcile, _of_nodes),
    Controller("taint-eviction-controller", "", taint_eviction.reconcile, _of_tainted_pods),
    Controller("device-taint-eviction-controller", "", device_taint_eviction.reconcile, _of_pods_with_devices),
    Controller("pod-garbage-collector-controller", "", pod_gc.reconcile, _of_lost_pods),
    Controller("resourcequota-controller", "ResourceQuota", resource_quota.reconcile, _of_quotas),
    Controller("persistentvolume-binder-controller", "", persistent_volume_binder.reconcile, _of_claims),
    Controller(
        "persistentvolume-binder-controller", "", persistent_volume_binder.complete, _of_bound_claims, at_once=True
    ),
    Controller("resourceclaim-controller", "", resourceclaim.reconcile, _of_resource_claims, at_once=True),
    Controller("ephemeral-volume-controller", "", ephemeral_volume.reconcile, _of_ephemeral_volumes),
    Controller("garbage-collector-controller", "", garbage_collector.reconcile, _of_deletions),
)
