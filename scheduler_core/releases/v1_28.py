"""Kubernetes 1.28 (recorded: 1.28.3)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_29 import V1_29

V1_28 = V1_29.derive(
    "1.28.3",
    recorded={"public": 302, "classic": 20},
    rules=replace(
        V1_29.rules,
        jobs_count_failures_by_index=False,
        jobs_may_replace_failed_pods_only=False,
        victims_get_the_preemptors_status=False,
        post_filter_message_gets_a_dot=True,
        scores_are_allocated_without_skipped=True,
        images_are_counted_once=True,
        volume_zone_matches_stable_labels=False,
    ),
    refused_plugins=("SelectorSpread",),
    gates={
        "MatchLabelKeysInPodAffinity": None,
        "SchedulerQueueingHints": Gate(True),  # off by default since 1.28.6
        "SidecarContainers": Gate(False),
        "VolumeAttributesClass": None,
    },
)
