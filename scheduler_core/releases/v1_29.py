"""Kubernetes 1.29 (recorded: 1.29.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.v1_30 import V1_30

_LIMITS = ("Node Add", "Pod Delete")
_GATES = PluginRef("SchedulingGates")

V1_29 = V1_30.derive(
    "1.29.1",
    recorded={"public": 344, "classic": 20},
    rules=replace(
        V1_30.rules,
        new_node_events_include_taint_updates=False,
        node_updates_are_split=False,
        nodes_excluded_by_pre_filter="without status",
        nodes_named_by_pre_filter_must_exist=True,
        no_node_left_is_unresolvable=False,
        pre_filter_goes_on_after_a_plain_rejection=False,
        search_ignores_scorers=True,
        extenders_are_blamed=False,
        ignorable_extenders_may_fail_to_bind=False,
        node_affinity_scores_preferences_only=False,
        image_locality_counts_init_containers=False,
        missing_claims_fail_the_counting=True,
    ),
    plugin_points={"VolumeBinding": ("pre_filter", "filter", "score", "reserve", "pre_bind")},
    default_plugins=[*(plugin for plugin in V1_30.default_plugins if plugin != _GATES), _GATES],
    registered_events={
        "NodeUnschedulable": ("Node Add|UpdateNodeTaint",),
        "EBSLimits": _LIMITS,
        "GCEPDLimits": _LIMITS,
        "AzureDiskLimits": _LIMITS,
        "CinderLimits": _LIMITS,
        "NodeVolumeLimits": ("storage.k8s.io/CSINode Add", "Pod Delete"),
        "VolumeBinding": (
            "storage.k8s.io/StorageClass Add|Update",
            "PersistentVolumeClaim Add|Update",
            "PersistentVolume Add|Update",
            "Node Add|UpdateNodeLabel",
            "storage.k8s.io/CSINode Add|Update",
            "storage.k8s.io/CSIDriver Add|Update",
            "storage.k8s.io/CSIStorageCapacity Add|Update",
        ),
        "VolumeZone": (
            "storage.k8s.io/StorageClass Add",
            "Node Add|UpdateNodeLabel",
            "PersistentVolumeClaim Add",
            "PersistentVolume Add|Update",
        ),
        "PodTopologySpread": ("Pod All", "Node Add|Delete|UpdateNodeLabel"),
        "InterPodAffinity": ("Pod All", "Node Add|UpdateNodeLabel"),
    },
)
