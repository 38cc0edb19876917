"""Kubernetes 1.34 (recorded: 1.34.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_35 import V1_35

V1_34 = V1_35.derive(
    "1.34.1",
    recorded={"public": 358, "classic": 20, "dra": 181},
    rules=replace(
        V1_35.rules,
        terminating_replicas_are_counted=False,
        taint_toleration_reason_names_the_taint=True,
        pools_are_complete_across_nodes=False,
        invalid_pools_are_skipped=False,
        results_have_class_configs_once=False,
        ties_are_broken_at_random=True,
        binding_a_nominated_pod_wakes_others=True,
        terminating_victims_are_marked=True,
        gated_pods_are_checked_on_every_event=True,
    ),
    gates={
        "ContainerRestartRules": Gate(False),
        "DRADeviceTaintRules": None,
        "GangScheduling": None,
        "GenericWorkload": None,
        "InPlacePodLevelResourcesVerticalScaling": None,
        "MutableCSINodeAllocatableCount": Gate(False),
        "NodeDeclaredFeatures": None,
        "NominatedNodeNameForExpectation": Gate(False),
        "OpportunisticBatching": None,
        "RestartAllContainersOnContainerExits": None,
        "TaintTolerationComparisonOperators": None,
        "UserNamespacesHostNetworkSupport": None,
        "VolumeLimitScaling": None,
    },
    plugin_points={"DynamicResources": ("pre_enqueue", "pre_filter", "filter", "post_filter", "reserve", "pre_bind")},
)
