"""Kubernetes 1.31 (recorded: 1.31.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_32 import V1_32

V1_31 = V1_32.derive(
    "1.31.1",
    recorded={"public": 344, "classic": 20},
    rules=replace(
        V1_32.rules,
        jobs_may_not_be_more_ready_than_active=False,
        node_monitor_grace_seconds=40,
        event_handlers_check_pods=True,
        events_match_when_covered=False,
        deleted_nodes_wake_pods=False,
        nodes_excluded_by_pre_filter="unreported",
        volume_limits_count_attachments=False,
        volume_binding_narrows_to_local_volumes=True,
        pods_on_nodes_count_sidecars=False,
        victims_are_sorted_again=False,
    ),
    gates={
        "PodLevelResources": None,
        "SchedulerAsyncPreemption": None,
        "SchedulerQueueingHints": Gate(False),
    },
    registered_events={
        "SchedulingGates": (),
        "NodeUnschedulable": ("Node Add|Update",),
        "NodeName": ("Node Add|Update",),
        "TaintToleration": ("Node Add|Update",),
        "NodeAffinity": ("Node Add|Update",),
        "NodePorts": ("Pod Delete", "Node Add|Update"),
        "NodeResourcesFit": ("Pod Delete", "Node Add|Update"),
        "VolumeRestrictions": ("Pod Delete", "Node Add", "PersistentVolumeClaim Add"),
        "NodeVolumeLimits": ("storage.k8s.io/CSINode Add", "Pod Delete", "PersistentVolumeClaim Add"),
        "VolumeBinding": (
            "storage.k8s.io/StorageClass Add|Update",
            "PersistentVolumeClaim Add|Update",
            "PersistentVolume Add|Update",
            "Node Add|UpdateNodeLabel|UpdateNodeTaint",
            "storage.k8s.io/CSINode Add|Update",
            "storage.k8s.io/CSIDriver Add|Update",
            "storage.k8s.io/CSIStorageCapacity Add|Update",
        ),
        "VolumeZone": (
            "storage.k8s.io/StorageClass Add",
            "Node Add|UpdateNodeLabel|UpdateNodeTaint",
            "PersistentVolumeClaim Add|Update",
            "PersistentVolume Add|Update",
        ),
        "PodTopologySpread": (
            "Pod Add|UpdatePodLabel|Delete",
            "Node Add|Delete|UpdateNodeLabel|UpdateNodeTaint",
        ),
        "InterPodAffinity": ("Pod Add|UpdatePodLabel|Delete", "Node Add|UpdateNodeLabel|UpdateNodeTaint"),
        "DynamicResources": (),
    },
)
