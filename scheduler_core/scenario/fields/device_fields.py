"""Field tables of the kinds of resource.k8s.io: v1, whose fields v1beta2 has, too, and v1beta1."""

from __future__ import annotations

from scheduler_core.scenario.fields.common_fields import NODE_SELECTOR, OBJECT_META, top_level
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT64,
    QUANTITY,
    STRING,
    TIME,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Type,
    strings,
    unread,
)

_SELECTORS = ListOf(
    Fields(
        "DeviceSelector",
        {
            "cel": Fields(
                "CELDeviceSelector", {"expression": STRING}, {"expression": "CEL over `device`; true: it fits"}
            )
        },
    )
)

_TOLERATION = Fields(
    "DeviceToleration",
    {
        **strings("key value"),
        "operator": Enum(("Equal", "Exists"), "toleration operator"),
        "effect": Enum(("None", "NoSchedule", "NoExecute"), "taint effect"),
        "tolerationSeconds": INT64,
    },
)

_CAPACITY_REQUIREMENTS = Fields("CapacityRequirements", {"requests": MapOf(QUANTITY)})

_REQUESTED: dict[str, Type] = {
    "deviceClassName": STRING,
    "selectors": _SELECTORS,
    "allocationMode": Enum(("ExactCount", "All"), "allocation mode"),
    "count": INT64,
    "tolerations": ListOf(_TOLERATION),
    "capacity": _CAPACITY_REQUIREMENTS,
}
_REQUESTED_HINTS = {"allocationMode": "ExactCount when absent", "count": "1 when absent"}

_SUB_REQUEST = Fields("DeviceSubRequest", {"name": STRING, **_REQUESTED}, _REQUESTED_HINTS)

_REQUEST = Fields(
    "DeviceRequest",
    {
        "name": STRING,
        "exactly": Fields("ExactDeviceRequest", {**_REQUESTED, "adminAccess": BOOLEAN}, _REQUESTED_HINTS),
        "firstAvailable": ListOf(_SUB_REQUEST),
    },
    {"firstAvailable": "the first of these that can be satisfied together with everything else"},
)

_REQUEST_V1BETA1 = Fields(
    "DeviceRequestV1beta1",
    {"name": STRING, **_REQUESTED, "adminAccess": BOOLEAN, "firstAvailable": ListOf(_SUB_REQUEST)},
    _REQUESTED_HINTS,
)

_OPAQUE = Fields("OpaqueDeviceConfiguration", {"driver": STRING, "parameters": ANY})


def _claim_spec(request: Fields) -> Fields:
    suffix = request.name.removeprefix("DeviceRequest")
    devices = Fields(
        f"DeviceClaim{suffix}",
        {
            "requests": ListOf(request),
            "constraints": ListOf(
                Fields(
                    "DeviceConstraint",
                    {"requests": ListOf(STRING), **strings("matchAttribute distinctAttribute")},
                    {"matchAttribute": "the devices must have the same value of this attribute"},
                )
            ),
            "config": ListOf(Fields("DeviceClaimConfiguration", {"requests": ListOf(STRING), "opaque": _OPAQUE})),
        },
    )
    return Fields(f"ResourceClaimSpec{suffix}", {"devices": devices})


_RESULT = Fields(
    "DeviceRequestAllocationResult",
    {
        **strings("request driver pool device shareID"),
        "adminAccess": BOOLEAN,
        "tolerations": ListOf(_TOLERATION),
        "bindingConditions": ListOf(STRING),
        "bindingFailureConditions": ListOf(STRING),
        "consumedCapacity": MapOf(QUANTITY),
    },
)

_CLAIM_STATUS = Fields(
    "ResourceClaimStatus",
    {
        "allocation": Fields(
            "AllocationResult",
            {
                "devices": Fields(
                    "DeviceAllocationResult",
                    {
                        "results": ListOf(_RESULT),
                        "config": ListOf(
                            Fields(
                                "DeviceAllocationConfiguration",
                                {"source": STRING, "requests": ListOf(STRING), "opaque": _OPAQUE},
                            )
                        ),
                    },
                ),
                "nodeSelector": NODE_SELECTOR,
                "allocationTimestamp": TIME,
            },
            {"nodeSelector": "where the devices can be used; absent: everywhere"},
        ),
        "reservedFor": ListOf(Fields("ResourceClaimConsumerReference", strings("apiGroup resource name uid"))),
        "devices": ListOf(
            Fields(
                "AllocatedDeviceStatus",
                {
                    **strings("driver pool device shareID"),
                    "conditions": ListOf(
                        Fields(
                            "Condition",
                            {
                                **strings("type status reason message"),
                                **unread("observedGeneration lastTransitionTime"),
                            },
                        )
                    ),
                    **unread("data networkData"),
                },
            )
        ),
    },
)

