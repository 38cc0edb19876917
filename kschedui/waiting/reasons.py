"""What each reason of a FailedScheduling message means, what it leaves unsaid, and whether evicting pods could help.

The wordings are those of the filter plugins of kube-scheduler 1.20 to 1.36. A reason is that of the first row whose
pattern is the whole of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scheduler_core.apis.messages import Message


class Reason(NamedTuple):
    """`helps`: could preemption make room? `lesson`: one that shows it, or "". `plugin`: "" where no plugin says it."""

    pattern: str
    plugin: str
    lesson: str
    helps: bool
    meaning: Message
    unsaid: Message


HELPS, NEVER = True, False
WHICH_NODES = Message("Which nodes these are.")
WHICH_POD = Message("Which pod that is.")
WHICH_CLAIM = Message("Which claim that is.")
NO_CLAIM = Message("A claim that the pod names does not exist, or is about to go.")
NO_DEVICES = Message("The devices that a resource claim of the pod asks for are not free on the node.")
CLAIM_NOT_READY = Message("A resource claim of the pod cannot be used yet, or is used by others.")

REASONS = (
    Reason(
        r"Insufficient (?P<resource>\S+)", "NodeResourcesFit", "resources-fit", HELPS,
        Message("The pods on the node already request so much that what this pod requests is not left."),
        Message("How much is missing. Requests count, not use: an idle node may be full."),
    ),
    Reason(
        r"Too many pods", "NodeResourcesFit", "resources-fit", HELPS,
        Message("The node runs as many pods as it may (its resource \"pods\")."),
        Message("The limit, which is often 110, or as many as the node has addresses for."),
    ),
    Reason(
        r"Pod has a restartable init container and the SidecarContainers feature is disabled",
        "NodeResourcesFit", "", NEVER,
        Message("An init container of the pod keeps running, and this scheduler cannot count it in."),
        Message("Which one: it has restartPolicy: Always."),
    ),
    Reason(
        r"node\(s\) had (?:untolerated )?taint(?:s|\(s\))?(?: \{[^}]*\})?(?:,? that the pod didn't tolerate)?",
        "TaintToleration", "taints-and-tolerations", NEVER,
        Message("The node has a taint with NoSchedule or NoExecute, and the pod has no toleration for it."),
        Message("Only the first such taint of a node is named; there may be more."),
    ),
    Reason(
        r"node\(s\) were unschedulable", "NodeUnschedulable", "cordoned-node", NEVER,
        Message("The node is cordoned: spec.unschedulable is true."),
        Message("Who cordoned it. While a node is drained or upgraded, that is usual."),
    ),
    Reason(
        r"node\(s\) had unknown conditions|node not found|nodeinfo not found", "NodeUnschedulable", "", NEVER,
        Message("The node went away while the pod was tried."),
        WHICH_NODES,
    ),
    Reason(
        r"node\(s\) didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)"
        r"|node\(s\) didn't match scheduler-enforced node affinity",
        "NodeAffinity", "node-affinity", NEVER,
        Message("The node's labels do not match the pod's nodeSelector or required node affinity."),
        Message("Which label is missing, and which of several terms came closest."),
    ),
    Reason(
        r"pod affinity terms conflict", "NodeAffinity", "node-affinity", NEVER,
        Message("No node can match the pod's node affinity: its terms exclude each other."),
        Message("Which terms these are."),
    ),
    Reason(
        r"node\(s\) didn't match Pod's required features", "NodeDeclaredFeatures", "", NEVER,
        Message("The node does not declare a feature that the pod needs."),
        Message("Which feature: see status.declaredFeatures of the node."),
    ),
    Reason(
        r"node\(s\) didn't satisfy plugin(?:\(s\))? (?P<plugins>\[.*\]|\S+)(?: simultaneously)?", "", "", NEVER,
        Message("The plugin said beforehand which nodes come into question at all; these are not among them."),
        Message("By which field of the pod: a node affinity that names nodes, or a volume that is on certain ones."),
    ),
    Reason(
        r"node\(s\) didn't match the requested (?:node name|hostname)(?:, .*)?", "NodeName", "node-affinity", NEVER,
        Message("The pod names another node in spec.nodeName."),
        WHICH_NODES,
    ),
    Reason(
        r"node\(s\) didn't have free ports for the requested pod ports", "NodePorts", "host-ports", HELPS,
        Message("A pod on the node already uses a host port that this pod asks for."),
        Message("Which port, and which pod has it."),
    ),
    Reason(
        r"node\(s\) didn't match pod topology spread constraints \(missing required label\)",
        "PodTopologySpread", "hard-spread", NEVER,
        Message("The node lacks the label that a spread constraint names as its topologyKey."),
        Message("Which label."),
    ),
    Reason(
        r"node\(s\) didn't match pod topology spread constraints", "PodTopologySpread", "hard-spread", HELPS,
        Message("With the pod there, its zone (or other domain) would have more than maxSkew pods above the emptiest."),
        Message("How many matching pods each domain has. Domains without room for any pod count, too."),
    ),
    Reason(
        r"node\(s\) didn't match pod affinity rules|node\(s\) didn't match pod affinity/anti-affinity(?: rules)?",
        "InterPodAffinity", "affinity", NEVER,
        Message("In the node's domain there is no pod that the pod's required affinity asks for."),
        Message("Which term fails, and where matching pods do run."),
    ),
    Reason(
        r"node\(s\) didn't match pod anti-affinity rules", "InterPodAffinity", "anti-affinity", HELPS,
        Message("In the node's domain runs a pod that the pod's required anti-affinity excludes."),
        WHICH_POD,
    ),
    Reason(
        r"node\(s\) didn't satisfy existing pods anti-affinity rules", "InterPodAffinity", "anti-affinity", HELPS,
        Message("A pod that runs in the node's domain excludes this pod by its own anti-affinity."),
        WHICH_POD,
    ),
    Reason(
        r"parsing pod: .*", "InterPodAffinity", "", NEVER,
        Message("The pod's affinity cannot be read."),
        Message("Which term is wrong: the words after the colon say how."),
    ),
    Reason(
        r"node\(s\) had volume node affinity conflict|node\(s\) didn't match PersistentVolume's node affinity",
        "VolumeBinding", "volume-waits", NEVER,
        Message("A volume of the pod is bound to another node or zone."),
        Message("Which volume, and where it is."),
    ),
    Reason(
        r"node\(s\) had no available volume zone|node\(s\) had volume zone conflict",
        "VolumeZone", "volume-waits", NEVER,
        Message("A volume of the pod is in another zone than the node."),
        Message("Which volume, and its zone."),
    ),
    Reason(
        r"node\(s\) didn't find available persistent volumes to bind|node\(s\) did not have enough free storage",
        "VolumeBinding", "volume-waits", NEVER,
        Message("No volume that the node can reach fits the pod's claim, and none can be provisioned for it."),
        Message("Which claim, and what it lacks."),
    ),
    Reason(
        r"(?:node\(s\) unavailable due to one or more )?pvc\(s\) bound to non-existent pv\(s\)",
        "VolumeBinding", "volume-waits", NEVER,
        Message("A claim of the pod is bound to a volume that does not exist."),
        WHICH_CLAIM,
    ),
    Reason(
        r"node\(s\) exceed max volume count", "NodeVolumeLimits", "", HELPS,
        Message("The node has as many volumes of a driver attached as that driver allows (CSINode)."),
        Message("Which driver, and its limit."),
    ),
    Reason(
        r"\S+ CSI driver is not installed on the node", "NodeVolumeLimits", "", NEVER,
        Message("The driver of a volume of the pod does not run on the node (CSINode)."),
        Message("Why it does not: see the driver's DaemonSet."),
    ),
    Reason(
        r"node\(s\) had no available disk", "VolumeRestrictions", "", HELPS,
        Message("Another pod has the disk, and it cannot be shared."),
        Message("Which pod has it."),
    ),
    Reason(
        r"node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod.*"
        r"|node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
        "VolumeRestrictions", "", HELPS,
        Message("Another pod uses the claim, and its access mode ReadWriteOncePod allows one pod only."),
        Message("Which pod has it."),
    ),
    Reason(
        r"(?:node\(s\) )?pod has unbound immediate PersistentVolumeClaims(?:.*)",
        "VolumeBinding", "volume-waits", NEVER,
        Message("A claim of the pod is not bound, and its class binds at once, without waiting for the pod."),
        Message("Why the claim is not bound: see its own events."),
    ),
    Reason(
        r"persistentvolumeclaim \"[^\"]+\" (?:not found|bound to non-existent.*|is being deleted|was not created .*)"
        r"|waiting for ephemeral volume controller to create the persistentvolumeclaim .*",
        "VolumeBinding", "volume-waits", NEVER,
        NO_CLAIM,
        Message("Who was to make it."),
    ),
    Reason(
        r"PersistentVolumeClaim(?:s)? (?:had no name|had no pv name and storageClass name|was not found: .*)"
        r"|PersistentVolume (?:had no name|was not found: .*)|persistentvolume \"[^\"]+\" not found"
        r"|StorageClass \S+ claimed by PersistentVolumeClaim .*|VolumeBindingMode not set for StorageClass .*",
        "VolumeZone", "volume-waits", NEVER,
        Message("A claim, volume or storage class of the pod is missing, or not complete."),
        WHICH_CLAIM,
    ),
    Reason(
        r"cannot allocate all claims|resourceclaim (?:not available on the node|cannot be allocated for the node .*)"
        r"|excluded by (?:device|resource) class node filter|cannot fit resource"
        r"|checking structured parameters failed: .*"
        r"|cannot schedule extended resource claim|insufficient resources",
        "DynamicResources", "", NEVER,
        NO_DEVICES,
        Message("Which devices there are (ResourceSlice), and who has them."),
    ),
    Reason(
        r"resourceclaim (?:in use|must be reallocated|depends on .*|\"[^\"]+\" (?:not found|is being deleted))"
        r"|unallocated immediate resourceclaim|waiting for resource driver.*"
        r"|(?:pod \"[^\"]+\": )?ResourceClaim (?:not created yet|\S+ was not created for .*)"
        r"|resource claim \S+ is in the process of being allocated|de(?:alloca|le)tion of ResourceClaim completed",
        "DynamicResources", "", NEVER,
        CLAIM_NOT_READY,
        WHICH_CLAIM,
    ),
    Reason(
        r"(?:resource claim [^,]+, )?request [^:]+: .*|resource class \S+ does not exist"
        r"|(?:generated )?(?:claim|class) parameters .* not found", "DynamicResources", "", NEVER,
        Message("A request of a resource claim cannot be understood: the device class may not exist."),
        Message("Which classes there are: see kubectl get deviceclass."),
    ),
    Reason(
        r"node\(s\) didn't have the requested labels", "", "", NEVER,
        Message("The scheduler was told to use only nodes with, or without, a certain label (NodeLabel, up to 1.22)."),
        Message("Which label: it stands in the scheduler's configuration."),
    ),
    Reason(
        r"node\(s\) didn't match service affinity", "", "", HELPS,
        Message("The pods of a service were to run on nodes with the same label (ServiceAffinity, up to 1.22)."),
        Message("Which label: it stands in the scheduler's configuration."),
    ),
    Reason(
        r"no nodes available to schedule pods", "", "no-nodes", NEVER,
        Message("The cluster has no node at all, or the scheduler knows of none."),
        Message("Why there is none."),
    ),
    Reason(
        r"Scheduling is blocked due to non-empty scheduling gates.*|waiting for scheduling gates: .*",
        "SchedulingGates", "scheduling-gates", NEVER,
        Message("The pod has scheduling gates: it is not tried before all of them are removed."),
        Message("Which controller is to remove them."),
    ),
    Reason(
        r"waiting for minCount pods from a gang to appear in scheduling queue"
        r"|waiting for pods's pod group .* to appear in scheduling queue",
        "GangScheduling", "gang-waits", NEVER,
        Message("The pod belongs to a group of which too few pods are there yet: none of them is tried."),
        Message("How many there are, and how many it takes (minCount)."),
    ),
    Reason(
        r"waiting for minCount pods from a gang to be scheduled", "GangScheduling", "gang-too-big", NEVER,
        Message("The pod belongs to a group, and a node was found for fewer of its pods than minCount: none is bound."),
        Message("How many have a node, and why the others have none: see their messages."),
    ),
    Reason(
        r"waiting for the preemption for this pod (?:group )?to be finished", "DefaultPreemption", "", NEVER,
        Message("Pods are being evicted for this pod; it is tried again when they are gone."),
        WHICH_POD,
    ),
    Reason(
        r"running (?:PreBind|Bind|Reserve) plugin .*|binding rejected: .*", "", "bind-failure", NEVER,
        Message("A node was found, but a plugin failed before the pod was bound to it. The pod is tried again."),
        Message("Which node it was."),
    ),
    Reason(
        r"running .* plugin .*", "", "statuses", NEVER,
        Message("A plugin ended in an error, which is no verdict about nodes. The pod is tried again."),
        Message("What the other plugins would have said."),
    ),
    Reason(
        r"(?:rejected p|p)od \"[^\"]+\" (?:rejected while waiting on permit|by permit plugin).*"
        r"|rejected due to timeout after waiting .*", "", "permit-timeout", NEVER,
        Message("A node was found; then a Permit plugin had the pod wait, and rejected it or waited too long."),
        Message("Which node it was, and what the plugin waited for."),
    ),
    Reason(
        r"skip schedule deleting pod: .*", "", "", NEVER,
        Message("The pod is being deleted: it is not tried."),
        Message("Who deletes it."),
    ),
)  # fmt: skip
# What PostFilter plugins say between the two sentences.
NOTES = (
    (
        r"no new claims to deallocate|still not schedulable|plugin disabled|not found",
        Message("That is DynamicResources: it freed no resource claim that could help this pod. Most pods have none."),
    ),
)
PREEMPTION = (
    (
        r"Preemption is not helpful for scheduling",
        Message("Evicting pods would not change why these nodes were rejected."),
    ),
    (
        r"No preemption victims found for incoming (?:pod|preemptor)\.?|No victims found on node .* for preemptor .*",
        Message("On these nodes no pod has a lower priority, or evicting them all would not be enough."),
    ),
    (
        r"Insufficient \S+|Too many pods",
        Message("Even without all pods of lower priority these nodes have too little."),
    ),
    (
        r"not eligible due to preemptionPolicy ?= ?Never",
        Message("The pod's preemptionPolicy is Never: it evicts nobody."),
    ),
    (
        r"not eligible due to (?:a )?terminating pod.*",
        Message("Pods that were evicted for this pod are still going: no others are."),
    ),
    (
        r"not eligible due to .*|pod group for pod not found",
        Message("The pod is placed together with its group, and evicts nobody alone."),
    ),
)


def reason_of(text: str) -> Reason | None:
    """What is known of a reason; None when it is nobody's that we know."""
    return next((one for one in REASONS if re.fullmatch(one.pattern, text)), None)


def note_meaning(text: str) -> Message | None:
    """What stands between the two sentences."""
    return next((said for pattern, said in NOTES if re.fullmatch(pattern, text)), None)


def preemption_meaning(text: str) -> Message | None:
    """What a reason of the second sentence means."""
    if (found := next((said for pattern, said in PREEMPTION if re.fullmatch(pattern, text)), None)) is not None:
        return found
    other = reason_of(text)
    return other.meaning if other else None
