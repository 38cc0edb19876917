"""How resources, ports and volumes of pods are judged differently from release to release."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Message
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class PodRules:
    """What a pod asks for."""

    fit_knows_what_no_eviction_helps: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: Filter",
        {
            True: Message("a request above all that the node can give is UnschedulableAndUnresolvable"),
            False: Message("a request above all that the node can give is Unschedulable, so evictions are tried"),
        },
    )
    node_ports_counts_sidecars: bool = rule(
        "NodePorts",
        "plugins/nodeports/node_ports.go: getContainerPorts",
        {
            True: Message("host ports of sidecars count"),
            False: Message("host ports of sidecars do not count"),
        },
    )
    claim_in_use_reason_speaks_of_the_node: bool = rule(
        "VolumeRestrictions",
        "plugins/volumerestrictions/volume_restrictions.go: ErrReasonReadWriteOncePodConflict",
        {
            False: Message("the reason says that another pod uses the ReadWriteOncePod claim"),
            True: Message("the reason says that the node has a pod that uses the ReadWriteOncePod claim"),
        },
    )
    balanced_allocation_skips_best_effort_pods: bool = rule(
        "NodeResourcesBalancedAllocation",
        "plugins/noderesources/balanced_allocation.go: PreScore",
        {
            True: Message("a pod that requests nothing gets no score"),
            False: Message("a pod that requests nothing is scored like any other"),
        },
    )
    volume_limits_follow_csi_nodes: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: EventsToRegister",
        {
            True: Message("a CSINode that allows more wakes pods"),
            False: Message("a CSINode that allows more wakes no pod, and every VolumeAttachment that goes wakes all"),
        },
    )
    volume_binding_reason_names_the_volume: bool = rule(
        "VolumeBinding",
        "plugins/volumebinding/binder.go: ErrReasonNodeConflict",
        {
            True: Message("the reason says that the node does not match the volume's node affinity"),
            False: Message("the reason says that there is a volume node affinity conflict"),
        },
    )
    inter_pod_affinity_hint_compares_labels: bool = rule(
        "InterPodAffinity",
        "plugins/interpodaffinity/plugin.go: isSchedulableAfterNodeChange",
        {
            True: Message("a node wakes a pod when a label that a term asks for came, went or changed"),
            False: Message("a node wakes a pod whenever it has a label that a term asks for"),
        },
    )
