"""garbage-collector-controller (pkg/controller/garbagecollector): deletes the objects that a deleted object owned."""

from __future__ import annotations

from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because


def reconcile(deleted: tuple[str, str], api: Api) -> None:
    """Delete the dependents of a deleted object: `deleted` is its name in the trace and its uid."""
    label, uid = deleted
    cause = because("owner-deleted", owner=label)
    for kind, key in api.objects_owned_by(uid):
        if api.cluster.get(kind, key) is not None:
            api.delete(kind, key, cause)
    for pod, status in api.pods_owned_by(uid):
        if status.deletion_requested is None:
            api.delete_pod(pod, cause)
        if status.finalizer and api.pod(pod.key) is not None:  # its Job is gone (syncOrphanPod)
            api.remove_finalizer(pod)
