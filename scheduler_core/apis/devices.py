"""The objects of resource.k8s.io as the scheduler reads them, frozen, with API defaults applied.

Everything that affects the allocation of devices is hashable, so that pods with equal requests can share results.
kube-scheduler: staging/src/k8s.io/api/resource/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.quantity import MAX_INT64, Quantity
from scheduler_core.apis.selectors import NodeSelector
from scheduler_core.apis.tagged import Tagged

Manifest = Mapping[str, Any]

EXACT_COUNT = "ExactCount"
ALL = "All"
ALLOCATION_RESULTS_MAX_SIZE = 32  # devices of one claim
RESERVED_FOR_MAX_SIZE = 256  # consumers of one claim
FIRST_AVAILABLE_MAX_SIZE = 8  # subrequests of a prioritized list
# The annotation of claims that the scheduler creates.
EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"  # prefix of the extended resource that every class has
POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"  # annotation of generated claims

AttributeKind = Literal["string", "int", "bool", "version"]

_NANO = 10**9
_MILLI = 10**6  # a thousandth, in nano units


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of a device. Attributes are equal if kind and value are equal; versions are compared as text."""

    kind: AttributeKind
    value: str | int | bool

    def __str__(self) -> str:
        return str(self.value).lower() if self.kind == "bool" else str(self.value)


