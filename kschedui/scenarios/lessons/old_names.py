"""What it used to be called: names in articles about Kubernetes 1.14, 1.17 or 1.25, and what 1.36 has instead.

From pkg/scheduler of those releases: `framework/plugins/legacy_registry.go` maps predicates and priorities to plugins
until 1.22; the Policy file, which named them, ended with 1.23.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class OldName:
    """Names that mean the same, how long they were there, what there is instead, and the lesson that shows it."""

    names: tuple[str, ...]
    until: str
    now: Any  # lazy
    lesson: str


OLD_NAMES = (
    OldName(
        ("predicates", "FitPredicate"),
        "1.18",
        _(
            "Filter plugins, with PreFilter before them. A predicate was a function of one node; a plugin "
            "may also keep state for the cycle, score, and say which events may help."
        ),
        "first-pod",
    ),
    OldName(
        ("priorities", "PrioritizeNodes", "map-reduce priority"),
        "1.18",
        _("Score plugins, 0 to 100 after NormalizeScore, times a weight. Priorities gave 0 to 10 until 1.16."),
        "image-locality",
    ),
    OldName(
        ("GeneralPredicates", "EssentialPredicates"),
        "1.22",
        _("Four plugins: NodeName, NodePorts, NodeAffinity and NodeResourcesFit."),
        "filter-order",
    ),
    OldName(
        ("PodFitsResources",),
        "1.22",
        _("NodeResourcesFit. It still counts requests, and names every resource that is short."),
        "resources-fit",
    ),
    OldName(("PodFitsHostPorts", "PodFitsPorts"), "1.22", _("NodePorts."), "host-ports"),
    OldName(
        ("PodFitsHost", "HostName"),
        "1.22",
        _("NodeName: a pod with spec.nodeName. A DaemonSet's pod uses node affinity instead."),
        "cordoned-node",
    ),
    OldName(
        ("MatchNodeSelector", "NodeAffinityPriority"),
        "1.22",
        _("NodeAffinity, in Filter and in Score."),
        "node-affinity",
    ),
    OldName(
        ("CheckNodeUnschedulable", "CheckNodeCondition"),
        "1.22",
        _("NodeUnschedulable. Node conditions are taints since 1.12, which TaintToleration reads."),
        "cordoned-node",
    ),
    OldName(
        ("CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure", "TaintNodesByCondition"),
        "1.17",
        _("Taints such as node.kubernetes.io/memory-pressure, read by TaintToleration."),
        "taints-and-tolerations",
    ),
    OldName(
        ("PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints", "TaintTolerationPriority"),
        "1.22",
        _("TaintToleration: NoSchedule and NoExecute in Filter, PreferNoSchedule in Score."),
        "taints-and-tolerations",
    ),
    OldName(
        ("SelectorSpread", "SelectorSpreadPriority", "ServiceSpreadingPriority"),
        "1.28",
        _(
            "PodTopologySpread with its default constraints: pods of one Service, ReplicaSet or StatefulSet "
            "are spread over nodes and zones."
        ),
        "soft-spread",
    ),
    OldName(
        ("EvenPodsSpread", "EvenPodsSpreadPriority"),
        "1.22",
        _("PodTopologySpread: DoNotSchedule in Filter, ScheduleAnyway in Score."),
        "hard-spread",
    ),
    OldName(
        ("MatchInterPodAffinity", "InterPodAffinityPriority", "predicate metadata"),
        "1.22",
        _("InterPodAffinity. What predicate metadata held is its PreFilter state now."),
        "affinity",
    ),
    OldName(
        (
            "LeastRequestedPriority",
            "NodeResourcesLeastAllocated",
            "MostRequestedPriority",
            "NodeResourcesMostAllocated",
            "RequestedToCapacityRatioPriority",
        ),
        "1.22",
        _("The scoringStrategy of NodeResourcesFit: LeastAllocated, MostAllocated or RequestedToCapacityRatio."),
        "least-or-most",
    ),
    OldName(("BalancedResourceAllocation",), "1.22", _("NodeResourcesBalancedAllocation."), "balanced-allocation"),
    OldName(("ImageLocalityPriority",), "1.22", _("ImageLocality."), "image-locality"),
    OldName(
        ("CheckVolumeBinding", "VolumeScheduling", "NoVolumeZoneConflict", "NoDiskConflict"),
        "1.22",
        _(
            "VolumeBinding, VolumeZone and VolumeRestrictions. Volumes are bound in PreBind, not inside a "
            "predicate's cache."
        ),
        "volume-waits",
    ),
    OldName(
        (
            "MaxCSIVolumeCountPred",
            "MaxEBSVolumeCount",
            "MaxGCEPDVolumeCount",
            "MaxAzureDiskVolumeCount",
            "MaxCinderVolumeCount",
        ),
        "1.22",
        _("NodeVolumeLimits, which counts CSI volumes against the limits of the node's CSINode."),
        "volume-waits",
    ),
    OldName(
        ("predicates ordering", "predicatesOrdering", "predicateOrdering"),
        "1.22",
        _("The order of the filter plugins in the profile. The first that rejects a node ends its search, as before."),
        "filter-order",
    ),
    OldName(
        ("alwaysCheckAllPredicates", "AlwaysCheckAllPredicates"),
        "1.22",
        _(
            "Gone with the Policy file in 1.23: a node is always told by its first rejection. One plugin "
            "still gives all of its reasons."
        ),
        "filter-order",
    ),
    OldName(
        ("unresolvable predicates", "unresolvablePredicateFailureErrors", "nodesWherePreemptionMightHelp"),
        "1.17",
        _(
            "The status UnschedulableAndUnresolvable: each plugin says itself where evicting pods cannot "
            "help, instead of a list in the scheduler."
        ),
        "statuses",
    ),
    OldName(
        ("two passes with nominated pods", "addNominatedPods", "podFitsOnNode"),
        "1.18",
        _(
            "RunFilterPluginsWithNominatedPods: once with the nominated pods of equal or higher priority "
            "counted, once without."
        ),
        "two-filter-passes",
    ),
    OldName(
        ("selectVictimsOnNode", "pickOneNodeForPreemption", "generic_scheduler.Preempt"),
        "1.18",
        _("The PostFilter plugin DefaultPreemption; the six criteria are the same."),
        "high-preempts-low",
    ),
    OldName(
        ("NodePreferAvoidPods", "NodeLabel", "CheckNodeLabelPresence", "ServiceAffinity", "CheckServiceAffinity"),
        "1.22",
        _("Gone in 1.23. Node affinity, taints and pod affinity say the same."),
        "node-affinity",
    ),
    OldName(
        ("unschedulableQ", "MoveAllToActiveQueue", "podBackoffQ"),
        "1.25",
        _(
            "unschedulablePods and backoffQ. An event moves only those pods that a plugin's queueing hint "
            "says it may help."
        ),
        "queueing-hints",
    ),
    OldName(
        ("Policy", "policy file", "policy-config-file", "algorithmProvider", "ClusterAutoscalerProvider"),
        "1.22",
        _("KubeSchedulerConfiguration with profiles. A Policy file that is pasted here is read into one."),
        "two-profiles",
    ),
)


def told() -> list[dict[str, Any]]:
    """[{names, until, now, lesson}] in the visitor's language."""
    return [{"names": one.names, "until": one.until, "now": str(one.now), "lesson": one.lesson} for one in OLD_NAMES]
