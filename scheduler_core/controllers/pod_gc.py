"""pod-garbage-collector-controller (pkg/controller/podgc/gc_controller.go): removes pods that no kubelet will ever
remove.

It runs every 20 s. The real passes have no fixed phase; here they are 15 s after the multiples of 20 s.
"""

from __future__ import annotations

import math

from scheduler_core.apis.core import Pod
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.node_lifecycle import OUT_OF_SERVICE
from scheduler_core.controllers.pods import Owned

PERIOD, PHASE = 20.0, 15.0
QUARANTINE_SECONDS = 40.0


def reconcile(key: str, api: Api) -> None:
    """Remove orphaned pods, pods on nodes out of service, and terminating pods without a node (gc).

    The key "plan" only plans the next pass.
    """
    known: dict[str, float] = api.memory.setdefault("podgc", {})  # nodes that do not exist, and since when
    if key == "plan":
        _plan(api)
        return
    nodes = {node.name for node in api.cluster.all_nodes()}
    orphans: dict[str, list[Owned]] = {}
    again = False
    for pod in list(api.pods()):
        status = api.status(pod)
        if pod.node_name and pod.node_name not in nodes:
            orphans.setdefault(pod.node_name, []).append((pod, status))
        elif status.deletion_requested is not None and not pod.node_name:
            _remove(pod, api, "unscheduled", "")
        elif status.deletion_requested is not None and _is_out_of_service(pod, api):
            _remove(pod, api, "out-of-service", pod.node_name)
    for name in [name for name in known if name not in orphans]:
        del known[name]
    for name, pods in orphans.items():
        since = known.setdefault(name, api.now)
        if api.now - since < QUARANTINE_SECONDS - 1e-9:
            again = True
            continue
        for pod, _ in pods:
            _remove(pod, api, "node-gone", name)
    if again:
        _plan(api)


def concerns(pod: Pod, api: Api) -> bool:
    """Return whether this controller may have to remove the pod."""
    if pod.node_name and api.cluster.node(pod.node_name) is None:
        return True
    status = api.status(pod)
    return status.deletion_requested is not None and (not pod.node_name or _is_out_of_service(pod, api))


def _plan(api: Api) -> None:
    passes = math.floor(round((api.now - PHASE) / PERIOD, 6)) + 1
    api.later(passes * PERIOD + PHASE - api.now, "")


def _is_out_of_service(pod: Pod, api: Api) -> bool:
    node = api.cluster.node(pod.node_name)
    if node is None or api.node_status(node.name).ready == "True":
        return False
    return any(taint.key == OUT_OF_SERVICE for taint in node.taints)


def _remove(pod: Pod, api: Api, cause: str, node_name: str) -> None:
    """Mark a pod as failed and delete it immediately (markFailedAndDeletePod)."""
    stored = pod
    if api.status(pod).phase not in ("Succeeded", "Failed"):
        api.finish_pod(pod, "Failed", by=api.actor)
        stored = api.statuses.finished[pod.key]
        if cause == "node-gone":
            api.set_disruption_target(stored, "DeletionByPodGC")
    why = because(cause, node=node_name) if node_name else because(cause)
    api.delete_pod(stored, why, grace=0.0)
