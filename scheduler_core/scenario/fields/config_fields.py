"""Field tables of KubeSchedulerConfiguration v1, its plugins' arguments (kube-scheduler/config/v1), and Policy."""

from __future__ import annotations

from scheduler_core.scenario.fields.pod_fields import NODE_AFFINITY, TOPOLOGY_SPREAD_CONSTRAINT
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    DURATION,
    INT32,
    INT64,
    STRING,
    Fields,
    ListOf,
    Type,
    strings,
    unread,
)

# By the engine's name of each extension point: the field of the configuration, in the order of NewFramework.
POINT_FIELDS = {
    "pre_filter": "preFilter",
    "filter": "filter",
    "post_filter": "postFilter",
    "reserve": "reserve",
    "pre_score": "preScore",
    "score": "score",
    "pre_bind": "preBind",
    "bind": "bind",
    "post_bind": "postBind",
    "permit": "permit",
    "pre_enqueue": "preEnqueue",
    "queue_sort": "queueSort",
    "placement_generate": "placementGenerate",
    "placement_score": "placementScore",
}

_PLUGIN_SET = Fields(
    "PluginSet",
    {
        "enabled": ListOf(Fields("Plugin", {"name": STRING, "weight": INT32})),
        "disabled": ListOf(Fields("Plugin", {"name": STRING, "weight": INT32})),
    },
    {"disabled": "'*' disables all default plugins"},
)

_PROFILE = Fields(
    "KubeSchedulerProfile",
    {
        "schedulerName": STRING,
        "percentageOfNodesToScore": INT32,
        "plugins": Fields("Plugins", {"multiPoint": _PLUGIN_SET, **dict.fromkeys(POINT_FIELDS.values(), _PLUGIN_SET)}),
        "pluginConfig": ListOf(Fields("PluginConfig", {"name": STRING, "args": ANY})),
    },
)

_EXTENDER = Fields(
    "Extender",
    {
        **strings("urlPrefix filterVerb preemptVerb prioritizeVerb bindVerb"),
        "weight": INT64,
        "enableHTTPS": BOOLEAN,
        "tlsConfig": ANY,
        "httpTimeout": DURATION,
        "nodeCacheCapable": BOOLEAN,
        "managedResources": ListOf(Fields("ExtenderManagedResource", {"name": STRING, "ignoredByScheduler": BOOLEAN})),
        "ignorable": BOOLEAN,
    },
    {"urlPrefix": "never called: what the extender answers is scripted in the Scenario document"},
)

CONFIGURATION = Fields(
    "KubeSchedulerConfiguration",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "profiles": ListOf(_PROFILE),
        "extenders": ListOf(_EXTENDER),
        "percentageOfNodesToScore": INT32,
        "podInitialBackoffSeconds": INT64,
        "podMaxBackoffSeconds": INT64,
        "parallelism": INT32,
        "delayCacheUntilActive": BOOLEAN,
        "enableProfiling": BOOLEAN,
        "enableContentionProfiling": BOOLEAN,
        **unread("leaderElection clientConnection"),
    },
)

_RESOURCES = ListOf(Fields("ResourceSpec", {"name": STRING, "weight": INT64}))
_SHAPE = ListOf(Fields("UtilizationShapePoint", {"utilization": INT32, "score": INT32}))
_LABELS_PRESENCE = Fields("LabelsPresence", {"labels": ListOf(STRING), "presence": BOOLEAN})
_LABEL_PREFERENCE = Fields("LabelPreference", {"label": STRING, "presence": BOOLEAN})
_LEGACY_EXTENDER = {name: kind for name, kind in _EXTENDER.fields.items() if name != "enableHTTPS"}

POLICY = Fields(
    "Policy",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "predicates": ListOf(
            Fields(
                "PredicatePolicy",
                {
                    "name": STRING,
                    "argument": Fields(
                        "PredicateArgument",
                        {
                            "serviceAffinity": Fields("ServiceAffinity", {"labels": ListOf(STRING)}),
                            "labelsPresence": _LABELS_PRESENCE,
                        },
                    ),
                },
            )
        ),
        "priorities": ListOf(
            Fields(
                "PriorityPolicy",
                {
                    "name": STRING,
                    "weight": INT64,
                    "argument": Fields(
                        "PriorityArgument",
                        {
                            "serviceAntiAffinity": Fields("ServiceAntiAffinity", {"label": STRING}),
                            "labelPreference": _LABEL_PREFERENCE,
                            "requestedToCapacityRatioArguments": Fields(
                                "RequestedToCapacityRatioArguments", {"shape": _SHAPE, "resources": _RESOURCES}
                            ),
                        },
                    ),
                },
            )
        ),
        "extenders": ListOf(
            Fields("LegacyExtender", {**_LEGACY_EXTENDER, "httpTimeout": INT64, "enableHttps": BOOLEAN})
        ),
        "hardPodAffinitySymmetricWeight": INT32,
        "alwaysCheckAllPredicates": BOOLEAN,
    },
    {"predicates": "absent: the default ones; empty: the two mandatory ones alone"},
)


def _args(name: str, **fields: Type) -> Fields:
    return Fields(name, {"apiVersion": STRING, "kind": STRING, **fields})


# By plugin: the field table of its arguments. Other plugins accept any arguments.
PLUGIN_ARGS = {
    "DefaultPreemption": _args(
        "DefaultPreemptionArgs", minCandidateNodesPercentage=INT32, minCandidateNodesAbsolute=INT32
    ),
    "InterPodAffinity": _args(
        "InterPodAffinityArgs", hardPodAffinityWeight=INT32, ignorePreferredTermsOfExistingPods=BOOLEAN
    ),
    "NodeAffinity": _args("NodeAffinityArgs", addedAffinity=NODE_AFFINITY),
    "NodeResourcesBalancedAllocation": _args("NodeResourcesBalancedAllocationArgs", resources=_RESOURCES),
    "NodeResourcesFit": _args(
        "NodeResourcesFitArgs",
        ignoredResources=ListOf(STRING),
        ignoredResourceGroups=ListOf(STRING),
        scoringStrategy=Fields(
            "ScoringStrategy",
            {
                "type": STRING,
                "resources": _RESOURCES,
                "requestedToCapacityRatio": Fields("RequestedToCapacityRatioParam", {"shape": _SHAPE}),
            },
        ),
    ),
    "PodTopologySpread": _args(
        "PodTopologySpreadArgs", defaultConstraints=ListOf(TOPOLOGY_SPREAD_CONSTRAINT), defaultingType=STRING
    ),
    "VolumeBinding": _args("VolumeBindingArgs", bindTimeoutSeconds=INT64, shape=_SHAPE),
    "DynamicResources": _args("DynamicResourcesArgs", filterTimeout=DURATION),
    "Coscheduling": _args(
        "CoschedulingArgs",
        permitWaitingTimeSeconds=INT64,
        podGroupBackoffSeconds=INT64,
        podGroupRejectPercentage=INT32,
    ),
}
