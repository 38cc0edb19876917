"""Every reason that plugins of kube-scheduler give for a node, in each release from 1.20 to 1.36, is known.

The table is taken from the sources: `ErrReason...` and statuses of pkg/scheduler/framework/plugins, preemption and
schedule_one.go; for volumes of 1.20 to 1.22 pkg/controller/volume/scheduling.
"""

import pytest

from kschedui.waiting.message import decode
from kschedui.waiting.reasons import preemption_meaning, reason_of

# (first release, last, plugin, reason)
REASONS = (
    (20, 36, "NodeResourcesFit", "Insufficient cpu"),
    (20, 36, "NodeResourcesFit", "Insufficient hugepages-2Mi"),
    (20, 36, "NodeResourcesFit", "Too many pods"),
    (28, 36, "NodeResourcesFit", "Pod has a restartable init container and the SidecarContainers feature is disabled"),
    (20, 23, "TaintToleration", "node(s) had taint {dedicated: gpu}, that the pod didn't tolerate"),
    (20, 36, "TaintToleration", "node(s) had taints that the pod didn't tolerate"),
    (24, 35, "TaintToleration", "node(s) had untolerated taint {node.kubernetes.io/not-ready: }"),
    (36, 36, "TaintToleration", "node(s) had untolerated taint(s)"),
    (20, 36, "NodeUnschedulable", "node(s) were unschedulable"),
    (20, 36, "NodeUnschedulable", "node(s) had unknown conditions"),
    (20, 27, "NodeUnschedulable", "node not found"),
    (20, 20, "NodeAffinity", "node(s) didn't match Pod's node affinity"),
    (21, 36, "NodeAffinity", "node(s) didn't match Pod's node affinity/selector"),
    (20, 36, "NodeAffinity", "node(s) didn't match scheduler-enforced node affinity"),
    (24, 36, "NodeAffinity", "pod affinity terms conflict"),
    (20, 20, "NodeName", "node(s) didn't match the requested hostname"),
    (21, 36, "NodeName", "node(s) didn't match the requested node name"),
    (20, 36, "NodePorts", "node(s) didn't have free ports for the requested pod ports"),
    (20, 36, "PodTopologySpread", "node(s) didn't match pod topology spread constraints"),
    (20, 36, "PodTopologySpread", "node(s) didn't match pod topology spread constraints (missing required label)"),
    (20, 20, "InterPodAffinity", "node(s) didn't match pod affinity/anti-affinity"),
    (21, 21, "InterPodAffinity", "node(s) didn't match pod affinity/anti-affinity rules"),
    (20, 36, "InterPodAffinity", "node(s) didn't match pod affinity rules"),
    (20, 36, "InterPodAffinity", "node(s) didn't match pod anti-affinity rules"),
    (20, 36, "InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules"),
    (20, 36, "InterPodAffinity", "parsing pod: nodeSelector: invalid"),
    (20, 32, "VolumeBinding", "node(s) had volume node affinity conflict"),
    (33, 36, "VolumeBinding", "node(s) didn't match PersistentVolume's node affinity"),
    (20, 36, "VolumeBinding", "node(s) didn't find available persistent volumes to bind"),
    (20, 36, "VolumeBinding", "node(s) did not have enough free storage"),
    (20, 22, "VolumeBinding", "pvc(s) bound to non-existent pv(s)"),
    (23, 36, "VolumeBinding", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
    (20, 36, "VolumeBinding", "pod has unbound immediate PersistentVolumeClaims"),
    (20, 36, "VolumeBinding", 'persistentvolumeclaim "data" not found'),
    (20, 36, "VolumeBinding", 'persistentvolumeclaim "data" is being deleted'),
    (20, 22, "VolumeBinding", 'persistentvolumeclaim "data" was not created for the pod'),
    (22, 36, "VolumeBinding", 'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"'),
    (
        *(22, 36, "VolumeBinding"),
        'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-data"',
    ),
    (20, 36, "VolumeZone", "node(s) had no available volume zone"),
    (20, 36, "VolumeZone", "PersistentVolumeClaim had no name"),
    (20, 36, "VolumeZone", "PersistentVolumeClaim had no pv name and storageClass name"),
    (20, 36, "VolumeZone", 'VolumeBindingMode not set for StorageClass "fast"'),
    (20, 36, "VolumeZone", "PersistentVolume had no name"),
    (20, 21, "VolumeZone", 'PersistentVolumeClaim was not found: "data"'),
    (20, 21, "VolumeZone", 'PersistentVolume was not found: "pv"'),
    (27, 36, "VolumeZone", 'persistentvolume "pv" not found'),
    (20, 20, "VolumeZone", 'StorageClass "fast" claimed by PersistentVolumeClaim "data" not found'),
    (20, 36, "NodeVolumeLimits", "node(s) exceed max volume count"),
    (35, 36, "NodeVolumeLimits", "ebs.csi.aws.com CSI driver is not installed on the node"),
    (20, 36, "VolumeRestrictions", "node(s) had no available disk"),
    (
        *(22, 34, "VolumeRestrictions"),
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    ),
    (
        *(35, 36, "VolumeRestrictions"),
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
        "pod",
    ),
    (26, 36, "DynamicResources", "resourceclaim in use"),
    (26, 36, "DynamicResources", "resourceclaim not available on the node"),
    (26, 31, "DynamicResources", "resourceclaim must be reallocated"),
    (26, 31, "DynamicResources", "resourceclaim cannot be allocated for the node (unsuitable)"),
    (26, 30, "DynamicResources", "excluded by resource class node filter"),
    (31, 31, "DynamicResources", "excluded by device class node filter"),
    (26, 30, "DynamicResources", "unallocated immediate resourceclaim"),
    (26, 31, "DynamicResources", "waiting for resource driver to provide information"),
    (31, 36, "DynamicResources", "cannot allocate all claims"),
    (31, 36, "DynamicResources", "request gpu: device class gpu.example.com does not exist"),
    (31, 36, "DynamicResources", "resource claim default/web-gpu is in the process of being allocated"),
    (26, 36, "DynamicResources", 'pod "default/web": ResourceClaim not created yet'),
    (26, 36, "DynamicResources", 'resourceclaim "web-gpu" is being deleted'),
    (30, 36, "DynamicResources", "deallocation of ResourceClaim completed"),
    (26, 36, "SchedulingGates", "Scheduling is blocked due to non-empty scheduling gates"),
    (26, 36, "SchedulingGates", "waiting for scheduling gates: [example.com/a example.com/b]"),
    (36, 36, "NodeDeclaredFeatures", "node(s) didn't match Pod's required features"),
    (36, 36, "GangScheduling", "waiting for minCount pods from a gang to appear in scheduling queue"),
    (32, 36, "DefaultPreemption", "waiting for the preemption for this pod to be finished"),
    (20, 22, "NodeLabel", "node(s) didn't have the requested labels"),
    (20, 22, "ServiceAffinity", "node(s) didn't match service affinity"),
    (24, 36, "NodeAffinity", "node(s) didn't satisfy plugin NodeAffinity"),
    (24, 36, "", "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously"),
    (32, 36, "NodeAffinity", "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    (20, 36, "", "no nodes available to schedule pods"),
)
EVICTING = (
    (20, 36, "Preemption is not helpful for scheduling"),
    (21, 23, "No victims found on node n1 for preemptor pod web"),
    (24, 36, "No preemption victims found for incoming pod"),
    (36, 36, "No preemption victims found for incoming preemptor"),
    (20, 36, "Insufficient memory"),
    (26, 36, "not eligible due to preemptionPolicy=Never"),
    (26, 36, "not eligible due to a terminating pod on the nominated node"),
    (36, 36, "not eligible due to workload aware preemption enabled"),
)
RELEASES = range(20, 37)


@pytest.mark.parametrize("minor", RELEASES)
def test_every_reason_of_a_release_is_known_by_its_plugin(minor: int) -> None:
    said = [(plugin, reason) for first, last, plugin, reason in REASONS if first <= minor <= last]
    assert len(said) > 25
    for plugin, reason in said:
        found = reason_of(reason)
        assert found is not None, reason
        assert found.plugin == plugin, reason
    for first, last, reason in EVICTING:
        assert not first <= minor <= last or preemption_meaning(reason), reason


@pytest.mark.parametrize("minor", RELEASES)
def test_a_message_of_all_reasons_of_a_release_is_taken_apart(minor: int) -> None:
    said = [reason for first, last, _, reason in REASONS if first <= minor <= last and not reason.startswith("no ")]
    text = f"0/900 nodes are available: {', '.join(f'3 {reason}' for reason in sorted(said))}."
    evicting = [reason for first, last, reason in EVICTING[:4] if first <= minor <= last]
    if minor >= 24:
        text += f" preemption: 0/900 nodes are available: {', '.join(f'2 {reason}' for reason in evicting)}."
    found = decode(text)
    assert [(part.count, part.reason) for part in found.parts] == [(3, reason) for reason in sorted(said)]
    assert [part.reason for part in found.preemption or ()] == (evicting if minor >= 24 else [])
    assert found.end == "."
