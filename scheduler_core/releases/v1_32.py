"""Kubernetes 1.32 (recorded: 1.32.2)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_33 import V1_33

V1_32 = V1_33.derive(
    "1.32.2",
    recorded={"public": 358, "classic": 20},
    rules=replace(
        V1_33.rules,
        backoff_includes_its_end=False,
        errors_back_off_apart=False,
        nominations_wake_pods=False,
        balanced_allocation_skips_best_effort_pods=False,
        volume_limits_follow_csi_nodes=False,
        volume_binding_reason_names_the_volume=False,
        inter_pod_affinity_hint_compares_labels=False,
    ),
    gates={
        "SchedulerPopFromBackoffQ": None,
        "SchedulerAsyncPreemption": Gate(False),
        "InPlacePodVerticalScaling": Gate(False),
        "MutableCSINodeAllocatableCount": None,
        "StorageCapacityScoring": None,
    },
)
