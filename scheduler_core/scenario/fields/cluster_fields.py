"""Field tables of Node, Namespace, PriorityClass, PodDisruptionBudget, Service, and both kinds of PodGroup."""

from __future__ import annotations

from scheduler_core.scenario.fields.common_fields import (
    LABEL_SELECTOR,
    PREEMPTION_POLICY,
    RESOURCE_LIST,
    TAINT_EFFECT,
    top_level,
)
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    INT64,
    INT_OR_STRING,
    STRING,
    TIME,
    Enum,
    Fields,
    ListOf,
    MapOf,
    strings,
    unread,
)

TAINT = Fields("Taint", {"key": STRING, "value": STRING, "effect": TAINT_EFFECT, "timeAdded": TIME})

NODE = top_level(
    "Node",
    spec=Fields(
        "NodeSpec",
        {
            "unschedulable": BOOLEAN,
            "taints": ListOf(TAINT),
            **strings("podCIDR providerID externalID"),
            "podCIDRs": ListOf(STRING),
            "configSource": ANY,
        },
        {"unschedulable": "true: cordoned"},
    ),
    status=Fields(
        "NodeStatus",
        {
            "capacity": RESOURCE_LIST,
            "allocatable": RESOURCE_LIST,
            "images": ListOf(Fields("ContainerImage", {"names": ListOf(STRING), "sizeBytes": INT64})),
            "declaredFeatures": ListOf(STRING),
            **unread(
                "phase conditions addresses daemonEndpoints nodeInfo volumesInUse volumesAttached config "
                "runtimeHandlers features"
            ),
        },
        {
            "allocatable": "what pods may request; capacity when absent",
            "declaredFeatures": "what the kubelet supports, in alphabetical order",
        },
    ),
)

NAMESPACE = top_level("Namespace", spec=ANY, status=ANY)

PRIORITY_CLASS = top_level(
    "PriorityClass",
    value=INT32,
    globalDefault=BOOLEAN,
    description=STRING,
    preemptionPolicy=PREEMPTION_POLICY,
)

POD_DISRUPTION_BUDGET = top_level(
    "PodDisruptionBudget",
    spec=Fields(
        "PodDisruptionBudgetSpec",
        {
            "minAvailable": INT_OR_STRING,
            "maxUnavailable": INT_OR_STRING,
            "selector": LABEL_SELECTOR,
            "unhealthyPodEvictionPolicy": Enum(("AlwaysAllow", "IfHealthyBudget"), "unhealthy pod eviction policy"),
        },
    ),
    status=Fields(
        "PodDisruptionBudgetStatus",
        {
            "disruptionsAllowed": INT32,
            "disruptedPods": MapOf(TIME),
            "currentHealthy": INT32,
            "desiredHealthy": INT32,
            **unread("observedGeneration expectedPods conditions"),
        },
        {"disruptionsAllowed": "used as it is for ever; when absent, computed as the controller does"},
    ),
)

SERVICE = top_level(
    "Service",
    spec=Fields(
        "ServiceSpec",
        {
            "selector": MapOf(STRING),
            **unread(
                "ports clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges "
                "externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig "
                "ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy "
                "trafficDistribution"
            ),
        },
    ),
    status=ANY,
)

POD_GROUP = top_level(
    "PodGroup",
    spec=Fields(
        "PodGroupSpec",
        {
            "schedulingPolicy": Fields(
                "PodGroupSchedulingPolicy",
                {
                    "basic": ANY,
                    "gang": Fields(
                        "GangSchedulingPolicy",
                        {"minCount": INT32},
                        {"minCount": "members that must have a node before any of them is bound"},
                    ),
                },
                {"basic": "members are scheduled as far as they fit", "gang": "minCount members or none"},
            ),
            "schedulingConstraints": Fields(
                "PodGroupSchedulingConstraints",
                {"topology": ListOf(Fields("TopologyConstraint", {"key": STRING}))},
                {"topology": "all members on nodes that share the label's value"},
            ),
            "disruptionMode": Enum(("Pod", "PodGroup"), "disruption mode"),
            "priorityClassName": STRING,
            "priority": INT32,
            **unread("podGroupTemplateRef resourceClaims"),
        },
        {
            "disruptionMode": "PodGroup: the members are evicted all together",
            "priorityClassName": "counts with WorkloadAwarePreemption, instead of the priority of the pods",
        },
    ),
    status=Fields(
        "PodGroupStatus",
        {
            "conditions": ListOf(
                Fields(
                    "PodGroupCondition",
                    {**strings("type status reason message"), **unread("observedGeneration lastTransitionTime")},
                )
            ),
            **unread("resourceClaimStatuses"),
        },
    ),
)

COSCHEDULING_POD_GROUP = top_level(
    "CoschedulingPodGroup",
    spec=Fields(
        "CoschedulingPodGroupSpec",
        {"minMember": INT32, "scheduleTimeoutSeconds": INT32, "minResources": RESOURCE_LIST},
        {"minMember": "pods that must be placed together before any of them is bound"},
    ),
    status=ANY,
)
