"""The predicates of 1.15 and 1.16: the current filters under their earlier names (algorithm/predicates)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.apis.config import InterPodAffinityArgs, OutsidePluginArgs, PluginArgs
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import SUCCESS, Handle, PreFilterResult
from scheduler_core.plugins.before_1_19.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.before_1_19.small import TaintToleration, VolumeZone
from scheduler_core.plugins.small.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.volumes.binding.plugin import VolumeBinding
from scheduler_core.plugins.volumes.in_tree_limits import AzureDiskLimits, CinderLimits, EBSLimits, GCEPDLimits
from scheduler_core.plugins.volumes.limits import NodeVolumeLimits
from scheduler_core.plugins.volumes.restrictions import VolumeRestrictions


class CheckNodeUnschedulable(NodeUnschedulable):
    name = "CheckNodeUnschedulable"


class NoDiskConflict(VolumeRestrictions):
    """The predicate NoDiskConflict. As the releases have no Skip, it also runs for pods without disks."""

    name = "NoDiskConflict"
    about = AboutFile("about/disk_conflict.yaml")

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        return replace(super().pre_filter(pod, cluster), status=SUCCESS)


class PodToleratesNodeTaints(TaintToleration):
    """The predicate PodToleratesNodeTaints, whose reason does not name the taint."""

    name = "PodToleratesNodeTaints"

    @staticmethod
    def reason(taint: Taint) -> str:
        return "node(s) had taints that the pod didn't tolerate"


class MaxEBSVolumeCount(EBSLimits):
    name = "MaxEBSVolumeCount"
    about = AboutFile("about/ebs_volume_count.yaml")


class MaxGCEPDVolumeCount(GCEPDLimits):
    name = "MaxGCEPDVolumeCount"
    about = AboutFile("about/gce_pd_volume_count.yaml")


class MaxCSIVolumeCountPred(NodeVolumeLimits):
    name = "MaxCSIVolumeCountPred"
    about = AboutFile("about/csi_volume_count.yaml")


class MaxAzureDiskVolumeCount(AzureDiskLimits):
    name = "MaxAzureDiskVolumeCount"
    about = AboutFile("about/azure_disk_volume_count.yaml")


class MaxCinderVolumeCount(CinderLimits):
    name = "MaxCinderVolumeCount"


class CheckVolumeBinding(VolumeBinding):
    name = "CheckVolumeBinding"
    about = AboutFile("about/volume_binding.yaml")


class NoVolumeZoneConflict(VolumeZone):
    name = "NoVolumeZoneConflict"
    about = AboutFile("about/volume_zone.yaml")


class MatchInterPodAffinity(InterPodAffinity):
    """The predicate MatchInterPodAffinity. As the releases have no Skip, it also runs for pods without terms."""

    name = "MatchInterPodAffinity"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        values = args.values if isinstance(args, OutsidePluginArgs) else {}
        super().__init__(InterPodAffinityArgs(values.get("hardPodAffinityWeight", 1)), handle)

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        return replace(super().pre_filter(pod, cluster), status=SUCCESS)
