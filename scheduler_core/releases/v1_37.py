"""Kubernetes 1.37, from its release notes, its table of feature gates and its sources; no run of it was recorded.

Feature gates that exist in 1.36 were recorded with 1.36.3, and three rules with a build of 1.36.3 that has the code of
1.37 for them. docs/fidelity.md lists the known changes and says which are simulated.
"""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_36 import V1_36

V1_37 = V1_36.derive(
    "1.37.0",
    rules=replace(
        V1_36.rules,
        jobs_in_backoff_report_their_active_pods=True,
        batches_score_the_last_node_again=True,
        gated_pods_keep_their_nomination=True,
        resize_compares_sums=True,
        preemption_says_where_it_found_room=True,
        inter_pod_affinity_hint_takes_any_anti_affinity_term=True,
        image_volumes_raise_the_threshold=True,
        dynamic_resources_says_that_there_are_no_claims=False,
        results_have_claim_configs_once=True,
        distinct_attributes_differ_between_all_devices=True,
        rejected_devices_are_rolled_back=True,
        counters_belong_to_a_driver=True,
        all_devices_must_have_room=True,
        counter_slices_are_for_their_nodes=True,
        selector_errors_name_the_device=True,
    ),
    gates={
        "DRADeviceTaintRules": Gate(True, settable=True),
        "DRAFractionalCapacityRange": Gate(True, settable=True),
        "GangScheduling": None,
        "GenericWorkload": Gate(False),
        "StorageCapacityScoring": Gate(True, settable=True),
        "TopologyAwareWorkloadScheduling": Gate(False),
        "VolumeLimitScaling": Gate(True, settable=True),
        "WorkloadAwarePreemption": None,
    },
    gated_plugins={"GangScheduling": None, "TopologyAwareWorkloadScheduling": None},
)
