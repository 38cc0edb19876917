"""Former names in articles about Kubernetes 1.14, 1.17 or 1.25, and their replacements in 1.36.

From pkg/scheduler of those releases: `framework/plugins/legacy_registry.go` maps predicates and priorities to plugins
up to 1.22; the Policy file, which used these names, was removed in 1.23.
"""

from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _


class OldName(msgspec.Struct, frozen=True):
    """Former names with the same meaning, the last release that has them, their replacement, and a lesson that shows
    it.

    `then` is a step of a lesson on 1.15 that shows the old name at work ("predicates-in-order#4.1"), "" if there is
    none.
    """

    names: tuple[str, ...]
    until: str
    now: Any  # lazy
    lesson: str
    then: str = ""


OLD_NAMES = (
    OldName(
        ("predicates", "FitPredicate"),
        "1.18",
        _(
            "Filter plugins, with PreFilter before them. A predicate was a function of one node. A "
            "plugin can also keep state for the cycle, score nodes, and report which events might "
            "help."
        ),
        "first-pod",
        "predicates-in-order#4",
    ),
    OldName(
        ("priorities", "PrioritizeNodes", "map-reduce priority"),
        "1.18",
        _("Score plugins: 0 to 100 after NormalizeScore, multiplied by a weight. Up to 1.16, priorities gave 0 to 10."),
        "image-locality",
        "priorities-0-to-10#5",
    ),
    OldName(
        ("GeneralPredicates", "EssentialPredicates"),
        "1.22",
        _("Four plugins: NodeName, NodePorts, NodeAffinity and NodeResourcesFit."),
        "filter-order",
        "predicates-in-order#4.1",
    ),
    OldName(
        ("PodFitsResources",),
        "1.22",
        _("NodeResourcesFit. It still counts requests, and reports each resource that is insufficient."),
        "resources-fit",
        "cheapest-victims#4.1",
    ),
    OldName(("PodFitsHostPorts", "PodFitsPorts"), "1.22", _("NodePorts."), "host-ports", "predicates-in-order#4.1"),
    OldName(
        ("PodFitsHost", "HostName"),
        "1.22",
        _("NodeName: checks spec.nodeName of the pod. Pods of a DaemonSet use node affinity instead."),
        "cordoned-node",
        "predicates-in-order#4.1",
    ),
    OldName(
        ("MatchNodeSelector", "NodeAffinityPriority"),
        "1.22",
        _("NodeAffinity, in Filter and in Score."),
        "node-affinity",
        "priorities-0-to-10#5.5",
    ),
    OldName(
        ("CheckNodeUnschedulable", "CheckNodeCondition"),
        "1.22",
        _("NodeUnschedulable. Since 1.12, node conditions are represented as taints, which TaintToleration reads."),
        "cordoned-node",
        "predicates-in-order#4",
    ),
    OldName(
        ("CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure", "TaintNodesByCondition"),
        "1.17",
        _("Taints such as node.kubernetes.io/memory-pressure, read by TaintToleration."),
        "taints-and-tolerations",
        "predicates-in-order#4.3",
    ),
    OldName(
        ("PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints", "TaintTolerationPriority"),
        "1.22",
        _("TaintToleration: NoSchedule and NoExecute in Filter, PreferNoSchedule in Score."),
        "taints-and-tolerations",
        "predicates-in-order#4.3",
    ),
    OldName(
        ("SelectorSpread", "SelectorSpreadPriority", "ServiceSpreadingPriority"),
        "1.28",
        _(
            "PodTopologySpread with its default constraints: pods of a Service, ReplicaSet or "
            "StatefulSet are spread over nodes and zones."
        ),
        "soft-spread",
        "priorities-0-to-10#5",
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
        _("InterPodAffinity. Its PreFilter state replaces the predicate metadata."),
        "affinity",
        "priorities-0-to-10#4.9",
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
        "same-cluster-1-15#6.2",
    ),
    OldName(
        ("BalancedResourceAllocation",),
        "1.22",
        _("NodeResourcesBalancedAllocation."),
        "balanced-allocation",
        "priorities-0-to-10#5.3",
    ),
    OldName(("ImageLocalityPriority",), "1.22", _("ImageLocality."), "image-locality", "priorities-0-to-10#5.7"),
    OldName(
        ("CheckVolumeBinding", "VolumeScheduling", "NoVolumeZoneConflict", "NoDiskConflict"),
        "1.22",
        _(
            "VolumeBinding, VolumeZone and VolumeRestrictions. Volumes are bound in PreBind, not in "
            "the cache of a predicate."
        ),
        "volume-waits",
        "predicates-in-order#4.2",
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
        _("NodeVolumeLimits, which compares the number of CSI volumes with the limits of the node's CSINode."),
        "volume-waits",
        "priorities-0-to-10#4.6",
    ),
    OldName(
        ("predicates ordering", "predicatesOrdering", "predicateOrdering"),
        "1.22",
        _(
            "The order of the filter plugins in the profile. As before, the first plugin that rejects "
            "a node ends the check of that node."
        ),
        "filter-order",
        "predicates-in-order#4.3",
    ),
    OldName(
        ("alwaysCheckAllPredicates", "AlwaysCheckAllPredicates"),
        "1.22",
        _(
            "Removed with the Policy file in 1.23: for each node, only the first plugin that rejects "
            "it is reported, with all of its reasons."
        ),
        "filter-order",
        "all-predicates#4.3",
    ),
    OldName(
        ("unresolvable predicates", "unresolvablePredicateFailureErrors", "nodesWherePreemptionMightHelp"),
        "1.17",
        _(
            "The status UnschedulableAndUnresolvable: each plugin reports where evicting pods cannot "
            "help, instead of a list in the scheduler."
        ),
        "statuses",
        "preemption-might-help#6",
    ),
    OldName(
        ("two passes with nominated pods", "addNominatedPods", "podFitsOnNode"),
        "1.18",
        _(
            "RunFilterPluginsWithNominatedPods: one pass with the nominated pods of equal or higher "
            "priority, one pass without them."
        ),
        "two-filter-passes",
        "preemption-might-help#14.1",
    ),
    OldName(
        ("selectVictimsOnNode", "pickOneNodeForPreemption", "generic_scheduler.Preempt"),
        "1.18",
        _("The PostFilter plugin DefaultPreemption, with the same six criteria."),
        "high-preempts-low",
        "cheapest-victims#5.4",
    ),
    OldName(
        ("NodePreferAvoidPods", "NodeLabel", "CheckNodeLabelPresence", "ServiceAffinity", "CheckServiceAffinity"),
        "1.22",
        _("Removed in 1.23. Use node affinity, taints or pod affinity instead."),
        "node-affinity",
        "priorities-0-to-10#5.4",
    ),
    OldName(
        ("unschedulableQ", "MoveAllToActiveQueue", "podBackoffQ"),
        "1.25",
        _(
            "unschedulablePods and backoffQ. An event moves only the pods that it might help, "
            "according to the queueing hints of the plugins."
        ),
        "queueing-hints",
        "preemption-might-help#9",
    ),
    OldName(
        ("Policy", "policy file", "policy-config-file", "algorithmProvider", "ClusterAutoscalerProvider"),
        "1.22",
        _("KubeSchedulerConfiguration with profiles. If you paste a Policy file here, it is converted."),
        "two-profiles",
        "all-predicates#4.3",
    ),
)


def former_names() -> list[dict[str, Any]]:
    """Return [{names, until, now, lesson, then, step}] in the visitor's language; `then` is "" if no lesson on 1.15
    shows the name.
    """
    rows = []
    for old_name in OLD_NAMES:
        then, _, step = old_name.then.partition("#")
        row = {"names": old_name.names, "until": old_name.until, "now": str(old_name.now), "lesson": old_name.lesson}
        rows.append({**row, "then": then, "step": step})
    return rows
