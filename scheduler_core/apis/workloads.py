"""Specs of workloads, autoscalers, quotas, limit ranges and runtime classes, with the API server's defaults.

`template` is the pod template as written. A number of pods that is stated as a percentage is a string ("25%").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.apis.tagged import Tagged

Manifest = Mapping[str, Any]
IntOrPercent = int | str


class ReplicaSetSpec(Tagged, frozen=True):
    """A ReplicaSet or ReplicationController."""

    replicas: int
    template: Manifest
    min_ready_seconds: int = 0


class DeploymentSpec(Tagged, frozen=True):
    """A Deployment. `strategy` Recreate has neither surge nor unavailable pods."""

    replicas: int
    template: Manifest
    strategy: Literal["RollingUpdate", "Recreate"] = "RollingUpdate"
    max_surge: IntOrPercent = "25%"
    max_unavailable: IntOrPercent = "25%"
    min_ready_seconds: int = 0
    paused: bool = False
    progress_deadline_seconds: int = 600
    revision_history_limit: int = 10


class StatefulSetSpec(Tagged, frozen=True):
    """A StatefulSet.

    `delete_claims`: whether its claims are deleted when it is scaled down, and when it is deleted.
    """

    replicas: int
    template: Manifest
    parallel: bool = False
    on_delete: bool = False
    partition: int = 0
    max_unavailable: IntOrPercent = 1
    min_ready_seconds: int = 0
    start: int = 0
    claim_templates: tuple[Manifest, ...] = ()
    delete_claims: tuple[bool, bool] = (False, False)


class DaemonSetSpec(Tagged, frozen=True):
    """A DaemonSet."""

    template: Manifest
    on_delete: bool = False
    max_surge: IntOrPercent = 0
    max_unavailable: IntOrPercent = 1
    min_ready_seconds: int = 0


class FailureRule(msgspec.Struct, frozen=True):
    """A rule of a podFailurePolicy. `exit_codes` None: it matches a pod with one of `conditions` (type, status)."""

    action: Literal["FailJob", "FailIndex", "Ignore", "Count"]
    exit_codes: tuple[int, ...] | None = None
    exit_codes_in: bool = True
    container: str = ""
    conditions: tuple[tuple[str, str], ...] = ()


class SuccessRule(msgspec.Struct, frozen=True):
    """A rule of a successPolicy: `indexes` None: any; `count` None: all of them."""

    indexes: tuple[int, ...] | None = None
    count: int | None = None


class JobSpec(Tagged, frozen=True):
    """A Job. `completions` None: any successful pod completes it."""

    parallelism: int
    completions: int | None
    template: Manifest
    indexed: bool = False
    backoff_limit: int = 6
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    failure_rules: tuple[FailureRule, ...] | None = None
    success_rules: tuple[SuccessRule, ...] | None = None
    replaces_failed_only: bool = False  # podReplacementPolicy Failed
    suspend: bool = False
    active_deadline_seconds: int | None = None
    ttl_seconds: int | None = None


class CronJobSpec(Tagged, frozen=True):
    """A CronJob; its clock is virtual, and T0 is midnight UTC."""

    schedule: str
    job: Manifest  # spec.jobTemplate
    concurrency: Literal["Allow", "Forbid", "Replace"] = "Allow"
    starting_deadline_seconds: int | None = None
    suspend: bool = False
    successful_history: int = 3
    failed_history: int = 1


class ScalingRules(msgspec.Struct, frozen=True):
    """Limits of scaling in one direction. `policies` are (type, value, seconds); `tolerance` None: the default."""

    policies: tuple[tuple[Literal["Pods", "Percent"], int, int], ...]
    stabilization_seconds: int
    select: Literal["Max", "Min", "Disabled"] = "Max"
    tolerance: float | None = None


class AutoscalerSpec(Tagged, frozen=True):
    """A HorizontalPodAutoscaler.

    The target of a metric is a percentage of the requests (Utilization), or an amount per pod (AverageValue).
    """

    target_kind: str
    target_name: str
    minimum: int
    maximum: int
    metrics: tuple[tuple[str, Literal["Utilization", "AverageValue"], int], ...]  # resource, type, target
    up: ScalingRules
    down: ScalingRules
    has_behavior: bool = False  # else sizes at most double, and the rules only have the default tolerance


class QuotaSpec(Tagged, frozen=True):
    """A ResourceQuota: hard limits in base units, by name ("pods", "requests.cpu"), and the scopes of its pods."""

    hard: Mapping[str, int]
    scopes: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # scope, operator, values


class LimitRangeItem(msgspec.Struct, frozen=True):
    """One of a LimitRange's items; amounts as written."""

    type: str
    default: Manifest = {}
    default_request: Manifest = {}
    minimum: Manifest = {}
    maximum: Manifest = {}
    ratio: Manifest = {}


class LimitRangeSpec(Tagged, frozen=True):
    """A LimitRange."""

    limits: tuple[LimitRangeItem, ...]


class RuntimeClassSpec(Tagged, frozen=True):
    """A RuntimeClass: the overhead, node selector and tolerations of its pods."""

    overhead: Manifest = {}
    node_selector: Mapping[str, str] = {}
    tolerations: tuple[Manifest, ...] = ()


WorkloadSpec = (
    ReplicaSetSpec
    | DeploymentSpec
    | StatefulSetSpec
    | DaemonSetSpec
    | JobSpec
    | CronJobSpec
    | AutoscalerSpec
    | QuotaSpec
    | LimitRangeSpec
    | RuntimeClassSpec
)

NOTHING = LabelSelector.nothing()


def scaled(value: IntOrPercent, total: int, *, up: bool) -> int:
    """Return the number; for a percentage, that of `total`, rounded `up` or down (GetScaledValueFromIntOrPercent)."""
    if isinstance(value, int):
        return value
    hundredths = int(value.rstrip("%")) * total
    return -(-hundredths // 100) if up else hundredths // 100