RESOURCE_CLAIM = top_level("ResourceClaim", spec=_claim_spec(_REQUEST), status=_CLAIM_STATUS)
RESOURCE_CLAIM_V1BETA1 = top_level("ResourceClaimV1beta1", spec=_claim_spec(_REQUEST_V1BETA1), status=_CLAIM_STATUS)


def _template(name: str, request: Fields) -> Fields:
    spec = Fields(f"{name}Spec", {"metadata": OBJECT_META, "spec": _claim_spec(request)})
    return top_level(name, spec=spec)


RESOURCE_CLAIM_TEMPLATE = _template("ResourceClaimTemplate", _REQUEST)
RESOURCE_CLAIM_TEMPLATE_V1BETA1 = _template("ResourceClaimTemplateV1beta1", _REQUEST_V1BETA1)

DEVICE_CLASS = top_level(
    "DeviceClass",
    spec=Fields(
        "DeviceClassSpec",
        {
            "selectors": _SELECTORS,
            "config": ListOf(Fields("DeviceClassConfiguration", {"opaque": _OPAQUE})),
            "extendedResourceName": STRING,
        },
        {"extendedResourceName": "pods that request this resource are given devices of the class"},
    ),
)

_ATTRIBUTE = Fields(
    "DeviceAttribute",
    {"string": STRING, "int": INT64, "bool": BOOLEAN, "version": STRING, **unread("strings ints bools versions")},
)

_DEVICE_CAPACITY = Fields(
    "DeviceCapacity",
    {
        "value": QUANTITY,
        "requestPolicy": Fields(
            "CapacityRequestPolicy",
            {
                "default": QUANTITY,
                "validValues": ListOf(QUANTITY),
                "validRange": Fields("CapacityRequestPolicyRange", dict.fromkeys(("min", "max", "step"), QUANTITY)),
            },
        ),
    },
)

_COUNTERS = MapOf(Fields("Counter", {"value": QUANTITY}))

_TAINT = Fields(
    "DeviceTaint",
    {
        **strings("key value"),
        "effect": Enum(("None", "NoSchedule", "NoExecute"), "taint effect"),
        "timeAdded": TIME,
    },
)

DEVICE_TAINT_RULE = top_level(
    "DeviceTaintRule",
    spec=Fields(
        "DeviceTaintRuleSpec",
        {"deviceSelector": Fields("DeviceTaintSelector", strings("driver pool device")), "taint": _TAINT},
        {"deviceSelector": "the devices that get the taint; {} matches all"},
    ),
    status=Fields("DeviceTaintRuleStatus", unread("conditions")),
)

_DEVICE_PARTS: dict[str, Type] = {
    "attributes": MapOf(_ATTRIBUTE),
    "capacity": MapOf(_DEVICE_CAPACITY),
    "consumesCounters": ListOf(Fields("DeviceCounterConsumption", {"counterSet": STRING, "counters": _COUNTERS})),
    "nodeName": STRING,
    "nodeSelector": NODE_SELECTOR,
    "allNodes": BOOLEAN,
    "taints": ListOf(_TAINT),
    "bindsToNode": BOOLEAN,
    "bindingConditions": ListOf(STRING),
    "bindingFailureConditions": ListOf(STRING),
    "allowMultipleAllocations": BOOLEAN,
    **unread("nodeAllocatableResourceMappings"),
}

_DEVICE = Fields(
    "Device",
    {"name": STRING, **_DEVICE_PARTS},
    {"allowMultipleAllocations": "several claims may share it, each with a part of its capacity"},
)
_DEVICE_V1BETA1 = Fields("DeviceV1beta1", {"name": STRING, "basic": Fields("BasicDevice", _DEVICE_PARTS)})


def _slice(name: str, device: Fields) -> Fields:
    spec = Fields(
        f"{name}Spec",
        {
            **strings("driver nodeName"),
            "pool": Fields("ResourcePool", {"name": STRING, "generation": INT64, "resourceSliceCount": INT64}),
            "nodeSelector": NODE_SELECTOR,
            "allNodes": BOOLEAN,
            "perDeviceNodeSelection": BOOLEAN,
            "devices": ListOf(device),
            "sharedCounters": ListOf(Fields("CounterSet", {"name": STRING, "counters": _COUNTERS})),
        },
        {"perDeviceNodeSelection": "each device says which nodes it is for"},
    )
    return top_level(name, spec=spec)


RESOURCE_SLICE = _slice("ResourceSlice", _DEVICE)
RESOURCE_SLICE_V1BETA1 = _slice("ResourceSliceV1beta1", _DEVICE_V1BETA1)
