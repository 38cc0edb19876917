"""Kubernetes 1.35 (recorded: 1.35.6)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_36 import V1_36

V1_35 = V1_36.derive(
    "1.35.6",
    recorded={"public": 358, "classic": 20, "dra": 181},
    rules=replace(
        V1_36.rules,
        resizes_larger_than_the_node_are_refused=False,
        finished_pods_make_room_for_resizes=False,
        suspended_jobs_have_no_start_time=False,
        inter_pod_affinity_hint_sees_both_sides=False,
        topology_spread_hint_counts_nominated_pods=False,
        image_volumes_are_scored=False,
        balanced_allocation_scores_the_improvement=False,
        all_subrequests_keep_their_place=False,
        devices_are_tried_in_one_order=False,
        device_search_that_times_out_is_an_error=False,
        slices_of_the_node_come_first=False,
        migrations_that_csi_nodes_name="portworxVolume",
    ),
    gates={
        "DRAConsumableCapacity": Gate(False),
        "DRADeviceBindingConditions": Gate(False),
        "DRADeviceTaintRules": Gate(False),
        "DRADeviceTaints": Gate(False),
        "DRAExtendedResource": Gate(False),
        "DRAPartitionableDevices": Gate(False),
        "GangScheduling": Gate(False),
        "GenericWorkload": Gate(False),
        "InPlacePodLevelResourcesVerticalScaling": Gate(False),
        "NodeDeclaredFeatures": Gate(False),
        "RestartAllContainersOnContainerExits": Gate(False),
        "StorageCapacityScoring": Gate(False),
        "TopologyAwareWorkloadScheduling": None,
        "UserNamespacesHostNetworkSupport": Gate(False),
        "VolumeLimitScaling": Gate(False),
        "WorkloadAwarePreemption": None,
    },
    plugin_points={"NodeDeclaredFeatures": None},
    gated_plugins={"GangScheduling": None, "TopologyAwareWorkloadScheduling": None},
    profiles_lack=("placementGenerate", "placementScore"),
)
