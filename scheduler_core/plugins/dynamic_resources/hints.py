"""Queueing hints for changes of claims and of the pod (dynamicresources.go: isSchedulableAfter...)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.apis.devices import ResourceClaim
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.cluster_event import HintFunction, QueueingHint
from scheduler_core.plugins.dynamic_resources.claims import ClaimError, claim_error, claims_of


def after_claim_change(cluster: Cluster) -> HintFunction:
    """Return the hint function for an added or updated claim."""

    def hint(pod: Pod, old: ResourceClaim | None, new: ResourceClaim) -> QueueingHint:
        try:
            uses = any(claim.uid == new.uid for claim in claims_of(pod, cluster))
        except ClaimError:
            return QueueingHint.SKIP
        if old is not None and old.allocation is not None and new.allocation is None:
            return QueueingHint.QUEUE  # its devices are available again
        if not uses:
            return QueueingHint.SKIP
        unchanged = old is not None and _status(old) == _status(new)
        return QueueingHint.SKIP if unchanged else QueueingHint.QUEUE

    return hint


def after_pod_change(cluster: Cluster) -> HintFunction:
    """Return the hint function for a pod that got the names of its generated claims."""

    def hint(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
        if new.uid != pod.uid or claim_error(new, cluster):
            return QueueingHint.SKIP
        return QueueingHint.QUEUE

    return hint


def _status(claim: ResourceClaim) -> tuple[object, ...]:
    return claim.allocation, claim.reserved_for, claim.devices
