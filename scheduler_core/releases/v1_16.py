"""Kubernetes 1.16 (recorded: 1.16.6): predicates and priorities under their names at that time."""

from __future__ import annotations

from dataclasses import replace

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.release import PolicyNames
from scheduler_core.releases.v1_18 import V1_18

_FILTERS = ("pre_filter", "filter")
_SCORES = ("pre_score", "score")

PREDICATES = {
    "CheckNodeUnschedulable": ("filter",),
    "GeneralPredicates": _FILTERS,
    "HostName": ("filter",),
    "PodFitsHostPorts": _FILTERS,
    "MatchNodeSelector": ("filter",),
    "PodFitsResources": _FILTERS,
    "NoDiskConflict": _FILTERS,
    "PodToleratesNodeTaints": ("filter",),
    "CheckNodeLabelPresence": ("filter",),
    "CheckServiceAffinity": _FILTERS,
    "MaxEBSVolumeCount": ("filter",),
    "MaxGCEPDVolumeCount": ("filter",),
    "MaxCSIVolumeCountPred": ("filter",),
    "MaxAzureDiskVolumeCount": ("filter",),
    "MaxCinderVolumeCount": ("filter",),
    "CheckVolumeBinding": ("pre_filter", "filter", "reserve", "pre_bind"),
    "NoVolumeZoneConflict": ("filter",),
    "MatchInterPodAffinity": _FILTERS,
}
PRIORITIES = {
    "SelectorSpreadPriority": _SCORES,
    "InterPodAffinityPriority": _SCORES,
    "LeastRequestedPriority": ("score",),
    "BalancedResourceAllocation": ("score",),
    "NodePreferAvoidPodsPriority": ("score",),
    "NodeAffinityPriority": ("score",),
    "TaintTolerationPriority": _SCORES,
    "ImageLocalityPriority": ("score",),
    "MostRequestedPriority": ("score",),
    "EqualPriority": ("score",),
    "ServiceSpreadingPriority": _SCORES,
    "RequestedToCapacityRatioPriority": ("score",),
    "NodeLabelPriority": ("score",),
    "ServiceAntiAffinityPriority": ("score",),
}
OF_ARGUMENTS = {
    "labelsPresence": "CheckNodeLabelPresence",
    "serviceAffinity": "CheckServiceAffinity",
    "labelPreference": "NodeLabelPriority",
    "serviceAntiAffinity": "ServiceAntiAffinityPriority",
    "requestedToCapacityRatioArguments": "RequestedToCapacityRatioPriority",
}
WITH_ARGUMENT = ("CheckNodeLabelPresence", "CheckServiceAffinity", "NodeLabelPriority", "ServiceAntiAffinityPriority")
OFF = (
    *WITH_ARGUMENT,
    "HostName",
    "PodFitsHostPorts",
    "MatchNodeSelector",
    "PodFitsResources",
    "MaxCinderVolumeCount",
    "MostRequestedPriority",
    "EqualPriority",
    "ServiceSpreadingPriority",
    "RequestedToCapacityRatioPriority",
)

V1_16 = V1_18.derive(
    "1.16.6",
    recorded={"public": 152, "classic": 18, "older": 35},
    rules=replace(
        V1_18.rules,
        nodes_are_taken_from_the_tree=True,
        failure_precedes_preemption=True,
        backoff_is_stored_separately=True,
        pods_have_overhead=False,
        victims_use_up_budgets="none",
        extenders_score_from_0_to_10=True,
    ),
    plugin_points={
        **dict.fromkeys(V1_18.plugin_points),
        "PrioritySort": ("queue_sort",),
        **PREDICATES,
        "DefaultPreemption": ("post_filter",),
        **PRIORITIES,
        "DefaultBinder": ("bind",),
    },
    default_plugins=(
        PluginRef("PrioritySort"),
        *(PluginRef(name) for name in PREDICATES if name not in OFF),
        PluginRef("DefaultPreemption"),
        *(
            PluginRef(name, 10000 if name == "NodePreferAvoidPodsPriority" else 1)
            for name in PRIORITIES
            if name not in OFF
        ),
        PluginRef("DefaultBinder"),
    ),
    policy=PolicyNames(
        # PodFitsPorts is not in the order of predicates.
        predicates={**{name: (name,) for name in PREDICATES}, "PodFitsPorts": ()},
        default_predicates=tuple(name for name in PREDICATES if name not in OFF),
        priorities={name: name for name in PRIORITIES if name not in WITH_ARGUMENT},
        arguments=OF_ARGUMENTS,
        merges_arguments=False,
        decodes_strictly=False,
    ),
)
