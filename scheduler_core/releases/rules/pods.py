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
    fit_compares_requests_of_zero: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: fitsRequest",
        {
            False: Message("what a pod does not request is not compared"),
            True: Message("a pod that requests anything fits no node on which cpu, memory or disk are overcommitted"),
        },
    )
    volume_limits_count_attachments: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: Filter",
        {
            True: Message("VolumeAttachments count as well as the volumes of pods; limits stand in CSINodes"),
            False: Message("only the volumes of pods count; limits may also stand in the node's allocatable resources"),
        },
    )
    missing_claims_fail_the_counting: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go, non_csi.go: Filter",
        {
            False: Message("a claim that does not exist makes the pod UnschedulableAndUnresolvable"),
            True: Message(
                "at a claim that does not exist the attempt fails with an error, where nobody rejects it before"
            ),
        },
    )
    volume_binding_narrows_to_local_volumes: bool = rule(
        "VolumeBinding",
        "plugins/volumebinding/binder.go: GetEligibleNodes",
        {
            False: Message("PreFilter leaves all nodes to Filter"),
            True: Message("PreFilter leaves only the nodes that bound volumes name by their hostname label"),
        },
    )
    pods_on_nodes_count_sidecars: bool = rule(
        "NodeResourcesFit",
        "framework/types.go: calculateResource",
        {
            True: Message("the score counts sidecars of running pods beside their containers"),
            False: Message("the score counts sidecars of running pods only while they start"),
        },
    )
    victims_are_sorted_again: bool = rule(
        "DefaultPreemption",
        "plugins/defaultpreemption/default_preemption.go: SelectVictimsOnNode",
        {
            True: Message("the victims are listed by importance"),
            False: Message("the victims that violate a budget are listed first"),
        },
    )
    node_affinity_scores_preferences_only: bool = rule(
        "NodeAffinity",
        "plugins/nodeaffinity/node_affinity.go: PreScore",
        {
            True: Message("a pod without preferences gets no score"),
            False: Message("a pod without preferences gets 0 on every node"),
        },
    )
    image_locality_counts_init_containers: bool = rule(
        "ImageLocality",
        "plugins/imagelocality/image_locality.go: sumImageScores",
        {
            True: Message("images of init containers count"),
            False: Message("images of init containers do not count"),
        },
    )
    images_are_counted_once: bool = rule(
        "ImageLocality",
        "internal/cache/cache.go: addNodeImageStates",
        {
            False: Message("how many nodes have an image is counted anew as nodes come and go"),
            True: Message("how many nodes have an image is counted when a node comes or changes, and stays so"),
        },
    )
    volume_zone_knows_stable_labels: bool = rule(
        "VolumeZone",
        "plugins/volumezone/volume_zone.go: Filter",
        {
            True: Message("a beta zone label of a volume also meets the stable label of a node"),
            False: Message("a beta zone label of a volume meets only the same label of a node"),
        },
    )
    volume_zone_looks_at_zoned_nodes_only: bool = rule(
        "VolumeZone",
        "plugins/volumezone/volume_zone.go: Filter",
        {
            False: Message("claims are looked up once, before any node"),
            True: Message("claims are looked up on nodes that have a zone or region"),
        },
    )
    scorers_read_cpu_overhead_as_cores: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/resource_allocation.go: calculatePodResourceRequest",
        {
            False: Message("the score counts the cpu of a pod's overhead in milli-cores"),
            True: Message("the score takes the cpu of a pod's overhead, rounded up to cores, for milli-cores"),
        },
    )
    inline_volumes_need_a_csi_node: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: checkAttachableInlineVolume",
        {
            False: Message("inline volumes do not count on a node without CSINode"),
            True: Message("the scheduler panics at an in-tree inline volume on a node without CSINode"),
        },
    )
    migrations_that_csi_nodes_name: str = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/utils.go: isCSIMigrationOn",
        {
            "": Message("a CSINode is enough for in-tree volumes to count as those of their CSI driver"),
            "portworxVolume": Message(
                "in-tree volumes of Portworx count as those of their CSI driver only where the CSINode names their "
                "plugin as migrated"
            ),
            "portworxVolume gcePersistentDisk": Message(
                "in-tree volumes of Portworx and GCE count as those of their CSI driver only where the CSINode names "
                "their plugin as migrated"
            ),
            "portworxVolume gcePersistentDisk awsElasticBlockStore azureDisk": Message(
                "in-tree volumes of Portworx, GCE, AWS and Azure count as those of their CSI driver only where the "
                "CSINode names their plugin as migrated"
            ),
        },
    )
    fit_compares_extended_requests_of_zero: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: fitsRequest",
        {
            False: Message("an extended resource of which a pod requests 0 is not compared"),
            True: Message("an extended resource of which a pod requests 0 must not be overcommitted"),
        },
    )
    binding_brings_the_start_time: bool = rule(
        "DefaultPreemption",
        "internal/cache/cache.go: AddPod",
        {
            True: Message("a pod that was bound counts as started then"),
            False: Message("a pod that was bound has no start time until it changes; of such pods the last is first"),
        },
    )
