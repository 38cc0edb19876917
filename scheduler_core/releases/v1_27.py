"""Kubernetes 1.27 (recorded: 1.27.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.v1_28 import V1_28

_ONLY_FILTER = ("filter",)

V1_27 = V1_28.derive(
    "1.27.1",
    recorded={"public": 293, "classic": 20},
    rules=replace(
        V1_28.rules,
        pre_filter_skips="affinity",
        pods_without_preferences_are_not_scored=False,
        pre_filter_rejects_every_node=False,
        fit_compares_requests_of_zero=True,
        migrations_that_csi_nodes_name="portworxVolume gcePersistentDisk",
        pods_that_nobody_rejected_back_off=False,
        scores_are_allocated_without_skipped=False,
    ),
    gates={"SchedulerQueueingHints": None, "SidecarContainers": None},
    configurations_lack=("delayCacheUntilActive",),
    plugin_points={
        "NodeVolumeLimits": _ONLY_FILTER,
        "EBSLimits": _ONLY_FILTER,
        "GCEPDLimits": _ONLY_FILTER,
        "AzureDiskLimits": _ONLY_FILTER,
        "CinderLimits": _ONLY_FILTER,
    },
)
