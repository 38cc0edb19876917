"""taint-eviction-controller (pkg/controller/tainteviction/taint_eviction.go): NoExecute taints, tolerationSeconds."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Pod
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.plugins.taint_toleration.rule import tolerates

Planned = dict[str, tuple[str, float, float]]  # by pod: uid, since when, and when it is deleted


def reconcile(key: str, api: Api) -> None:
    """Plan, cancel or carry out the deletion of a pod (processPodOnNode)."""
    pod, planned = api.pod(key), _planned(api)
    if pod is None or (key in planned and planned[key][0] != pod.uid):
        planned.pop(key, None)
    if pod is None or not pod.node_name or api.status(pod).phase in ("Succeeded", "Failed"):
        return
    node = api.cluster.node(pod.node_name)
    taints = [taint for taint in node.taints if taint.effect == "NoExecute"] if node else []
    if not taints:
        _cancel(pod, api)
        return
    seconds = tolerated_seconds(taints, pod)
    if seconds is None:
        _cancel(pod, api)
    elif seconds == 0 or (key in planned and planned[key][2] <= api.now + 1e-9):
        _delete(pod, api)
    elif key not in planned:
        planned[key] = (pod.uid, api.now, api.now + seconds)
        api.later(seconds, key)


def tolerated_seconds(taints: Sequence[Taint], pod: Pod) -> float | None:
    """Return the seconds for which all taints are tolerated: 0 if one is not tolerated, None if forever.

    The first matching toleration of each taint counts (GetMatchingTolerations, GetMinTolerationTime).
    """
    entries = (pod.manifest.get("spec") or {}).get("tolerations") or ()
    seconds = [entry.get("tolerationSeconds") for entry in entries]
    shortest: float | None = None
    for taint in taints:
        matching = (i for i, toleration in enumerate(pod.tolerations) if tolerates((toleration,), taint))
        first = next(matching, None)
        if first is None:
            return 0.0
        limit = seconds[first] if first < len(seconds) else None
        if limit is not None:
            shortest = max(float(limit), 0.0) if shortest is None else min(shortest, max(float(limit), 0.0))
    return shortest


def _planned(api: Api) -> Planned:
    known: Planned = api.memory.setdefault("taint-eviction", {})
    return known


def _cancel(pod: Pod, api: Api) -> None:
    if _planned(api).pop(pod.key, None) is not None:
        called = api.status(pod).called
        api.record(pod, "TaintManagerEviction", f"Cancelling deletion of Pod {pod.namespace}/{called}")


def _delete(pod: Pod, api: Api) -> None:
    _planned(api).pop(pod.key, None)
    if api.status(pod).deletion_requested is not None:
        return
    called = api.status(pod).called
    api.record(pod, "TaintManagerEviction", f"Marking for deletion Pod {pod.namespace}/{called}")
    api.set_disruption_target(pod, "DeletionByTaintManager")
    api.delete_pod(pod, because("no-execute", node=pod.node_name))
