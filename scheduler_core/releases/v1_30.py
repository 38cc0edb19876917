"""Kubernetes 1.30 (recorded: 1.30.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_31 import V1_31

_FILTERS = ("pre_filter", "filter")
_LIMITS = ("Node Add", "Pod Delete", "PersistentVolumeClaim Add")
_AROUND = {  # these in-tree plugins have limits of their own
    "NodeVolumeLimits": (PluginRef("EBSLimits"), PluginRef("GCEPDLimits"), PluginRef("NodeVolumeLimits")),
    "VolumeBinding": (PluginRef("AzureDiskLimits"), PluginRef("VolumeBinding")),
}

V1_30 = V1_31.derive(
    "1.30.1",
    recorded={"public": 342, "classic": 20},
    rules=replace(
        V1_31.rules,
        jobs_wait_for_terminating_pods=False,
        jobs_have_success_policies=False,
        assigned_pods_requeue_spread_pods=False,
        assigned_pod_updates_are_split=False,
        nodes_excluded_by_pre_filter="rejected",
        search_position_counts_narrowed_nodes=True,
        narrowing_plugins_are_blamed=False,
        victims_get_the_preemptors_status=True,
        preemption_tries_all_but_unresolvable=True,
    ),
    gates={
        "CSIMigrationPortworx": Gate(False),
        "MatchLabelKeysInPodAffinity": Gate(False),
    },
    refused_plugins=(),
    plugin_points=dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits"), _FILTERS),
    default_plugins=[entry for plugin in V1_31.default_plugins for entry in _AROUND.get(plugin.name, (plugin,))],
    registered_events={
        "EBSLimits": _LIMITS,
        "GCEPDLimits": _LIMITS,
        "AzureDiskLimits": _LIMITS,
        "CinderLimits": _LIMITS,
        "VolumeRestrictions": ("Pod Delete", "Node Add", "PersistentVolumeClaim Add|Update"),
        "VolumeZone": (
            "storage.k8s.io/StorageClass Add",
            "Node Add|UpdateNodeLabel|UpdateNodeTaint",
            "PersistentVolumeClaim Add",
            "PersistentVolume Add|Update",
        ),
        "PodTopologySpread": ("Pod All", "Node Add|Delete|UpdateNodeLabel|UpdateNodeTaint"),
        "InterPodAffinity": ("Pod All", "Node Add|UpdateNodeLabel|UpdateNodeTaint"),
    },
)