class ValidRange(msgspec.Struct, frozen=True):
    """The valid amounts of a capacity for a request: from `minimum` (0 if None) in steps up to `maximum`.

    `fractional`: with DRAFractionalCapacityRange, steps are counted in milli units, otherwise in whole ones.
    """

    minimum: Quantity | None = None
    maximum: Quantity | None = None
    step: Quantity | None = None
    fractional: bool = False

    @property
    def unit(self) -> int:
        """Return the unit in which steps are counted, in nano units: milli units if they suffice, else whole units."""
        amounts = [amount.nano for amount in (self.minimum, self.maximum, self.step) if amount is not None]
        in_milli = self.fractional and all(nano % _MILLI == 0 and nano <= MAX_INT64 * _MILLI for nano in amounts)
        return _MILLI if in_milli else _NANO

    def count(self, amount: Quantity) -> int:
        """Return the amount in units (`unit`), rounded up, at most the largest int64."""
        return min(-(-amount.nano // self.unit), MAX_INT64)

    def is_in_steps(self, amount: Quantity) -> bool:
        """Return whether the amount is the minimum plus a multiple of the step; True without a step."""
        if self.step is None:
            return True
        least = self.count(self.minimum) if self.minimum is not None else 0
        exact = self.unit == _NANO or amount.nano % _MILLI == 0
        return exact and (self.count(amount) - least) % self.count(self.step) == 0


class RequestPolicy(msgspec.Struct, frozen=True):
    """The valid amounts of a shared device's capacity for a request (CapacityRequestPolicy)."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    valid_range: ValidRange | None = None


class Capacity(msgspec.Struct, frozen=True):
    """A capacity of a device."""

    value: Quantity
    policy: RequestPolicy | None = None


class DeviceTaint(msgspec.Struct, frozen=True):
    """A taint of a device; only NoSchedule and NoExecute prevent allocation."""

    key: str
    value: str
    effect: str


class DeviceToleration(msgspec.Struct, frozen=True):
    """A toleration of a request; an empty key or effect matches all, an empty operator means Equal."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    seconds: int | None = None

    def tolerates(self, taint: DeviceTaint) -> bool:
        """Return whether the toleration tolerates the taint (`resourceclaim.ToleratesTaint`)."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class Reach(msgspec.Struct, frozen=True):
    """The nodes that can access a slice or a device: one node by name, all nodes, or the nodes that match a selector.

    `selector_manifest` is the selector as written, which an allocation repeats.
    """

    node_name: str = ""
    all_nodes: bool = False
    selector: NodeSelector | None = None
    selector_manifest: Manifest | None = None

    def includes(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether the node can access the devices (`NodeMatches` in structured/internal/*/pools_*.go)."""
        if self.node_name:
            return self.node_name == name
        return self.all_nodes or (self.selector is not None and self.selector.matches(labels, name))


CounterSet = tuple[str, tuple[tuple[str, int], ...]]  # name, and amounts in nano units by counter


class Device(msgspec.Struct, frozen=True):
    """A device of a slice. Attributes and capacities are keyed by qualified name; the driver is the default domain.

    `taints` are those that the slice states, then those of DeviceTaintRules, of which there are `rule_taints`;
    `taint_times`: when each was added, in virtual seconds. `reach` lists the nodes that can access the device, for
    slices in which this differs by device.
    """

    name: str
    attributes: Mapping[str, Attribute] = {}
    capacity: Mapping[str, Capacity] = {}
    taints: tuple[DeviceTaint, ...] = ()
    taint_times: tuple[float, ...] = ()
    rule_taints: int = 0
    consumes_counters: tuple[CounterSet, ...] = ()
    allow_multiple_allocations: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    binds_to_node: bool = False
    reach: Reach | None = None

    @property
    def slice_taints(self) -> list[tuple[DeviceTaint, float]]:
        """Return the taints that the ResourceSlice itself states, each with the time at which it was added."""
        return list(zip(self.taints, self.taint_times, strict=True))[: len(self.taints) - self.rule_taints]


class DeviceTaintRule(Tagged, frozen=True):
    """A DeviceTaintRule: a taint of the devices that match driver, pool and name; None matches all.

    `added`: when the taint was added; `written`: when this version of the rule was, both in virtual seconds.
    `has_selector` False: the scheduler considers all devices tainted, and no pod is evicted.
    """

    name: str
    taint: DeviceTaint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    has_selector: bool = True
    added: float = 0.0
    written: float = 0.0
    manifest: Manifest = {}

    def matches(self, driver: str, pool: str, device: str) -> bool:
        """Return whether the selector matches the device (tracker.go: `applyPatches`)."""
        pairs = ((self.driver, driver), (self.pool, pool), (self.device, device))
        return all(wanted is None or wanted == name for wanted, name in pairs)


class ResourceSlice(Tagged, frozen=True):
    """A ResourceSlice: devices of a pool, or the counters that they share. `reach` None: each device has its own."""

    name: str
    driver: str
    pool: str
    generation: int
    slice_count: int  # how many slices the pool has in this generation
    reach: Reach | None
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()
    manifest: Manifest = {}

    def tainted_by(self, rules: Iterable[DeviceTaintRule]) -> ResourceSlice:
        """Return the slice with the taints of these rules (tracker.go: `applyPatches`).

        They replace those of earlier rules. The slice itself is returned if that changes nothing.
        """
        matching = [rule for rule in rules if rule.driver in (None, self.driver) and rule.pool in (None, self.pool)]
        devices = tuple([_tainted(device, matching) for device in self.devices])
        return self if devices == self.devices else replace(self, devices=devices)


def _tainted(device: Device, rules: Sequence[DeviceTaintRule]) -> Device:
    of_rules = [(rule.taint, rule.added) for rule in rules if rule.device in (None, device.name)]
    if not of_rules and not device.rule_taints:
        return device
    taints = [*device.slice_taints, *of_rules]
    return replace(
        device,
        taints=tuple([taint for taint, _ in taints]),
        taint_times=tuple([added for _, added in taints]),
        rule_taints=len(of_rules),
    )


class DeviceClass(Tagged, frozen=True):
    """A DeviceClass. `selectors` are CEL expressions; `configs` is the number of its configurations."""

    name: str
    selectors: tuple[str, ...] = ()
    configs: int = 0
    extended_resource_name: str = ""
    creation_timestamp: float = 0.0
    manifest: Manifest = {}


class DeviceRequest(msgspec.Struct, frozen=True):
    """A request for devices of a class, a subrequest, or (with `first_available`) a list of subrequests.

    `selectors` are CEL expressions. `capacity` None: the request specifies no capacities.
    """

    name: str
    device_class: str = ""
    mode: str = EXACT_COUNT
    count: int = 1
    selectors: tuple[str, ...] = ()
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: tuple[tuple[str, Quantity], ...] | None = None
    first_available: tuple[DeviceRequest, ...] = ()


class DeviceConstraint(msgspec.Struct, frozen=True):
    """An attribute that the devices of the requests (all, if none are named) must share, or in which they differ."""

    requests: tuple[str, ...] = ()
    match_attribute: str = ""
    distinct_attribute: str = ""


class ClaimSpec(msgspec.Struct, frozen=True):
    """The spec of a ResourceClaim. `configs` lists, for each configuration, its requests (empty: all)."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    configs: tuple[tuple[str, ...], ...] = ()


class DeviceResult(msgspec.Struct, frozen=True):
    """A device that is allocated to a claim (DeviceRequestAllocationResult).

    `request` is "request" or "request/subrequest".
    """

    request: str
    driver: str
    pool: str
    device: str
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str = ""
    consumed_capacity: tuple[tuple[str, Quantity], ...] = ()

    @property
    def device_id(self) -> DeviceID:
        """Return (driver, pool, device)."""
        return self.driver, self.pool, self.device


DeviceID = tuple[str, str, str]  # driver, pool, device


class Allocation(msgspec.Struct, frozen=True):
    """The devices that are allocated to a claim, and the nodes on which they can be used (None: all).

    `configs` is the number of its configurations.
    """

    results: tuple[DeviceResult, ...]
    node_selector: NodeSelector | None = None
    selector_manifest: Manifest | None = None
    configs: int = 0
    timestamp: float | None = None


class DeviceCondition(msgspec.Struct, frozen=True):
    """A condition that a driver reports for an allocated device."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class DeviceStatus(msgspec.Struct, frozen=True):
    """The status of an allocated device, reported by its driver (AllocatedDeviceStatus)."""

    driver: str
    pool: str
    device: str
    conditions: tuple[DeviceCondition, ...] = ()

    def condition(self, kind: str) -> DeviceCondition | None:
        """Return the condition of this type, None if there is none."""
        return next((condition for condition in self.conditions if condition.type == kind), None)


class Consumer(msgspec.Struct, frozen=True):
    """A consumer for which a claim is reserved, usually a pod."""

    name: str
    uid: str
    resource: str = "pods"
    api_group: str = ""


class ResourceClaim(Tagged, frozen=True):
    """A claim with its status. `finalizer`: the claim is protected from deletion while it is in use.

    `owner_name` and `owner_uid` identify the pod for which the claim was generated, "" if there is none.
    """

    name: str
    namespace: str
    uid: str
    spec: ClaimSpec
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    devices: tuple[DeviceStatus, ...] = ()
    finalizer: bool = False
    terminating: bool = False
    owner_name: str = ""
    owner_uid: str = ""
    annotations: Mapping[str, str] = {}
    manifest: Manifest = {}

    @property
    def key(self) -> str:
        """Return "namespace/name"."""
        return f"{self.namespace}/{self.name}"

    def is_reserved_for(self, pod_uid: str) -> bool:
        """Return whether the claim is reserved for the pod (`resourceclaim.IsReservedForPod`)."""
        return any(consumer.uid == pod_uid for consumer in self.reserved_for)


class ResourceClaimTemplate(Tagged, frozen=True):
    """A template from which the resourceclaim controller creates claims."""

    name: str
    namespace: str
    spec: ClaimSpec
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    manifest: Manifest = {}


class PodClaim(msgspec.Struct, frozen=True):
    """An entry of a pod's `spec.resourceClaims`: the name of a claim or of a template."""

    name: str
    claim: str = ""
    template: str = ""
