"""Queueing hints: does an event possibly help a pod that a plugin rejected? One plain function for each plugin.

An event is (resource, action): resources as manifests name them, but AssignedPod and UnschedulablePod; actions as
kube-scheduler's ActionType. Rules: the isSchedulableAfter... functions of kube-scheduler's plugins, and scheduler.go's
buildQueueingHintMap, which lets a taint update wake what registers new nodes but no taint updates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.apis.config import NodeAffinityArgs, PodTopologySpreadArgs, Profile
from scheduler_core.apis.core import HostPort, Node, Pod, PodAffinityTerm, Volume, Workload
from tests.reference import node_plugins, volumes
from tests.reference.node_rules import matches_required_node_affinity, tolerates
from tests.reference.pod_topology_spread import constraints_of
from tests.reference.resources import requests

PODS = ("AssignedPod", "UnschedulablePod")
STORAGE = ("PersistentVolume", "PersistentVolumeClaim", "CSINode", "CSIDriver", "CSIStorageCapacity", "StorageClass")
LABEL, TAINT, ALLOCATABLE = "UpdateNodeLabel", "UpdateNodeTaint", "UpdateNodeAllocatable"
POD_LABEL, TOLERATION, SCALE_DOWN = "UpdatePodLabel", "UpdatePodToleration", "UpdatePodScaleDown"
GATES = "UpdatePodSchedulingGatesEliminated"


@dataclass(frozen=True)
class Event:
    """What happened to an object: `old` None for a new one, `new` None for one that is gone."""

    resource: str
    action: str
    old: Any = None
    new: Any = None


def pod_events(old: Pod, new: Pod) -> list[Event]:
    """PodSchedulingPropertiesChange: one event for each property that changed, else a general one."""
    resource = "AssignedPod" if new.node_name else "UnschedulablePod"
    before, after = requests(old), requests(new)
    found = []
    if old.labels != new.labels:
        found.append(POD_LABEL)
    if any(name not in after or after[name] < number for name, number in before.items()):
        found.append(SCALE_DOWN)
    if old.scheduling_gates and not new.scheduling_gates:
        found.append(GATES)
    if len(old.tolerations) != len(new.tolerations):
        found.append(TOLERATION)
    return [Event(resource, action, old, new) for action in found or ["Update"]]


def node_events(old: Node, new: Node) -> list[Event]:
    """NodeSchedulingPropertiesChange."""
    found = []
    if old.unschedulable and not new.unschedulable:
        found.append(TAINT)
    if old.allocatable != new.allocatable:
        found.append(ALLOCATABLE)
    if old.labels != new.labels:
        found.append(LABEL)
    if old.taints != new.taints:
        found.append(TAINT)
    if old.annotations != new.annotations:
        found.append("UpdateNodeAnnotation")
    return [Event("Node", action, old, new) for action in found]


def worth_a_try(plugin: str, event: Event, pod: Pod, profile: Profile, workloads: Sequence[Workload]) -> bool:
    """Whether the plugin, which rejected the pod, registered the event and says Queue."""
    old, new, action = event.old, event.new, event.action
    if plugin == "Extender":
        return event.resource in (*PODS, "Node", *STORAGE)
    if event.resource == "Node":
        return _node(plugin, action, pod, old, new, profile, workloads)
    if event.resource in PODS:
        return _pod(plugin, action, pod, old, new, profile, workloads)
    return _storage(plugin, event, pod)


def _node(
    plugin: str, action: str, pod: Pod, old: Node | None, new: Node, profile: Profile, workloads: Sequence[Workload]
) -> bool:
    if plugin == "PodTopologySpread":
        return action in ("Add", "Delete", LABEL, TAINT) and _spread_node(pod, old, new, profile, workloads)
    if action == TAINT and plugin not in (
        "NodeUnschedulable",
        "TaintToleration",
        "SchedulingGates",
        "NodeVolumeLimits",
    ):
        return True
    if plugin == "NodeUnschedulable" and action in ("Add", TAINT):
        return not new.unschedulable and (old is None or old.unschedulable)
    if plugin == "TaintToleration" and action in ("Add", TAINT):
        was = old is None or node_plugins.filter_taints(pod, old) != node_plugins.FITS
        return was and node_plugins.filter_taints(pod, new) == node_plugins.FITS
    if plugin == "NodeAffinity" and action in ("Add", LABEL):
        args = profile.plugin_args.get("NodeAffinity")
        added = args.added_required if isinstance(args, NodeAffinityArgs) else None
        if added is not None and not added.matches(new.labels, new.name):
            return False
        was = old is not None and matches_required_node_affinity(pod, old)
        return matches_required_node_affinity(pod, new) and not was
    if plugin == "NodeResourcesFit" and action in ("Add", ALLOCATABLE):
        return _fits_empty_node(pod, new) and (old is None or _more_of_what_is_wanted(pod, old, new))
    if plugin == "InterPodAffinity" and action in ("Add", LABEL):
        return _affinity_node(pod, old, new)
    if plugin in ("VolumeBinding", "VolumeZone"):
        return action in ("Add", LABEL)
    return plugin in ("NodeName", "NodePorts", "VolumeRestrictions") and action == "Add"


def _fits_empty_node(pod: Pod, node: Node) -> bool:
    enough = all(number <= node.allocatable.get(name, 0) for name, number in requests(pod).items() if number)
    return enough and node.allocatable.get("pods", 0) >= 1


def _more_of_what_is_wanted(pod: Pod, old: Node, new: Node) -> bool:
    wanted = [name for name, number in requests(pod).items() if number]
    return any(new.allocatable.get(name, 0) > old.allocatable.get(name, 0) for name in (*wanted, "pods"))


def _affinity_node(pod: Pod, old: Node | None, new: Node) -> bool:
    for term in pod.required_affinity:
        key = term.topology_key
        if key in new.labels and (old is None or old.labels.get(key) != new.labels[key]):
            return True
    for term in pod.required_anti_affinity:
        key = term.topology_key
        if old is None or (key in old.labels and new.labels.get(key) != old.labels[key]):
            return True
    return False


def _spread_node(pod: Pod, old: Node | None, new: Node | None, profile: Profile, workloads: Sequence[Workload]) -> bool:
    keys = [constraint.topology_key for constraint in _hard(pod, profile, workloads)]
    was = old is not None and all(key in old.labels for key in keys)
    now = new is not None and all(key in new.labels for key in keys)
    if old is None or new is None:
        return was or now
    if was != now:
        return True
    return now and (old.taints != new.taints or any(old.labels[key] != new.labels[key] for key in keys))


def _hard(pod: Pod, profile: Profile, workloads: Sequence[Workload]) -> list[Any]:
    args = profile.plugin_args.get("PodTopologySpread")
    assert isinstance(args, PodTopologySpreadArgs)
    return list(constraints_of(pod, "DoNotSchedule", args, workloads))


def _pod(
    plugin: str,
    action: str,
    pod: Pod,
    old: Pod | None,
    new: Pod | None,
    profile: Profile,
    workloads: Sequence[Workload],
) -> bool:
    other = new or old
    assert other is not None
    itself = other.uid == pod.uid
    match plugin:
        case "SchedulingGates":
            return action == GATES and itself
        case "TaintToleration":
            return action == TOLERATION and itself
        case "NodeUnschedulable":
            cordon = node_plugins.UNSCHEDULABLE_TAINT
            return action == TOLERATION and itself and any(tolerates(one, cordon) for one in other.tolerations)
        case "NodeResourcesFit":
            if action == SCALE_DOWN:
                assert old is not None
                assert new is not None
                return itself or (new.node_name != "" and _less_of_what_is_wanted(pod, old, new))
            return action == "Delete" and _had_a_place(other)
        case "NodePorts":
            return action == "Delete" and _had_a_place(other) and _share_ports(pod.host_ports, other.host_ports)
        case "VolumeRestrictions":
            return action == "Delete" and other.namespace == pod.namespace and _share_volumes(pod, other)
        case "NodeVolumeLimits":
            return action == "Delete" and _had_a_place(other) and any(map(_attachable, other.volumes))
        case "InterPodAffinity":
            return action in ("Add", POD_LABEL, "Delete") and _affinity_pod(pod, old, new)
        case "PodTopologySpread":
            registered = action in ("Add", POD_LABEL, TOLERATION, "Delete")
            return registered and _spread_pod(pod, old, new, _hard(pod, profile, workloads))
    return False


def _had_a_place(pod: Pod) -> bool:
    return bool(pod.node_name or pod.nominated_node_name)


def _less_of_what_is_wanted(pod: Pod, old: Pod, new: Pod) -> bool:
    before, after = requests(old), requests(new)
    return any(before.get(name, 0) > after.get(name, 0) for name, number in requests(pod).items() if number)


def _share_ports(wanted: Sequence[HostPort], used: Sequence[HostPort]) -> bool:
    return any(
        (one.port, one.protocol) == (two.port, two.protocol) and (one.ip == two.ip or "0.0.0.0" in (one.ip, two.ip))
        for one in wanted
        for two in used
    )


def _share_volumes(pod: Pod, other: Pod) -> bool:
    if set(volumes.direct_claims(pod)) & set(volumes.direct_claims(other)):
        return True
    return any(volumes.conflicts(one, two) for one in pod.volumes for two in other.volumes)


def _attachable(volume: Volume) -> bool:
    return volume.claim is not None or volume.source_type in volumes.BY_SOURCE


def _affinity_pod(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """Only the pod's own terms are asked, and all of them at once; a namespaceSelector sees no namespace's labels."""
    if any(one is not None and not one.node_name for one in (old, new)):
        return False
    if old is None:
        return _matches_all(pod.required_affinity, new)
    if new is None:
        return _matches_all(pod.required_anti_affinity, old)
    if not _matches_all(pod.required_affinity, old) and _matches_all(pod.required_affinity, new):
        return True
    return _matches_all(pod.required_anti_affinity, old) and not _matches_all(pod.required_anti_affinity, new)


def _matches_all(terms: Sequence[PodAffinityTerm], pod: Pod | None) -> bool:
    assert pod is not None
    nothing: Mapping[str, str] = {}
    return bool(terms) and all(
        (pod.namespace in term.namespaces or (term.namespace_selector and term.namespace_selector.matches(nothing)))
        and term.selector.matches(pod.labels)
        for term in terms
    )


def _spread_pod(pod: Pod, old: Pod | None, new: Pod | None, constraints: Sequence[Any]) -> bool:
    for one in (old, new):
        if one is not None and one.uid != pod.uid and not (one.node_name and one.namespace == pod.namespace):
            return False
    if old is not None and new is not None:
        tolerates_more = new.uid == pod.uid and old.tolerations != new.tolerations
        if tolerates_more and any(constraint.node_taints_policy == "Honor" for constraint in constraints):
            return True
        return any(c.selector.matches(old.labels) != c.selector.matches(new.labels) for c in constraints)
    other = old or new
    assert other is not None
    return any(constraint.selector.matches(other.labels) for constraint in constraints)


def _storage(plugin: str, event: Event, pod: Pod) -> bool:
    old, new, what = event.old, event.new, (plugin, event.resource)
    own = event.resource == "PersistentVolumeClaim" and new is not None and new.namespace == pod.namespace
    mine = own and any(volume.claim == new.name for volume in pod.volumes)
    named = own and new.name in volumes.direct_claims(pod)
    if event.action == "Delete":
        if what != ("NodeVolumeLimits", "VolumeAttachment"):
            return False
        drivers = [volumes.BY_SOURCE[v.source_type].driver for v in pod.volumes if v.source_type in volumes.BY_SOURCE]
        return bool(volumes.direct_claims(pod)) or old.attacher in drivers
    match what:
        case ("VolumeRestrictions", "PersistentVolumeClaim"):
            return event.action == "Add" and named
        case ("NodeVolumeLimits", "PersistentVolumeClaim"):
            return event.action == "Add" and mine
        case ("NodeVolumeLimits", "CSINode"):
            return old is None or any((n or 0) > (old.limits.get(driver) or 0) for driver, n in new.limits.items())
        case ("VolumeBinding", "PersistentVolumeClaim"):
            return mine
        case ("VolumeZone", "PersistentVolumeClaim"):
            return named
        case ("VolumeBinding", "PersistentVolume"):
            return True
        case ("VolumeZone", "PersistentVolume"):
            return old is None or volumes.zones_of(old) != volumes.zones_of(new)
        case ("VolumeBinding", "StorageClass"):
            return old is None or old.allowed_topologies != new.allowed_topologies
        case ("VolumeZone", "StorageClass"):
            return old is None and new.volume_binding_mode == "WaitForFirstConsumer"
        case ("VolumeBinding", "CSINode"):
            return old is None or old.migrated != new.migrated
        case ("VolumeBinding", "CSIStorageCapacity"):
            return old is None or _limit(new) > _limit(old)
        case ("VolumeBinding", "CSIDriver"):
            inline = [v for v in pod.volumes if v.source_type == "csi" and (v.source or {}).get("driver") == new.name]
            return bool(inline) and old is not None and old.storage_capacity and not new.storage_capacity
    return False


def _limit(capacity: Any) -> int:
    found = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
    return -1 if found is None else int(found)
