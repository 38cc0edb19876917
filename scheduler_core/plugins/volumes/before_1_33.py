"""What wakes a pod that NodeVolumeLimits rejected, before 1.33: not a CSINode that allows more (csi.go)."""

from __future__ import annotations

from scheduler_core.framework.cluster_event import Action, ClusterEvent, RegisteredEvent
from scheduler_core.plugins.volumes.hints import after_attaching_pod_deleted, after_own_claim

EVENTS = (
    RegisteredEvent(ClusterEvent("storage.k8s.io/CSINode", Action.ADD)),
    RegisteredEvent(ClusterEvent("Pod", Action.DELETE), after_attaching_pod_deleted),
    RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD), after_own_claim),
    RegisteredEvent(ClusterEvent("storage.k8s.io/VolumeAttachment", Action.DELETE)),
)
