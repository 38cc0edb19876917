"""Kubernetes 1.33 (recorded: 1.33.0)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.release import Gate
from scheduler_core.releases.v1_34 import V1_34

V1_33 = V1_34.derive(
    "1.33.0",
    recorded={"public": 358, "classic": 20},
    rules=replace(
        V1_34.rules,
        deferred_resizes_wait_in_one_queue=False,
        backoff_counts_every_attempt=True,
        too_large_requests_are_unresolvable=False,
        node_ports_counts_sidecars=False,
        claim_in_use_reason_names_the_node=True,
    ),
    gates={
        "ContainerRestartRules": None,
        "DRAAdminAccess": Gate(False),
        "DRAConsumableCapacity": None,
        "DRADeviceBindingConditions": None,
        "DRAExtendedResource": None,
        "DRAPrioritizedList": Gate(False),
        "DynamicResourceAllocation": Gate(False),
        "NominatedNodeNameForExpectation": None,
        "PodLevelResources": Gate(False),
        "SchedulerAsyncAPICalls": None,
        "VolumeAttributesClass": Gate(False),
    },
    default_plugins=[plugin for plugin in V1_34.default_plugins if plugin.name != "DynamicResources"],
)
