"""Kubernetes 1.26 (recorded: 1.26.1)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_27 import V1_27

V1_26 = V1_27.derive(
    "1.26.1",
    recorded={"public": 290, "classic": 20},
    rules=replace(
        V1_27.rules,
        budgets_say_when_unhealthy_pods_go=False,
        pre_filter_skips="none",
        volume_binding_narrows_to_local_volumes=False,
        volume_zone_reads_claims_on_zoned_nodes=True,
        scorers_read_cpu_overhead_as_cores=True,
        empty_selectors_count_no_pod=False,
        every_term_names_a_node=True,
        post_filter_errors_are_reported=False,
        inline_volumes_need_a_csi_node=True,
        migrations_that_csi_nodes_name="portworxVolume gcePersistentDisk awsElasticBlockStore azureDisk",
        only_victims_of_preemption_block_it=False,
    ),
    gates={
        "InPlacePodVerticalScaling": None,
        "MatchLabelKeysInPodTopologySpread": Gate(False),
        "MinDomainsInPodTopologySpread": Gate(False),
        "PodSchedulingReadiness": Gate(False),
        "ReadWriteOncePod": Gate(False),
    },
    profiles_lack=("ignorePreferredTermsOfExistingPods",),
    plugin_points={"VolumeZone": ("filter",)},
)
