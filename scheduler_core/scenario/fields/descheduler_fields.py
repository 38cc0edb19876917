"""Field tables of DeschedulerPolicy, descheduler/v1alpha2 (pkg/api/v1alpha2/types.go, and the args of each plugin)."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.scenario.fields.common_fields import LABEL_SELECTOR
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    DURATION,
    INT32,
    INT64,
    NUMBER,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Type,
    unread,
)

_STRINGS = ListOf(STRING)
_NAMESPACES = Fields("Namespaces", {"include": _STRINGS, "exclude": _STRINGS})
_CHOSEN: Mapping[str, Type] = {"namespaces": _NAMESPACES, "labelSelector": LABEL_SELECTOR}
_FAILED: Mapping[str, Type] = {
    **_CHOSEN,
    "excludeOwnerKinds": _STRINGS,
    "minPodLifetimeSeconds": INT64,
    **unread("reasons exitCodes includingInitContainers"),
}
_UTILIZATION: Mapping[str, Type] = {
    "numberOfNodes": INT32,
    "thresholds": MapOf(NUMBER),
    "evictableNamespaces": _NAMESPACES,
    "evictionModes": _STRINGS,
}

EVICTOR = Fields(
    "DefaultEvictorArgs",
    {
        "nodeFit": BOOLEAN,
        "evictLocalStoragePods": BOOLEAN,
        "evictDaemonSetPods": BOOLEAN,
        "evictSystemCriticalPods": BOOLEAN,
        "ignorePvcPods": BOOLEAN,
        "evictFailedBarePods": BOOLEAN,
        "labelSelector": LABEL_SELECTOR,
        "priorityThreshold": Fields("PriorityThreshold", {"value": INT32, "name": STRING}),
        "minReplicas": INT32,
        "minPodAge": DURATION,
        "noEvictionPolicy": Enum(("Preferred", "Mandatory"), "noEvictionPolicy"),
        "nodeSelector": STRING,
        "namespaceLabelSelector": LABEL_SELECTOR,
        "ignorePodsWithoutPDB": BOOLEAN,
        "podProtections": Fields(
            "PodProtections",
            {
                "defaultDisabled": ListOf(
                    Enum(
                        ("PodsWithLocalStorage", "DaemonSetPods", "SystemCriticalPods", "FailedBarePods"), "protection"
                    )
                ),
                "extraEnabled": ListOf(Enum(("PodsWithPVC", "PodsWithoutPDB", "PodsWithResourceClaims"), "protection")),
                "config": Fields(
                    "PodProtectionsConfig",
                    {
                        "PodsWithPVC": Fields(
                            "PodsWithPVCConfig",
                            {"protectedStorageClasses": ListOf(Fields("ProtectedStorageClass", {"name": STRING}))},
                        )
                    },
                ),
            },
        ),
    },
)

# The arguments of each plugin, by the extension point at which it evicts.
DESCHEDULE: Mapping[str, Fields] = {
    "RemovePodsViolatingNodeTaints": Fields(
        "RemovePodsViolatingNodeTaintsArgs",
        {**_CHOSEN, "includePreferNoSchedule": BOOLEAN, "excludedTaints": _STRINGS, "includedTaints": _STRINGS},
    ),
    "RemovePodsViolatingNodeAffinity": Fields(
        "RemovePodsViolatingNodeAffinityArgs", {**_CHOSEN, "nodeAffinityType": _STRINGS}
    ),
    "RemovePodsViolatingInterPodAntiAffinity": Fields("RemovePodsViolatingInterPodAntiAffinityArgs", _CHOSEN),
    "RemovePodsHavingTooManyRestarts": Fields(
        "RemovePodsHavingTooManyRestartsArgs",
        {**_CHOSEN, "podRestartThreshold": INT32, **unread("includingInitContainers states")},
    ),
    "RemoveFailedPods": Fields("RemoveFailedPodsArgs", _FAILED),
    "PodLifeTime": Fields(
        "PodLifeTimeArgs",
        {
            **_CHOSEN,
            "maxPodLifeTimeSeconds": INT64,
            "states": _STRINGS,
            "ownerKinds": Fields("OwnerKinds", {"include": _STRINGS, "exclude": _STRINGS}),
            **unread("includingInitContainers includingEphemeralContainers conditions exitCodes"),
        },
    ),
}
BALANCE: Mapping[str, Fields] = {
    "RemoveDuplicates": Fields("RemoveDuplicatesArgs", {"namespaces": _NAMESPACES, "excludeOwnerKinds": _STRINGS}),
    "LowNodeUtilization": Fields(
        "LowNodeUtilizationArgs",
        {
            **_UTILIZATION,
            "useDeviationThresholds": BOOLEAN,
            "targetThresholds": MapOf(NUMBER),
            "evictionLimits": Fields("EvictionLimits", {"node": INT32}),
        },
    ),
    "HighNodeUtilization": Fields("HighNodeUtilizationArgs", _UTILIZATION),
    "RemovePodsViolatingTopologySpreadConstraint": Fields(
        "RemovePodsViolatingTopologySpreadConstraintArgs",
        {**_CHOSEN, "constraints": _STRINGS, "topologyBalanceNodeFit": BOOLEAN},
    ),
}
ARGUMENTS: Mapping[str, Fields] = {**DESCHEDULE, **BALANCE, "DefaultEvictor": EVICTOR}


def _plugins(names: Mapping[str, Fields]) -> Fields:
    """Return the field table of the plugin set of an extension point at which these plugins can be enabled."""
    return Fields("PluginSet", {"enabled": ListOf(Enum(tuple(names), "plugin")), "disabled": _STRINGS})


_ANY_PLUGINS = Fields("PluginSet", {"enabled": _STRINGS, "disabled": _STRINGS})
POLICY = Fields(
    "DeschedulerPolicy",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "nodeSelector": STRING,
        "maxNoOfPodsToEvictPerNode": INT32,
        "maxNoOfPodsToEvictPerNamespace": INT32,
        "maxNoOfPodsToEvictTotal": INT32,
        "profiles": ListOf(
            Fields(
                "DeschedulerProfile",
                {
                    "name": STRING,
                    "pluginConfig": ListOf(
                        Fields("PluginConfig", {"name": Enum(tuple(ARGUMENTS), "plugin"), "args": ANY})
                    ),
                    "plugins": Fields(
                        "Plugins",
                        {
                            "deschedule": _plugins(DESCHEDULE),
                            "balance": _plugins(BALANCE),
                            **dict.fromkeys(("presort", "sort", "filter", "preevictionfilter"), _ANY_PLUGINS),
                            **dict.fromkeys(("preEvictionFilter", "preSort"), _ANY_PLUGINS),
                        },
                    ),
                },
            )
        ),
        "evictionFailureEventNotification": BOOLEAN,
        "gracePeriodSeconds": INT64,
        **unread("metricsCollector metricsProviders"),
    },
)
