"""Kubernetes 1.15 (recorded: 1.15.3)."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.releases.v1_16 import V1_16

V1_15 = V1_16.derive(
    "1.15.3",
    recorded={"public": 134, "classic": 17, "older": 33},
    rules=replace(
        V1_16.rules,
        ties_are_taken_in_turn=True,
        affinity_counters_may_be_missing=True,
        capacity_ratio_weighs_resources=False,
    ),
    policy=V1_16.policy,
)
