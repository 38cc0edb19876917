"""Builds DeviceClasses, ResourceSlices, ResourceClaims and ResourceClaimTemplates.

Sources: pkg/apis/resource/v1/defaults.go, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from scheduler_core.apis.devices import (
    ALL,
    ALLOCATION_RESULTS_MAX_SIZE,
    EXACT_COUNT,
    RESERVED_FOR_MAX_SIZE,
    Allocation,
    Attribute,
    AttributeKind,
    Capacity,
    ClaimSpec,
    Consumer,
    CounterSet,
    Device,
    DeviceClass,
    DeviceCondition,
    DeviceConstraint,
    DeviceRequest,
    DeviceResult,
    DeviceStatus,
    DeviceTaint,
    DeviceTaintRule,
    DeviceToleration,
    Reach,
    RequestPolicy,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    ValidRange,
)
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import Quantity
from scheduler_core.scenario.fields.names import (
    check_metadata,
    check_name,
    dns_label,
    dns_subdomain,
    label_value,
    qualified_name,
    text_map,
)
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.device_selectors import check_claim_selectors, check_selectors
from scheduler_core.scenario.objects.label_selectors import node_selector
from scheduler_core.scenario.objects.pods import controller
from scheduler_core.scenario.objects.resources import is_extended
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, forbidden, invalid, one_of, required
from scheduler_core.scenario.reading.times import parse_time

Manifest = Mapping[str, Any]

FINALIZER = "resource.kubernetes.io/delete-protection"
ATTRIBUTE_KINDS: tuple[AttributeKind, ...] = ("string", "int", "bool", "version")

MAX_REQUESTS = 32  # per claim; also the limit of selectors, constraints, configurations, and references to requests
MAX_SUB_REQUESTS = 8
MAX_DEVICES = 128  # per slice
MAX_DEVICES_WITH_MORE = 64  # per slice, if any of its devices has taints or consumes counters
MAX_COUNTER_SETS = 8  # per slice
MAX_COUNTERS = 32  # per counter set
MAX_CONSUMED_SETS = 2  # counter sets from which a device consumes
MAX_TAINTS = 16  # per device
MAX_CONDITIONS = 4  # per device, of binding conditions and of binding failure conditions
MAX_VALID_VALUES = 10  # per capacity
MAX_DRIVER_NAME = 63  # bytes
MAX_POOL_NAME = 253  # bytes
MAX_PARAMETERS = 10 * 1024  # bytes
MAX_ATTRIBUTES = 32  # per device, including capacities
MAX_TEXT = 64  # bytes of the value of an attribute
MAX_IDENTIFIER = 32  # characters
MAX_EXPRESSION = 10 * 1024  # bytes
REQUEST_NAME = Message("the request's name in the claim")

_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NO_REQUEST = Message(
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)


def build_device_class(data: Manifest, problems: Problems, admission: Admission) -> DeviceClass:
    """Build a class (`validateDeviceClassSpec`)."""
    metadata, spec = _parts(data, problems)
    extended = spec.get("extendedResourceName") or ""
    if extended and not is_extended(extended):
        path = ("spec", "extendedResourceName")
        problems.error(path, invalid(extended, Message("must be a valid extended resource name")))
    selectors = _selectors(spec.get("selectors"), ("spec", "selectors"), problems)
    for index, config in _items(spec, "config", MAX_REQUESTS, ("spec",), problems):
        _check_configuration(config, ("spec", "config", index), problems)
    check_selectors(selectors, ("spec", "selectors"), problems, admission.release)
    return DeviceClass(
        name=metadata.get("name") or "",
        selectors=selectors,
        configs=len(spec.get("config") or ()),
        extended_resource_name=extended,
        creation_timestamp=admission.creation(metadata),
        manifest=data,
    )


def build_claim_template(data: Manifest, problems: Problems, admission: Admission) -> ResourceClaimTemplate:
    """Build a template, with the labels and annotations of the claims that are generated from it."""
    metadata, spec = _parts(data, problems)
    generated = spec.get("metadata") or {}
    return ResourceClaimTemplate(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        spec=_claim_spec(spec.get("spec") or {}, ("spec", "spec"), problems, admission),
        labels=text_map(generated.get("labels")),
        annotations=text_map(generated.get("annotations")),
        manifest=data,
    )


def build_device_claim(data: Manifest, problems: Problems, admission: Admission) -> ResourceClaim:
    """Build a claim. One with an allocation has the finalizer that protects it from deletion, stated or not."""
    metadata, spec = _parts(data, problems)
    status = data.get("status") or {}
    requested = _claim_spec(spec, ("spec",), problems, admission)
    allocation = _allocation(status.get("allocation"), requested, ("status", "allocation"), problems)
    if status.get("reservedFor") and allocation is None:
        problems.error(
            ("status", "reservedFor"), forbidden(Message("may not be specified when `allocated` is not set"))
        )
    owner = controller(metadata)
    return ResourceClaim(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        uid=admission.uid(metadata),
        spec=requested,
        allocation=allocation,
        reserved_for=_consumers(status.get("reservedFor") or (), ("status", "reservedFor"), problems),
        devices=_device_statuses(status.get("devices") or (), allocation, problems),
        finalizer=allocation is not None or FINALIZER in (metadata.get("finalizers") or ()),
        terminating=bool(metadata.get("deletionTimestamp")),
        owner_name=owner.name if owner else "",
        owner_uid=owner.uid if owner else "",
        annotations=text_map(metadata.get("annotations")),
        manifest=data,
    )


def build_resource_slice(data: Manifest, problems: Problems, admission: Admission) -> ResourceSlice:
    """Build a slice (`validateResourceSliceSpec`): it has devices or shared counters, not both."""
    metadata, spec = _parts(data, problems)
    driver, pool = spec.get("driver") or "", spec.get("pool") or {}
    _check_driver(driver, ("spec", "driver"), problems)
    _check_pool(pool, problems)
    per_device = bool(spec.get("perDeviceNodeSelection"))
    if spec.get("perDeviceNodeSelection") is False:
        _report_false(("spec", "perDeviceNodeSelection"), problems)
    if spec.get("devices") and spec.get("sharedCounters"):
        problems.error(("spec", "sharedCounters"), Message("only one of `sharedCounters` or `devices` is allowed"))
    return ResourceSlice(
        name=metadata.get("name") or "",
        driver=driver,
        pool=pool.get("name") or "",
        generation=pool.get("generation") or 0,
        slice_count=pool.get("resourceSliceCount") or 0,
        reach=_reach(spec, ("spec",), problems, per_device=per_device),
        devices=_devices(spec.get("devices") or (), problems, admission, per_device=per_device),
        shared_counters=_counter_sets(spec, "sharedCounters", "name", MAX_COUNTER_SETS, ("spec",), problems),
        manifest=data,
    )


def build_taint_rule(data: Manifest, problems: Problems, admission: Admission) -> DeviceTaintRule:
    """Build a rule (`validateDeviceTaintRuleSpec`)."""
    metadata, spec = _parts(data, problems)
    selector, taint = spec.get("deviceSelector"), spec.get("taint") or {}
    chosen = selector or {}
    if chosen.get("driver") is not None:
        _check_driver(chosen["driver"], ("spec", "deviceSelector", "driver"), problems)
    if chosen.get("pool") is not None:
        _check_pool_name(chosen["pool"], ("spec", "deviceSelector", "pool"), problems)
    if chosen.get("device") is not None:
        check_name(chosen["device"], ("spec", "deviceSelector", "device"), problems, Message("the device's name"))
    return DeviceTaintRule(
        name=metadata.get("name") or "",
        taint=_taint(taint, ("spec", "taint"), problems),
        driver=chosen.get("driver"),
        pool=chosen.get("pool"),
        device=chosen.get("device"),
        has_selector=selector is not None,
        added=_time_added(taint, admission),
        written=admission.creation({}),
        manifest=data,
    )


# --- older versions of the API; the data is not validated yet ---


def claim_from_v1beta1(data: Manifest) -> Manifest:
    """Convert a v1beta1 claim, whose requests contain the fields that are in `exactly` in v1."""
    return _with_spec(data, _with_exact_requests)


def template_from_v1beta1(data: Manifest) -> Manifest:
    """Convert a v1beta1 template, whose claim spec is converted as in `claim_from_v1beta1`."""
    return _with_spec(data, lambda spec: _with_spec(spec, _with_exact_requests))


def slice_from_v1beta1(data: Manifest) -> Manifest:
    """Convert a v1beta1 slice, whose devices have their fields under `basic`."""
    return _with_spec(data, _with_flat_devices)


def _with_spec(data: Manifest, change: Any) -> Manifest:
    spec = data.get("spec")
    return {**data, "spec": change(spec)} if isinstance(spec, dict) else data


def _with_exact_requests(spec: Manifest) -> Manifest:
    devices = spec.get("devices")
    requests = devices.get("requests") if isinstance(devices, dict) else None
    if not isinstance(devices, dict) or not isinstance(requests, list):
        return spec
    return {**spec, "devices": {**devices, "requests": [_with_exactly(request) for request in requests]}}


def _with_exactly(request: Any) -> Any:
    if not isinstance(request, dict) or request.get("firstAvailable"):
        return request
    name = request.get("name")
    return {"name": name, "exactly": {key: value for key, value in request.items() if key != "name"}}


def _with_flat_devices(spec: Manifest) -> Manifest:
    devices = spec.get("devices")
    return {**spec, "devices": [_flat_device(device) for device in devices]} if isinstance(devices, list) else spec


def _flat_device(device: Any) -> Any:
    if not isinstance(device, dict) or not isinstance(device.get("basic"), dict):
        return device
    return {"name": device.get("name"), **device["basic"]}


# --- claims ---


def _claim_spec(spec: Manifest, at: Path, problems: Problems, admission: Admission) -> ClaimSpec:
    """Build the spec of a claim (`validateDeviceClaim`); `at` is its path."""
    devices, path = spec.get("devices") or {}, (*at, "devices")
    requests = tuple(
        _request(entry, (*path, "requests", index), problems)
        for index, entry in _items(devices, "requests", MAX_REQUESTS, path, problems)
    )
    _check_unique([request.name for request in requests], (*path, "requests"), problems)
    names = set(_request_names(requests))
    constraints = tuple(
        _constraint(constraint, names, (*path, "constraints", index), problems)
        for index, constraint in _items(devices, "constraints", MAX_REQUESTS, path, problems)
    )
    configs = []
    for index, entry in _items(devices, "config", MAX_REQUESTS, path, problems):
        place = (*path, "config", index)
        _check_configuration(entry, place, problems)
        configs.append(_references(entry, names, place, problems))
    claim_spec = ClaimSpec(requests, constraints, tuple(configs))
    check_claim_selectors(claim_spec, at, problems, admission.release)
    return claim_spec


def _request_names(requests: tuple[DeviceRequest, ...]) -> Iterator[str]:
    """Yield the names by which constraints and configurations refer to requests: "request", "request/subrequest"."""
    for request in requests:
        yield request.name
        yield from (f"{request.name}/{subrequest.name}" for subrequest in request.first_available)


def _request(data: Manifest, path: Path, problems: Problems) -> DeviceRequest:
    """Build a request (`validateDeviceRequest`)."""
    name, exactly, subrequests = data.get("name") or "", data.get("exactly"), data.get("firstAvailable") or ()
    check_name(name, (*path, "name"), problems, REQUEST_NAME)
    if exactly is not None and subrequests:
        reason = Message("exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set")
        problems.error(path, reason)
    elif subrequests:
        entries = tuple(
            _requested(entry, entry.get("name") or "", (*path, "firstAvailable", index), problems)
            for index, entry in _items(data, "firstAvailable", MAX_SUB_REQUESTS, path, problems)
        )
        for index, entry in enumerate(entries):
            check_name(entry.name, (*path, "firstAvailable", index, "name"), problems, REQUEST_NAME)
        _check_unique([entry.name for entry in entries], (*path, "firstAvailable"), problems)
        return DeviceRequest(name, first_available=entries)
    elif exactly is None:
        problems.error(path, required(Message("exactly one of `exactly` or `firstAvailable` is required")))
    return _requested(exactly or {}, name, (*path, "exactly"), problems, missing=exactly is None)


def _requested(data: Manifest, name: str, path: Path, problems: Problems, *, missing: bool = False) -> DeviceRequest:
    """Build an exact request or a subrequest; by default ExactCount and 1 (`validateExactDeviceRequest`).

    `missing`: the request has no `exactly`, which has been reported, so its missing class is not.
    """
    device_class, mode = data.get("deviceClassName") or "", data.get("allocationMode") or EXACT_COUNT
    count = data.get("count") or (1 if mode == EXACT_COUNT else 0)
    if device_class or not missing:
        why = Message("the DeviceClass of the devices")
        check_name(device_class, (*path, "deviceClassName"), problems, why, dns_subdomain)
    if mode == ALL and count:
        reason = Message("must not be specified when allocationMode is 'All'")
        problems.error((*path, "count"), invalid(count, reason))
    elif mode == EXACT_COUNT and count <= 0:
        problems.error((*path, "count"), invalid(count, Message("must be greater than zero")))
    capacity = (data.get("capacity") or {}).get("requests")
    return DeviceRequest(
        name=name,
        device_class=device_class,
        mode=mode,
        count=count,
        selectors=_selectors(data.get("selectors"), (*path, "selectors"), problems),
        admin_access=data.get("adminAccess"),
        tolerations=_tolerations(data.get("tolerations"), (*path, "tolerations"), problems),
        capacity=_quantities(capacity) if data.get("capacity") is not None else None,
    )


def _selectors(data: Any, path: Path, problems: Problems) -> tuple[str, ...]:
    """Build the selectors (`validateSelectorSlice`)."""
    expressions = []
    if len(data or ()) > MAX_REQUESTS:
        problems.error(path, _too_many(len(data), MAX_REQUESTS))
    for index, entry in enumerate(data or ()):
        expression, at = (entry.get("cel") or {}).get("expression") or "", (*path, index, "cel", "expression")
        if not expression:
            problems.error(at, required(Message("a CEL expression over `device`")))
        elif len(expression.encode()) > MAX_EXPRESSION:
            problems.error(at, Message("too long: may not be more than {most} bytes", most=MAX_EXPRESSION))
        expressions.append(expression)
    return tuple(expressions)


def _tolerations(data: Any, path: Path, problems: Problems) -> tuple[DeviceToleration, ...]:
    """Build the tolerations (`validateDeviceToleration`)."""
    tolerations = []
    for index, entry in enumerate(data or ()):
        operator, key, value = entry.get("operator") or "", entry.get("key") or "", entry.get("value") or ""
        if key and (reason := qualified_name(key)):
            problems.error((*path, index, "key"), invalid(key, reason))
        if value and operator == "Exists":
            problems.error((*path, index, "value"), invalid(value, Message("must be empty for operator `Exists`")))
        elif reason := label_value(value):
            problems.error((*path, index, "value"), invalid(value, reason))
        tolerations.append(
            DeviceToleration(key, operator, value, entry.get("effect") or "", entry.get("tolerationSeconds"))
        )
    return tuple(tolerations)


def _constraint(data: Manifest, names: set[str], path: Path, problems: Problems) -> DeviceConstraint:
    """Build a constraint (`validateDeviceConstraint`)."""
    match, distinct = data.get("matchAttribute") or "", data.get("distinctAttribute") or ""
    if not match and not distinct:
        problems.error(path, required(Message('exactly one of "matchAttribute" or "distinctAttribute" is required')))
    elif match and distinct:
        problems.error(path, forbidden(Message('only one of "matchAttribute" and "distinctAttribute" may be set')))
    for field, name in (("matchAttribute", match), ("distinctAttribute", distinct)):
        if name and "/" not in name:
            reason = Message("a fully qualified name must be a domain and a name separated by a slash")
            problems.error((*path, field), invalid(name, reason))
        elif name:
            _check_qualified(name, (*path, field), problems)
    return DeviceConstraint(_references(data, names, path, problems), match, distinct)


def _references(data: Manifest, names: set[str], path: Path, problems: Problems) -> tuple[str, ...]:
    """Return `requests` of a constraint or configuration; other names are errors (`validateRequestNameRef`)."""
    references = tuple(data.get("requests") or ())
    if len(references) > MAX_REQUESTS:
        problems.error((*path, "requests"), _too_many(len(references), MAX_REQUESTS))
    for index, name in enumerate(references):
        if name not in names:
            problems.error((*path, "requests", index), invalid(name, _NO_REQUEST))
    _check_unique(references, (*path, "requests"), problems)
    return references


def _allocation(data: Manifest | None, spec: ClaimSpec, path: Path, problems: Problems) -> Allocation | None:
    """Build an allocation; None if `data` is None (`validateAllocationResult`)."""
    if data is None:
        return None
    devices, selector = data.get("devices") or {}, data.get("nodeSelector")
    timestamp = data.get("allocationTimestamp")
    at, names = (*path, "devices"), set(_request_names(spec.requests))
    results = tuple(
        _result(entry, names, (*at, "results", index), problems)
        for index, entry in _items(devices, "results", ALLOCATION_RESULTS_MAX_SIZE, at, problems)
    )
    most = 2 * MAX_REQUESTS  # the configurations of the class and of the claim
    for index, entry in _items(devices, "config", most, at, problems):
        _references(entry, names, (*at, "config", index), problems)
        _check_configuration(entry, (*at, "config", index), problems)
    return Allocation(
        results=results,
        node_selector=node_selector(selector, (*path, "nodeSelector"), problems) if selector is not None else None,
        selector_manifest=selector,
        configs=len(devices.get("config") or ()),
        timestamp=parse_time(timestamp) if timestamp else None,
    )


def _result(data: Manifest, names: set[str], path: Path, problems: Problems) -> DeviceResult:
    """Build the result of a request (`validateDeviceRequestAllocationResult`)."""
    request, device = data.get("request") or "", data.get("device") or ""
    if request not in names:
        problems.error((*path, "request"), invalid(request, _NO_REQUEST))
    _check_driver(data.get("driver") or "", (*path, "driver"), problems)
    _check_pool_name(data.get("pool") or "", (*path, "pool"), problems)
    if reason := dns_label(device):
        problems.error((*path, "device"), invalid(device, reason))
    return DeviceResult(
        request=request,
        driver=data.get("driver") or "",
        pool=data.get("pool") or "",
        device=device,
        admin_access=data.get("adminAccess"),
        tolerations=_tolerations(data.get("tolerations"), (*path, "tolerations"), problems),
        binding_conditions=tuple(data.get("bindingConditions") or ()),
        binding_failure_conditions=tuple(data.get("bindingFailureConditions") or ()),
        share_id=data.get("shareID") or "",
        consumed_capacity=_quantities(data.get("consumedCapacity")),
    )


def _consumers(data: Any, path: Path, problems: Problems) -> tuple[Consumer, ...]:
    """Build the consumers of a claim (reservedFor). An entry without a uid refers to the pod of that name."""
    consumers = []
    if len(data) > RESERVED_FOR_MAX_SIZE:
        problems.error(path, _too_many(len(data), RESERVED_FOR_MAX_SIZE))
    for index, entry in enumerate(data):
        name = entry.get("name") or ""
        if not name:
            problems.error((*path, index, "name"), required(Message("the consumers for which the claim is reserved")))
        consumers.append(
            Consumer(name, entry.get("uid") or "", entry.get("resource") or "pods", entry.get("apiGroup") or "")
        )
    return tuple(consumers)


def _device_statuses(data: Any, allocation: Allocation | None, problems: Problems) -> tuple[DeviceStatus, ...]:
    """Build status.devices of a claim; each device must be in its allocation (`validateDeviceStatus`)."""
    allocated = (
        {(entry.driver, entry.pool, entry.device) for entry in allocation.results} if allocation is not None else set()
    )
    statuses = tuple(map(_device_status, data))
    for index, entry in enumerate(statuses):
        if (entry.driver, entry.pool, entry.device) not in allocated:
            name = f"{entry.driver}/{entry.pool}/{entry.device}"
            reason = Message("must be an allocated device in the claim")
            problems.error(("status", "devices", index), invalid(name, reason))
    return statuses


def _device_status(data: Manifest) -> DeviceStatus:
    conditions = tuple(
        DeviceCondition(
            condition.get("type") or "",
            condition.get("status") or "",
            condition.get("reason") or "",
            condition.get("message") or "",
        )
        for condition in data.get("conditions") or ()
    )
    return DeviceStatus(data.get("driver") or "", data.get("pool") or "", data.get("device") or "", conditions)


# --- slices ---


def _check_pool(pool: Manifest, problems: Problems) -> None:
    """Check the pool of a slice (`validateResourcePool`)."""
    path = ("spec", "pool")
    _check_pool_name(pool.get("name") or "", (*path, "name"), problems)
    if (pool.get("resourceSliceCount") or 0) <= 0:
        reason = Message("must be greater than zero")
        problems.error((*path, "resourceSliceCount"), invalid(pool.get("resourceSliceCount") or 0, reason))
    if (pool.get("generation") or 0) < 0:
        reason = Message("must be greater than or equal to zero")
        problems.error((*path, "generation"), invalid(pool.get("generation"), reason))


def _check_pool_name(name: str, path: Path, problems: Problems) -> None:
    """Check the name of a pool (`validatePoolName`)."""
    if not name:
        problems.error(path, required(Message("the pool that the slice belongs to")))
    elif len(name.encode()) > MAX_POOL_NAME:
        problems.error(path, Message("too long: may not be more than {most} bytes", most=MAX_POOL_NAME))
    elif reason := next(filter(None, map(dns_subdomain, name.split("/"))), None):
        problems.error(path, invalid(name, reason))


def _check_driver(driver: str, path: Path, problems: Problems) -> None:
    """Check the name of a driver (`ValidateCSIDriverName`)."""
    if not driver:
        problems.error(path, required(Message("the DRA driver that the devices belong to")))
    elif len(driver.encode()) > MAX_DRIVER_NAME:
        problems.error(path, Message("too long: may not be more than {most} bytes", most=MAX_DRIVER_NAME))
    elif reason := dns_subdomain(driver.lower()):
        problems.error(path, invalid(driver, reason))


def _reach(data: Manifest, path: Path, problems: Problems, *, per_device: bool = False) -> Reach | None:
    """Return the nodes that can use the devices of a slice; None if `per_device`, when each device states its own."""
    selector = data.get("nodeSelector")
    given = [field for field in ("nodeName", "nodeSelector", "allNodes") if data.get(field)]
    if per_device:
        given.append("perDeviceNodeSelection")
    if len(given) != 1:
        fields = Message("exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required")
        message = Message("{fields}, but multiple fields are set", fields=fields) if given else required(fields)
        problems.error((*path, given[1]) if given else path, message)
    if per_device:
        return None
    if selector is not None and len(selector.get("nodeSelectorTerms") or ()) != 1:
        reason = Message("must have exactly one node selector term")
        problems.error((*path, "nodeSelector", "nodeSelectorTerms"), reason)
    return _node_reach(data, selector, path, problems)


def _node_reach(data: Manifest, selector: Manifest | None, path: Path, problems: Problems) -> Reach:
    if data.get("nodeName") == "":
        problems.error((*path, "nodeName"), Message("must be either unset or set to a non-empty string"))
    if data.get("allNodes") is False:
        _report_false((*path, "allNodes"), problems)
    return Reach(
        node_name=data.get("nodeName") or "",
        all_nodes=bool(data.get("allNodes")),
        selector=node_selector(selector, (*path, "nodeSelector"), problems) if selector is not None else None,
        selector_manifest=selector,
    )


def _device_reach(data: Manifest, path: Path, problems: Problems, *, per_device: bool) -> Reach | None:
    """Return the nodes that can use a device; None without `per_device`, when they are those of its slice."""
    fields = [field for field in ("nodeName", "nodeSelector", "allNodes") if data.get(field) is not None]
    if not per_device:
        if fields:
            reason = Message(
                "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true "
                "in the ResourceSlice spec"
            )
            problems.error((*path, fields[0]), reason)
        return None
    if len(fields) != 1:
        reason = Message(
            "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set "
            "to true in the ResourceSlice spec"
        )
        problems.error((*path, fields[1]) if fields else path, reason if fields else required(reason))
    return _node_reach(data, data.get("nodeSelector"), path, problems)


def _report_false(path: Path, problems: Problems) -> None:
    problems.error(path, invalid(False, Message("must be either unset or set to true")))


def _devices(data: Any, problems: Problems, admission: Admission, *, per_device: bool) -> tuple[Device, ...]:
    path: Path = ("spec", "devices")
    more = any(entry.get("taints") or entry.get("consumesCounters") for entry in data)
    most = MAX_DEVICES_WITH_MORE if more else MAX_DEVICES
    if len(data) > most:
        problems.error(path, _too_many(len(data), most))
    devices = tuple(
        _device(entry, (*path, index), problems, admission, per_device=per_device) for index, entry in enumerate(data)
    )
    _check_unique([device.name for device in devices], path, problems)
    return devices


def _device(data: Manifest, path: Path, problems: Problems, admission: Admission, *, per_device: bool) -> Device:
    """Build a device (`validateDevice`)."""
    name = data.get("name") or ""
    check_name(name, (*path, "name"), problems, Message("the device's name in its pool"))
    attributes, capacity = data.get("attributes") or {}, data.get("capacity") or {}
    if len(attributes) + len(capacity) > MAX_ATTRIBUTES:
        message = Message("the total number of attributes and capacities must not exceed {most}", most=MAX_ATTRIBUTES)
        problems.error(path, invalid(len(attributes) + len(capacity), message))
    for field, names in (("attributes", attributes), ("capacity", capacity)):
        for key in names:
            _check_qualified(key, (*path, field, key), problems)
    shared = bool(data.get("allowMultipleAllocations"))
    conditions = _conditions(data, "bindingConditions", path, problems)
    failures = _conditions(data, "bindingFailureConditions", path, problems)
    _check_binding(conditions, failures, path, problems)
    taints = list(_items(data, "taints", MAX_TAINTS, path, problems))
    return Device(
        name=name,
        attributes={
            key: _attribute(value or {}, (*path, "attributes", key), problems) for key, value in attributes.items()
        },
        capacity={
            key: _capacity(value or {}, (*path, "capacity", key), problems, admission, shared=shared)
            for key, value in capacity.items()
        },
        taints=tuple(_taint(entry, (*path, "taints", index), problems) for index, entry in taints),
        taint_times=tuple(_time_added(entry, admission) for _, entry in taints),
        consumes_counters=_counter_sets(data, "consumesCounters", "counterSet", MAX_CONSUMED_SETS, path, problems),
        allow_multiple_allocations=shared,
        binding_conditions=conditions,
        binding_failure_conditions=failures,
        binds_to_node=bool(data.get("bindsToNode")),
        reach=_device_reach(data, path, problems, per_device=per_device),
    )


def _conditions(data: Manifest, field: str, path: Path, problems: Problems) -> tuple[str, ...]:
    conditions = tuple(data.get(field) or ())
    if len(conditions) > MAX_CONDITIONS:
        problems.error((*path, field), _too_many(len(conditions), MAX_CONDITIONS))
    for index, condition in enumerate(conditions):
        if reason := qualified_name(condition):
            problems.error((*path, field, index), invalid(condition, reason))
    _check_unique(conditions, (*path, field), problems)
    return conditions


def _check_binding(conditions: tuple[str, ...], failures: tuple[str, ...], path: Path, problems: Problems) -> None:
    """Check that both lists are set or neither, and that they do not overlap (`validateDeviceBindingParameters`)."""
    for index, condition in enumerate(failures):
        if condition in conditions:
            reason = Message("bindingFailureConditions must not overlap with bindingConditions")
            problems.error((*path, "bindingFailureConditions", index), invalid(condition, reason))
    if failures and not conditions:
        reason = Message("bindingConditions are required to use bindingFailureConditions")
        problems.error((*path, "bindingFailureConditions"), reason)
    if conditions and not failures:
        reason = Message("bindingFailureConditions are required to use bindingConditions")
        problems.error((*path, "bindingConditions"), reason)


def _attribute(data: Manifest, path: Path, problems: Problems) -> Attribute:
    """Build an attribute (`validateDeviceAttribute`); the string "" if it does not have exactly one value."""
    given = [kind for kind in ATTRIBUTE_KINDS if data.get(kind) is not None]
    if len(given) != 1:
        kinds = one_of(ATTRIBUTE_KINDS)
        problems.error(path, Message("exactly one value must be specified: {kinds}", kinds=kinds))
        return Attribute("string", "")
    kind, value = given[0], data[given[0]]
    if isinstance(value, str) and len(value.encode()) > MAX_TEXT:
        problems.error((*path, kind), Message("too long: may not be more than {most} bytes", most=MAX_TEXT))
    if kind == "version" and not _VERSION.fullmatch(value):
        reason = Message("must be a string compatible with semver.org spec 2.0.0")
        problems.error((*path, kind), invalid(value, reason))
    return Attribute(kind, value)


def _capacity(data: Manifest, path: Path, problems: Problems, admission: Admission, *, shared: bool) -> Capacity:
    policy = data.get("requestPolicy")
    if policy is not None and not shared:
        problems.error((*path, "requestPolicy"), forbidden(Message("allowMultipleAllocations must be true")))
    if data.get("value") is None:
        problems.error((*path, "value"), required(Message("such as 40Gi")))
    amount = _quantity(data.get("value")) or Quantity(0)
    if policy is None:
        return Capacity(amount)
    fractional = admission.has_on("DRAFractionalCapacityRange")
    return Capacity(amount, _policy(policy, amount, (*path, "requestPolicy"), problems, fractional=fractional))


def _policy(data: Manifest, capacity: Quantity, path: Path, problems: Problems, *, fractional: bool) -> RequestPolicy:
    """Build the request policy of a capacity (`validateRequestPolicy`); `capacity` is its total amount."""
    bounds, valid_values = data.get("validRange"), data.get("validValues") or ()
    default = _quantity(data.get("default"))
    values = tuple(Quantity.parse(str(entry)) for entry in valid_values)
    valid = None
    if bounds is not None:
        least, most, step = (_quantity(bounds.get(field)) for field in ("min", "max", "step"))
        valid = ValidRange(least, most, step, fractional=fractional)
    if valid is not None and values:
        reason = Message('cannot specify "validValues" and "validRange" at the same time')
        problems.error(path, forbidden(reason))
    elif default is None:
        if valid is not None or values:
            problems.error((*path, "default"), required(Message("required when validValues or validRange is defined")))
    elif values:
        _check_valid_values(values, default, capacity, (*path, "validValues"), problems)
    elif valid is not None:
        _check_valid_range(valid, default, capacity, (*path, "validRange"), problems)
    return RequestPolicy(default, values, valid)


def _check_valid_values(
    values: Sequence[Quantity], default: Quantity, capacity: Quantity, path: Path, problems: Problems
) -> None:
    """Check the valid values of a capacity (`validateRequestPolicyValidValues`)."""
    if len(values) > MAX_VALID_VALUES:
        problems.error(path, _too_many(len(values), MAX_VALID_VALUES))
        return
    for index, value in enumerate(values):
        if index and value.nano < values[index - 1].nano:
            reason = Message("values must be sorted in ascending order")
            problems.error((*path, index), invalid(str(value), reason))
        if value.nano > capacity.nano:
            problems.error((*path, index), invalid(str(value), _larger_than("option", capacity)))
    _check_unique([value.value for value in values], path, problems)
    if all(value.nano != default.nano for value in values):
        reason = Message("default value is not valid according to the requestPolicy")
        problems.error(path, invalid(str(default), reason))


def _check_valid_range(
    valid: ValidRange, default: Quantity, capacity: Quantity, path: Path, problems: Problems
) -> None:
    """Check the valid range of a capacity (`validateRequestPolicyRange`)."""
    least, most, step = valid.minimum, valid.maximum, valid.step
    if least is None:
        problems.error((*path, "min"), required(Message("required when validRange is defined")))
        return
    refusals: list[tuple[str, Quantity, Message]] = []
    if least.nano > capacity.nano:
        refusals.append(("min", least, _larger_than("min", capacity)))
    if default.nano < least.nano:
        refusals.append(("min", default, Message("default is less than min: {min}", min=str(least))))
    if most is not None:
        if least.nano > most.nano:
            refusals.append(("max", least, Message("min is larger than max: {max}", max=str(most))))
        if most.nano > capacity.nano:
            refusals.append(("max", most, _larger_than("max", capacity)))
        if default.nano > most.nano:
            refusals.append(("max", default, Message("default is more than max: {max}", max=str(most))))
    if step is not None and step.nano <= 0:
        refusals.append(("step", step, Message("must be greater than zero")))
    elif step is not None:
        if least.nano + step.nano > capacity.nano:
            refusals.append(("step", step, _larger_than("min + step", capacity)))
        reason = Message(
            "value is not a multiple of a given step ({step}) from ({min})", step=str(step), min=str(least)
        )
        checked = [value for value in (default, most) if value is not None]
        refusals += [("step", value, reason) for value in checked if not valid.is_in_steps(value)]
    for field, value, reason in refusals:
        problems.error((*path, field), invalid(str(value), reason))


def _larger_than(name: str, capacity: Quantity) -> Message:
    return Message("{name} is larger than capacity value: {most}", name=name, most=str(capacity))


def _taint(data: Manifest, path: Path, problems: Problems) -> DeviceTaint:
    key, value = data.get("key") or "", data.get("value") or ""
    check_name(key, (*path, "key"), problems, Message("the taint's key"), qualified_name)
    if reason := label_value(value):
        problems.error((*path, "value"), invalid(value, reason))
    if not data.get("effect"):
        problems.error((*path, "effect"), required(Message("expected NoSchedule, NoExecute or None")))
    return DeviceTaint(key, value, data.get("effect") or "")


def _time_added(taint: Manifest, admission: Admission) -> float:
    """Return the time at which a taint was added, in virtual seconds.

    It is the time at which the object is written if the taint states none (`SetDefaults_DeviceTaint`), or a later one.
    """
    now = admission.creation({})
    return min(parse_time(taint["timeAdded"]), now) if taint.get("timeAdded") else now


def _counter_sets(
    data: Manifest, field: str, name: str, most: int, path: Path, problems: Problems
) -> tuple[CounterSet, ...]:
    sets = tuple(
        _counter_set(entry, name, (*path, field, index), problems)
        for index, entry in _items(data, field, most, path, problems)
    )
    _check_unique([entry for entry, _ in sets], (*path, field), problems)
    return sets


def _counter_set(data: Manifest, field: str, path: Path, problems: Problems) -> CounterSet:
    """Build a set of counters (`validateCounterSet`, `validateDeviceCounterConsumption`).

    `field` is the field with the name of the set. The amounts are in units of 10**-9.
    """
    name, counters = data.get(field) or "", data.get("counters") or {}
    check_name(name, (*path, field), problems, Message("the name of a counter set"))
    if not counters:
        problems.error((*path, "counters"), required(Message("at least one counter")))
    elif len(counters) > MAX_COUNTERS:
        problems.error((*path, "counters"), _too_many(len(counters), MAX_COUNTERS))
    for counter in counters:
        if reason := dns_label(counter):
            problems.error((*path, "counters", counter), invalid(counter, reason))
    return name, tuple(
        (counter, (_quantity((entry or {}).get("value")) or Quantity(0)).nano) for counter, entry in counters.items()
    )


def _check_configuration(data: Manifest, path: Path, problems: Problems) -> None:
    """Check an opaque configuration, its driver and the size of its parameters (`validateOpaqueConfiguration`)."""
    opaque = data.get("opaque")
    if opaque is None:
        problems.error((*path, "opaque"), required())
        return
    at = (*path, "opaque")
    _check_driver(opaque.get("driver") or "", (*at, "driver"), problems)
    parameters = opaque.get("parameters")
    if parameters is None:
        problems.error((*at, "parameters"), required())
    elif not isinstance(parameters, dict):
        problems.error((*at, "parameters"), Message("must be a valid JSON object"))
    elif len(json.dumps(parameters, separators=(",", ":"), ensure_ascii=False).encode()) > MAX_PARAMETERS:
        most = Message("too long: may not be more than {most} bytes", most=MAX_PARAMETERS)
        problems.error((*at, "parameters"), most)


# --- parts ---


def _parts(data: Manifest, problems: Problems) -> tuple[Manifest, Manifest]:
    metadata = data.get("metadata") or {}
    check_metadata(metadata, ("metadata",), problems)
    return metadata, data.get("spec") or {}


def _quantity(data: Any) -> Quantity | None:
    return None if data is None else Quantity.parse(str(data))


def _quantities(data: Mapping[str, Any] | None) -> tuple[tuple[str, Quantity], ...]:
    return tuple((name, Quantity.parse(str(0 if entry is None else entry))) for name, entry in (data or {}).items())


def _items(data: Manifest, field: str, most: int, path: Path, problems: Problems) -> Iterator[tuple[int, Manifest]]:
    """Return (index, item) of the first `most` items of a list, {} in place of null; more items are an error."""
    items = data.get(field) or ()
    if len(items) > most:
        problems.error((*path, field), _too_many(len(items), most))
        items = items[:most]
    return ((index, item or {}) for index, item in enumerate(items))


def _too_many(number: int, most: int) -> Message:
    return Message("Too many: {number}: must have at most {most} items", number=number, most=most)


def _check_unique(values: Sequence[Hashable], path: Path, problems: Problems) -> None:
    seen: set[Hashable] = set()
    for index, value in enumerate(values):
        if value in seen:
            problems.error((*path, index), duplicate(value))
        seen.add(value)


def _check_qualified(name: str, path: Path, problems: Problems) -> None:
    """Check a qualified name: a C identifier after an optional domain and "/" (`validateQualifiedName`)."""
    domain, slash, identifier = name.rpartition("/")
    if slash and (reason := dns_subdomain(domain)):
        problems.error(path, invalid(name, reason))
    if not _IDENTIFIER.fullmatch(identifier) or len(identifier) > MAX_IDENTIFIER:
        reason = Message(
            "must be an identifier of C, such as memory, of at most 32 characters, after an optional domain"
        )
        problems.error(path, invalid(name, reason))
