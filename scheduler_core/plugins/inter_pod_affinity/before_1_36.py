"""InterPodAffinity's hint before Kubernetes 1.36 (`inter_pod_affinity_hint_sees_both_sides`)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import QueueingHint
from scheduler_core.plugins.inter_pod_affinity.hints import pod_change_may_help


def after_pod_change_before_1_36(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Only pods on nodes count, and the waiting pod's own terms alone are asked.

    That an existing pod's anti-affinity kept it out wakes it only if its own anti-affinity matches that one as well.
    """
    if any(other is not None and not other.node_name for other in (new, old)):
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if pod_change_may_help(pod, old, new) else QueueingHint.SKIP
