"""Field tables of Karpenter's objects (pkg/apis/v1, kwok/apis) and of its document in a scenario, and its flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from scheduler_core.apis.karpenter import REASONS
from scheduler_core.scenario.fields.autoscaling_fields import CLOUD_HINTS, FlagKind, document
from scheduler_core.scenario.fields.cluster_fields import TAINT
from scheduler_core.scenario.fields.common_fields import RESOURCE_LIST, top_level
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    NUMBER,
    QUANTITY,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Type,
    strings,
    unread,
)

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")
_REQUIREMENT = Fields(
    "NodeSelectorRequirementWithMinValues",
    {
        "key": STRING,
        "operator": Enum(OPERATORS, "operator"),
        "values": ListOf(STRING),
        "minValues": INT32,
    },
)
_CLAIM_SPEC: Mapping[str, Type] = {
    "requirements": ListOf(_REQUIREMENT),
    "taints": ListOf(TAINT),
    "startupTaints": ListOf(TAINT),
    "nodeClassRef": Fields("NodeClassReference", strings("group kind name")),
    "expireAfter": STRING,
    "terminationGracePeriod": STRING,
}
_CLAIM_HINTS = {
    "expireAfter": "a duration such as 720h, or Never; 720h when absent",
    "terminationGracePeriod": "how long a drain may last; no limit when absent",
}

NODE_POOL = top_level(
    "NodePool",
    spec=Fields(
        "NodePoolSpec",
        {
            "template": Fields(
                "NodeClaimTemplate",
                {
                    "metadata": Fields(
                        "NodeClaimTemplateMeta", {"labels": MapOf(STRING), "annotations": MapOf(STRING)}
                    ),
                    "spec": Fields("NodeClaimTemplateSpec", _CLAIM_SPEC, _CLAIM_HINTS),
                },
            ),
            "disruption": Fields(
                "Disruption",
                {
                    "consolidateAfter": STRING,
                    "consolidationPolicy": Enum(("WhenEmpty", "WhenEmptyOrUnderutilized"), "consolidation policy"),
                    "budgets": ListOf(
                        Fields(
                            "Budget",
                            {
                                "nodes": STRING,
                                "reasons": ListOf(Enum(REASONS, "reason")),
                                "schedule": STRING,
                                "duration": STRING,
                            },
                            {"nodes": 'a number or a percentage such as "10%"'},
                        )
                    ),
                },
                {"consolidateAfter": "a duration such as 5m, or Never; 0s when absent"},
            ),
            "limits": RESOURCE_LIST,
            "weight": INT32,
            "replicas": INT32,
        },
    ),
    status=ANY,
)

NODE_CLAIM = top_level(
    "NodeClaim",
    spec=Fields(
        "NodeClaimSpec",
        {**_CLAIM_SPEC, "resources": Fields("NodeClaimResources", {"requests": RESOURCE_LIST})},
        _CLAIM_HINTS,
    ),
    status=Fields(
        "NodeClaimStatus",
        {
            "conditions": ListOf(
                Fields(
                    "NodeClaimCondition",
                    {**strings("type status reason"), **unread("lastTransitionTime message observedGeneration")},
                )
            ),
            "allocatable": RESOURCE_LIST,
            "capacity": RESOURCE_LIST,
            **strings("imageID lastPodEventTime nodeName providerID"),
        },
    ),
)

NODE_CLASS = top_level("KWOKNodeClass", spec=Fields("KWOKNodeClassSpec", {"nodeRegistrationDelay": STRING}), status=ANY)

INSTANCE_TYPES = ListOf(
    Fields(
        "InstanceType",
        {
            "name": STRING,
            "cpu": QUANTITY,
            "memory": QUANTITY,
            "pods": QUANTITY,
            "resources": RESOURCE_LIST,
            "arch": STRING,
            "os": ListOf(STRING),
            "labels": MapOf(STRING),
            "offerings": ListOf(
                Fields(
                    "Offering",
                    {
                        "zone": STRING,
                        "capacityType": Enum(("on-demand", "spot", "reserved"), "capacity type"),
                        "price": NUMBER,
                        "available": BOOLEAN,
                    },
                    {"price": "of a node, for an hour, in any currency"},
                )
            ),
        },
        {
            "pods": "the most pods of a node; 110 when absent",
            "resources": "more resources, such as nvidia.com/gpu",
            "arch": "amd64 when absent",
            "os": "linux when absent",
            "labels": "labels of its nodes that pods may ask for",
        },
    )
)

KARPENTER = document(
    "Karpenter",
    Fields(
        "KarpenterSpec",
        {
            "startSeconds": NUMBER,
            "flags": ListOf(STRING),
            "readySeconds": NUMBER,
            "instanceTypes": INSTANCE_TYPES,
        },
        {
            "startSeconds": CLOUD_HINTS["startSeconds"],
            "readySeconds": CLOUD_HINTS["readySeconds"],
            "flags": "its command line, as in --batch-idle-duration=1s",
            "instanceTypes": "what its cloud offers; generic types in four zones when absent",
        },
    ),
)

# Flags that have an effect here, with their types and defaults (pkg/operator/options/options.go).
KARPENTER_FLAGS: Mapping[str, tuple[FlagKind, object]] = {
    "batch-max-duration": ("duration", 10.0),
    "batch-idle-duration": ("duration", 1.0),
    "preference-policy": ("string", "Respect"),
    "min-values-policy": ("string", "Strict"),
    "feature-gates": ("list", []),
}
# Flags that have no effect in a simulation, such as those of logs, metrics and the connection to the API server.
KARPENTER_WITHOUT_EFFECT: Collection[str] = frozenset(
    {
        *("karpenter-service", "metrics-port", "health-probe-port", "kube-client-qps", "kube-client-burst"),
        *("enable-profiling", "disable-leader-election", "disable-cluster-state-observability"),
        *("leader-election-name", "leader-election-namespace", "memory-limit", "cpu-requests", "log-level"),
        *("log-output-paths", "log-error-output-paths", "instance-types-file-path", "ignore-dra-requests"),
    }
)
KARPENTER_GATES: Mapping[str, bool] = {  # by feature gate: whether it can be turned on here
    "SpotToSpotConsolidation": True,
    "NodeRepair": False,
    "ReservedCapacity": False,
    "NodeOverlay": False,
    "StaticCapacity": False,
}
