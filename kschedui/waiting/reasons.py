"""What each reason of a FailedScheduling message means, what it leaves unsaid, and whether evicting pods could help.

The wordings are those of the filter plugins of kube-scheduler 1.20 to 1.36.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scheduler_core.apis.messages import Message


@dataclass(frozen=True)
class Reason:
    """`pattern` is of the whole reason; `helps`: could preemption make room; `lesson`: one that shows it, or ""."""

    pattern: re.Pattern[str]
    plugin: str
    meaning: Message
    unsaid: Message
    helps: bool
    lesson: str = ""


def _reason(pattern: str, plugin: str, meaning: Message, unsaid: Message, lesson: str = "", *, helps: bool) -> Reason:
    return Reason(re.compile(pattern), plugin, meaning, unsaid, helps, lesson)


WHICH_NODES = Message("Which nodes these are.")
NODE = r"(?:node\(s\) )"
REASONS = (
    _reason(
        r"Insufficient (?P<resource>\S+)",
        "NodeResourcesFit",
        Message("The pods on the node already request so much that what this pod requests is not left."),
        Message("How much is missing. Requests count, not use: an idle node may be full."),
        "resources-fit",
        helps=True,
    ),
    _reason(
        r"Too many pods",
        "NodeResourcesFit",
        Message("The node runs as many pods as it may (its `pods` resource)."),
        Message("The limit, which is often 110, or as many as the node has addresses for."),
        "resources-fit",
        helps=True,
    ),
    _reason(
        NODE + r"had (?:untolerated )?taints? (?P<taint>\{[^}]*\})(?:,? that the pod didn't tolerate)?"
        r"|" + NODE + r"had (?:untolerated )?taints?(?:\(s\))?(?: that the pod didn't tolerate)?",
        "TaintToleration",
        Message("The node has a taint with NoSchedule or NoExecute, and the pod has no toleration for it."),
        Message("Only the first such taint of a node is named; there may be more."),
        "taints-and-tolerations",
        helps=False,
    ),
    _reason(
        NODE + r"were unschedulable",
        "NodeUnschedulable",
        Message("The node is cordoned: spec.unschedulable is true."),
        Message("Who cordoned it. While a node is drained or upgraded, that is usual."),
        "cordoned-node",
        helps=False,
    ),
    _reason(
        NODE + r"didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)"
        r"|" + NODE + r"didn't match scheduler-enforced node affinity",
        "NodeAffinity",
        Message("The node's labels do not match the pod's nodeSelector or required node affinity."),
        Message("Which label is missing, and which of several terms came closest."),
        "node-affinity",
        helps=False,
    ),
    _reason(
        NODE + r"didn't match the requested node name(?:, .*)?|" + NODE + r"didn't match the requested hostname",
        "NodeName",
        Message("The pod names another node in spec.nodeName."),
        WHICH_NODES,
        "node-affinity",
        helps=False,
    ),
    _reason(
        NODE + r"didn't have free ports for the requested pod ports",
        "NodePorts",
        Message("A pod on the node already uses a host port that this pod asks for."),
        Message("Which port, and which pod has it."),
        "host-ports",
        helps=True,
    ),
    _reason(
        NODE + r"didn't match pod topology spread constraints \(missing required label\)",
        "PodTopologySpread",
        Message("The node lacks the label that a spread constraint names as its topologyKey."),
        Message("Which label."),
        "hard-spread",
        helps=False,
    ),
    _reason(
        NODE + r"didn't match pod topology spread constraints",
        "PodTopologySpread",
        Message("With the pod there, its zone (or other domain) would have more than maxSkew pods above the emptiest."),
        Message("How many matching pods each domain has. Domains without room for any pod count, too."),
        "hard-spread",
        helps=True,
    ),
    _reason(
        NODE + r"didn't match pod affinity rules|" + NODE + r"didn't match pod affinity/anti-affinity(?: rules)?",
        "InterPodAffinity",
        Message("In the node's domain there is no pod that the pod's required affinity asks for."),
        Message("Which term fails, and where matching pods do run."),
        "affinity",
        helps=False,
    ),
    _reason(
        NODE + r"didn't match pod anti-affinity rules",
        "InterPodAffinity",
        Message("In the node's domain runs a pod that the pod's required anti-affinity excludes."),
        Message("Which pod that is."),
        "anti-affinity",
        helps=True,
    ),
    _reason(
        NODE + r"didn't satisfy existing pods anti-affinity rules",
        "InterPodAffinity",
        Message("A pod that runs in the node's domain excludes this pod by its own anti-affinity."),
        Message("Which pod that is."),
        "anti-affinity",
        helps=True,
    ),
    _reason(
        NODE + r"had volume node affinity conflict|" + NODE + r"didn't match PersistentVolume's node affinity",
        "VolumeBinding",
        Message("A volume of the pod is bound to another node or zone."),
        Message("Which volume, and where it is."),
        "volume-waits",
        helps=False,
    ),
    _reason(
        NODE + r"had no available volume zone|" + NODE + r"had volume zone conflict",
        "VolumeZone",
        Message("A volume of the pod is in another zone than the node."),
        Message("Which volume, and its zone."),
        "volume-waits",
        helps=False,
    ),
    _reason(
        NODE + r"didn't find available persistent volumes to bind|" + NODE + r"did not have enough free storage"
        r"|" + NODE + r"unavailable due to one or more pvc\(s\) bound to non-existent pv\(s\)",
        "VolumeBinding",
        Message("No volume that the node can reach fits the pod's claim, and none can be provisioned for it."),
        Message("Which claim, and what it lacks."),
        "volume-waits",
        helps=False,
    ),
    _reason(
        NODE + r"exceed max volume count",
        "NodeVolumeLimits",
        Message("The node has as many volumes of a driver attached as that driver allows (CSINode)."),
        Message("Which driver, and its limit."),
        helps=True,
    ),
    _reason(
        NODE + r"had no available disk|" + NODE + r"unavailable due to PersistentVolumeClaim with ReadWriteOncePod.*",
        "VolumeRestrictions",
        Message("Another pod has the disk, and it cannot be shared."),
        Message("Which pod has it."),
        helps=True,
    ),
    _reason(
        r"(?:node\(s\) )?pod has unbound immediate PersistentVolumeClaims(?:.*)",
        "VolumeBinding",
        Message("A claim of the pod is not bound, and its class binds at once, without waiting for the pod."),
        Message("Why the claim is not bound: see its own events."),
        "volume-waits",
        helps=False,
    ),
    _reason(
        r"persistentvolumeclaim \"(?P<claim>[^\"]+)\" (?:not found|bound to non-existent.*|is being deleted)",
        "VolumeBinding",
        Message("A claim that the pod names does not exist, or is about to go."),
        Message("Who was to make it."),
        "volume-waits",
        helps=False,
    ),
    _reason(
        r"no nodes available to schedule pods",
        "",
        Message("The cluster has no node at all, or the scheduler knows of none."),
        Message("Why there is none."),
        "no-nodes",
        helps=False,
    ),
    _reason(
        r"Scheduling is blocked due to non-empty scheduling gates.*",
        "SchedulingGates",
        Message("The pod has scheduling gates: it is not tried before all of them are removed."),
        Message("Which controller is to remove them."),
        "scheduling-gates",
        helps=False,
    ),
)
PREEMPTION = (
    (
        re.compile(r"Preemption is not helpful for scheduling"),
        Message("Evicting pods would not change why these nodes were rejected."),
    ),
    (
        re.compile(
            r"No preemption victims found for incoming pod(?:\.)?|No victims found on node .* for preemptor pod .*"
        ),
        Message("On these nodes no pod has a lower priority, or evicting them all would not be enough."),
    ),
    (
        re.compile(r"Insufficient \S+"),
        Message("Even without all pods of lower priority these nodes have too little."),
    ),
)


def reason_of(text: str) -> Reason | None:
    """What is known of a reason; None when it is nobody's that we know."""
    return next((one for one in REASONS if one.pattern.fullmatch(text)), None)


def preemption_meaning(text: str) -> Message | None:
    """What a reason of the second sentence means."""
    if (found := next((said for pattern, said in PREEMPTION if pattern.fullmatch(text)), None)) is not None:
        return found
    other = reason_of(text)
    return other.meaning if other else None
