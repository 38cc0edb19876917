"""Kubernetes 1.25 (recorded: 1.25.2)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_26 import V1_26

V1_25 = V1_26.derive(
    "1.25.2",
    recorded={"public": 277, "classic": 19},
    rules=replace(
        V1_26.rules,
        newest_default_class_counts=False,
        first_rejection_ends_filtering=False,
        pre_filter_rejects_every_node=True,
        pre_filter_reasons_are_counted=True,
        post_filter_message_gets_a_dot=False,
        victims_get_a_condition=False,
        bind_errors_are_prefixed=True,
        binding_sets_the_start_time=False,
        fit_compares_extended_requests_of_zero=True,
    ),
    gates={
        "NodeInclusionPolicyInPodTopologySpread": Gate(False),
        "PodSchedulingReadiness": None,
    },
    plugin_points={"SchedulingGates": None},
    profiles_lack=("percentageOfNodesToScore", "preEnqueue"),
)
