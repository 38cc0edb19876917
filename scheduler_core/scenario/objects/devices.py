"""DeviceClass, ResourceSlice, ResourceClaim and ResourceClaimTemplate to their objects.

Sources: pkg/apis/resource/v1/defaults.go, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scheduler_core.apis.devices import (
    ALL,
    EXACT_COUNT,
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
from scheduler_core.scenario.fields.names import check_metadata, dns_label, dns_subdomain, text_map
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

MAX_REQUESTS = 32  # also selectors, constraints and configurations
MAX_SUB_REQUESTS = 8
MAX_DEVICES = 128
MAX_DEVICES_WITH_MORE = 64  # where devices have taints or consume counters
MAX_ATTRIBUTES = 32  # of a device, with its capacities
MAX_TEXT = 64  # characters of an attribute's value
MAX_EXPRESSION = 10 * 1024

_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def build_device_class(data: Manifest, problems: Problems, admission: Admission) -> DeviceClass:
    metadata, spec = _parts(data, problems)
    extended = spec.get("extendedResourceName") or ""
    if extended and not is_extended(extended):
        path = ("spec", "extendedResourceName")
        problems.error(path, invalid(extended, Message("must be a valid extended resource name")))
    selectors = _selectors(spec.get("selectors"), ("spec", "selectors"), problems)
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
    """Build a claim. A claim with an allocation is protected from deletion."""
    metadata, spec = _parts(data, problems)
    status = data.get("status") or {}
    allocation = _allocation(status.get("allocation"), ("status", "allocation"), problems)
    owner = controller(metadata)
    return ResourceClaim(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        uid=admission.uid(metadata),
        spec=_claim_spec(spec, ("spec",), problems, admission),
        allocation=allocation,
        reserved_for=_consumers(status.get("reservedFor") or (), ("status", "reservedFor"), problems),
        devices=tuple(map(_device_status, status.get("devices") or ())),
        finalizer=allocation is not None or FINALIZER in (metadata.get("finalizers") or ()),
        terminating=bool(metadata.get("deletionTimestamp")),
        owner_name=owner.name if owner else "",
        owner_uid=owner.uid if owner else "",
        annotations=text_map(metadata.get("annotations")),
        manifest=data,
    )


def build_resource_slice(data: Manifest, problems: Problems, admission: Admission) -> ResourceSlice:
    metadata, spec = _parts(data, problems)
    driver, pool = spec.get("driver") or "", spec.get("pool") or {}
    if not driver:
        problems.error(("spec", "driver"), required(Message("the DRA driver that the devices belong to")))
    elif reason := dns_subdomain(driver):
        problems.error(("spec", "driver"), invalid(driver, reason))
    _check_pool(pool, problems)
    per_device = bool(spec.get("perDeviceNodeSelection"))
    if spec.get("devices") and spec.get("sharedCounters"):
        problems.error(("spec", "sharedCounters"), Message("only one of `sharedCounters` or `devices` is allowed"))
    return ResourceSlice(
        name=metadata.get("name") or "",
        driver=driver,
        pool=pool.get("name") or "",
        generation=pool.get("generation") or 0,
        slice_count=pool.get("resourceSliceCount") or 0,
        reach=_reach(spec, ("spec",), problems, per_device=per_device),
        devices=_devices(spec.get("devices") or (), problems, per_device=per_device),
        shared_counters=tuple(
            _counter_set(one, "name", ("spec", "sharedCounters", index), problems)
            for index, one in enumerate(spec.get("sharedCounters") or ())
        ),
        manifest=data,
    )


# --- older versions of the API, also in dumps, which nobody has checked yet ---


def claim_from_v1beta1(data: Manifest) -> Manifest:
    """Convert a v1beta1 claim, whose requests have the fields of `exactly` directly."""
    return _with_spec(data, _exactly)


def template_from_v1beta1(data: Manifest) -> Manifest:
    return _with_spec(data, lambda spec: _with_spec(spec, _exactly))


def slice_from_v1beta1(data: Manifest) -> Manifest:
    """Convert a v1beta1 slice, whose devices have their fields under `basic`."""
    return _with_spec(data, _without_basic)


def _with_spec(data: Manifest, change: Any) -> Manifest:
    spec = data.get("spec")
    return {**data, "spec": change(spec)} if isinstance(spec, dict) else data


def _exactly(spec: Manifest) -> Manifest:
    devices = spec.get("devices")
    requests = devices.get("requests") if isinstance(devices, dict) else None
    if not isinstance(devices, dict) or not isinstance(requests, list):
        return spec
    return {**spec, "devices": {**devices, "requests": [_exactly_requested(request) for request in requests]}}


def _exactly_requested(request: Any) -> Any:
    if not isinstance(request, dict) or request.get("firstAvailable"):
        return request
    name = request.get("name")
    return {"name": name, "exactly": {key: value for key, value in request.items() if key != "name"}}


def _without_basic(spec: Manifest) -> Manifest:
    devices = spec.get("devices")
    return {**spec, "devices": [_flat(device) for device in devices]} if isinstance(devices, list) else spec


def _flat(device: Any) -> Any:
    if not isinstance(device, dict) or not isinstance(device.get("basic"), dict):
        return device
    return {"name": device.get("name"), **device["basic"]}


# --- claims ---


def _claim_spec(spec: Manifest, at: Path, problems: Problems, admission: Admission) -> ClaimSpec:
    """`validateDeviceClaim`."""
    devices, path = spec.get("devices") or {}, (*at, "devices")
    requests = tuple(
        _request(one, (*path, "requests", index), problems)
        for index, one in _listed(devices, "requests", MAX_REQUESTS, path, problems)
    )
    _check_unique([request.name for request in requests], (*path, "requests"), problems)
    names = set(_request_names(requests))
    constraints = tuple(
        _constraint(one, names, (*path, "constraints", index), problems)
        for index, one in _listed(devices, "constraints", MAX_REQUESTS, path, problems)
    )
    configs = []
    for index, one in _listed(devices, "config", MAX_REQUESTS, path, problems):
        place = (*path, "config", index)
        if one.get("opaque") is None:
            problems.error((*place, "opaque"), required())
        configs.append(_references(one, names, place, problems))
    found = ClaimSpec(requests, constraints, tuple(configs))
    check_claim_selectors(found, at, problems, admission.release)
    return found


def _request_names(requests: tuple[DeviceRequest, ...]) -> Iterator[str]:
    """Yield the names that constraints and configurations can use: requests, and "request/subrequest"."""
    for request in requests:
        yield request.name
        yield from (f"{request.name}/{one.name}" for one in request.first_available)


def _request(found: Manifest, path: Path, problems: Problems) -> DeviceRequest:
    """`validateDeviceRequest`."""
    name, exactly, subrequests = found.get("name") or "", found.get("exactly"), found.get("firstAvailable") or ()
    _check_request_name(name, path, problems)
    if exactly is not None and subrequests:
        reason = Message("exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set")
        problems.error(path, reason)
    elif subrequests:
        listed = tuple(
            _requested(one, one.get("name") or "", (*path, "firstAvailable", index), problems)
            for index, one in _listed(found, "firstAvailable", MAX_SUB_REQUESTS, path, problems)
        )
        for index, one in enumerate(listed):
            _check_request_name(one.name, (*path, "firstAvailable", index), problems)
        _check_unique([one.name for one in listed], (*path, "firstAvailable"), problems)
        return DeviceRequest(name, first_available=listed)
    elif exactly is None:
        problems.error(path, required(Message("exactly one of `exactly` or `firstAvailable` is required")))
    return _requested(exactly or {}, name, (*path, "exactly"), problems, missing=exactly is None)


def _requested(found: Manifest, name: str, path: Path, problems: Problems, *, missing: bool = False) -> DeviceRequest:
    """`validateExactDeviceRequest`, `validateDeviceSubRequest`; ExactCount and a count of 1 are the defaults."""
    device_class, mode = found.get("deviceClassName") or "", found.get("allocationMode") or EXACT_COUNT
    count = found.get("count") or (1 if mode == EXACT_COUNT else 0)
    if not device_class and not missing:
        problems.error((*path, "deviceClassName"), required(Message("the DeviceClass of the devices")))
    elif device_class and (reason := dns_subdomain(device_class)):
        problems.error((*path, "deviceClassName"), invalid(device_class, reason))
    if mode == ALL and count:
        reason = Message("must not be specified when allocationMode is 'All'")
        problems.error((*path, "count"), invalid(count, reason))
    elif mode == EXACT_COUNT and count <= 0:
        problems.error((*path, "count"), invalid(count, Message("must be greater than zero")))
    capacity = (found.get("capacity") or {}).get("requests")
    return DeviceRequest(
        name=name,
        device_class=device_class,
        mode=mode,
        count=count,
        selectors=_selectors(found.get("selectors"), (*path, "selectors"), problems),
        admin_access=found.get("adminAccess"),
        tolerations=_tolerations(found.get("tolerations"), (*path, "tolerations"), problems),
        capacity=_quantities(capacity) if found.get("capacity") is not None else None,
    )


def _selectors(found: Any, path: Path, problems: Problems) -> tuple[str, ...]:
    """`validateSelectorSlice`."""
    expressions = []
    if len(found or ()) > MAX_REQUESTS:
        problems.error(path, _too_many(len(found), MAX_REQUESTS))
    for index, one in enumerate(found or ()):
        expression, at = (one.get("cel") or {}).get("expression") or "", (*path, index, "cel", "expression")
        if not expression:
            problems.error(at, required(Message("a CEL expression over `device`")))
        elif len(expression.encode()) > MAX_EXPRESSION:
            problems.error(at, Message("too long: may not be more than {most} bytes", most=MAX_EXPRESSION))
        expressions.append(expression)
    return tuple(expressions)


def _tolerations(found: Any, path: Path, problems: Problems) -> tuple[DeviceToleration, ...]:
    """`validateDeviceToleration`."""
    tolerations = []
    for index, one in enumerate(found or ()):
        operator, key, value = one.get("operator") or "", one.get("key") or "", one.get("value") or ""
        if not key and operator != "Exists":
            reason = Message('operator must be Exists when `key` is empty, which means "match all values and all keys"')
            problems.error((*path, index, "operator"), invalid(operator, reason))
        if value and operator == "Exists":
            problems.error((*path, index, "value"), invalid(value, Message("must be empty for operator `Exists`")))
        tolerations.append(
            DeviceToleration(key, operator, value, one.get("effect") or "", one.get("tolerationSeconds"))
        )
    return tuple(tolerations)


def _constraint(found: Manifest, names: set[str], path: Path, problems: Problems) -> DeviceConstraint:
    """`validateDeviceConstraint`."""
    match, distinct = found.get("matchAttribute") or "", found.get("distinctAttribute") or ""
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
    return DeviceConstraint(_references(found, names, path, problems), match, distinct)


def _references(found: Manifest, names: set[str], path: Path, problems: Problems) -> tuple[str, ...]:
    """`validateRequestNameRef`."""
    references = tuple(found.get("requests") or ())
    for index, name in enumerate(references):
        if name not in names:
            reason = Message(
                "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
            )
            problems.error((*path, "requests", index), invalid(name, reason))
    _check_unique(references, (*path, "requests"), problems)
    return references


def _allocation(found: Manifest | None, path: Path, problems: Problems) -> Allocation | None:
    if found is None:
        return None
    devices, selector = found.get("devices") or {}, found.get("nodeSelector")
    timestamp = found.get("allocationTimestamp")
    return Allocation(
        results=tuple(map(_result, devices.get("results") or ())),
        node_selector=node_selector(selector, (*path, "nodeSelector"), problems) if selector is not None else None,
        selector_manifest=selector,
        configs=len(devices.get("config") or ()),
        timestamp=parse_time(timestamp) if timestamp else None,
    )


def _result(found: Manifest) -> DeviceResult:
    return DeviceResult(
        request=found.get("request") or "",
        driver=found.get("driver") or "",
        pool=found.get("pool") or "",
        device=found.get("device") or "",
        admin_access=found.get("adminAccess"),
        tolerations=_tolerations(found.get("tolerations"), (), Problems()),
        binding_conditions=tuple(found.get("bindingConditions") or ()),
        binding_failure_conditions=tuple(found.get("bindingFailureConditions") or ()),
        share_id=found.get("shareID") or "",
        consumed_capacity=_quantities(found.get("consumedCapacity")),
    )


def _consumers(found: Any, path: Path, problems: Problems) -> tuple[Consumer, ...]:
    """Return the users of a claim. An entry without uid refers to the pod of that name."""
    consumers = []
    for index, one in enumerate(found):
        name = one.get("name") or ""
        if not name:
            problems.error((*path, index, "name"), required(Message("who the claim is reserved for")))
        consumers.append(Consumer(name, one.get("uid") or "", one.get("resource") or "pods", one.get("apiGroup") or ""))
    return tuple(consumers)


def _device_status(found: Manifest) -> DeviceStatus:
    conditions = tuple(
        DeviceCondition(
            condition.get("type") or "",
            condition.get("status") or "",
            condition.get("reason") or "",
            condition.get("message") or "",
        )
        for condition in found.get("conditions") or ()
    )
    return DeviceStatus(found.get("driver") or "", found.get("pool") or "", found.get("device") or "", conditions)


# --- slices ---


def _check_pool(pool: Manifest, problems: Problems) -> None:
    """`validateResourcePool`."""
    name, path = pool.get("name") or "", ("spec", "pool")
    if not name:
        problems.error((*path, "name"), required(Message("the pool that the slice belongs to")))
    for part in name.split("/") if name else ():
        if reason := dns_subdomain(part):
            problems.error((*path, "name"), invalid(name, reason))
    if (pool.get("resourceSliceCount") or 0) <= 0:
        reason = Message("must be greater than zero")
        problems.error((*path, "resourceSliceCount"), invalid(pool.get("resourceSliceCount") or 0, reason))
    if (pool.get("generation") or 0) < 0:
        reason = Message("must be greater than or equal to zero")
        problems.error((*path, "generation"), invalid(pool.get("generation"), reason))


def _reach(found: Manifest, path: Path, problems: Problems, *, per_device: bool = False) -> Reach | None:
    """Return the nodes that can use a slice; None if each device has its own nodes."""
    selector = found.get("nodeSelector")
    given = [field for field in ("nodeName", "nodeSelector", "allNodes") if found.get(field)]
    given += ["perDeviceNodeSelection"] if per_device else []
    if len(given) != 1:
        fields = Message("exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required")
        message = Message("{fields}, but multiple fields are set", fields=fields) if given else required(fields)
        problems.error((*path, given[1]) if given else path, message)
    if per_device:
        return None
    return _node_reach(found, selector, path, problems)


def _node_reach(found: Manifest, selector: Manifest | None, path: Path, problems: Problems) -> Reach:
    if selector is not None and len(selector.get("nodeSelectorTerms") or ()) != 1:
        reason = Message("must have exactly one node selector term")
        problems.error((*path, "nodeSelector", "nodeSelectorTerms"), reason)
    return Reach(
        node_name=found.get("nodeName") or "",
        all_nodes=bool(found.get("allNodes")),
        selector=node_selector(selector, (*path, "nodeSelector"), problems) if selector is not None else None,
        selector_manifest=selector,
    )


def _devices(found: Any, problems: Problems, *, per_device: bool) -> tuple[Device, ...]:
    path: Path = ("spec", "devices")
    more = any(one.get("taints") or one.get("consumesCounters") for one in found)
    most = MAX_DEVICES_WITH_MORE if more else MAX_DEVICES
    if len(found) > most:
        problems.error(path, _too_many(len(found), most))
    devices = tuple(_device(one, (*path, index), problems, per_device=per_device) for index, one in enumerate(found))
    _check_unique([device.name for device in devices], path, problems)
    return devices


def _device(found: Manifest, path: Path, problems: Problems, *, per_device: bool) -> Device:
    """`validateDevice`."""
    name = found.get("name") or ""
    if not name:
        problems.error((*path, "name"), required(Message("the device's name in its pool")))
    elif reason := dns_label(name):
        problems.error((*path, "name"), invalid(name, reason))
    attributes, capacity = found.get("attributes") or {}, found.get("capacity") or {}
    if len(attributes) + len(capacity) > MAX_ATTRIBUTES:
        message = Message("the total number of attributes and capacities must not exceed {most}", most=MAX_ATTRIBUTES)
        problems.error(path, invalid(len(attributes) + len(capacity), message))
    for field, names in (("attributes", attributes), ("capacity", capacity)):
        for key in names:
            _check_qualified(key, (*path, field, key), problems)
    shared = bool(found.get("allowMultipleAllocations"))
    return Device(
        name=name,
        attributes={
            key: _attribute(value or {}, (*path, "attributes", key), problems) for key, value in attributes.items()
        },
        capacity={
            key: _capacity(value or {}, (*path, "capacity", key), problems, shared=shared)
            for key, value in capacity.items()
        },
        taints=tuple(
            _taint(one, (*path, "taints", index), problems) for index, one in enumerate(found.get("taints") or ())
        ),
        consumes_counters=tuple(
            _counter_set(one, "counterSet", (*path, "consumesCounters", index), problems)
            for index, one in enumerate(found.get("consumesCounters") or ())
        ),
        allow_multiple_allocations=shared,
        binding_conditions=tuple(found.get("bindingConditions") or ()),
        binding_failure_conditions=tuple(found.get("bindingFailureConditions") or ()),
        binds_to_node=bool(found.get("bindsToNode")),
        reach=_node_reach(found, found.get("nodeSelector"), path, problems) if per_device else None,
    )


def _attribute(found: Manifest, path: Path, problems: Problems) -> Attribute:
    """`validateDeviceAttribute`."""
    given = [kind for kind in ATTRIBUTE_KINDS if found.get(kind) is not None]
    if len(given) != 1:
        kinds = one_of(ATTRIBUTE_KINDS)
        problems.error(path, Message("exactly one value must be specified: {kinds}", kinds=kinds))
        return Attribute("string", "")
    kind, value = given[0], found[given[0]]
    if isinstance(value, str) and len(value) > MAX_TEXT:
        problems.error((*path, kind), Message("too long: may not be more than {most} bytes", most=MAX_TEXT))
    if kind == "version" and not _VERSION.fullmatch(value):
        reason = Message("must be a string compatible with semver.org spec 2.0.0")
        problems.error((*path, kind), invalid(value, reason))
    return Attribute(kind, value)


def _capacity(found: Manifest, path: Path, problems: Problems, *, shared: bool) -> Capacity:
    policy = found.get("requestPolicy")
    if policy is not None and not shared:
        problems.error((*path, "requestPolicy"), forbidden(Message("allowMultipleAllocations must be true")))
    if found.get("value") is None:
        problems.error((*path, "value"), required(Message("such as 40Gi")))
    amount = _quantity(found.get("value")) or Quantity(0)
    return Capacity(amount, _policy(policy, (*path, "requestPolicy"), problems) if policy is not None else None)


def _policy(found: Manifest, path: Path, problems: Problems) -> RequestPolicy:
    """`validateRequestPolicy`."""
    bounds, values = found.get("validRange"), found.get("validValues") or ()
    if bounds is not None and values:
        reason = Message('cannot specify "validValues" and "validRange" at the same time')
        problems.error(path, forbidden(reason))
    if (bounds is not None or values) and found.get("default") is None:
        problems.error((*path, "default"), required(Message("required when validValues or validRange is defined")))
    if bounds is not None and bounds.get("min") is None:
        problems.error((*path, "validRange", "min"), required(Message("required when validRange is defined")))
    if bounds is not None and bounds.get("step") is not None and Quantity.parse(str(bounds["step"])).value <= 0:
        problems.error((*path, "validRange", "step"), invalid(bounds["step"], Message("must be greater than zero")))
    valid = None
    if bounds is not None:
        valid = ValidRange(_quantity(bounds.get("min")), _quantity(bounds.get("max")), _quantity(bounds.get("step")))
    return RequestPolicy(_quantity(found.get("default")), tuple(Quantity.parse(str(one)) for one in values), valid)


def _taint(found: Manifest, path: Path, problems: Problems) -> DeviceTaint:
    if not found.get("key"):
        problems.error((*path, "key"), required(Message("the taint's key")))
    if not found.get("effect"):
        problems.error((*path, "effect"), required(Message("expected NoSchedule, NoExecute or None")))
    return DeviceTaint(found.get("key") or "", found.get("value") or "", found.get("effect") or "")


def _counter_set(found: Manifest, name: str, path: Path, problems: Problems) -> CounterSet:
    if not found.get(name):
        problems.error((*path, name), required(Message("the name of a counter set")))
    if not found.get("counters"):
        problems.error((*path, "counters"), required(Message("at least one counter")))
    counters = {
        counter: (_quantity((one or {}).get("value")) or Quantity(0)).nano
        for counter, one in (found.get("counters") or {}).items()
    }
    return found.get(name) or "", tuple(counters.items())


# --- parts ---


def _parts(data: Manifest, problems: Problems) -> tuple[Manifest, Manifest]:
    metadata = data.get("metadata") or {}
    check_metadata(metadata, ("metadata",), problems)
    return metadata, data.get("spec") or {}


def _quantity(found: Any) -> Quantity | None:
    return None if found is None else Quantity.parse(str(found))


def _quantities(found: Mapping[str, Any] | None) -> tuple[tuple[str, Quantity], ...]:
    return tuple((name, Quantity.parse(str(0 if one is None else one))) for name, one in (found or {}).items())


def _listed(found: Manifest, field: str, most: int, path: Path, problems: Problems) -> Iterator[tuple[int, Manifest]]:
    items = found.get(field) or ()
    if len(items) > most:
        problems.error((*path, field), _too_many(len(items), most))
        items = items[:most]
    return ((index, item or {}) for index, item in enumerate(items))


def _too_many(number: int, most: int) -> Message:
    return Message("Too many: {number}: must have at most {most} items", number=number, most=most)


def _check_unique(names: Any, path: Path, problems: Problems) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            problems.error((*path, index), duplicate(name))
        seen.add(cast(str, name))


def _check_request_name(name: str, path: Path, problems: Problems) -> None:
    if not name:
        problems.error((*path, "name"), required(Message("the request's name in the claim")))
    elif reason := dns_label(name):
        problems.error((*path, "name"), invalid(name, reason))


def _check_qualified(name: str, path: Path, problems: Problems) -> None:
    """`validateQualifiedName`: an identifier, with a domain before it or not."""
    domain, slash, identifier = name.rpartition("/")
    if slash and (reason := dns_subdomain(domain)):
        problems.error(path, invalid(name, reason))
    if not _IDENTIFIER.fullmatch(identifier) or len(identifier) > 32:
        reason = Message(
            "must be an identifier of C, such as memory, of at most 32 characters, after an optional domain"
        )
        problems.error(path, invalid(name, reason))
