"""Pods as controllers see them: active, ready, available; the order in which they are deleted; pods of a template.

kube-controller-manager: pkg/controller/controller_utils.go, pkg/api/v1/pod/util.go.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.cluster.statuses import PodStatus

Manifest = Mapping[str, Any]
Owned = tuple[Pod, PodStatus]

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
SAFE_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # the characters of kube-apiserver's random names


def is_active(pod: Pod, status: PodStatus) -> bool:
    """Return whether the pod is neither terminating nor finished (IsPodActive)."""
    return status.phase not in ("Succeeded", "Failed") and status.deletion_requested is None


def is_terminating(pod: Pod, status: PodStatus) -> bool:
    """Return whether the pod is being deleted and has not finished (IsPodTerminating)."""
    return status.phase not in ("Succeeded", "Failed") and status.deletion_requested is not None


def is_available(status: PodStatus, min_ready_seconds: int, now: float) -> bool:
    """Return whether the pod has been ready for `min_ready_seconds` (IsPodAvailable)."""
    return status.ready and (min_ready_seconds == 0 or status.ready_since + min_ready_seconds <= now)


def next_available(statuses: Iterable[PodStatus], min_ready_seconds: int, now: float) -> float | None:
    """Return the seconds until the next ready pod becomes available; None if there is none."""
    if not min_ready_seconds:
        return None
    times = [status.ready_since + min_ready_seconds for status in statuses if status.ready]
    return min((time - now for time in times if time > now), default=None)


def deletion_cost(pod: Pod) -> int:
    """Return the pod's deletion cost (GetDeletionCostFromPodAnnotations); 0 without one that is a 32-bit integer."""
    text = pod.annotations.get(DELETION_COST, "")
    cost = parse_int64(text) if text == "0" or text[:1] not in ("+", "0") else None
    return cost if cost is not None and -(2**31) <= cost < 2**31 else 0


def in_order_of_deletion(
    pods: Sequence[Owned], related_on_node: Mapping[str, int], now: float, *, by_cost: bool = True, log: bool = True
) -> list[Owned]:
    """Return the pods in the order in which they are deleted (ActivePodsWithRanks.Less).

    `related_on_node`: the number of active pods of the same owners by node. Of otherwise equal pods, the latest one is
    deleted first; kube-controller-manager compares their uids, which are random. `log`: ages are compared by powers of
    two (LogarithmicScaleDown).
    """

    def age(since: float) -> float:
        seconds = max(now - since, 0.0)
        if not log:
            return seconds
        return float(math.floor(math.log2(seconds * 1e9))) if seconds > 0 else -1.0

    def key(owned: Owned) -> tuple[Any, ...]:
        pod, status = owned
        return (
            bool(pod.node_name),
            ("Pending", "Unknown", "Running").index(status.phase),
            status.ready,
            deletion_cost(pod) if by_cost else 0,
            -related_on_node.get(pod.node_name, 0) if pod.node_name else 0,
            age(status.ready_since) if status.ready else 0.0,
            -status.restarts,
            age(pod.creation_timestamp),
            -status.number,
        )

    return sorted(pods, key=key)


def in_order_of_deletion_of_jobs(pods: Sequence[Owned]) -> list[Owned]:
    """Return the pods of a Job in the order in which they are deleted (ActivePods.Less)."""

    def key(owned: Owned) -> tuple[Any, ...]:
        pod, status = owned
        return (
            bool(pod.node_name),
            status.phase == "Running",
            status.ready,
            -status.ready_since if status.ready else 0.0,
            -status.restarts,
            -pod.creation_timestamp,
            status.number,  # sort.Sort leaves equal pods in any order; here the earliest is deleted first
        )

    return sorted(pods, key=key)


def template_hash(template: Manifest, collisions: int = 0) -> str:
    """Return a hash of a template as in the names of ReplicaSets; the same template gives the same hash."""
    text = json.dumps(template, sort_keys=True, default=str) + (str(collisions) if collisions else "")
    return suffix(text, 10)


def suffix(text: str, length: int) -> str:
    """Return a suffix like the API server's random ones; the same text always gets the same one."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return "".join(SAFE_ALPHABET[byte % len(SAFE_ALPHABET)] for byte in digest[:length])


def owner_reference(owner: Workload) -> dict[str, Any]:
    """Return the reference to an object's controller."""
    return {
        "apiVersion": owner.manifest.get("apiVersion") or "apps/v1",
        "kind": owner.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
    }


def pod_manifest(
    owner: Workload,
    template: Manifest,
    name: str,
    *,
    labels: Manifest | None = None,
    annotations: Manifest | None = None,
) -> dict[str, Any]:
    """Return the manifest of a pod from a template, owned by its controller (GetPodFromTemplate)."""
    given = template.get("metadata") or {}
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": owner.namespace,
        "ownerReferences": [owner_reference(owner)],
    }
    if all_labels := {**(given.get("labels") or {}), **(labels or {})}:
        metadata["labels"] = all_labels
    if all_annotations := {**(given.get("annotations") or {}), **(annotations or {})}:
        metadata["annotations"] = all_annotations
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}
