"""The objects of Karpenter (karpenter.sh/v1), and the instance types of a cloud.

karpenter: pkg/apis/v1/nodepool.go, nodeclaim.go; kwok/apis/v1alpha1/kwoknodeclass.go; pkg/cloudprovider/types.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.quantity import show_amount
from scheduler_core.apis.requirements import (
    ARCH,
    CAPACITY_TYPE,
    INSTANCE_CPU,
    INSTANCE_FAMILY,
    INSTANCE_MEMORY,
    INSTANCE_SIZE,
    INSTANCE_TYPE,
    OS,
    ZONE,
    Requirements,
    merge,
    one_of,
)
from scheduler_core.apis.tagged import Tagged

Manifest = Mapping[str, Any]
Resources = Mapping[str, int]
OVERHEAD: Resources = {"cpu": 100, "memory": 10 << 20}  # of kubelet and system, on every type of the kwok provider
DisruptionReason = Literal["Empty", "Underutilized", "Drifted"]
_AWS_NAME = re.compile(r"[A-Za-z0-9_]+\.(nano|micro|small|medium|large|[0-9]*xlarge|metal)", re.ASCII)
REASONS: tuple[DisruptionReason, ...] = ("Empty", "Underutilized", "Drifted")


class Offering(msgspec.Struct, frozen=True):
    """A zone and capacity type in which an instance type is offered, and its price per hour."""

    zone: str
    capacity_type: str
    price: float
    available: bool = True

    @property
    def requirements(self) -> Requirements:
        """Return the requirements for the zone and the capacity type."""
        return merge((one_of(ZONE, self.zone), one_of(CAPACITY_TYPE, self.capacity_type)))


class InstanceType(msgspec.Struct, frozen=True):
    """A type of machine. `labels`: those of its nodes in addition to the well-known ones."""

    name: str
    capacity: Resources
    offerings: tuple[Offering, ...]
    arch: str = "amd64"
    os: tuple[str, ...] = ("linux",)
    labels: Mapping[str, str] = {}

    @property
    def allocatable(self) -> Resources:
        """Return the capacity without OVERHEAD; huge pages are subtracted from the memory (precompute)."""
        remaining = {name: amount - OVERHEAD.get(name, 0) for name, amount in self.capacity.items()}
        pages = sum(amount for name, amount in self.capacity.items() if name.startswith("hugepages-"))
        return {**remaining, "memory": max(remaining.get("memory", 0) - pages, 0)} if pages else remaining

    @property
    def requirements(self) -> Requirements:
        """Return the requirements that nodes of the type meet, over all offerings (kwok: newInstanceType)."""
        zones = dict.fromkeys(offering.zone for offering in self.offerings)
        capacity_types = dict.fromkeys(offering.capacity_type for offering in self.offerings)
        return merge(
            (
                one_of(INSTANCE_TYPE, self.name),
                one_of(ARCH, self.arch),
                one_of(OS, *self.os),
                one_of(ZONE, *zones),
                one_of(CAPACITY_TYPE, *capacity_types),
                *(one_of(key, value) for key, value in self.all_labels.items()),
            )
        )

    @property
    def all_labels(self) -> Mapping[str, str]:
        """Return the labels that nodes of the type have with any offering: those of kwok, and `labels`."""
        family, dash, _ = self.name.replace(".", "-", 1).partition("-")
        cpu, memory = (show_amount(name, self.capacity.get(name, 0)) for name in ("cpu", "memory"))
        size = _AWS_NAME.fullmatch(self.name)
        kwok_labels = {
            INSTANCE_FAMILY: family if dash else self.name[:1],
            INSTANCE_SIZE: cpu if size is None else size[1],
            INSTANCE_CPU: cpu,
            INSTANCE_MEMORY: memory,
        }
        return {**kwok_labels, **self.labels}


class PoolRequirement(msgspec.Struct, frozen=True):
    """A requirement of a NodePool or NodeClaim, as written."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    min_values: int | None = None


class Budget(msgspec.Struct, frozen=True):
    """The nodes of a pool that may be disrupted at once: a number or a percentage. No `reasons`: for all reasons.

    With a `schedule`, it is active for `duration` seconds after each time of a cron schedule, in UTC.
    """

    nodes: str
    reasons: tuple[str, ...] = ()
    schedule: str = ""
    duration: float = 0.0


class NodePool(Tagged, frozen=True):
    """A NodePool. `labels` to `termination_grace_period` are those of its template; None: never, or unlimited."""

    name: str
    node_class: tuple[str, str, str]  # group, kind, name
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    requirements: tuple[PoolRequirement, ...] = ()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    expire_after: float | None = None
    termination_grace_period: float | None = None
    consolidates_underutilized: bool = True  # WhenEmptyOrUnderutilized
    consolidate_after: float | None = 0.0
    budgets: tuple[Budget, ...] = ()
    limits: Resources | None = None
    weight: int = 0
    manifest: Manifest = {}

    @property
    def hash(self) -> Any:
        """Return the part whose changes make a node drift: the template without its requirements (NodePool.Hash)."""
        return (
            self.node_class,
            sorted(self.labels.items()),
            sorted(self.annotations.items()),
            frozenset((t.key, t.value, t.effect) for t in self.taints),
            frozenset((t.key, t.value, t.effect) for t in self.startup_taints),
            self.expire_after,
            self.termination_grace_period,
        )


class KWOKNodeClass(Tagged, frozen=True):
    """A KWOKNodeClass: nodes appear `registration_delay` seconds after their launch."""

    name: str
    registration_delay: float = 0.0
    manifest: Manifest = {}


class ClaimCondition(msgspec.Struct, frozen=True):
    """A condition of a NodeClaim, and the time since which it has its status."""

    status: str
    since: float
    reason: str = ""


class NodeClaim(Tagged, frozen=True):
    """A NodeClaim, the request for a node. The cloud can choose from `instance_types` within the `requirements`."""

    name: str
    pool: str
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    requirements: Requirements = {}
    instance_types: tuple[str, ...] = ()
    requests: Resources = {}
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    expire_after: float | None = None
    termination_grace_period: float | None = None
    pool_hash: Any = None  # NodePool.hash at its creation; None: unknown
    created: float = 0.0
    deleted: float | None = None  # when its deletion was requested; None: not yet
    node: str = ""  # the name of its node, also before the node has registered
    capacity: Resources = {}
    allocatable: Resources = {}
    conditions: Mapping[str, ClaimCondition] = {}
    last_pod_event: float | None = None
    manifest: Manifest = {}

    def is_true(self, condition: str) -> bool:
        """Return whether a condition is True."""
        stored = self.conditions.get(condition)
        return stored is not None and stored.status == "True"
